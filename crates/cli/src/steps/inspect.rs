use std::io::Read;
use std::path::Path;

use ringmill_fv::format::{self, FormatError, FrameReader, Kind, OVERHEAD_BYTES, Take};
use ringmill_fv::{FvError, Parameters};
use serde::Serialize;

use crate::arguments::InspectArguments;
use crate::error::CliError;
use crate::files;
use crate::hex;
use crate::report::{Table, bytes, print_either};
use crate::session::warn;
use crate::summary::ParameterSummary;

#[derive(Serialize)]
struct Report {
    file: String,
    kind: String,
    version: u16,
    /// Hash of the parameters that the content belongs to.
    parameters_hash: String,
    file_bytes: u64,
    payload_bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<ParameterSummary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contents: Option<Contents>,
}

/// What the beginning of a payload of several things says.
#[derive(Serialize)]
struct Contents {
    count: u32,
    /// Of the first ciphertext: its number of limbs.
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
    let report = inspect(&arguments.file)?;
    print_either(arguments.json, &report, || text(&report))
}

fn inspect(path: &Path) -> Result<Report, CliError> {
    let fail = |error: FormatError| CliError::in_file(path, FvError::Format(error));
    let mut frame = FrameReader::new(format::open(path)?).map_err(fail)?;
    let header = frame.header().clone();
    let contents = contents(&mut frame, header.kind).map_err(fail)?;
    frame.skip().map_err(fail)?;
    frame.finish_file().map_err(fail)?;
    let parameters = match header.kind {
        Kind::Parameters => Some(files::read(path, |input| Parameters::read(input))?),
        _ => None,
    };
    parameters.iter().for_each(warn);
    Ok(Report {
        file: path.display().to_string(),
        kind: header.kind.to_string(),
        version: header.version,
        parameters_hash: hex::format(&header.parameters),
        file_bytes: header.length + OVERHEAD_BYTES,
        payload_bytes: header.length,
        parameters: parameters.as_ref().map(ParameterSummary::new),
        contents,
    })
}

fn contents(payload: &mut impl Read, kind: Kind) -> Result<Option<Contents>, FormatError> {
    if !matches!(kind, Kind::Ciphertexts | Kind::GaloisKeys) {
        return Ok(None);
    }
    let mut contents = Contents {
        count: payload.take_u32()?,
        level: None,
        parts: None,
        seeded: None,
    };
    if kind == Kind::Ciphertexts && contents.count > 0 {
        contents.level = Some(payload.take_u16()?);
        contents.parts = Some(payload.take_u8()?);
        contents.seeded = Some(payload.take_flag("seeded")?);
    }
    Ok(Some(contents))
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
        format!("{} ({})", bytes(report.file_bytes), report.file_bytes),
    );
    table.row("integrity", "the checksum is right");
    table.row("parameter hash", &*report.parameters_hash);
    if let Some(contents) = &report.contents {
        table.row("number", contents.count.to_string());
        if let (Some(level), Some(parts)) = (contents.level, contents.parts) {
            let seeded = if contents.seeded == Some(true) {
                ", the second as a seed"
            } else {
                ""
            };
            table.row(
                "the first",
                format!("level {level} (limbs), {parts} parts{seeded}"),
            );
        }
    }
    if let Some(parameters) = &report.parameters {
        parameters.rows(&mut table);
    }
    table.to_text()
}
