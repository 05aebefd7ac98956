//! Our figures beside those of the papers and of other libraries.

mod batches;
mod circuits;
mod forms;
mod jobs;
mod kernels;
mod log;
pub mod measure;
mod messages;
mod papers;
mod peers;

use std::sync::Arc;

use ringmill_device::Device;
use ringmill_engine::whole_peak_memory;
use serde::Serialize;

use crate::arguments::BenchArguments;
use crate::error::CliError;
use crate::host::HostInfo;
use crate::progress::Terminal;
use crate::report::{Layout, bytes, print_either, seconds};
use log::Log;
use measure::Times;
use ringmill::platform::{Platform, PlatformTask};

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

const OPERATIONS: Layout = Layout {
    columns: &[
        ("n = 32768", 54),
        ("threads", 0),
        ("median", 8),
        ("fastest .. slowest", 20),
        ("runs", 4),
        ("papers", 42),
        ("peers", 0),
    ],
    numbers: 1..5,
};

#[derive(Debug, Serialize)]
struct Report {
    machine: HostInfo,
    rows: Vec<Row>,
    batches: Vec<batches::Row>,
    messages: Vec<messages::Row>,
    circuits: Vec<circuits::Row>,
    /// Where the GPU's time went, if that was measured.
    kernels: Vec<kernels::Row>,
    /// The failed measurements, and why they failed.
    failures: Vec<String>,
    note: &'static str,
    peak_memory_bytes: Option<u64>,
}

/// The measurements to make, how often, and those that are made.
struct Bench<'a> {
    only: Option<&'a str>,
    quick: bool,
    /// Threads of the pool that everything runs in unless it says otherwise.
    threads: usize,
    log: Log,
    rows: Vec<Row>,
    /// Batches on a device.
    batches: Vec<batches::Row>,
    /// Encryption without circuits.
    messages: Vec<messages::Row>,
    /// Whole circuits.
    circuits: Vec<circuits::Row>,
}

/// The number of runs of something that takes about `seconds`: enough for a second or two.
fn runs(quick: bool, seconds: f64) -> usize {
    let whole = (1.5 / seconds) as usize;
    if quick {
        whole.clamp(1, 5)
    } else {
        whole.clamp(3, 101)
    }
}

impl<'a> Bench<'a> {
    fn new(only: Option<&'a str>, quick: bool, log: Log) -> Self {
        Self {
            only,
            quick,
            threads: rayon::current_num_threads(),
            log,
            rows: Vec::new(),
            batches: Vec::new(),
            messages: Vec::new(),
            circuits: Vec::new(),
        }
    }

    /// Refuses a choice that nothing is in.
    fn check_names(&self) -> Result<(), CliError> {
        let mut names: Vec<String> = jobs::names().into_iter().map(str::to_owned).collect();
        names.extend(forms::names());
        names.extend(batches::NAMES.map(str::to_owned));
        names.extend(messages::NAMES.map(str::to_owned));
        names.extend(circuits::names());
        if names.iter().any(|name| self.wants(name)) {
            return Ok(());
        }
        Err(CliError::usage(format!(
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

    /// Measures a group of things that are made ready together. If that fails, the other groups are measured all
    /// the same.
    fn group(&mut self, name: &str, measure: impl FnOnce(&mut Self) -> Result<(), CliError>) {
        if let Err(error) = measure(self) {
            self.log.fail(name, error);
        }
    }

    /// Measures on a device if wanted.
    fn measure<T>(
        &mut self,
        device: &impl Device,
        name: &str,
        (threads, about): (usize, f64),
        (paper, peer): (&'static str, &'static str),
        job: impl FnMut() -> Result<T, CliError>,
    ) {
        if !self.wants(name) {
            return;
        }
        let runs = self.runs(about);
        if let Some(times) = self.log.attempt(name, || Times::on(device, runs, job)) {
            self.note(name, threads, times, (paper, peer));
        }
    }

    fn note(
        &mut self,
        name: &str,
        threads: usize,
        seconds: Times,
        (paper, peer): (&'static str, &'static str),
    ) {
        let row = Row {
            name: name.to_owned(),
            threads,
            seconds,
            paper,
            peer,
        };
        self.log.row("Operations", &OPERATIONS, &row.cells());
        self.rows.push(row);
    }
}

impl Row {
    fn cells(&self) -> Vec<String> {
        let times = &self.seconds;
        vec![
            self.name.clone(),
            self.threads.to_string(),
            seconds(times.median),
            format!("{} .. {}", seconds(times.min), seconds(times.max)),
            times.runs.to_string(),
            self.paper.to_owned(),
            self.peer.to_owned(),
        ]
    }
}

/// Measures, and prints each row as soon as it is there.
pub fn run(arguments: &BenchArguments) -> Result<(), CliError> {
    if let Some(paper) = arguments.paper {
        return papers::run(paper, arguments);
    }
    let (report, log) = arguments
        .device
        .open(&Terminal::default())?
        .run(Measure(arguments))?;
    print_either(arguments.json, &report, || report.end())?;
    log.finish()
}

struct Measure<'a>(&'a BenchArguments);

impl PlatformTask for Measure<'_> {
    type Output = (Report, Log);
    type Error = CliError;

    fn run<P: Platform>(self, platform: &Arc<P>) -> Result<Self::Output, CliError> {
        let Self(arguments) = self;
        let platform = if arguments.profile {
            &Arc::new(platform.profiled()?)
        } else {
            platform
        };
        let devices = &**platform;
        let log = Log::new(arguments.json);
        let mut bench = Bench::new(arguments.only.as_deref(), arguments.quick, log);
        bench.check_names()?;
        let machine = HostInfo::with(devices)?;
        bench.log.text(&format!("{}\n", machine.line()));
        let single = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
        bench.group("transforms", jobs::transforms);
        bench.group("operations", |bench| {
            single.install(|| jobs::operations(bench, devices))
        });
        bench.group("products in both forms", |bench| {
            single.install(|| forms::run(bench, devices))
        });
        bench.group("HEPCloud's parameters", |bench| jobs::hepcloud(bench, devices));
        bench.group("batches", |bench| batches::run(bench, devices));
        bench.group("messages", |bench| messages::run(bench, devices));
        circuits::run(&mut bench, platform);
        let report = Report {
            machine,
            rows: bench.rows,
            batches: bench.batches,
            messages: bench.messages,
            circuits: bench.circuits,
            kernels: kernels::rows(devices.profile()?),
            failures: bench.log.failures(),
            note: peers::NOTE,
            peak_memory_bytes: whole_peak_memory(),
        };
        Ok((report, bench.log))
    }
}

impl Report {
    /// The text after the rows.
    fn end(&self) -> String {
        let mut text = String::new();
        if !self.kernels.is_empty() {
            text.push_str(&format!("\n{}", kernels::text(&self.kernels)));
        }
        let memory = self.peak_memory_bytes;
        let memory = memory.map_or("unknown on this system".to_owned(), bytes);
        text.push_str(&format!("\npeak memory {memory}\n{}\n", self.note));
        text
    }
}
