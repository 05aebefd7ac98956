use std::path::Path;

use ringmill::inspect::{Inspection, Items, MessageCounts, RecordCounts, RowCounts};
use ringmill::{FrameKind, Recipe, Signature, hex, warn_if_insecure};
use serde::Serialize;

use super::circuits::Entry;
use crate::arguments::InspectArguments;
use crate::error::CliError;
use crate::report::{Table, bytes, print_either};
use crate::summary::ParameterSummary;

#[derive(Serialize)]
struct Report {
    file: String,
    /// The kind of the first frame.
    kind: String,
    version: u16,
    /// Hash of the parameters that the content belongs to.
    parameters_hash: String,
    file_bytes: u64,
    frames: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<ParameterSummary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<PlanContents>,
    /// The circuit that the plan is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    circuit: Option<Entry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    batches: Option<BatchContents>,
    /// The private inputs in a file of one owner among several.
    #[serde(skip_serializing_if = "Option::is_none")]
    ports: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    messages: Option<MessageContents>,
    /// The text of a program over messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    program: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<RowContents>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contents: Option<Contents>,
    /// The digest of the public key that the keys or ciphertexts belong to.
    #[serde(skip_serializing_if = "Option::is_none")]
    key_set: Option<String>,
    /// The key that results say they are signed with; whether they are, is not checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    signer: Option<String>,
}

#[derive(Serialize)]
struct PlanContents {
    /// The digest of the circuit as it was given.
    circuit: String,
    /// The variant of it that is evaluated, if not itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    variant: Option<VariantContents>,
    form: String,
    tolerance_bits: f64,
    /// The digest of the circuit whose results the inputs are, of a job that goes on with another's.
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<String>,
    /// Levels of products that results bear in later jobs.
    further_levels: u32,
    /// Whether four records share each slot.
    shared_slots: bool,
}

#[derive(Serialize)]
struct VariantContents {
    depth: u32,
    digest: String,
}

#[derive(Serialize)]
struct BatchContents {
    role: String,
    /// The circuit's digest.
    circuit: String,
    batches: u64,
    records: u64,
}

#[derive(Serialize)]
struct MessageContents {
    encoding: &'static str,
    batches: u64,
    messages: u64,
    /// Numbers in all of them.
    numbers: u64,
}

#[derive(Serialize)]
struct RowContents {
    role: &'static str,
    /// The program's digest.
    program: String,
    names: Vec<String>,
    batches: u64,
    rows: u64,
}

/// Counts at the beginning of payloads that hold several things.
#[derive(Serialize)]
struct Contents {
    /// In all frames together.
    count: u64,
    /// Of the first ciphertext.
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<u16>,
    /// Of the first ciphertext.
    #[serde(skip_serializing_if = "Option::is_none")]
    parts: Option<u8>,
    /// Whether the second part of the first ciphertext is stored as a seed.
    #[serde(skip_serializing_if = "Option::is_none")]
    seeded: Option<bool>,
}

/// Says what a file contains, after checking all of it.
pub fn run(arguments: &InspectArguments) -> Result<(), CliError> {
    let found = Inspection::of_file(&arguments.file)?;
    if let Some(parameters) = &found.parameters {
        warn_if_insecure(parameters, &());
    }
    let report = Report::new(&arguments.file, &found);
    print_either(arguments.json, &report, || text(&report))
}

impl Report {
    fn new(path: &Path, found: &Inspection) -> Self {
        Self {
            file: path.display().to_string(),
            kind: found.kind.to_string(),
            version: found.version,
            parameters_hash: hex::format(&found.parameters_hash),
            file_bytes: found.bytes,
            frames: found.frames,
            parameters: found.parameters.as_ref().map(ParameterSummary::new),
            plan: found.plan.as_ref().map(PlanContents::new),
            circuit: found.circuit.as_ref().map(Entry::new),
            batches: found.records.as_ref().map(BatchContents::new),
            ports: found.ports.clone(),
            messages: found.messages.as_ref().map(MessageContents::new),
            program: found.program.as_ref().map(|program| program.text().to_owned()),
            rows: found.rows.as_ref().map(RowContents::new),
            contents: found.items.as_ref().map(Contents::new),
            key_set: found.key_set.map(|set| hex::format(&set.0)),
            signer: found.signature.as_ref().map(Signature::signer),
        }
    }
}

