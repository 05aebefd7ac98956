//! The gates of a circuit of bits, as a job file keeps them.

use std::io::{Read, Write};
use std::sync::Arc;

use ringmill_circuit::{Circuit, CircuitError, Gate, InputPort, OutputPort, Visibility, Wire, WireType};
use ringmill_format::{FormatError, Put, Take};

use super::NamedCircuit;
use super::source::Step;
use crate::Error;

/// The most wires that a circuit of a file may have.
const MOST_WIRES: usize = 1 << 25;

/// The most bytes of a port's name, and the most ports.
const MOST_NAME: usize = 1 << 12;
const MOST_PORTS: usize = 1 << 12;

/// The step that makes a circuit of bits; none for one that has rows of bytes.
pub(super) fn step(name: &str, circuit: &Circuit) -> Option<Step> {
    let mut bytes = Vec::new();
    let written = put(circuit, &mut bytes);
    written.ok().flatten()?;
    Some(Step::Gates {
        name: name.to_owned(),
        gates: Arc::from(bytes),
    })
}

/// The circuit of such a step.
pub(super) fn build(name: &str, bytes: &[u8]) -> Result<NamedCircuit, Error> {
    let wrong = |error: FormatError| Error::Usage(format!("the gates of {name}: {error}"));
    let mut input = bytes;
    let (gates, inputs, outputs) = take(&mut input).map_err(wrong)?;
    if !input.is_empty() {
        return Err(wrong(FormatError::Excess("the ports")));
    }
    let circuit = Circuit::new(gates, inputs, outputs);
    let circuit =
        circuit.map_err(|error: CircuitError| Error::Usage(format!("the gates of {name}: {error}")))?;
    Ok(NamedCircuit::new(name, circuit))
}

/// Writes gates and ports; nothing, if it has wires of another kind than bits.
fn put(circuit: &Circuit, out: &mut impl Write) -> Result<Option<()>, FormatError> {
    let number = |wire: Wire| u32::try_from(wire.index()).unwrap_or(u32::MAX);
    if circuit.gates().len() > MOST_WIRES || !circuit.kinds().iter().all(|kind| kind.is_bit()) {
        return Ok(None);
    }
    out.put_u32(circuit.gates().len() as u32)?;
    for gate in circuit.gates() {
        let (tag, operands) = match gate {
            Gate::Input => (0, [None, None]),
            Gate::Constant(value) => (1 + u8::from(*value), [None, None]),
            Gate::Not(a) => (3, [Some(a), None]),
            Gate::Xor(a, b) => (4, [Some(a), Some(b)]),
            Gate::And(a, b) => (5, [Some(a), Some(b)]),
            Gate::Value(_) | Gate::Linear(_) => return Ok(None),
        };
        out.put_u8(tag)?;
        for operand in operands.into_iter().flatten() {
            out.put_u32(number(*operand))?;
        }
    }
    out.put_u32(circuit.inputs().len() as u32)?;
    for port in circuit.inputs() {
        out.put_u8(u8::from(port.visibility == Visibility::Public))?;
        put_port(&port.name, &port.wires, out)?;
    }
    out.put_u32(circuit.outputs().len() as u32)?;
    for port in circuit.outputs() {
        put_port(&port.name, &port.wires, out)?;
    }
    Ok(Some(()))
}

fn put_port(name: &str, wires: &[Wire], out: &mut impl Write) -> Result<(), FormatError> {
    out.put_str(name)?;
    out.put_u32(wires.len() as u32)?;
    for wire in wires {
        out.put_u32(u32::try_from(wire.index()).unwrap_or(u32::MAX))?;
    }
    Ok(())
}

type Parts = (Vec<Gate>, Vec<InputPort>, Vec<OutputPort>);

fn take(input: &mut &[u8]) -> Result<Parts, FormatError> {
    let count = input.take_count("wires of a circuit", MOST_WIRES)?;
    let mut gates = Vec::new();
    for _ in 0..count {
        gates.push(match input.take_u8()? {
            0 => Gate::Input,
            1 => Gate::Constant(false),
            2 => Gate::Constant(true),
            3 => Gate::Not(take_wire(input)?),
            4 => Gate::Xor(take_wire(input)?, take_wire(input)?),
            5 => Gate::And(take_wire(input)?, take_wire(input)?),
            other => {
                return Err(FormatError::BadValue {
                    field: "gate",
                    problem: format!("{other} is none"),
                });
            }
        });
    }
    let mut inputs = Vec::new();
    for _ in 0..input.take_count("ports of a circuit", MOST_PORTS)? {
        let public = input.take_flag("visibility of a port")?;
        let (name, wires) = take_port(input)?;
        inputs.push(InputPort {
            name,
            visibility: if public {
                Visibility::Public
            } else {
                Visibility::Private
            },
            kind: WireType::Bit,
            wires,
        });
    }
    let mut outputs = Vec::new();
    for _ in 0..input.take_count("ports of a circuit", MOST_PORTS)? {
        let (name, wires) = take_port(input)?;
        outputs.push(OutputPort {
            name,
            kind: WireType::Bit,
            wires,
        });
    }
    Ok((gates, inputs, outputs))
}

fn take_port(input: &mut &[u8]) -> Result<(String, Vec<Wire>), FormatError> {
    let name = input.take_str("name of a port", MOST_NAME)?;
    let count = input.take_count("wires of a port", MOST_WIRES)?;
    let mut wires = Vec::new();
    for _ in 0..count {
        wires.push(take_wire(input)?);
    }
    Ok((name, wires))
}

fn take_wire(input: &mut impl Read) -> Result<Wire, FormatError> {
    Ok(Wire::new(input.take_u32()?))
}
