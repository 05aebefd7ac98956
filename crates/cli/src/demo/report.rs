use ringmill_engine::{Prediction, peak_memory};
use serde::Serialize;

use crate::evaluation::{Evaluated, Work};
use crate::machine::Machine;
use crate::papers::{self, PublishedSimon};
use crate::report::{Table, bytes, columns, seconds};
use crate::session::Session;
use crate::summary::{ParameterSummary, PlanSummary};

/// Everything that the demonstration found out.
#[derive(Debug, Serialize)]
pub struct DemoReport {
    job: &'static str,
    blocks: usize,
    correct_blocks: usize,
    batches: usize,
    machine: Machine,
    parameters: ParameterSummary,
    plan: PlanSummary,
    file_bytes: Sizes,
    seconds: Seconds,
    /// Where the evaluation's time went, in seconds of one thread.
    breakdown: Vec<Work>,
    noise: Noise,
    memory_bytes: Memory,
    published: Vec<PublishedSimon>,
}

/// Most bytes resident at a time; none where the system does not tell.
#[derive(Debug, Serialize)]
struct Memory {
    /// What the plan says of the evaluation.
    predicted_evaluation: u64,
    /// During the evaluation.
    measured_evaluation: Option<u64>,
    /// From begin to end.
    measured: Option<u64>,
}

/// Bytes in files.
#[derive(Debug, Default, Serialize)]
pub struct Sizes {
    pub secret_key: u64,
    pub public_key: u64,
    pub relinearization_key: u64,
    /// The largest encrypted input bit.
    pub ciphertext: u64,
    /// All encrypted input bits.
    pub all_inputs: u64,
    /// An encrypted result bit.
    pub result: u64,
    /// All encrypted result bits.
    pub all_results: u64,
}

/// Times.
#[derive(Debug, Default, Serialize)]
pub struct Seconds {
    pub planning: f64,
    pub setup: f64,
    pub secret_key: f64,
    pub public_key: f64,
    pub relinearization_key: f64,
    pub encryption: f64,
    pub evaluation: f64,
    /// Evaluation by the number of ANDs in the circuit, all batches.
    pub evaluation_per_and: f64,
    pub evaluation_per_block: f64,
    pub decryption: f64,
}

impl Seconds {
    pub fn note_evaluation(&mut self, session: &Session, evaluated: &Evaluated, blocks: usize) {
        self.evaluation = evaluated.seconds;
        let ands = session.circuit.and_count() * evaluated.batches;
        self.evaluation_per_and = evaluated.seconds / ands.max(1) as f64;
        self.evaluation_per_block = evaluated.seconds / blocks.max(1) as f64;
    }
}

/// Noise of the results: log2 of the largest coefficient, and the bits from there to 1/2.
#[derive(Debug, Serialize)]
pub struct Noise {
    predicted_log2: f64,
    measured_log2: f64,
    predicted_margin_bits: f64,
    measured_margin_bits: f64,
}

impl Noise {
    pub fn new(prediction: &Prediction, measured: f64) -> Self {
        Self {
            predicted_log2: prediction.noise,
            measured_log2: measured,
            predicted_margin_bits: -1.0 - prediction.noise,
            measured_margin_bits: -1.0 - measured,
        }
    }
}

impl DemoReport {
    pub fn new(
        machine: Machine,
        session: &Session,
        (blocks, correct_blocks): (usize, usize),
        evaluated: &Evaluated,
        noise: Noise,
        (file_bytes, seconds): (Sizes, Seconds),
    ) -> Self {
        Self {
            job: "SIMON-64/128 decryption under encryption",
            blocks,
            correct_blocks,
            batches: evaluated.batches,
            machine,
            parameters: ParameterSummary::new(session.plan.parameters()),
            plan: PlanSummary::new(&session.plan),
            file_bytes,
            seconds,
            breakdown: evaluated.work.clone(),
            noise,
            memory_bytes: Memory {
                predicted_evaluation: session.plan.prediction().memory.peak,
                measured_evaluation: evaluated.peak_memory,
                measured: peak_memory().max(evaluated.earlier_peak_memory),
            },
            published: papers::SIMON.to_vec(),
        }
    }

