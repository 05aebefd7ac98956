//! Our figures beside those of the papers and of other libraries.

mod batches;
mod circuits;
mod jobs;
mod kernels;
pub mod measure;
mod messages;
mod papers;
mod peers;

use ringmill_device::Device;
use ringmill_engine::peak_memory;
use serde::Serialize;

use crate::arguments::BenchArguments;
use crate::device::{Devices, Job};
use crate::error::CliError;
use crate::machine::Machine;
use crate::progress::Progress;
use crate::report::{bytes, columns, print_either, seconds};
use measure::Times;

/// One line of the result.
#[derive(Debug, Serialize)]
struct Row {
    name: String,
    /// Threads used.
    threads: usize,
    seconds: Times,
    paper: &'static str,
    peer: &'static str,
}

#[derive(Debug, Serialize)]
struct Report {
    machine: Machine,
    rows: Vec<Row>,
    batches: Vec<batches::Row>,
    messages: Vec<messages::Row>,
    circuits: Vec<circuits::Row>,
    /// Where the card's time went, if that was measured.
    kernels: Vec<kernels::Row>,
    /// What was wanted and could not be measured, and why.
    failures: Vec<String>,
    note: &'static str,
    peak_memory_bytes: Option<u64>,
}

/// What to measure, how often, and where results go.
struct Bench<'a> {
    only: Option<&'a str>,
    quick: bool,
    /// Threads of the pool that everything runs in unless it says otherwise.
    threads: usize,
    rows: Vec<Row>,
    /// Batches on a device.
    batches: Vec<batches::Row>,
    /// Encryption without circuits.
    messages: Vec<messages::Row>,
    /// Whole circuits.
    circuits: Vec<circuits::Row>,
    /// What could not be measured.
    failures: Vec<(String, CliError)>,
}

/// Runs, of something that takes about so many seconds: enough for a second or two.
fn runs(quick: bool, seconds: f64) -> usize {
    let whole = (1.5 / seconds) as usize;
    match quick {
        true => whole.clamp(1, 5),
        false => whole.clamp(3, 101),
    }
}

impl<'a> Bench<'a> {
    fn new(only: Option<&'a str>, quick: bool) -> Self {
        Self {
            only,
            quick,
            threads: rayon::current_num_threads(),
            rows: Vec::new(),
            batches: Vec::new(),
            messages: Vec::new(),
            circuits: Vec::new(),
            failures: Vec::new(),
        }
    }

    /// Refuses a choice that nothing is in.
    fn check_names(&self) -> Result<(), CliError> {
        let mut names: Vec<String> = jobs::names().into_iter().map(str::to_owned).collect();
        names.extend(batches::NAMES.map(str::to_owned));
        names.extend(messages::NAMES.map(str::to_owned));
        names.extend(circuits::names());
        if names.iter().any(|name| self.wants(name)) {
            return Ok(());
        }
        Err(CliError::Usage(format!(
            "--only {}: no measurement has that in its name; there are: {}",
            self.only.unwrap_or_default(),
            names.join(", ")
        )))
    }

    fn wants(&self, name: &str) -> bool {
        self.only.is_none_or(|only| name.contains(only))
    }

    fn wants_any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.wants(name))
    }

    fn runs(&self, seconds: f64) -> usize {
        runs(self.quick, seconds)
    }

    /// Measures on a device if wanted.
    fn measure<T>(
        &mut self,
        device: &impl Device,
        name: &str,
        (threads, about): (usize, f64),
        (paper, peer): (&'static str, &'static str),
        job: impl FnMut() -> Result<T, CliError>,
    ) -> Result<(), CliError> {
        if !self.wants(name) {
            return Ok(());
        }
        let _spinner = Progress::spinner(name);
        let times = Times::on(device, self.runs(about), job)?;
        self.note(name, threads, times, (paper, peer));
        Ok(())
    }

    fn note(
        &mut self,
        name: &str,
        threads: usize,
        seconds: Times,
        (paper, peer): (&'static str, &'static str),
    ) {
        self.rows.push(Row {
            name: name.to_owned(),
            threads,
            seconds,
            paper,
            peer,
        });
    }
}

/// Measures and prints.
pub fn run(arguments: &BenchArguments) -> Result<(), CliError> {
    if let Some(paper) = arguments.paper {
        return papers::run(paper, arguments);
    }
    let (report, failure) = arguments.device.device.run(Measure(arguments))?;
    print_either(arguments.json, &report, || text(&report))?;
    failure.map_or(Ok(()), Err)
}

struct Measure<'a>(&'a BenchArguments);

impl Job for Measure<'_> {
    /// With the first failure, if there was one.
    type Output = (Report, Option<CliError>);

    fn run<F: Devices>(self, devices: &F) -> Result<Self::Output, CliError> {
        let Self(arguments) = self;
        let profiled = arguments.profile.then(|| devices.profiled()).transpose()?;
        let devices = profiled.as_ref().unwrap_or(devices);
        let mut bench = Bench::new(arguments.only.as_deref(), arguments.quick);
        bench.check_names()?;
        jobs::transforms(&mut bench)?;
        let single = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
        single.install(|| jobs::operations(&mut bench, devices))?;
        jobs::hepcloud(&mut bench, devices)?;
        batches::run(&mut bench, devices)?;
        messages::run(&mut bench, devices)?;
        circuits::run(&mut bench, devices)?;
        let failures = bench.failures.iter();
        let report = Report {
            machine: Machine::with(devices)?,
            rows: bench.rows,
            batches: bench.batches,
            messages: bench.messages,
            circuits: bench.circuits,
            kernels: kernels::rows(devices.profile()?),
            failures: failures.map(|(name, error)| format!("{name}: {error}")).collect(),
            note: peers::NOTE,
            peak_memory_bytes: peak_memory(),
        };
        Ok((report, bench.failures.into_iter().next().map(|(_, error)| error)))
    }
}

fn text(report: &Report) -> String {
    let row = |row: &Row| {
        let times = &row.seconds;
        vec![
            row.name.clone(),
            row.threads.to_string(),
            seconds(times.median),
            format!("{} .. {}", seconds(times.min), seconds(times.max)),
            times.runs.to_string(),
            row.paper.to_owned(),
            row.peer.to_owned(),
        ]
    };
    let rows: Vec<Vec<String>> = report.rows.iter().map(row).collect();
    let header = [
        "n = 32768",
        "threads",
        "median",
        "fastest .. slowest",
        "runs",
        "papers",
        "peers",
    ];
    let mut text = format!("{}\n", report.machine.line());
    if !rows.is_empty() {
        text.push_str(&format!("\n{}", columns(&header, 1..5, &rows)));
    }
    if !report.batches.is_empty() {
        text.push_str(&format!("\n{}", batches::text(&report.batches)));
    }
    if !report.messages.is_empty() {
        text.push_str(&format!("\n{}", messages::text(&report.messages)));
    }
    if !report.circuits.is_empty() {
        text.push_str(&format!("\n{}", circuits::text(&report.circuits)));
    }
    if !report.kernels.is_empty() {
        text.push_str(&format!("\n{}", kernels::text(&report.kernels)));
    }
    for failure in &report.failures {
        text.push_str(&format!("\nnot measured: {failure}\n"));
    }
    text.push_str(&format!(
        "\npeak memory {}\n{}\n",
        report
            .peak_memory_bytes
            .map_or("unknown on this system".to_owned(), bytes),
        report.note
    ));
    text
}
