//! Readers that are not public, for the project's fuzz targets. No part of the interface: it may change at any time.

use std::path::Path;

use ringmill_engine::Calibration;
use ringmill_records::TableFormat;

use zeroize::Zeroizing;

use crate::Error;
use crate::circuits::{NamedCircuit, source};
use crate::files::Input;
use crate::messages::{MessageProgram, NumberRows, take_program, write_program};

/// Reads rows of at most `most` numbers below `t`, as they are encrypted.
///
/// # Errors
/// As for a file of them.
pub fn number_rows(
    text: &[u8],
    format: TableFormat,
    (most, t): (usize, u64),
) -> Result<Vec<Vec<u64>>, Error> {
    let input = Input::of_bytes(Zeroizing::new(text.to_vec()));
    NumberRows::of_input(Path::new("rows"), input, Some(format), (most, t))?.take(usize::MAX)
}

/// Writes rows of numbers, as they are decrypted.
///
/// # Errors
/// [`ErrorKind::Usage`](crate::ErrorKind::Usage) for a format that numbers do not have.
pub fn write_number_rows(rows: &[Vec<u64>], format: TableFormat) -> Result<Vec<u8>, Error> {
    let path = Path::new("rows");
    let format = crate::messages::RowFormat::of(path, Some(format))?;
    let mut text = Vec::new();
    for row in rows {
        format
            .write(&mut text, row)
            .map_err(|error| Error::io(path, error))?;
    }
    Ok(text)
}

/// The calibration in a file of the user's cache, if it is one of this hardware that can be used.
#[must_use]
pub fn kept_calibration(text: &[u8], hardware: &str) -> Option<Calibration> {
    crate::calibration::kept(text, hardware)
}

/// Makes the circuit of the steps in a job file, and writes those steps again.
///
/// # Errors
/// As for a file of them.
pub fn circuit_of_steps(mut payload: &[u8]) -> Result<(NamedCircuit, Vec<u8>), Error> {
    let path = Path::new("job");
    let steps = source::take_steps(&mut payload).map_err(|error| Error::data(path, error.to_string()))?;
    if !payload.is_empty() {
        return Err(Error::data(path, "bytes after the last step"));
    }
    let mut written = Vec::new();
    source::put_steps(&steps, &mut written).map_err(|error| Error::data(path, error.to_string()))?;
    Ok((source::build(&steps)?, written))
}

/// The steps of a circuit, as a job file has them.
#[must_use]
pub fn steps_of_circuit(circuit: &NamedCircuit) -> Vec<u8> {
    let mut written = Vec::new();
    // Writing to memory fails for steps that are too long only.
    let _ = source::put_steps(&circuit.steps, &mut written);
    written
}

/// Reads the frame of a program over messages, for the parameters of a hash, and writes it again.
///
/// # Errors
/// As for a file of it.
pub fn message_program(parameters: &[u8; 32], frame: &[u8]) -> Result<(MessageProgram, Vec<u8>), Error> {
    let program = take_program(parameters, frame)?;
    let mut written = Vec::new();
    write_program(program.text(), parameters, &mut written)?;
    Ok((program, written))
}
