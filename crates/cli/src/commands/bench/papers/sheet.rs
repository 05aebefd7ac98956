use ringmill_engine::whole_peak_memory;
#[cfg(feature = "rtl")]
use ringmill_rtl::core::{Counter, Counts};
#[cfg(feature = "rtl")]
use ringmill_rtl::papers::Step;
use serde::Serialize;

use crate::commands::bench::log::Log;
use crate::commands::bench::measure::Times;
use crate::commands::bench::runs;
use crate::error::CliError;
use crate::host::HostInfo;
use crate::report::{Layout, bytes, print_either, seconds};

/// A figure as a paper prints it.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Published {
    /// Where it stands.
    pub table: &'static str,
    /// Of what it is.
    pub operation: &'static str,
    /// The figure, with others' that stand beside it.
    pub figure: &'static str,
    /// The paper's own figure in seconds, where it is a time.
    pub seconds: Option<f64>,
    /// Why it cannot be compared as it stands; empty if it can.
    pub remark: &'static str,
}

/// Ours, measured.
#[derive(Debug, Serialize)]
struct Ours {
    method: String,
    /// 0 for a machine.
    threads: usize,
    seconds: Times,
}

/// A line of a table.
#[derive(Debug, Serialize)]
struct Row {
    published: Published,
    /// Nothing where there is nothing to measure.
    ours: Option<Ours>,
}

/// The tables of one paper.
#[derive(Debug, Serialize)]
pub struct Sheet {
    machine: HostInfo,
    paper: &'static str,
    rows: Vec<Row>,
    /// The failed measurements, and why they failed.
    failures: Vec<String>,
    note: &'static str,
    peak_memory_bytes: Option<u64>,
    #[serde(skip)]
    log: Log,
    /// Fewer repetitions, and nothing that takes more than some seconds.
    #[serde(skip)]
    pub quick: bool,
}

const LAYOUT: Layout = Layout {
    columns: &[
        ("operation", 28),
        ("paper", 28),
        ("ours, median", 0),
        ("fastest .. slowest", 20),
        ("runs", 0),
        ("threads", 0),
        ("paper / ours", 0),
        ("ours by", 28),
        ("remark", 0),
    ],
    numbers: 2..7,
};

impl Sheet {
    /// Prints the head.
    pub fn new(
        machine: HostInfo,
        (paper, note): (&'static str, &'static str),
        quick: bool,
        mut log: Log,
    ) -> Self {
        log.text(&format!("{paper}\n{}\n", machine.line()));
        Self {
            machine,
            paper,
            rows: Vec::new(),
            failures: Vec::new(),
            note,
            peak_memory_bytes: None,
            log,
            quick,
        }
    }

    /// Threads of the pool that everything runs in.
    pub fn threads(&self) -> usize {
        self.machine.threads
    }

    /// Measures a group of things that are made ready together. If that fails, the other groups are measured all
    /// the same.
    pub fn group(&mut self, name: &str, measure: impl FnOnce(&mut Self) -> Result<(), CliError>) {
        if let Err(error) = measure(self) {
            self.log.fail(name, error);
        }
    }

    /// Measures under a spinner; a failure is noted and gives nothing.
    pub fn attempt<T>(&mut self, name: &str, job: impl FnOnce() -> Result<T, CliError>) -> Option<T> {
        self.log.attempt(name, job)
    }

    /// Measures something that takes about `seconds`.
    pub fn measure<T>(
        &mut self,
        published: Published,
        (method, about): (&str, f64),
        job: impl FnMut() -> Result<T, CliError>,
    ) {
        let runs = runs(self.quick, about);
        let name = format!("{}, {method}", published.operation);
        if let Some(times) = self.attempt(&name, || Times::of(runs, job)) {
            self.note(published, method, self.threads(), times);
        }
    }

    /// A figure that was measured elsewhere.
    pub fn note(&mut self, published: Published, method: &str, threads: usize, seconds: Times) {
        let ours = Ours {
            method: method.to_owned(),
            threads,
            seconds,
        };
        self.push(Row {
            published,
            ours: Some(ours),
        });
    }

    /// The cycles of a machine of ours, as a time at the paper's clock.
    #[cfg(feature = "rtl")]
    pub fn machine(&mut self, published: Published, method: &str, cycles: u64, clock_hertz: u64) {
        let method = format!("our machine, {method}: {cycles} cycles at the paper's clock");
        let seconds = cycles as f64 / clock_hertz as f64;
        self.note(published, &method, 0, Times::from_list(vec![seconds]));
    }

