use ringmill::messages::{MessagePlan, MessageTrial};
use serde::Serialize;

use super::summary::ProgramSummary;
use super::{refuse_choices, refuse_primes};
use crate::arguments::{CheckArguments, named};
use crate::commands::check::SHOWN;
use crate::error::CliError;
use crate::report::{Table, print_beside};
use crate::summary::ParameterSummary;

#[derive(Serialize)]
struct Report {
    rows: u64,
    /// The first results, a JSON object a line; none where all are in a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    results: Option<String>,
    plan: ProgramSummary,
    parameters: ParameterSummary,
    file: Option<String>,
}

/// Tries a program over messages in the clear.
pub fn run(arguments: &CheckArguments, plan: &MessagePlan) -> Result<(), CliError> {
    refuse_choices(&arguments.choice, &arguments.function, &arguments.device)?;
    refuse_primes(&arguments.choice)?;
    if arguments.data.is_some() {
        return Err(CliError::usage(
            "--data is of use with a circuit or an expression only; give a public input of --integers with --input NAME=FILE",
        ));
    }
    let files = named("--input", plan.program(), None, &arguments.input)?;
    let trial = MessageTrial::open(plan, &files, arguments.format)?;
    let (rows, results) = match arguments.output.file() {
        Some(output) => (trial.write(&output, None, None)?, None),
        None => {
            let (text, rows) = trial.first(SHOWN)?;
            (rows, Some(text))
        }
    };
    let report = Report {
        rows,
        results,
        plan: ProgramSummary::new(plan)?,
        parameters: ParameterSummary::new(plan.parameters()),
        file: arguments.output.name(),
    };
    print_beside(arguments.output.path(), arguments.json, &report, || report.text())
}

impl Report {
    fn text(&self) -> String {
        let mut table = Table::new();
        table.heading("in the clear");
        table.row("rows", self.rows.to_string());
        if let Some(file) = &self.file {
            table.row("results in", &**file);
        }
        let shown = self.results.as_ref().map_or(String::new(), |results| {
            let more = match self.rows.saturating_sub(SHOWN as u64) {
                0 => String::new(),
                more => format!("and {more} more; -o FILE writes all\n"),
            };
            format!("\n{results}{more}")
        });
        let mut encrypted = Table::new();
        encrypted.heading("under encryption");
        self.plan.rows(&mut encrypted);
        self.parameters.rows(&mut encrypted);
        format!("{}{shown}\n{}", table.to_text(), encrypted.to_text())
    }
}
