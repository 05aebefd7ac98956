//! One circuit after another.

use crate::{Builder, Circuit, CircuitError, InputPort, Kind, Visibility, Wire, Word};

/// The circuit that puts the results of `first` through `then`: one circuit, so that it is planned as one.
///
/// Its inputs are those of `first` and the public ones of `then`, its outputs those of `then`. The private
/// inputs of `then` are read from the results of `first` byte by byte, both as
/// [`Circuit::evaluate_record_bytes`] orders them: port after port, each of bits filled up to whole bytes.
/// Bytes that are left over are dropped. Where bits are to be made of a byte or a byte of bits, linear
/// maps do it.
///
/// # Errors
/// [`CircuitError::ShortResults`] if `then` takes more bytes than `first` gives;
/// [`CircuitError::JoinedRows`] if a port between the two has rows of several bytes; those of
/// [`Builder::finish`], of which [`CircuitError::DuplicatePortName`] can arise.
pub fn compose(first: &Circuit, then: &Circuit) -> Result<Circuit, CircuitError> {
    let mut builder = Builder::new();
    let inputs: Vec<Vec<Wire>> = first
        .inputs()
        .iter()
        .map(|port| declare(&mut builder, port))
        .collect();
    let results = builder.include(first, &inputs)?;
    let mut bytes = Vec::new();
    for (port, wires) in first.outputs().iter().zip(results) {
        bytes.extend(bytes_of(&port.name, port.kind, &wires)?);
    }
    let needed = then
        .inputs()
        .iter()
        .filter(|port| port.visibility == Visibility::Private);
    let needed = needed.map(|port| record_bytes(port.kind, port.wires.len())).sum();
    if bytes.len() < needed {
        return Err(CircuitError::ShortResults {
            expected: needed,
            found: bytes.len(),
        });
    }
    let mut bytes = bytes.into_iter();
    let mut inputs = Vec::new();
    for port in then.inputs() {
        inputs.push(match port.visibility {
            Visibility::Public => declare(&mut builder, port),
            Visibility::Private => take(&mut builder, port, &mut bytes)?,
        });
    }
    let outputs = builder.include(then, &inputs)?;
    for (port, wires) in then.outputs().iter().zip(outputs) {
        match port.kind {
            Kind::Bit => builder.output(&*port.name, &Word::new(wires)),
            Kind::Row(_) => builder.output_rows(&*port.name, &wires),
        }
    }
    builder.finish()
}

/// A byte of a record on its way from one circuit to the other.
enum Byte {
    Row(Wire),
    /// At most eight bits, the lowest first; the others are 0.
    Bits(Vec<Wire>),
}

fn declare(builder: &mut Builder, port: &InputPort) -> Vec<Wire> {
    match port.kind {
        Kind::Bit => {
            let word = builder.input(&*port.name, port.visibility, port.wires.len());
            word.wires().to_vec()
        }
        Kind::Row(bytes) => builder.input_rows(&*port.name, port.visibility, port.wires.len(), bytes),
    }
}

/// Bytes of a port in a record.
fn record_bytes(kind: Kind, width: usize) -> usize {
    match kind {
        Kind::Bit => width.div_ceil(8),
        Kind::Row(bytes) => width * bytes,
    }
}

fn bytes_of(port: &str, kind: Kind, wires: &[Wire]) -> Result<Vec<Byte>, CircuitError> {
    match kind {
        Kind::Bit => Ok(wires.chunks(8).map(|bits| Byte::Bits(bits.to_vec())).collect()),
        Kind::Row(1) => Ok(wires.iter().copied().map(Byte::Row).collect()),
        Kind::Row(bytes) => Err(CircuitError::JoinedRows {
            port: port.to_string(),
            bytes,
        }),
    }
}

/// The wires for a private port, from as many bytes as it takes.
fn take(
    builder: &mut Builder,
    port: &InputPort,
    bytes: &mut impl Iterator<Item = Byte>,
) -> Result<Vec<Wire>, CircuitError> {
    let width = port.wires.len();
    let bytes = bytes.take(record_bytes(port.kind, width));
    match port.kind {
        Kind::Bit => {
            let mut bits = Vec::with_capacity(width);
            for byte in bytes {
                bits.extend(byte_as_bits(builder, byte)?);
            }
            bits.truncate(width);
            Ok(bits)
        }
        Kind::Row(1) => bytes.map(|byte| byte_as_row(builder, byte)).collect(),
        Kind::Row(bytes) => Err(CircuitError::JoinedRows {
            port: port.name.clone(),
            bytes,
        }),
    }
}

fn byte_as_bits(builder: &mut Builder, byte: Byte) -> Result<Vec<Wire>, CircuitError> {
    match byte {
        Byte::Row(wire) => Ok(builder.byte_to_bits(wire)?.wires().to_vec()),
        Byte::Bits(mut bits) => {
            bits.resize(8, builder.constant(false));
            Ok(bits)
        }
    }
}

fn byte_as_row(builder: &mut Builder, byte: Byte) -> Result<Wire, CircuitError> {
    match byte {
        Byte::Row(wire) => Ok(wire),
        Byte::Bits(_) => {
            let bits = byte_as_bits(builder, byte)?;
            builder.bits_to_byte(&Word::new(bits))
        }
    }
}
