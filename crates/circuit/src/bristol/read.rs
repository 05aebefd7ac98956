//! Reads either format.

use std::collections::HashMap;
use std::io::Read;

use super::BristolError;
use super::gate_line::GateLine;
use super::header::{Header, total};
use super::text::{Line, lines};
use crate::text::{decode, read_all, shortened};
use crate::{Circuit, Gate, InputPort, OutputPort, Visibility, Wire, WireType};

/// Names and visibilities for the values of a file, which itself has none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ports {
    /// One entry per input value; if empty, `x0`, `x1`, ..., all private.
    pub inputs: Vec<(String, Visibility)>,
    /// One name per output value; if empty, `y0`, `y1`, ....
    pub outputs: Vec<String>,
}

/// Reads a circuit in Bristol Fashion or in the older Bristol Format.
///
/// The gates are taken as they are: dead and repeated ones stay. Only EQW leaves no gate, because a copied
/// wire is the same wire, and MAND becomes one AND for each product. Blank lines are allowed everywhere. The
/// length of the text, at most [`MAX_TEXT_BYTES`](super::MAX_TEXT_BYTES), and
/// [`MAX_INPUT_BITS`](super::MAX_INPUT_BITS) bound the memory used, whatever the header declares.
///
/// # Errors
///
/// Every [`BristolError`] except those of writing: the text must be whole, with nothing after its last gate,
/// declare what it holds, and write every wire exactly once and before it is read.
pub fn read(text: impl Read, ports: &Ports) -> Result<Circuit, BristolError> {
    let bytes = read_all(text)?.ok_or(BristolError::TooLong)?;
    let text = decode(&bytes).map_err(|line| BristolError::NotText { line })?;
    let lines: Vec<Line<'_>> = lines(text).collect();
    let (header, gate_lines) = Header::read(&lines)?;
    let mut wires = Wires::new(&header)?;
    for line in gate_lines {
        wires.add(*line)?;
    }
    wires.finish(&header, ports)
}

/// The circuit under construction.
struct Wires {
    gates: Vec<Gate>,
    /// The circuit's wire for each wire of the file that has been written. It grows with the lines read, so
    /// a wire that is named too early has no entry yet.
    known: HashMap<u32, Wire>,
    declared: u32,
}

impl Wires {
    /// Starts with the inputs in place.
    fn new(header: &Header) -> Result<Self, BristolError> {
        let mut wires = Self {
            gates: Vec::new(),
            known: HashMap::new(),
            declared: header.wires,
        };
        let inputs = total(&header.inputs);
        if inputs > header.wires.into() {
            return Err(BristolError::WireCount {
                line: header.line,
                declared: header.wires,
                found: inputs,
            });
        }
        for number in (0..header.wires).take(inputs as usize) {
            let wire = wires.append(Gate::Input);
            wires.known.insert(number, wire);
        }
        Ok(wires)
    }

    /// Adds the gate of one line.
    fn add(&mut self, line: Line<'_>) -> Result<(), BristolError> {
        let parts = GateLine::read(line)?;
        let GateLine {
            operation,
            reads,
            writes,
        } = &parts;
        match (*operation, reads.as_slice(), writes.as_slice()) {
            ("XOR", [left, right], [to]) => {
                let gate = Gate::Xor(self.operand(line, *left)?, self.operand(line, *right)?);
                self.define(line, *to, gate)
            }
            ("AND", [left, right], [to]) => {
                let gate = Gate::And(self.operand(line, *left)?, self.operand(line, *right)?);
                self.define(line, *to, gate)
            }
            ("INV", [operand], [to]) => {
                let gate = Gate::Not(self.operand(line, *operand)?);
                self.define(line, *to, gate)
            }
            ("EQ", [value @ (0 | 1)], [to]) => self.define(line, *to, Gate::Constant(*value == 1)),
            ("EQ", [found], [_]) => Err(BristolError::NotABit {
                line: line.number,
                found: *found,
            }),
            ("EQW", [from], [to]) => {
                let wire = self.operand(line, *from)?;
                self.name(line, *to, wire)
            }
            ("MAND", ..) if !writes.is_empty() && reads.len() == 2 * writes.len() => {
                self.add_products(line, reads, writes)
            }
            ("XOR" | "AND" | "INV" | "EQ" | "EQW" | "MAND", ..) => Err(parts.misshapen(line)),
            (found, ..) => Err(BristolError::UnknownOperation {
                line: line.number,
                found: shortened(found),
            }),
        }
    }

