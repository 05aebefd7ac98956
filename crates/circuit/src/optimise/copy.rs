//! Writing a circuit anew, gate by gate.

use crate::{Builder, Circuit, CircuitError, Gate, Wire, Word};

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
            let word = copy.builder.input(&port.name, port.visibility, port.wires.len());
            for (old, new) in port.wires.iter().zip(word.wires()) {
                copy.set(*old, *new);
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

    /// Writes a gate as it is. Kinds of gates that the optimiser knows nothing
    /// of belong here, and nowhere else.
    pub(super) fn write(&mut self, wire: Wire, gate: Gate) {
        let new = match gate {
            // In place since the beginning.
            Gate::Input => return,
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
        };
        self.set(wire, new);
    }

    /// The circuit with the output ports of the old one.
    pub(super) fn finish(mut self) -> Result<Circuit, CircuitError> {
        for port in self.circuit.outputs() {
            let wires = port.wires.iter().map(|wire| self.get(*wire));
            let word = Word::new(wires.collect());
            self.builder.output(&port.name, &word);
        }
        self.builder.finish()
    }
}
