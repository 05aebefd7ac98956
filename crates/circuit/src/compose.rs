//! Composes two circuits.

use crate::{Builder, Circuit, CircuitError, InputPort, PortSize, Visibility, Wire, WireType, Word};

/// Composes two circuits into one that puts the results of `first` through `then`, so that it is planned as
/// one.
///
/// Its inputs are those of `first` and the public ones of `then`; its outputs are those of `then`. The
/// output ports of `first` become the private input ports of `then`, in order, whatever their names.
/// Corresponding ports must have equally many bits. Linear maps convert bytes to bits and bits to bytes
/// where necessary.
///
/// # Errors
/// [`CircuitError::PortsDiffer`] if one side has more ports or two ports have different widths;
/// [`CircuitError::JoinedRows`] if a port between the two has rows of several bytes; those of
/// [`Builder::finish`], of which [`CircuitError::DuplicatePortName`] can arise.
pub fn compose(first: &Circuit, then: &Circuit) -> Result<Circuit, CircuitError> {
    let (gives, takes) = (results(first), private_inputs(then));
    if !gives
        .iter()
        .map(PortSize::bits)
        .eq(takes.iter().map(PortSize::bits))
    {
        return Err(CircuitError::PortsDiffer { gives, takes });
    }
    join(first, then, |builder, results| {
        let ports = results.into_iter().zip(private_ports(then));
        let wires = ports.map(|(bytes, port)| take(builder, port, &mut bytes.into_iter()));
        wires.collect()
    })
}

/// The circuit with its output ports of bits extended to at least these widths, by zeros above. Ports of bytes,
/// and those for which there is no width, stay as they are.
///
/// # Errors
/// Those of [`Builder::finish`].
pub fn widen(circuit: &Circuit, widths: &[usize]) -> Result<Circuit, CircuitError> {
    let mut builder = Builder::new();
    let inputs = circuit.inputs().iter();
    let inputs: Vec<Vec<Wire>> = inputs.map(|port| declare(&mut builder, port)).collect();
    let outputs = builder.include(circuit, &inputs)?;
    let widths = widths.iter().copied().chain(std::iter::repeat(0));
    for ((port, mut wires), width) in circuit.outputs().iter().zip(outputs).zip(widths) {
        match port.kind {
            WireType::Bit => {
                let zero = builder.constant(false);
                wires.resize(wires.len().max(width), zero);
                builder.output(&*port.name, &Word::new(wires));
            }
            WireType::Row(_) => builder.output_rows(&*port.name, &wires),
        }
    }
    builder.finish()
}

/// Does the same as [`compose`], but treats the results of `first` as raw bytes, for instance of a block
/// cipher, which hold a record of the private inputs of `then`.
///
/// The bytes of both are ordered as in [`Circuit::evaluate_record_bytes`]: port after port, with each port
/// of bits padded to whole bytes. The padding bits of a port of `then` and the bytes after its last port are
/// ignored.
///
/// # Errors
/// [`CircuitError::ShortResults`] if `then` takes more bytes than `first` gives, and those of [`compose`]
/// except [`CircuitError::PortsDiffer`].
pub fn compose_record(first: &Circuit, then: &Circuit) -> Result<Circuit, CircuitError> {
    let bytes = |ports: &[PortSize]| ports.iter().map(|port| port.bits().div_ceil(8)).sum();
    let (found, expected): (usize, usize) = (bytes(&results(first)), bytes(&private_inputs(then)));
    if found < expected {
        return Err(CircuitError::ShortResults { expected, found });
    }
    join(first, then, |builder, results| {
        let mut bytes = results.into_iter().flatten();
        let ports = private_ports(then).map(|port| take(builder, port, &mut bytes));
        ports.collect()
    })
}

/// Puts both circuits into one; `connect` makes the private inputs of `then` from the bytes of each result
/// of `first`.
fn join(
    first: &Circuit,
    then: &Circuit,
    connect: impl FnOnce(&mut Builder, Vec<Vec<Byte>>) -> Result<Vec<Vec<Wire>>, CircuitError>,
) -> Result<Circuit, CircuitError> {
    let mut builder = Builder::new();
    let inputs: Vec<Vec<Wire>> = first
        .inputs()
        .iter()
        .map(|port| declare(&mut builder, port))
        .collect();
    let results = builder.include(first, &inputs)?;
    let results = first.outputs().iter().zip(results);
    let results = results.map(|(port, wires)| bytes_of(&port.name, port.kind, &wires));
    let results = results.collect::<Result<_, _>>()?;
    let mut private = connect(&mut builder, results)?.into_iter();
    let mut inputs = Vec::new();
    for port in then.inputs() {
        inputs.push(match port.visibility {
            Visibility::Public => declare(&mut builder, port),
            Visibility::Private => private.next().unwrap_or_default(),
        });
    }
    let outputs = builder.include(then, &inputs)?;
    for (port, wires) in then.outputs().iter().zip(outputs) {
        match port.kind {
            WireType::Bit => builder.output(&*port.name, &Word::new(wires)),
            WireType::Row(_) => builder.output_rows(&*port.name, &wires),
        }
    }
    builder.finish()
}

fn private_ports(circuit: &Circuit) -> impl Iterator<Item = &InputPort> {
    let ports = circuit.inputs().iter();
    ports.filter(|port| port.visibility == Visibility::Private)
}

fn private_inputs(circuit: &Circuit) -> Vec<PortSize> {
    let sizes = private_ports(circuit).map(|port| PortSize::new(&port.name, port.kind, port.wires.len()));
    sizes.collect()
}

fn results(circuit: &Circuit) -> Vec<PortSize> {
    let ports = circuit.outputs().iter();
    let sizes = ports.map(|port| PortSize::new(&port.name, port.kind, port.wires.len()));
    sizes.collect()
}

/// A byte of a record on its way from one circuit to the other.
enum Byte {
    Row(Wire),
    /// At most eight bits, lowest first; the others are 0.
    Bits(Vec<Wire>),
}

fn declare(builder: &mut Builder, port: &InputPort) -> Vec<Wire> {
    match port.kind {
        WireType::Bit => {
            let word = builder.input(&*port.name, port.visibility, port.wires.len());
            word.wires().to_vec()
        }
        WireType::Row(bytes) => builder.input_rows(&*port.name, port.visibility, port.wires.len(), bytes),
    }
}

fn bytes_of(port: &str, kind: WireType, wires: &[Wire]) -> Result<Vec<Byte>, CircuitError> {
    match kind {
        WireType::Bit => Ok(wires.chunks(8).map(|bits| Byte::Bits(bits.to_vec())).collect()),
        WireType::Row(1) => Ok(wires.iter().copied().map(Byte::Row).collect()),
        WireType::Row(bytes) => Err(CircuitError::JoinedRows {
            port: port.to_string(),
            bytes,
        }),
    }
}

/// Takes the wires for a private port from as many bytes as it needs.
fn take(
    builder: &mut Builder,
    port: &InputPort,
    bytes: &mut impl Iterator<Item = Byte>,
) -> Result<Vec<Wire>, CircuitError> {
    let width = port.wires.len();
    let bytes = bytes.take(PortSize::new(&port.name, port.kind, width).bits().div_ceil(8));
    match port.kind {
        WireType::Bit => {
            let mut bits = Vec::with_capacity(width);
            for byte in bytes {
                bits.extend(byte_as_bits(builder, byte)?);
            }
            bits.truncate(width);
            Ok(bits)
        }
        WireType::Row(1) => bytes.map(|byte| byte_as_row(builder, byte)).collect(),
        WireType::Row(bytes) => Err(CircuitError::JoinedRows {
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
