use std::sync::Arc;

use ringmill::platform::{Platform, PlatformTask};
use ringmill::{Job, Loading, NamedCircuit, Table, TableFormat, Trial, content, format_of};
use serde::Serialize;

use super::circuits::Entry;
use super::messages;
use crate::arguments::{CheckArguments, check_inputs, single};
use crate::error::CliError;
use crate::progress::Terminal;
use crate::report::{self, print_beside};
use crate::summary::{PlanSummary, TableCost};

/// Results that are shown where no file is to be written.
pub const SHOWN: usize = 10;

#[derive(Serialize)]
struct Report {
    circuit: Entry,
    /// Rows of the table of results.
    #[serde(skip)]
    rows: u64,
    /// The first results as a table in CSV; none where all are in a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    results: Option<String>,
    parameters: String,
    security_bits: u32,
    plan: PlanSummary,
    #[serde(flatten)]
    cost: TableCost,
    file: Option<String>,
}

/// Tries a circuit on a table in the clear, and plans it.
pub fn run(arguments: &CheckArguments) -> Result<(), CliError> {
    check_inputs(&arguments.inputs())?;
    arguments.choice.memory.check()?;
    if let Some(output) = arguments.output.file() {
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
    let tried = try_on_table(&circuit, arguments)?;
    let platform = arguments.device.open(&Terminal::default())?;
    platform.run(Planned {
        circuit,
        arguments,
        tried,
    })
}

/// The results of a table in the clear.
struct Tried {
    records: u64,
    /// How many results there are.
    rows: u64,
    /// The first of them, if they are not written to a file.
    results: Option<String>,
}

fn try_on_table(circuit: &NamedCircuit, arguments: &CheckArguments) -> Result<Tried, CliError> {
    let table = Table::open(single("--input", &arguments.input)?).with_format(arguments.format);
    let mut trial = match &arguments.data {
        None => Trial::new(circuit, &table)?,
        Some(data) => {
            let public = Table::open(data).with_format(arguments.format);
            Trial::with_public(circuit, &table, &public)?
        }
    };
    if let Some(output) = arguments.output.file() {
        let records = trial.to(&output, None)?;
        return Ok(Tried {
            records,
            rows: records,
            results: None,
        });
    }
    let (mut rows, mut shown) = (0, None);
    while let Some(results) = trial.next().transpose()? {
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
        rows += results.len() as u64;
    }
    Ok(Tried {
        records: trial.records(),
        rows,
        results: shown,
    })
}

struct Planned<'a> {
    circuit: NamedCircuit,
    arguments: &'a CheckArguments,
    tried: Tried,
}

impl PlatformTask for Planned<'_> {
    type Output = ();
    type Error = CliError;

    fn run<P: Platform>(self, platform: &Arc<P>) -> Result<(), CliError> {
        let arguments = self.arguments;
        let planning = arguments.choice.planning(Arc::new(Terminal::default()));
        let planning = planning
            .optimise(arguments.function.circuit.optimise.into())
            .records(usize::try_from(self.tried.records).unwrap_or(usize::MAX))
            .loading(Loading::WhenUsed);
        let job = planning.plan_on(platform, &self.circuit)?;
        let report = self.report(&job)?;
        print_beside(arguments.output.path(), arguments.json, &report, || report.text())
    }
}

impl Planned<'_> {
    fn report<P: Platform>(self, job: &Job<P>) -> Result<Report, CliError> {
        let plan = PlanSummary::new(job.plan_details())?;
        let Tried {
            records,
            rows,
            results,
        } = self.tried;
        let parameters = job.parameters();
        Ok(Report {
            circuit: Entry::new(&self.circuit),
            rows,
            results,
            parameters: parameters.name().to_owned(),
            security_bits: parameters.security().bits,
            cost: plan.of_table(records),
            plan,
            file: self.arguments.output.name(),
        })
    }
}

impl Report {
    fn text(&self) -> String {
        let mut table = report::Table::new();
        table.heading("in the clear");
        self.circuit.rows(&mut table);
        table.row("records", self.cost.records.to_string());
        if let Some(file) = &self.file {
            table.row("results in", &**file);
        }
        let mut encrypted = report::Table::new();
        encrypted.heading("under encryption, as predicted");
        encrypted.row(
            "parameters",
            format!("{}, {} bits of security", self.parameters, self.security_bits),
        );
        self.plan.rows(&mut encrypted, Some(self.cost.records));
        let shown = self.results.as_ref().map_or(String::new(), |results| {
            let more = match self.rows.saturating_sub(SHOWN as u64) {
                0 => String::new(),
                more => format!("and {more} more; -o FILE writes all\n"),
            };
            format!("\n{results}{more}")
        });
        format!("{}{shown}\n{}", table.to_text(), encrypted.to_text())
    }
}
