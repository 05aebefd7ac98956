//! How a circuit is made, as a job file keeps it: the steps that make it again.

use std::io::{Read, Write};
use std::sync::Arc;

use ringmill_circuit::AggregateKind;
use ringmill_format::{FormatError, FrameKind, FrameReader, FrameWriter, Put, Take};

use super::{NamedCircuit, PortTypes, by_name, from_bristol, gates};
use crate::Error;

/// Steps and ports that a circuit of a file may have: each step costs as much as building the circuit so far.
const MOST_STEPS: usize = 256;

/// Circuits that the one of a file may be a chain of.
const MOST_CIRCUITS: usize = 16;
const MOST_PORTS: usize = 1 << 12;

/// Bits that a port may be extended to.
const MOST_WIDTH: usize = 1 << 16;

/// Bytes that a name and the text of a circuit may have.
const MOST_NAME: usize = 1 << 12;
const MOST_TEXT: usize = 1 << 28;

/// A step of making a circuit. The circuits made so far are on a stack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// Puts a circuit that comes with the library on the stack.
    Builtin(String),
    /// Puts the circuit of a text in Bristol Fashion or Bristol Format on the stack.
    Bristol {
        /// Its name.
        name: String,
        /// The text.
        text: Arc<[u8]>,
    },
    /// Puts a circuit of bits on the stack.
    Gates {
        /// Its name.
        name: String,
        /// Its gates and ports, see `gates.rs`.
        gates: Arc<[u8]>,
    },
    /// Has the evaluator see an input port in the clear.
    Public(String),
    /// Names the ports.
    Names {
        /// All input ports.
        inputs: Vec<String>,
        /// All output ports.
        outputs: Vec<String>,
    },
    /// Gives the columns of ports other types than usual.
    Types(PortTypes),
    /// Extends output ports of bits to these widths, by zeros.
    Widen(Vec<usize>),
    /// Makes the outputs totals over all records: how, for each port.
    Aggregates(Vec<AggregateKind>),
    /// Takes two circuits, and puts the one that feeds the first's outputs to the second.
    Then,
}

/// Makes the circuit of these steps.
pub(crate) fn build(steps: &[Step]) -> Result<NamedCircuit, Error> {
    let mut stack: Vec<NamedCircuit> = Vec::new();
    let none = || Error::Usage("the circuit of a job begins with a step that needs one before it".to_owned());
    for step in steps {
        let made = match step {
            Step::Builtin(name) => by_name(name)?,
            Step::Bristol { name, text } => from_bristol(name, &**text)?,
            Step::Gates { name, gates } => gates::build(name, gates)?,
            Step::Public(port) => stack.pop().ok_or_else(none)?.with_public(port)?,
            Step::Names { inputs, outputs } => stack.pop().ok_or_else(none)?.with_names(inputs, outputs)?,
            Step::Types(types) => stack.pop().ok_or_else(none)?.with_types(types.clone())?,
            Step::Widen(widths) => stack.pop().ok_or_else(none)?.widened(widths)?,
            Step::Aggregates(kinds) => stack.pop().ok_or_else(none)?.with_aggregates(kinds.clone())?,
            Step::Then => {
                let next = stack.pop().ok_or_else(none)?;
                stack.pop().ok_or_else(none)?.then(&next)?
            }
        };
        stack.push(made);
    }
    match (stack.pop(), stack.pop()) {
        (Some(circuit), None) => Ok(circuit),
        _ => Err(Error::Usage(
            "the steps of a job leave no circuit, or several".to_owned(),
        )),
    }
}

/// Writes the frame of these steps, for the parameters of this hash.
pub(crate) fn write(steps: &[Step], parameters: &[u8; 32], out: impl Write) -> Result<(), FormatError> {
    let mut bytes = Vec::new();
    put_steps(steps, &mut bytes)?;
    let mut frame = FrameWriter::new(out, FrameKind::CIRCUIT, parameters, bytes.len() as u64)?;
    frame.put_bytes(&bytes)?;
    frame.finish()?;
    Ok(())
}

/// Reads the frame of a circuit's steps, for the parameters of this hash.
pub(crate) fn read(parameters: &[u8; 32], input: impl Read) -> Result<Vec<Step>, FormatError> {
    // Texts are most of it.
    let most = MOST_TEXT + MOST_STEPS * MOST_NAME;
    let mut frame = FrameReader::expect(input, FrameKind::CIRCUIT, most as u64)?;
    if frame.header().parameters != *parameters {
        return Err(bad(
            "it belongs to other parameters than those before it".to_owned()
        ));
    }
    let steps = take_steps(&mut frame)?;
    frame.finish()?;
    Ok(steps)
}

pub(crate) fn put_steps(steps: &[Step], out: &mut impl Write) -> Result<(), FormatError> {
    check_circuits(steps)?;
    out.put_u32(count("steps of a circuit", steps.len(), MOST_STEPS)?)?;
    for step in steps {
        match step {
            Step::Builtin(name) => {
                out.put_u8(0)?;
                out.put_str(name)?;
            }
            Step::Bristol { name, text } => put_text(1, name, text, out)?,
            Step::Gates { name, gates } => put_text(5, name, gates, out)?,
            Step::Public(port) => {
                out.put_u8(2)?;
                out.put_str(port)?;
            }
            Step::Names { inputs, outputs } => {
                out.put_u8(3)?;
                put_names(inputs.iter().map(String::as_str), out)?;
                put_names(outputs.iter().map(String::as_str), out)?;
            }
            Step::Then => out.put_u8(4)?,
            Step::Widen(widths) => put_widths(widths, out)?,
            Step::Aggregates(kinds) => put_aggregates(kinds, out)?,
            Step::Types(types) => {
                out.put_u8(6)?;
                for list in [&types.inputs, &types.outputs] {
                    let names = list.iter().map(|found| found.as_deref().unwrap_or_default());
                    put_names(names, out)?;
                }
            }
        }
    }
    Ok(())
}

