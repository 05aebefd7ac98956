//! Rewrites a circuit gate by gate.

use crate::{Builder, Circuit, CircuitError, Gate, Wire, WireType, Word};

/// A circuit that is being rewritten into a builder.
pub(super) struct Copy<'a> {
    pub(super) builder: Builder,
    circuit: &'a Circuit,
    /// The builder's wire for each wire of the circuit that has been written.
    written: Vec<Wire>,
}

impl<'a> Copy<'a> {
    /// Starts with the input ports in place.
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

    /// Sets the wire that stands for an old one.
    pub(super) fn set(&mut self, old: Wire, new: Wire) {
        if let Some(entry) = self.written.get_mut(old.index()) {
            *entry = new;
        }
    }

    /// Writes a gate as it is. Inputs have been in place since the start.
    pub(super) fn write(&mut self, wire: Wire, gate: Gate) -> Result<(), CircuitError> {
        if gate != Gate::Input {
            let new = self.builder.include_gate(self.circuit, &self.written, gate)?;
            self.set(wire, new);
        }
        Ok(())
    }

    /// Finishes the circuit with the output ports of the old one.
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
