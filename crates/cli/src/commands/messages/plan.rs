use ringmill::messages::{MessageCosts, MessagePlan};
use ringmill::platform::Cpu;
use ringmill::{Access, Parameters, warn_if_insecure};
use serde::Serialize;

use super::summary::ProgramSummary;
use super::{refuse, refuse_choices, refuse_primes};
use crate::arguments::{PlanArguments, Secrecy};
use crate::error::CliError;
use crate::progress::Terminal;
use crate::report::{Table, bytes, print_beside, seconds};
use crate::summary::ParameterSummary;

#[derive(Serialize)]
struct Report {
    parameters: ParameterSummary,
    /// The reason why the parameters are insecure, if they are.
    insecure: Option<String>,
    /// Numbers in a message at most.
    numbers: usize,
    file: Option<String>,
    file_bytes: Option<u64>,
}

/// Refuses what only a circuit's plan has.
fn refuse_others(arguments: &PlanArguments) -> Result<(), CliError> {
    refuse_choices(&arguments.choice, &arguments.function, &arguments.device)?;
    refuse(&[
        ("--packing", arguments.packing.is_some()),
        ("--share-results", arguments.share_results),
        ("--explain", arguments.explain),
        ("--further-levels", arguments.further_levels > 0),
        ("--after", arguments.after.is_some()),
        ("--input-key", arguments.input_key != Secrecy::Public),
    ])
}

#[derive(Serialize)]
struct ProgramReport {
    parameters: ParameterSummary,
    plan: ProgramSummary,
    evaluation: Evaluation,
    file: Option<String>,
    file_bytes: Option<u64>,
}

/// What evaluation is predicted to cost on this machine's processor.
#[derive(Serialize)]
struct Evaluation {
    /// Seconds of a row, and the threads that share it.
    seconds: f64,
    threads: usize,
    memory_bytes: u64,
}

impl Evaluation {
    fn new(costs: &MessageCosts) -> Self {
        Self {
            seconds: costs.seconds,
            threads: costs.threads,
            memory_bytes: costs.memory,
        }
    }

    fn rows(&self, table: &mut Table) {
        let threads = match self.threads {
            1 => "one thread".to_owned(),
            threads => format!("{threads} threads"),
        };
        table.row("time", format!("{} a row on {threads}", seconds(self.seconds)));
        table.row("memory", bytes(self.memory_bytes));
    }
}

/// Writes the job of a program over messages.
pub fn program(arguments: &PlanArguments, plan: &MessagePlan) -> Result<(), CliError> {
    refuse_others(arguments)?;
    refuse_primes(&arguments.choice)?;
    let file_bytes = arguments
        .output
        .file()
        .map(|output| plan.write(&output))
        .transpose()?;
    let report = ProgramReport {
        parameters: ParameterSummary::new(plan.parameters()),
        plan: ProgramSummary::new(plan)?,
        evaluation: Evaluation::new(&plan.costs(&Cpu, &Terminal::default())?),
        file: arguments.output.name(),
        file_bytes,
    };
    print_beside(arguments.output.path(), arguments.json, &report, || {
        let mut table = Table::new();
        table.heading("a program over messages");
        report.plan.rows(&mut table);
        report.evaluation.rows(&mut table);
        table.heading("parameters");
        report.parameters.rows(&mut table);
        if let Some(file) = &report.file {
            table.row("written to", &**file);
        }
        table.to_text()
    })
}

/// Writes the parameters of a preset.
pub fn run(arguments: &PlanArguments) -> Result<(), CliError> {
    refuse_others(arguments)?;
    let Some(name) = &arguments.choice.preset else {
        return Err(CliError::usage(
            "give --circuit or --expr to have parameters chosen for it, --integers for a program over messages, or \
             --preset to encrypt messages without one",
        ));
    };
    let parameters = Parameters::preset(name)?;
    warn_if_insecure(&parameters, &());
    let file_bytes = match arguments.output.file() {
        None => None,
        Some(output) => Some(output.write(Access::Public, |out| Ok(parameters.write(out)?))?.1),
    };
    let report = Report {
        parameters: ParameterSummary::new(&parameters),
        insecure: parameters.security().warning.clone(),
        numbers: parameters.n(),
        file: arguments.output.name(),
        file_bytes,
    };
    print_beside(arguments.output.path(), arguments.json, &report, || {
        let mut table = Table::new();
        table.heading("parameters for messages");
        report.parameters.rows(&mut table);
        table.row(
            "a message",
            format!(
                "up to {} integers from 0 to {}",
                report.numbers,
                parameters.t() - 1
            ),
        );
        if let Some(file) = &report.file {
            table.row("written to", &**file);
        }
        table.to_text()
    })
}