impl PlanContents {
    fn new(recipe: &Recipe) -> Self {
        Self {
            circuit: hex::format(&recipe.circuit),
            variant: recipe.variant.map(|variant| VariantContents {
                depth: variant.depth,
                digest: hex::format(&variant.digest),
            }),
            form: recipe.form.to_string(),
            tolerance_bits: recipe.tolerance,
            after: recipe.former.map(|former| hex::format(&former.circuit)),
            further_levels: recipe.further,
            shared_slots: recipe.shared,
        }
    }
}

impl BatchContents {
    fn new(found: &RecordCounts) -> Self {
        Self {
            role: found.role.name().to_owned(),
            circuit: hex::format(&found.circuit),
            batches: found.batches,
            records: found.records,
        }
    }
}

impl MessageContents {
    fn new(found: &MessageCounts) -> Self {
        Self {
            encoding: found.encoding.name(),
            batches: found.batches,
            messages: found.messages,
            numbers: found.numbers,
        }
    }
}

impl RowContents {
    fn new(found: &RowCounts) -> Self {
        Self {
            role: found.role.name(),
            program: hex::format(&found.program),
            names: found.names.clone(),
            batches: found.batches,
            rows: found.rows,
        }
    }
}

impl Contents {
    fn new(found: &Items) -> Self {
        Self {
            count: found.count,
            level: found.first.map(|first| first.level),
            parts: found.first.map(|first| first.parts),
            seeded: found.first.map(|first| first.seeded),
        }
    }
}

fn text(report: &Report) -> String {
    let mut table = Table::new();
    table.heading(&report.file);
    table.row(
        "content",
        format!("{}, format version {}", report.kind, report.version),
    );
    table.row(
        "size",
        format!(
            "{} ({}) in {} frames",
            bytes(report.file_bytes),
            report.file_bytes,
            report.frames
        ),
    );
    table.row("integrity", "all checksums are right");
    table.row("parameter hash", &*report.parameters_hash);
    if let Some(signer) = &report.signer {
        table.row("signed, it says, with", &**signer);
    }
    if let Some(set) = &report.key_set {
        table.row("key set", &**set);
    }
    if let Some(batches) = &report.batches {
        table.row(
            "records",
            format!(
                "{} in {} batches: {}",
                batches.records, batches.batches, batches.role
            ),
        );
        table.row("of the circuit", &*batches.circuit);
        if let Some(ports) = &report.ports {
            table.row("of its ports", ports.join(", "));
        }
    }
    if let Some(messages) = &report.messages {
        table.row(
            "messages",
            format!(
                "{} in {} batches: {} numbers as {}",
                messages.messages, messages.batches, messages.numbers, messages.encoding
            ),
        );
    }
    if let Some(rows) = &report.rows {
        table.row(
            "rows of messages",
            format!("{} in {} batches: {}", rows.rows, rows.batches, rows.role),
        );
        table.row("of the program", &*rows.program);
        table.row("each with", printable(&rows.names.join(", ")));
    }
    if let Some(contents) = &report.contents {
        let what = if report.kind == FrameKind::RELINEARIZATION_KEY.to_string() {
            "Galois keys"
        } else {
            "number"
        };
        table.row(what, contents.count.to_string());
        if let (Some(level), Some(parts)) = (contents.level, contents.parts) {
            let seeded = if contents.seeded == Some(true) {
                ", the second as a seed"
            } else {
                ""
            };
            table.row("the first", format!("level {level}, {parts} parts{seeded}"));
        }
    }
    if let Some(parameters) = &report.parameters {
        parameters.rows(&mut table);
    }
    if let Some(plan) = &report.plan {
        table.row("for the circuit", &*plan.circuit);
        if let Some(variant) = &plan.variant {
            table.row(
                "optimised to",
                format!("depth {}: {}", variant.depth, variant.digest),
            );
        }
        table.row("products", format!("in the {}", plan.form));
        if plan.shared_slots {
            table.row("records", "four in each slot");
        }
        if let Some(circuit) = &plan.after {
            table.row("inputs", format!("results of the circuit {circuit}"));
        }
        if plan.further_levels > 0 {
            let levels = format!("{} levels of products in later jobs", plan.further_levels);
            table.row("results bear", levels);
        }
    }
    if let Some(circuit) = &report.circuit {
        circuit.rows(&mut table);
    }
    for line in report.program.iter().flat_map(|program| program.lines()) {
        table.row("program", printable(line));
    }
    table.to_text()
}

/// Text of a file without what could control a terminal.
fn printable(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}
