use ringmill::circuit::Circuit;
use ringmill::platform::Platform;
use ringmill::{Account, Job, Work};
use ringmill_engine::{Prediction, whole_peak_memory};
use serde::Serialize;

use crate::CliError;
use crate::arguments::DemoCipher;
use crate::commands::papers::{self, Published};
use crate::host::HostInfo;
use crate::report::{Table, bytes, columns, seconds};
use crate::summary::{ParameterSummary, PlanSummary};

/// Everything that the demonstration found out.
#[derive(Debug, Serialize)]
pub struct DemoReport {
    job: &'static str,
    /// Bytes of a block.
    block_bytes: usize,
    blocks: usize,
    correct_blocks: usize,
    batches: usize,
    machine: HostInfo,
    parameters: ParameterSummary,
    plan: PlanSummary,
    file_bytes: Sizes,
    seconds: Seconds,
    /// Where the evaluation's time went, in seconds of one thread.
    breakdown: Vec<Work>,
    noise: Noise,
    memory_bytes: Memory,
    published: Vec<Published>,
}

/// Most bytes resident at a time; none where the system does not tell.
#[derive(Debug, Serialize)]
struct Memory {
    /// The plan's prediction for the evaluation.
    predicted_evaluation: u64,
    /// During the evaluation.
    measured_evaluation: Option<u64>,
    /// From begin to end.
    measured: Option<u64>,
    /// The device's own memory: if there is some, the measured figures are the host's.
    device: Option<u64>,
}

/// Bytes in files.
#[derive(Debug, Default, Serialize)]
pub struct Sizes {
    pub secret_key: u64,
    pub evaluation_key: u64,
    /// The largest encrypted input.
    pub ciphertext: u64,
    /// All encrypted inputs.
    pub all_inputs: u64,
    /// An encrypted result.
    pub result: u64,
    /// All encrypted results.
    pub all_results: u64,
}

impl Sizes {
    /// Of encrypted inputs.
    pub fn note_inputs(&mut self, bytes: &[u64]) {
        self.ciphertext = bytes.iter().copied().max().unwrap_or(0);
        self.all_inputs = bytes.iter().sum();
    }

    /// Of the results of another batch.
    pub fn note_results(&mut self, bytes: &[u64]) {
        self.result = bytes.iter().copied().max().unwrap_or(0).max(self.result);
        self.all_results += bytes.iter().sum::<u64>();
    }
}

/// Times.
#[derive(Debug, Default, Serialize)]
pub struct Seconds {
    pub planning: f64,
    pub setup: f64,
    /// The public key included.
    pub secret_key: f64,
    pub evaluation_keys: f64,
    pub encryption: f64,
    pub evaluation: f64,
    /// Evaluation by the number of products in the circuit, all batches.
    pub evaluation_per_product: f64,
    pub evaluation_per_block: f64,
    pub decryption: f64,
}

impl Seconds {
    pub fn note_evaluation(&mut self, circuit: &Circuit, evaluated: &Account, blocks: usize) {
        self.evaluation = evaluated.seconds;
        let ands = circuit.and_count() * evaluated.batches;
        self.evaluation_per_product = evaluated.seconds / ands.max(1) as f64;
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
            predicted_log2: prediction.log2_noise,
            measured_log2: measured,
            predicted_margin_bits: -1.0 - prediction.log2_noise,
            measured_margin_bits: -1.0 - measured,
        }
    }
}

impl DemoReport {
    pub fn new(
        machine: HostInfo,
        job: &Job<impl Platform>,
        (cipher, blocks, correct_blocks): (DemoCipher, usize, usize),
        evaluated: &Account,
        noise: Noise,
        (file_bytes, seconds): (Sizes, Seconds),
    ) -> Result<Self, CliError> {
        Ok(Self {
            job: match cipher {
                DemoCipher::Simon => "SIMON-64/128 decryption under encryption",
                DemoCipher::Aes => "AES-128 decryption under encryption",
            },
            block_bytes: match cipher {
                DemoCipher::Simon => 8,
                DemoCipher::Aes => 16,
            },
            blocks,
            correct_blocks,
            batches: evaluated.batches,
            machine,
            parameters: ParameterSummary::new(job.parameters()),
            plan: PlanSummary::new(job.plan_details())?,
            file_bytes,
            seconds,
            breakdown: evaluated.work.clone(),
            noise,
            memory_bytes: Memory {
                predicted_evaluation: job.plan_details().prediction().memory.peak,
                measured_evaluation: evaluated.peak_memory,
                measured: whole_peak_memory(),
                device: job.platform().memory(),
            },
            published: match cipher {
                DemoCipher::Simon => papers::SIMON.to_vec(),
                DemoCipher::Aes => papers::AES.to_vec(),
            },
        })
    }

    /// For people.
    pub fn text(&self) -> String {
        let mut table = Table::new();
        table.heading(&format!(
            "{}: {} blocks of {} bytes",
            self.job, self.blocks, self.block_bytes
        ));
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
            "encrypted products",
            format!(
                "{}, depth {}, in the {}",
                self.plan.products, self.plan.depth, self.plan.form
            ),
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
        table.row("failure at most", format!("2^{:.0}", self.plan.failure_log2));
        let known = |measured: Option<u64>| measured.map_or("unknown on this system".to_owned(), bytes);
        let memory = &self.memory_bytes;
        if let Some(device) = memory.device {
            table.row("device's memory", bytes(device));
        }
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
            "{}\nWhere the evaluation's time went (added over threads)\n{}\nPublished figures\n{}",
            table.to_text(),
            indent(&self.breakdown_text()),
            indent(&self.published_text())
        )
    }

    fn size_rows(&self, table: &mut Table) {
        let sizes = &self.file_bytes;
        table.heading("Sizes in files");
        table.row("secret key", bytes(sizes.secret_key));
        table.row("evaluation key", bytes(sizes.evaluation_key));
        table.row(
            "encrypted input",
            format!(
                "{} at most, {} for all",
                bytes(sizes.ciphertext),
                bytes(sizes.all_inputs)
            ),
        );
        table.row(
            "result",
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
                "{}: secret and public {}, for evaluation {}",
                seconds(times.secret_key + times.evaluation_keys),
                seconds(times.secret_key),
                seconds(times.evaluation_keys)
            ),
        );
        table.row("encryption", seconds(times.encryption));
        table.row(
            "evaluation",
            format!(
                "{}: {} a product, {} a block; predicted {}",
                seconds(times.evaluation),
                seconds(times.evaluation_per_product),
                seconds(times.evaluation_per_block),
                seconds(self.plan.of_table(self.blocks as u64).seconds)
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
        let row = |figure: &Published| {
            let block = figure.seconds_per_block.map_or("-".to_owned(), seconds);
            // By blocks where the source tells; whole jobs are of about as many.
            let times_ours = match figure.seconds_per_block {
                Some(block) => block / self.seconds.evaluation_per_block.max(1e-12),
                None => figure.seconds.unwrap_or_default() / self.seconds.evaluation.max(1e-9),
            };
            vec![
                figure.system.to_owned(),
                figure.seconds.map_or("-".to_owned(), seconds),
                block,
                ratio(times_ours),
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
            let (system, source, note) = (figure.system, figure.source, figure.note);
            text.push_str(&format!("{system}: {source}; {note}\n"));
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

fn margin(log2: f64, bits: f64) -> String {
    format!("2^{log2:.1}, margin {bits:.1} bits")
}

fn indent(text: &str) -> String {
    text.lines()
        .map(|line| format!("  {line}").trim_end().to_owned() + "\n")
        .collect()
}