pub(crate) fn take_steps(input: &mut impl Read) -> Result<Vec<Step>, FormatError> {
    let count = input.take_count("steps of a circuit", MOST_STEPS)?;
    let mut steps = Vec::new();
    for _ in 0..count {
        steps.push(match input.take_u8()? {
            0 => Step::Builtin(input.take_str("name of a circuit", MOST_NAME)?),
            1 => {
                let (name, text) = take_text(input)?;
                Step::Bristol { name, text }
            }
            2 => Step::Public(input.take_str("name of a port", MOST_NAME)?),
            3 => Step::Names {
                inputs: take_names(input)?,
                outputs: take_names(input)?,
            },
            4 => Step::Then,
            5 => {
                let (name, gates) = take_text(input)?;
                Step::Gates { name, gates }
            }
            6 => Step::Types(PortTypes {
                inputs: take_types(input)?,
                outputs: take_types(input)?,
            }),
            7 => Step::Widen(take_widths(input)?),
            8 => Step::Aggregates(take_aggregates(input)?),
            other => return Err(bad(format!("{other} where a step of making it should be"))),
        });
    }
    check_circuits(&steps)?;
    Ok(steps)
}

fn check_circuits(steps: &[Step]) -> Result<(), FormatError> {
    let begins = |step: &&Step| matches!(step, Step::Builtin(_) | Step::Bristol { .. } | Step::Gates { .. });
    let circuits = steps.iter().filter(begins).count();
    count("a chain of circuits", circuits, MOST_CIRCUITS).map(drop)
}

fn put_text(kind: u8, name: &str, text: &[u8], out: &mut impl Write) -> Result<(), FormatError> {
    out.put_u8(kind)?;
    out.put_str(name)?;
    out.put_u32(count("the text of a circuit", text.len(), MOST_TEXT)?)?;
    out.put_bytes(text)
}

fn take_text(input: &mut impl Read) -> Result<(String, Arc<[u8]>), FormatError> {
    let name = input.take_str("name of a circuit", MOST_NAME)?;
    let length = input.take_count("the text of a circuit", MOST_TEXT)?;
    Ok((name, input.take_bytes(length)?.into()))
}

fn put_names<'a>(
    names: impl ExactSizeIterator<Item = &'a str>,
    out: &mut impl Write,
) -> Result<(), FormatError> {
    out.put_u32(count("ports of a circuit", names.len(), MOST_PORTS)?)?;
    for name in names {
        out.put_str(name)?;
    }
    Ok(())
}

fn take_types(input: &mut impl Read) -> Result<Vec<Option<String>>, FormatError> {
    let names = take_names(input)?.into_iter();
    Ok(names
        .map(|name| Some(name).filter(|name| !name.is_empty()))
        .collect())
}

fn put_widths(widths: &[usize], out: &mut impl Write) -> Result<(), FormatError> {
    out.put_u8(7)?;
    out.put_u32(count("ports of a circuit", widths.len(), MOST_PORTS)?)?;
    for width in widths {
        out.put_u32(count("bits of a port", *width, MOST_WIDTH)?)?;
    }
    Ok(())
}

fn take_widths(input: &mut impl Read) -> Result<Vec<usize>, FormatError> {
    let count = input.take_count("ports of a circuit", MOST_PORTS)?;
    (0..count)
        .map(|_| input.take_count("bits of a port", MOST_WIDTH))
        .collect()
}

fn put_aggregates(kinds: &[AggregateKind], out: &mut impl Write) -> Result<(), FormatError> {
    out.put_u8(8)?;
    out.put_u32(count("ports of a circuit", kinds.len(), MOST_PORTS)?)?;
    for kind in kinds {
        let number = AggregateKind::ALL.iter().position(|known| known == kind);
        out.put_u8(number.unwrap_or(0) as u8)?;
    }
    Ok(())
}

fn take_aggregates(input: &mut impl Read) -> Result<Vec<AggregateKind>, FormatError> {
    let count = input.take_count("ports of a circuit", MOST_PORTS)?;
    let kind = |_| {
        let number = input.take_u8()?;
        let found = AggregateKind::ALL.get(usize::from(number)).copied();
        found.ok_or_else(|| bad(format!("{number} where an aggregate should be")))
    };
    (0..count).map(kind).collect()
}

fn take_names(input: &mut impl Read) -> Result<Vec<String>, FormatError> {
    let count = input.take_count("ports of a circuit", MOST_PORTS)?;
    (0..count)
        .map(|_| input.take_str("name of a port", MOST_NAME))
        .collect()
}

fn count(what: &'static str, length: usize, most: usize) -> Result<u32, FormatError> {
    match u32::try_from(length) {
        Ok(count) if length <= most => Ok(count),
        _ => Err(FormatError::TooLong {
            what,
            length: length as u64,
            most: most as u64,
        }),
    }
}

fn bad(problem: String) -> FormatError {
    FormatError::BadValue {
        field: "circuit",
        problem,
    }
}