    /// Adds the products of a MAND. It reads all operands before it writes anything, because the products
    /// are simultaneous.
    fn add_products(&mut self, line: Line<'_>, reads: &[u32], writes: &[u32]) -> Result<(), BristolError> {
        let operands: Result<Vec<Wire>, _> = reads.iter().map(|wire| self.operand(line, *wire)).collect();
        let operands = operands?;
        let (left, right) = operands.split_at(writes.len());
        for ((left, right), to) in left.iter().zip(right).zip(writes) {
            self.define(line, *to, Gate::And(*left, *right))?;
        }
        Ok(())
    }

    fn operand(&self, line: Line<'_>, wire: u32) -> Result<Wire, BristolError> {
        self.check_range(line, wire)?;
        self.known
            .get(&wire)
            .copied()
            .ok_or(BristolError::ForwardReference {
                line: line.number,
                wire,
            })
    }

    /// Appends a gate that writes the file's wire `to`.
    fn define(&mut self, line: Line<'_>, to: u32, gate: Gate) -> Result<(), BristolError> {
        let wire = self.append(gate);
        self.name(line, to, wire)
    }

    /// Makes the file's wire `to` a name of `wire`.
    fn name(&mut self, line: Line<'_>, to: u32, wire: Wire) -> Result<(), BristolError> {
        self.check_range(line, to)?;
        match self.known.insert(to, wire) {
            None => Ok(()),
            Some(_) => Err(BristolError::WrittenTwice {
                line: line.number,
                wire: to,
            }),
        }
    }

    fn check_range(&self, line: Line<'_>, wire: u32) -> Result<(), BristolError> {
        if wire < self.declared {
            return Ok(());
        }
        Err(BristolError::WireOutOfRange {
            line: line.number,
            wire,
            wires: self.declared,
        })
    }

    fn append(&mut self, gate: Gate) -> Wire {
        // Finishing the circuit refuses a list that is too long for this conversion.
        let wire = Wire::new(u32::try_from(self.gates.len()).unwrap_or(u32::MAX));
        self.gates.push(gate);
        wire
    }

    fn finish(self, header: &Header, ports: &Ports) -> Result<Circuit, BristolError> {
        // No wire was written twice and none beyond those declared, so with the right count none is missing.
        if self.known.len() as u64 != u64::from(header.wires) {
            return Err(BristolError::WireCount {
                line: header.line,
                declared: header.wires,
                found: self.known.len() as u64,
            });
        }
        let inputs = self.input_ports(header, ports)?;
        let outputs = self.output_ports(header, ports)?;
        Ok(Circuit::new(self.gates, inputs, outputs)?)
    }

    fn input_ports(&self, header: &Header, ports: &Ports) -> Result<Vec<InputPort>, BristolError> {
        let default = |index| (format!("x{index}"), Visibility::Private);
        let names = names("input", &ports.inputs, header.inputs.len(), default)?;
        let values = self.values(0, &header.inputs);
        let port = |((name, visibility), wires)| InputPort {
            name,
            visibility,
            kind: WireType::Bit,
            wires,
        };
        Ok(names.into_iter().zip(values).map(port).collect())
    }

    fn output_ports(&self, header: &Header, ports: &Ports) -> Result<Vec<OutputPort>, BristolError> {
        let names = names("output", &ports.outputs, header.outputs.len(), |index| {
            format!("y{index}")
        })?;
        let first = u64::from(header.wires) - total(&header.outputs);
        let values = self.values(first as u32, &header.outputs);
        let port = |(name, wires)| OutputPort {
            name,
            kind: WireType::Bit,
            wires,
        };
        Ok(names.into_iter().zip(values).map(port).collect())
    }

    /// The wires of consecutive values of the file, from its wire `first`.
    fn values(&self, first: u32, widths: &[u32]) -> Vec<Vec<Wire>> {
        let mut numbers = first..;
        let mut value = |width: &u32| numbers.by_ref().take(*width as usize).collect::<Vec<u32>>();
        let wire = |number: &u32| self.known.get(number).copied();
        let values = widths
            .iter()
            .map(|width| value(width).iter().filter_map(wire).collect());
        values.collect()
    }
}

/// The given names, or the default ones if none are given.
fn names<T: Clone>(
    direction: &'static str,
    given: &[T],
    values: usize,
    default: impl Fn(usize) -> T,
) -> Result<Vec<T>, BristolError> {
    if given.is_empty() {
        return Ok((0..values).map(default).collect());
    }
    if given.len() != values {
        return Err(BristolError::PortCount {
            direction,
            named: given.len(),
            found: values,
        });
    }
    Ok(given.to_vec())
}
