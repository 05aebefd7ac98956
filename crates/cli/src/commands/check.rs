use std::path::Path;
use std::sync::Arc;

use ringmill::platform::{Platform, PlatformTask};
use ringmill::{Job, Loading, NamedCircuit, Table, TableFormat, Trial, content, format_of};
use serde::Serialize;

use super::circuits::Entry;
use super::messages;
use crate::arguments::{CheckArguments, check_inputs, single};
use crate::error::CliError;
use crate::progress::Terminal;
use crate::report::{self, bytes, print_beside, seconds};
use crate::summary::PlanSummary;

/// Results that are shown where no file is to be written.
pub const SHOWN: usize = 10;

#[derive(Serialize)]
struct Report {
    circuit: Entry,
    records: u64,
    /// The first results as a table in CSV; none where all are in a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    results: Option<String>,
    parameters: String,
    security_bits: u32,
    plan: PlanSummary,
    batches: u64,
    /// Of all batches together, without keys.
    seconds: f64,
    bytes_up: u64,
    bytes_down: u64,
    file: Option<String>,
}

/// Tries a circuit on a table in the clear, and plans it.
pub fn run(arguments: &CheckArguments) -> Result<(), CliError> {
    check_inputs(&arguments.inputs())?;
    arguments.choice.memory.check()?;
    if let Some(output) = output(arguments) {
        let format = format_of(output.path(), None)?;
        output.check(content(format))?;
    }
    if let Some(plan) = arguments.program.plan(arguments.choice.security)? {
        return messages::check::run(arguments, &plan);
    }
    let Some(circuit) = arguments.function.build()? else {
        return Err(CliError::usage(
            "give --circuit, --expr or --integers: what is to be computed",
        ));
    };
    let (records, results) = try_on_table(&circuit, arguments)?;
    let platform = arguments.device.open(&Terminal::default())?;
    platform.run(Planned {
        circuit,
        arguments,
        records,
        results,
    })
}

pub fn output(arguments: &CheckArguments) -> Option<ringmill::Output> {
    let path = arguments.output.as_ref()?;
    Some(ringmill::Output::new(path).replacing(arguments.force))
}

/// The number of results, and the first of them if they are not written to a file.
fn try_on_table(
    circuit: &NamedCircuit,
    arguments: &CheckArguments,
) -> Result<(u64, Option<String>), CliError> {
    let table = Table::open(single("--input", &arguments.input)?).with_format(arguments.format);
    let trial = Trial::new(circuit, &table)?;
    if let Some(output) = output(arguments) {
        return Ok((trial.to(&output, None)?, None));
    }
    let (mut count, mut shown) = (0, None);
    for results in trial {
        let results = results?;
        if shown.is_none() {
            let text = results.to_bytes(TableFormat::Csv)?;
            let text = String::from_utf8_lossy(&text);
            shown = Some(
                text.lines()
                    .take(1 + SHOWN)
                    .map(|line| format!("{line}\n"))
                    .collect(),
            );
        }
        count += results.len() as u64;
    }
    Ok((count, shown))
}

struct Planned<'a> {
    circuit: NamedCircuit,
    arguments: &'a CheckArguments,
    records: u64,
    results: Option<String>,
}

impl PlatformTask for Planned<'_> {
    type Output = ();
    type Error = CliError;

    fn run<P: Platform>(self, platform: &Arc<P>) -> Result<(), CliError> {
        let arguments = self.arguments;
        let planning = arguments.choice.planning(Arc::new(Terminal::default()));
        let planning = planning
            .optimise(arguments.function.circuit.optimise.into())
            .records(usize::try_from(self.records).unwrap_or(usize::MAX))
            .loading(Loading::WhenUsed);
        let job = planning.plan_on(platform, &self.circuit)?;
        let report = self.report(&job)?;
        let output = arguments.output.as_deref().unwrap_or(Path::new(""));
        print_beside(output, arguments.json, &report, || report.text())
    }
}

impl Planned<'_> {
    fn report<P: Platform>(self, job: &Job<P>) -> Result<Report, CliError> {
        let plan = PlanSummary::new(job.plan_details())?;
        let batches = self.records.div_ceil(plan.slots.max(1) as u64);
        // A packed record for all batches goes up once.
        let uploads = if plan.packing == "broadcast" { 1 } else { batches };
        let parameters = job.parameters();
        Ok(Report {
            circuit: Entry::new(&self.circuit),
            records: self.records,
            results: self.results,
            parameters: parameters.name().to_owned(),
            security_bits: parameters.security().bits,
            batches,
            seconds: plan.seconds * batches as f64,
            bytes_up: plan.input_bytes * uploads,
            bytes_down: plan.result_bytes * batches,
            plan,
            file: self
                .arguments
                .output
                .as_ref()
                .map(|path| path.display().to_string()),
        })
    }
}

impl Report {
    fn text(&self) -> String {
        let mut table = report::Table::new();
        table.heading("in the clear");
        self.circuit.rows(&mut table);
        table.row("records", self.records.to_string());
        if let Some(file) = &self.file {
            table.row("results in", &**file);
        }
        let mut encrypted = report::Table::new();
        encrypted.heading("under encryption, as predicted");
        encrypted.row(
            "parameters",
            format!("{}, {} bits of security", self.parameters, self.security_bits),
        );
        encrypted.row(
            "time",
            format!(
                "{} for {} batches of {}",
                seconds(self.seconds),
                self.batches,
                self.plan.slots
            ),
        );
        encrypted.row("memory", bytes(self.plan.memory_bytes));
        encrypted.row(
            "up",
            format!(
                "{} of inputs, and {} of keys once",
                bytes(self.bytes_up),
                bytes(self.plan.key_bytes)
            ),
        );
        encrypted.row("down", format!("{} of results", bytes(self.bytes_down)));
        let shown = self.results.as_ref().map_or(String::new(), |results| {
            let more = match self.records.saturating_sub(SHOWN as u64) {
                0 => String::new(),
                more => format!("and {more} more; -o FILE writes all\n"),
            };
            format!("\n{results}{more}")
        });
        format!("{}{shown}\n{}", table.to_text(), encrypted.to_text())
    }
}
