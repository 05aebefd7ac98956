//! Writes Bristol Fashion.

use std::io::{self, Write};

use super::BristolError;
use crate::{Circuit, Gate, Wire};

/// Writes a circuit as Bristol Fashion; `target` should be buffered.
///
/// Input ports become input values and output ports output values, in order; the format has no place for
/// their names and visibilities. Every gate is kept, even dead ones. EQW copies an output wire that is an
/// input or that an earlier output bit already shows. The text is the same on every call.
///
/// # Errors
///
/// [`BristolError::Rows`] if the circuit has rows of bytes;
/// [`BristolError::Io`] if `target` fails.
pub fn write(circuit: &Circuit, mut target: impl Write) -> Result<(), BristolError> {
    let mut kinds = circuit.numbered_gates().zip(circuit.kinds());
    if let Some(((wire, _), _)) = kinds.find(|(_, kind)| !kind.is_bit()) {
        return Err(BristolError::Rows { wire });
    }
    let layout = Layout::new(circuit);
    write_header(circuit, &layout, &mut target)?;
    for (wire, gate) in circuit.numbered_gates() {
        let to = layout.number(wire);
        match gate {
            Gate::Input => {}
            // Maps of bits are as foreign to the format.
            Gate::Value(_) | Gate::Linear(_) => return Err(BristolError::Rows { wire }),
            Gate::Constant(value) => writeln!(target, "1 1 {} {to} EQ", u8::from(value))?,
            Gate::Not(operand) => writeln!(target, "1 1 {} {to} INV", layout.number(operand))?,
            Gate::Xor(left, right) => {
                writeln!(
                    target,
                    "2 1 {} {} {to} XOR",
                    layout.number(left),
                    layout.number(right)
                )?;
            }
            Gate::And(left, right) => {
                writeln!(
                    target,
                    "2 1 {} {} {to} AND",
                    layout.number(left),
                    layout.number(right)
                )?;
            }
        }
    }
    for (from, to) in &layout.copies {
        writeln!(target, "1 1 {} {to} EQW", layout.number(*from))?;
    }
    target.flush()?;
    Ok(())
}

/// The file's wire numbers.
struct Layout {
    /// The number of each of the circuit's wires.
    numbers: Vec<Option<usize>>,
    /// Output bits that are copies of other wires.
    copies: Vec<(Wire, usize)>,
    wires: usize,
    gates: usize,
}

impl Layout {
    /// Puts inputs first, outputs last and the rest in between, in the order of the gates.
    fn new(circuit: &Circuit) -> Self {
        let mut numbers = vec![None; circuit.gates().len()];
        let mut set = |wire: Wire, number: usize| match numbers.get_mut(wire.index()) {
            Some(place @ None) => {
                *place = Some(number);
                true
            }
            _ => false,
        };
        let inputs: usize = circuit.inputs().iter().map(|port| port.wires.len()).sum();
        let outputs = || circuit.outputs().iter().flat_map(|port| &port.wires);
        for (number, wire) in circuit.inputs().iter().flat_map(|port| &port.wires).enumerate() {
            set(*wire, number);
        }
        // The number of output bits that need copies decides where outputs begin, so their places are first
        // counted from the first output bit and then moved.
        let mut copied = Vec::new();
        for (place, wire) in outputs().enumerate() {
            if !set(*wire, OUTPUTS + place) {
                copied.push((*wire, place));
            }
        }
        let computed = circuit.gates().len() - inputs;
        let gates = computed + copied.len();
        let wires = inputs + gates;
        let first_output = wires - outputs().count();
        let mut next = inputs;
        for number in &mut numbers {
            match number {
                None => {
                    *number = Some(next);
                    next += 1;
                }
                Some(place) if *place >= OUTPUTS => *place = *place - OUTPUTS + first_output,
                Some(_) => {}
            }
        }
        let copies = copied
            .into_iter()
            .map(|(wire, place)| (wire, first_output + place));
        Self {
            numbers,
            copies: copies.collect(),
            wires,
            gates,
        }
    }

    /// The number of a wire of the circuit for which the layout was made.
    fn number(&self, wire: Wire) -> usize {
        wire.of(&self.numbers).unwrap_or_default()
    }
}

/// The origin of output places while their start is unknown: above all wire numbers, of which there are
/// fewer than 2^32, and small enough to add places to.
const OUTPUTS: usize = usize::MAX / 2;

fn write_header(circuit: &Circuit, layout: &Layout, target: &mut impl Write) -> io::Result<()> {
    writeln!(target, "{} {}", layout.gates, layout.wires)?;
    let inputs = circuit.inputs().iter().map(|port| port.wires.len());
    let outputs = circuit.outputs().iter().map(|port| port.wires.len());
    write_widths(inputs, target)?;
    write_widths(outputs, target)?;
    writeln!(target)
}

fn write_widths(widths: impl ExactSizeIterator<Item = usize>, target: &mut impl Write) -> io::Result<()> {
    write!(target, "{}", widths.len())?;
    for width in widths {
        write!(target, " {width}")?;
    }
    writeln!(target)
}
