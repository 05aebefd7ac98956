use std::fs::File;
use std::io::{BufRead, Read, Seek, SeekFrom};
use std::path::Path;

use ringmill::batches::Head;
use ringmill::files::is_standard;
use ringmill::{Error, KeySet, hex, messages, warn_if_insecure};
use ringmill_engine::Recipe;
use ringmill_format::{self as format, FormatError, FrameKind, FrameReader, Header, Take, WipingReader};
use ringmill_fv::{FvError, Parameters};
use serde::Serialize;

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
    #[serde(skip_serializing_if = "Option::is_none")]
    batches: Option<BatchContents>,
    #[serde(skip_serializing_if = "Option::is_none")]
    messages: Option<MessageContents>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contents: Option<Contents>,
    /// The digest of the public key that the keys or ciphertexts belong to.
    #[serde(skip_serializing_if = "Option::is_none")]
    key_set: Option<String>,
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
    let path = &arguments.file;
    if is_standard(path) {
        return Err(CliError::usage(
            "inspect reads a file twice, which standard input cannot be; name a file",
        ));
    }
    let report = inspect(path).map_err(|error| Error::in_file(path, error))?;
    print_either(arguments.json, &report, || text(&report))
}

/// Frames whose payloads are short are read twice: their content after the check.
fn inspect(path: &Path) -> Result<Report, FvError> {
    let mut input = format::open(path)?;
    let mut report: Option<Report> = None;
    let mut known: Option<Parameters> = None;
    loop {
        let frame = FrameReader::new(&mut input).map_err(|error| match error {
            // Whatever follows a whole frame and is none.
            FormatError::Truncated | FormatError::BadMagic if report.is_some() => {
                FormatError::Excess("the last frame")
            }
            error => error,
        })?;
        let header = frame.header().clone();
        let report = report.get_or_insert_with(|| Report::new(path, &header));
        match header.kind {
            FrameKind::PARAMETERS
            | FrameKind::PLAN
            | FrameKind::BATCH
            | FrameKind::MESSAGES
            | FrameKind::KEY_SET => {
                // Back to where the frame begins.
                input = reopened(path, report.file_bytes)?;
                match header.kind {
                    FrameKind::PARAMETERS => {
                        let parameters = Parameters::read(&mut input)?;
                        warn_if_insecure(&parameters, &());
                        report.parameters = Some(ParameterSummary::new(&parameters));
                        known = Some(parameters);
                    }
                    FrameKind::PLAN => report.note_plan(&mut input, known.as_ref())?,
                    FrameKind::MESSAGES => report.note_messages(&mut input)?,
                    FrameKind::KEY_SET => report.key_set = Some(hex::format(&KeySet::read(&mut input)?.0.0)),
                    _ => report.note_batch(&mut input)?,
                }
            }
            kind => report.note_contents(frame, kind)?,
        }
        report.file_bytes += header.length + format::OVERHEAD_BYTES;
        report.frames += 1;
        if input.fill_buf().map_err(FormatError::from)?.is_empty() {
            break;
        }
    }
    report.ok_or(FvError::Format(FormatError::Truncated))
}

/// The file from an offset on.
fn reopened(path: &Path, offset: u64) -> Result<WipingReader<File>, FormatError> {
    let mut file = format::open(path)?.into_inner();
    file.seek(SeekFrom::Start(offset))?;
    Ok(WipingReader::new(file))
}

impl Report {
    fn new(path: &Path, header: &Header) -> Self {
        Self {
            file: path.display().to_string(),
            kind: header.kind.to_string(),
            version: header.version,
            parameters_hash: hex::format(&header.parameters),
            file_bytes: 0,
            frames: 0,
            parameters: None,
            plan: None,
            batches: None,
            messages: None,
            contents: None,
            key_set: None,
        }
    }

    fn note_plan(&mut self, input: impl Read, known: Option<&Parameters>) -> Result<(), FvError> {
        let Some(parameters) = known else {
            return Err(FvError::Format(FormatError::BadValue {
                field: "plan",
                problem: "there are no parameters before it".to_owned(),
            }));
        };
        let recipe = Recipe::read(input, parameters)?;
        self.plan = Some(PlanContents {
            circuit: hex::format(&recipe.circuit),
            variant: recipe.variant.map(|variant| VariantContents {
                depth: variant.depth,
                digest: hex::format(&variant.digest),
            }),
            form: recipe.form.to_string(),
            tolerance_bits: recipe.tolerance,
        });
        Ok(())
    }

    fn note_batch(&mut self, input: impl Read) -> Result<(), FvError> {
        let (head, _) = Head::read(input, u64::from(u32::MAX))?;
        let batches = self.batches.get_or_insert_with(|| BatchContents {
            role: head.role.name().to_owned(),
            circuit: hex::format(&head.circuit),
            batches: 0,
            records: 0,
        });
        self.key_set = head.keys.map(|set| hex::format(&set.0)).or(self.key_set.take());
        batches.batches += 1;
        batches.records += head.records;
        Ok(())
    }

    fn note_messages(&mut self, input: impl Read) -> Result<(), FvError> {
        let (head, _) = messages::Head::read(input)?;
        let contents = self.messages.get_or_insert(MessageContents {
            encoding: head.encoding.name(),
            batches: 0,
            messages: 0,
            numbers: 0,
        });
        contents.batches += 1;
        contents.messages += head.lengths.len() as u64;
        contents.numbers += head.lengths.iter().map(|length| u64::from(*length)).sum::<u64>();
        Ok(())
    }

    fn note_contents<R: Read>(&mut self, mut frame: FrameReader<R>, kind: FrameKind) -> Result<(), FvError> {
        if matches!(kind, FrameKind::CIPHERTEXTS | FrameKind::GALOIS_KEYS) {
            let contents = self.contents.get_or_insert(Contents {
                count: 0,
                level: None,
                parts: None,
                seeded: None,
            });
            let count = frame.take_u32()?;
            contents.count += u64::from(count);
            if kind == FrameKind::CIPHERTEXTS && count > 0 && contents.level.is_none() {
                contents.level = Some(frame.take_u16()?);
                contents.parts = Some(frame.take_u8()?);
                contents.seeded = Some(frame.take_flag("seeded")?);
            }
        }
        frame.skip()?;
        frame.finish()?;
        Ok(())
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
    }
    table.to_text()
}