    /// For people.
    pub fn text(&self) -> String {
        let mut table = Table::new();
        table.heading(&format!("{}: {} blocks of 8 bytes", self.job, self.blocks));
        table.row("machine", self.machine.line());
        let verdict = if self.blocks == self.correct_blocks {
            "right"
        } else {
            "WRONG"
        };
        table.row(
            "result",
            format!("{verdict}: {} of {} blocks", self.correct_blocks, self.blocks),
        );
        table.heading("Parameters");
        self.parameters.rows(&mut table);
        table.row(
            "records in a batch",
            format!("{}; batches: {}", self.plan.slots, self.batches),
        );
        table.row(
            "encrypted ANDs",
            format!("{}, depth {}", self.plan.products, self.plan.depth),
        );
        self.size_rows(&mut table);
        self.time_rows(&mut table);
        table.heading("Noise of the results and memory");
        let noise = &self.noise;
        table.row(
            "predicted",
            margin(noise.predicted_log2, noise.predicted_margin_bits),
        );
        table.row(
            "measured",
            margin(noise.measured_log2, noise.measured_margin_bits),
        );
        table.row("failure predicted", probability(self.plan.failure_log2));
        let known = |measured: Option<u64>| measured.map_or("unknown on this system".to_owned(), bytes);
        let memory = &self.memory_bytes;
        table.row("peak memory", known(memory.measured));
        table.row(
            "of the evaluation",
            format!(
                "{}; predicted {}",
                known(memory.measured_evaluation),
                bytes(memory.predicted_evaluation)
            ),
        );
        format!(
            "{}\nWhere the evaluation's time went (added over threads)\n{}\nPublished figures for SIMON-64/128\n{}",
            table.to_text(),
            indent(&self.breakdown_text()),
            indent(&self.published_text())
        )
    }

    fn size_rows(&self, table: &mut Table) {
        let sizes = &self.file_bytes;
        table.heading("Sizes in files");
        table.row("secret key", bytes(sizes.secret_key));
        table.row("public key", bytes(sizes.public_key));
        table.row("relinearization key", bytes(sizes.relinearization_key));
        table.row(
            "encrypted key bit",
            format!(
                "{} at most, {} for all",
                bytes(sizes.ciphertext),
                bytes(sizes.all_inputs)
            ),
        );
        table.row(
            "result bit",
            format!("{}, {} for all", bytes(sizes.result), bytes(sizes.all_results)),
        );
    }

    fn time_rows(&self, table: &mut Table) {
        let times = &self.seconds;
        table.heading("Times");
        table.row("planning", seconds(times.planning));
        table.row("tables", seconds(times.setup));
        table.row(
            "key generation",
            format!(
                "{}: secret {}, public {}, relinearization {}",
                seconds(times.secret_key + times.public_key + times.relinearization_key),
                seconds(times.secret_key),
                seconds(times.public_key),
                seconds(times.relinearization_key)
            ),
        );
        table.row("encryption", seconds(times.encryption));
        table.row(
            "evaluation",
            format!(
                "{}: {} an AND, {} a block",
                seconds(times.evaluation),
                seconds(times.evaluation_per_and),
                seconds(times.evaluation_per_block)
            ),
        );
        table.row("decryption", seconds(times.decryption));
    }

    fn breakdown_text(&self) -> String {
        let total: f64 = self.breakdown.iter().map(|work| work.seconds).sum();
        let row = |work: &Work| {
            vec![
                work.operation.clone(),
                work.count.to_string(),
                seconds(work.seconds),
                seconds(work.seconds / work.count.max(1) as f64),
                format!("{:.0}%", 100.0 * work.seconds / total.max(1e-9)),
            ]
        };
        let rows: Vec<Vec<String>> = self.breakdown.iter().map(row).collect();
        columns(&["operation", "number", "time", "each", "share"], 1..5, &rows)
    }

    fn published_text(&self) -> String {
        let row = |figure: &PublishedSimon| {
            let block = figure.seconds_per_block.map_or("-".to_owned(), seconds);
            vec![
                figure.system.to_owned(),
                seconds(figure.seconds),
                block,
                ratio(figure.seconds / self.seconds.evaluation.max(1e-9)),
            ]
        };
        let mut rows: Vec<Vec<String>> = self.published.iter().map(row).collect();
        rows.push(vec![
            format!("this run: FV, {} bits security", self.parameters.security_bits),
            seconds(self.seconds.evaluation),
            seconds(self.seconds.evaluation_per_block),
            "1".to_owned(),
        ]);
        let mut text = columns(&["system", "total", "a block", "times ours"], 1..4, &rows);
        text.push('\n');
        for figure in &self.published {
            text.push_str(&format!(
                "{}: {}; {}\n",
                seconds(figure.seconds),
                figure.source,
                figure.note
            ));
        }
        text
    }
}

/// Two digits at least.
fn ratio(ratio: f64) -> String {
    if ratio < 10.0 {
        format!("{ratio:.1}")
    } else {
        format!("{ratio:.0}")
    }
}

/// A power of two, of which the exact exponent is of no interest once it is absurdly small.
fn probability(log2: f64) -> String {
    if log2 < -1000.0 {
        "below 2^-1000".to_owned()
    } else {
        format!("2^{log2:.0}")
    }
}

fn margin(log2: f64, bits: f64) -> String {
    format!("2^{log2:.1}, margin {bits:.1} bits")
}

fn indent(text: &str) -> String {
    text.lines()
        .map(|line| format!("  {line}").trim_end().to_owned() + "\n")
        .collect()
}
