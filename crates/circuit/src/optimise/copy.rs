//! Writing a circuit anew, gate by gate.

use crate::{Builder, Circuit, CircuitError, Gate, Linear, RowMap, Wire, WireType, Word};

/// A circuit being written anew into a builder.
pub(super) struct Copy<'a> {
    pub(super) builder: Builder,
    circuit: &'a Circuit,
    /// The builder's wire for each wire of the circuit written so far.
    written: Vec<Wire>,
}

impl<'a> Copy<'a> {
    /// With the input ports in place.
    pub(super) fn new(circuit: &'a Circuit) -> Self {
        let mut builder = Builder::new();
        let nothing = builder.constant(false);
        let mut copy = Self {
            builder,
            circuit,
            written: vec![nothing; circuit.gates().len()],
        };
        for port in circuit.inputs() {
            let (name, width) = (&port.name, port.wires.len());
            let wires = match port.kind {
                WireType::Bit => copy.builder.input(name, port.visibility, width).wires().to_vec(),
                WireType::Row(bytes) => copy.builder.input_rows(name, port.visibility, width, bytes),
            };
            for (old, new) in port.wires.iter().zip(wires) {
                copy.set(*old, new);
            }
        }
        copy
    }

    /// The new wire for an old one that has been [`set`](Self::set).
    pub(super) fn get(&self, old: Wire) -> Wire {
        let new = self.written.get(old.index()).copied();
        new.unwrap_or(old)
    }

    /// Says which wire stands for an old one.
    pub(super) fn set(&mut self, old: Wire, new: Wire) {
        if let Some(entry) = self.written.get_mut(old.index()) {
            *entry = new;
        }
    }

    /// Writes a gate as it is.
    pub(super) fn write(&mut self, wire: Wire, gate: Gate) -> Result<(), CircuitError> {
        let new = match gate {
            // In place since the beginning.
            Gate::Input => return Ok(()),
            Gate::Constant(value) => self.builder.constant(value),
            Gate::Xor(left, right) => {
                let (left, right) = (self.get(left), self.get(right));
                self.builder.xor(left, right)
            }
            Gate::And(left, right) => {
                let (left, right) = (self.get(left), self.get(right));
                self.builder.and(left, right)
            }
            Gate::Not(operand) => {
                let operand = self.get(operand);
                self.builder.not(operand)
            }
            Gate::Value(index) => {
                let row = entry(self.circuit.values(), index).map_or(&[][..], Vec::as_slice);
                self.builder.row_constant(row)
            }
            Gate::Linear(index) => match entry(self.circuit.linears(), index) {
                Some(linear) => {
                    let terms = self.terms(linear);
                    match linear.kind {
                        WireType::Bit => self.builder.linear_bit(&terms)?,
                        WireType::Row(_) => self.builder.linear(&terms)?,
                    }
                }
                // Circuits have all entries that their gates refer to.
                None => return Ok(()),
            },
        };
        self.set(wire, new);
        Ok(())
    }

    /// The terms of a sum, with new wires.
    fn terms(&self, linear: &Linear) -> Vec<(Wire, RowMap)> {
        let terms = linear.terms.iter().filter_map(|(wire, map)| {
            let map = self.circuit.maps().get(map.index())?;
            Some((self.get(*wire), map.clone()))
        });
        terms.collect()
    }

    /// The circuit with the output ports of the old one.
    pub(super) fn finish(mut self) -> Result<Circuit, CircuitError> {
        for port in self.circuit.outputs() {
            let wires: Vec<Wire> = port.wires.iter().map(|wire| self.get(*wire)).collect();
            match port.kind {
                WireType::Bit => self.builder.output(&port.name, &Word::new(wires)),
                WireType::Row(_) => self.builder.output_rows(&port.name, &wires),
            }
        }
        self.builder.finish()
    }
}

/// An entry of a circuit's table.
fn entry<T>(table: &[T], index: u32) -> Option<&T> {
    table.get(usize::try_from(index).ok()?)
}