    /// The time of the core at the paper's clock, by its model: all cycles before a memory as fast as the bus, or those in
    /// which it computes, added up, where the paper leaves memory out.
    #[cfg(feature = "rtl")]
    pub fn core(
        &mut self,
        published: Published,
        units: usize,
        (counts, computes): (&Counts, bool),
        clock_hertz: u64,
    ) {
        let of = |counter| counts.get(counter);
        let parts = [Counter::Transform, Counter::Vector, Counter::Conversion].map(of);
        let cycles = if computes {
            parts.iter().sum()
        } else {
            of(Counter::Cycles)
        };
        let [transform, vector, conversion] = parts.map(thousands);
        let bytes = of(Counter::BytesRead) + of(Counter::BytesWritten);
        let method = format!(
            "our core, {units} units, by its model: {cycles} cycles{} at the paper's clock; transform {transform} K, vector \
             {vector} K, conversion {conversion} K, load {} K, store {} K; {}",
            if computes { " of computation" } else { "" },
            thousands(of(Counter::Load)),
            thousands(of(Counter::Store)),
            megabytes(bytes),
        );
        let seconds = cycles as f64 / clock_hertz as f64;
        self.note(published, &method, 0, Times::from_list(vec![seconds]));
    }

    /// What the paper's machine takes by the paper's own steps.
    #[cfg(feature = "rtl")]
    pub fn paper_steps(&mut self, published: Published, steps: &[Step], clock_hertz: u64) {
        let cycles: u64 = steps.iter().map(|step| step.cost.cycles).sum();
        let parts: Vec<String> = steps
            .iter()
            .filter(|step| step.cost.cycles > 0)
            .map(|step| format!("{} {} K", step.name, thousands(step.cost.cycles)))
            .collect();
        let method = format!(
            "the paper's machine, by its steps: {cycles} cycles; {}",
            parts.join(", ")
        );
        let seconds = cycles as f64 / clock_hertz as f64;
        self.note(published, &method, 0, Times::from_list(vec![seconds]));
    }

    /// A figure that nothing of ours stands beside; its remark says why.
    pub fn alone(&mut self, published: Published) {
        self.push(Row {
            published,
            ours: None,
        });
    }

    fn push(&mut self, row: Row) {
        self.log.row(row.published.table, &LAYOUT, &cells(&row));
        self.rows.push(row);
    }

    /// Prints what comes after the rows, or all of it as an object with the tables in order. Fails if something
    /// could not be measured.
    pub fn finish(mut self, json: bool) -> Result<(), CliError> {
        self.rows.sort_by_key(|row| row.published.table);
        self.peak_memory_bytes = whole_peak_memory();
        self.failures = self.log.failures();
        print_either(json, &self, || self.end())?;
        self.log.finish()
    }

    fn end(&self) -> String {
        let memory = self.peak_memory_bytes;
        let memory = memory.map_or("unknown on this system".to_owned(), bytes);
        format!("\npeak memory {memory}\n{}\n", self.note)
    }
}

/// Rounded.
#[cfg(feature = "rtl")]
const fn thousands(count: u64) -> u64 {
    (count + 500) / 1000
}

#[cfg(feature = "rtl")]
fn megabytes(count: u64) -> String {
    format!("{:.1} MB", count as f64 / 1e6)
}

fn cells(row: &Row) -> Vec<String> {
    let published = &row.published;
    let ours = row.ours.as_ref().map(|ours| {
        let times = &ours.seconds;
        let ratio = published
            .seconds
            .map_or(String::new(), |paper| ratio(paper / times.median));
        [
            seconds(times.median),
            format!("{} .. {}", seconds(times.min), seconds(times.max)),
            times.runs.to_string(),
            Some(ours.threads)
                .filter(|&threads| threads > 0)
                .map_or(String::new(), |threads| threads.to_string()),
            ratio,
            ours.method.clone(),
        ]
    });
    let mut cells = vec![published.operation.to_owned(), published.figure.to_owned()];
    cells.extend(ours.unwrap_or_else(|| ["-", "", "", "", "", ""].map(str::to_owned)));
    cells.push(published.remark.to_owned());
    cells
}

/// How many times faster, with two significant digits.
fn ratio(ratio: f64) -> String {
    match ratio {
        r if r >= 10.0 => format!("{r:.0}"),
        r if r >= 1.0 => format!("{r:.1}"),
        r => format!("{r:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_of_medians() {
        let published = |seconds| Published {
            table: "Table 1",
            operation: "op",
            figure: "9 s",
            seconds,
            remark: "why",
        };
        let ours = Ours {
            method: "way".to_owned(),
            threads: 2,
            seconds: Times::from_list(vec![3.0, 2.0, 4.0]),
        };
        let row = Row {
            published: published(Some(9.0)),
            ours: Some(ours),
        };
        let expected = [
            "op",
            "9 s",
            "3.00 s",
            "2.00 s .. 4.00 s",
            "3",
            "2",
            "3.0",
            "way",
            "why",
        ];
        assert_eq!(cells(&row), expected);
        let row = Row {
            published: published(None),
            ours: None,
        };
        assert_eq!(cells(&row), ["op", "9 s", "-", "", "", "", "", "", "why"]);
        assert_eq!([ratio(123.4), ratio(2.34), ratio(0.456)], ["123", "2.3", "0.46"]);
    }
}
