use ringmill_engine::peak_memory;
use serde::Serialize;

use crate::bench::measure::Times;
use crate::bench::runs;
use crate::error::CliError;
use crate::machine::Machine;
use crate::progress::Progress;
use crate::report::{bytes, columns, seconds};

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
    machine: Machine,
    paper: &'static str,
    rows: Vec<Row>,
    note: &'static str,
    peak_memory_bytes: Option<u64>,
    /// Fewer repetitions, and nothing that takes more than some seconds.
    #[serde(skip)]
    pub quick: bool,
}

impl Sheet {
    pub fn new(machine: Machine, paper: &'static str, note: &'static str, quick: bool) -> Self {
        Self {
            machine,
            paper,
            rows: Vec::new(),
            note,
            peak_memory_bytes: None,
            quick,
        }
    }

    /// Threads of the pool that everything runs in.
    pub fn threads(&self) -> usize {
        self.machine.threads
    }

    /// Measures something that takes about so many seconds.
    pub fn measure<T>(
        &mut self,
        published: Published,
        (method, about): (&str, f64),
        job: impl FnMut() -> Result<T, CliError>,
    ) -> Result<(), CliError> {
        let _spinner = Progress::spinner(published.operation);
        let times = Times::of(runs(self.quick, about), job)?;
        self.note(published, method, self.threads(), times);
        Ok(())
    }

    /// A figure that was measured elsewhere.
    pub fn note(&mut self, published: Published, method: &str, threads: usize, seconds: Times) {
        let ours = Ours {
            method: method.to_owned(),
            threads,
            seconds,
        };
        self.rows.push(Row {
            published,
            ours: Some(ours),
        });
    }

    /// A figure that nothing of ours stands beside; its remark says why.
    pub fn alone(&mut self, published: Published) {
        self.rows.push(Row {
            published,
            ours: None,
        });
    }

    /// Puts the tables in order and notes what the process took; nothing is measured after this.
    pub fn finish(mut self) -> Self {
        self.rows.sort_by_key(|row| row.published.table);
        self.peak_memory_bytes = peak_memory();
        self
    }

    /// As tables for people.
    pub fn text(&self) -> String {
        let header = [
            "operation",
            "paper",
            "ours, median",
            "fastest .. slowest",
            "runs",
            "threads",
            "paper / ours",
            "ours by",
            "remark",
        ];
        let mut text = format!("{}\n{}\n", self.paper, self.machine.line());
        for rows in self.rows.chunk_by(|a, b| a.published.table == b.published.table) {
            let title = rows.first().map_or("", |row| row.published.table);
            let cells: Vec<Vec<String>> = rows.iter().map(cells).collect();
            text.push_str(&format!("\n{title}\n{}", columns(&header, 2..7, &cells)));
        }
        let memory = self
            .peak_memory_bytes
            .map_or("unknown on this system".to_owned(), bytes);
        text.push_str(&format!("\npeak memory {memory}\n{}\n", self.note));
        text
    }
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
            ours.threads.to_string(),
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
    fn tables_are_apart_and_ratios_are_of_medians() {
        let published = |table, seconds| Published {
            table,
            operation: "op",
            figure: "9 s",
            seconds,
            remark: "why",
        };
        let machine = Machine {
            device: "cpu".to_owned(),
            hardware: "some CPU".to_owned(),
            cpu: "cpu".to_owned(),
            kernel: "kernel".to_owned(),
            threads: 2,
        };
        let mut sheet = Sheet::new(machine, "Paper", "Note.", true);
        let times = Times::from_list(vec![3.0, 2.0, 4.0]);
        sheet.note(published("Table 1", Some(9.0)), "way", 2, times);
        sheet.alone(published("Table 2", None));
        let text = sheet.text();
        let [first, second] = ["\nTable 1\n", "\nTable 2\n"].map(|title| text.find(title).unwrap());
        assert!(first < second);
        assert!(text[first..second].contains("3.00 s"), "{text}");
        assert!(text[first..second].contains("  3.0  way"), "{text}");
        assert!(text[second..].contains("9 s  "), "{text}");
        assert_eq!([ratio(123.4), ratio(2.34), ratio(0.456)], ["123", "2.3", "0.46"]);
    }
}
