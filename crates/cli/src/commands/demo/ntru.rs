use ringmill_engine::OperationKind;
use serde::Serialize;

use crate::arguments::DemoCipher;
use crate::commands::ntru::{self, Cipher, Run};
use crate::error::CliError;
use crate::host::HostInfo;
use crate::report::{Table, bytes, print_either, seconds};
use ringmill::Work;
use ringmill::platform::Platform;

/// The report of an evaluation over YASHE or LTV.
#[derive(Debug, Serialize)]
struct Report {
    machine: HostInfo,
    scheme: String,
    cipher: &'static str,
    products: usize,
    depth: usize,
    blocks: usize,
    correct: usize,
    keys_seconds: f64,
    encryption_seconds: f64,
    evaluation_seconds: f64,
    decryption_seconds: f64,
    seconds_per_block: f64,
    work: Vec<Work>,
    peak_memory_bytes: Option<u64>,
}

/// Encrypts a full batch of blocks with a cipher over the set of a name.
pub fn run(devices: &impl Platform, scheme: &str, cipher: DemoCipher, json: bool) -> Result<(), CliError> {
    let run = ntru::evaluate(devices, scheme, |blocks| Cipher::new(cipher, blocks))?;
    let report = Report::new(HostInfo::with(devices)?, &run);
    print_either(json, &report, || report.text())?;
    run.check()
}

impl Report {
    fn new(machine: HostInfo, run: &Run) -> Self {
        let work = OperationKind::ALL.map(|kind| (kind, run.statistics.tally(kind)));
        let work = work.into_iter().filter(|(_, tally)| tally.count > 0);
        Self {
            machine,
            scheme: run.set.clone(),
            cipher: run.cipher,
            products: run.products,
            depth: run.depth,
            blocks: run.blocks,
            correct: run.correct,
            keys_seconds: run.keys,
            encryption_seconds: run.encryption,
            evaluation_seconds: run.evaluation,
            decryption_seconds: run.decryption,
            seconds_per_block: run.evaluation / run.blocks as f64,
            work: work
                .map(|(kind, tally)| Work {
                    operation: kind.name().to_owned(),
                    count: tally.count,
                    seconds: tally.time.as_secs_f64(),
                })
                .collect(),
            peak_memory_bytes: run.peak_memory,
        }
    }

    fn text(&self) -> String {
        let mut table = Table::new();
        table.heading(&self.machine.line());
        table.heading(&format!("{} over {} (insecure)", self.cipher, self.scheme));
        table.row("products (levels)", format!("{} ({})", self.products, self.depth));
        table.row(
            "blocks",
            format!(
                "{}, {} right, the published test vector among them",
                self.blocks, self.correct
            ),
        );
        table.row("keys", seconds(self.keys_seconds));
        table.row("encryption of the key", seconds(self.encryption_seconds));
        table.row("evaluation", seconds(self.evaluation_seconds));
        table.row("a block", seconds(self.seconds_per_block));
        table.row("decryption", seconds(self.decryption_seconds));
        let memory = self
            .peak_memory_bytes
            .map_or("unknown on this system".to_owned(), bytes);
        table.row("peak memory", memory);
        table.heading("where the evaluation's time went, added over threads");
        for work in &self.work {
            table.row(
                &work.operation,
                format!("{} in {}", work.count, seconds(work.seconds)),
            );
        }
        table.to_text()
    }
}
