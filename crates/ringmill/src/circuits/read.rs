//! Circuits from files in the formats of other tools.

use std::io::{BufRead, Read as _};
use std::path::Path;

use ringmill_circuit::aiger::{self, AigerError};
use ringmill_circuit::blif::{self, BlifError};
use ringmill_circuit::bristol::{self, BristolError, Ports};

use super::expression;
use super::file_format::FileFormat;
use super::source::Step;
use super::{KnownTypes, NamedCircuit, PortTypes};
use crate::Error;
use crate::files::Input;

/// Reads a circuit from text in Bristol Fashion or Bristol Format; input ports are named x0, x1 and so on, output
/// ports y0, y1 and so on.
///
/// # Errors
/// [`ErrorKind::BadFile`](crate::ErrorKind::BadFile), with the line, if the text is no circuit.
pub fn from_bristol(name: &str, text: impl BufRead) -> Result<NamedCircuit, Error> {
    let mut bytes = Vec::new();
    // One more, so that a text that is too long is found to be so.
    let read = text.take(bristol::MAX_TEXT_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| Error::io(Path::new(name), error))?;
    let circuit = bristol::read(&*bytes, &Ports::default()).map_err(|error| match error {
        BristolError::Io(error) => Error::io(Path::new(name), error),
        error => Error::data(Path::new(name), error.to_string()),
    })?;
    let step = Step::Bristol {
        name: name.to_owned(),
        text: bytes.into(),
    };
    Ok(NamedCircuit {
        name: name.to_owned(),
        circuit,
        cipher: None,
        steps: vec![step],
        types: PortTypes::default(),
        aggregates: Vec::new(),
    })
}

/// Reads a circuit from a file in the AIGER format, text or binary, which synthesis tools write: so a circuit comes from
/// Verilog. The names of bits in it, such as `a[0]`, are gathered into ports ([`ringmill_circuit::aiger`]).
///
/// # Errors
/// [`ErrorKind::BadFile`](crate::ErrorKind::BadFile), with the line, if the file is no circuit.
pub fn from_aiger(name: &str, file: impl BufRead) -> Result<NamedCircuit, Error> {
    let circuit = aiger::read(file).map_err(|error| match error {
        AigerError::Io(error) => Error::io(Path::new(name), error),
        error => Error::data(Path::new(name), error.to_string()),
    })?;
    Ok(NamedCircuit::new(name, circuit))
}

/// Reads a circuit from text in BLIF, which synthesis tools write: so a circuit comes from Verilog. The names of bits in
/// it, such as `a[0]`, are gathered into ports ([`ringmill_circuit::blif`]).
///
/// # Errors
/// [`ErrorKind::BadFile`](crate::ErrorKind::BadFile), with the line, if the text is no circuit.
pub fn from_blif(name: &str, text: impl BufRead) -> Result<NamedCircuit, Error> {
    let circuit = blif::read(text).map_err(|error| match error {
        BlifError::Io(error) => Error::io(Path::new(name), error),
        error => Error::data(Path::new(name), error.to_string()),
    })?;
    Ok(NamedCircuit::new(name, circuit))
}

/// Reads a circuit from a file; `-` is standard input. The end of its name says what it is: `.expr` an expression
/// program, as [`from_expression`](super::from_expression); `.aag` and `.aig` AIGER, as [`from_aiger`]; `.blif` BLIF, as [`from_blif`]. With any
/// other name, AIGER and BLIF are known by their first word (`aag`, `aig`; `.model`), and all else is
/// [`from_bristol`]'s.
///
/// # Errors
/// As these; [`ErrorKind::Io`](crate::ErrorKind::Io).
pub fn open(path: &Path) -> Result<NamedCircuit, Error> {
    open_with(path, &KnownTypes::default())
}

pub(super) fn open_with(path: &Path, known: &KnownTypes) -> Result<NamedCircuit, Error> {
    let name = path.display().to_string();
    if path.extension().is_some_and(|ending| ending == "expr") {
        return expression::open(&name, path, known);
    }
    let mut file = Input::open(path)?;
    let format = match FileFormat::of_name(path) {
        Some(format) => format,
        None => FileFormat::of_beginning(file.fill_buf().map_err(|error| Error::io(path, error))?),
    };
    match format {
        FileFormat::Aiger => from_aiger(&name, file),
        FileFormat::Blif => from_blif(&name, file),
        FileFormat::Bristol => from_bristol(&name, file),
    }
}
