//! Turns a builder into the circuit that it describes.

use super::{Builder, next_index, next_wire};
use crate::circuit::check_gates;
use crate::{Circuit, CircuitError, Gate, Gates, InputPort, Linear, MapId, OutputPort, RowMap, Wire};

impl Builder {
    /// Makes the circuit of the declared ports and of the gates on which the outputs depend. All input ports
    /// stay, and so do bits that nothing reads.
    ///
    /// # Errors
    ///
    /// Those of [`Circuit::new`]. If only this builder's own wires are used, with their right kinds, then
    /// only [`CircuitError::NoOutputs`], [`CircuitError::EmptyPort`], [`CircuitError::DuplicatePortName`]
    /// and [`CircuitError::TooManyGates`] can arise.
    pub fn finish(self) -> Result<Circuit, CircuitError> {
        // This check comes before wires are renumbered, so that all gates read existing wires.
        check_gates(&self.gates)?;
        let live = self.live_gates();
        let mut pruned = Pruned::default();
        for (gate, live) in self.gates.list.iter().zip(live) {
            pruned.push(&self.gates, *gate, live);
        }

        let inputs = self.inputs.into_iter().map(|port| InputPort {
            wires: pruned.rename_all(port.wires),
            ..port
        });
        let inputs = inputs.collect();
        let outputs = self.outputs.into_iter().map(|port| OutputPort {
            wires: pruned.rename_all(port.wires),
            ..port
        });
        let outputs = outputs.collect();
        Circuit::new(pruned.gates, inputs, outputs)
    }

    /// For each gate: whether it is an input or an output depends on it.
    fn live_gates(&self) -> Vec<bool> {
        let gates = &self.gates;
        let mut live: Vec<bool> = gates.list.iter().map(|gate| *gate == Gate::Input).collect();
        let mark = |live: &mut [bool], wire: Wire| {
            if let Some(live) = live.get_mut(wire.index()) {
                *live = true;
            }
        };
        for wire in self.outputs.iter().flat_map(|port| &port.wires) {
            mark(&mut live, *wire);
        }
        for (wire, gate) in gates.numbered().rev() {
            if wire.of(&live) {
                for operand in gates.operands(gate) {
                    mark(&mut live, operand);
                }
            }
        }
        live
    }
}

/// The live gates, with new names for wires and table entries.
#[derive(Default)]
struct Pruned {
    gates: Gates,
    /// The new name of each old wire.
    wires: Vec<Wire>,
    /// The new numbers of old maps that are in use.
    maps: Vec<Option<MapId>>,
}

impl Pruned {
    /// Takes over the next gate if it is live. All gates below it have been handled.
    fn push(&mut self, old: &Gates, gate: Gate, live: bool) {
        // Nothing reads the wires of dropped gates, so their new names do not matter; but the table keeps
        // their places.
        self.wires.push(next_wire(&self.gates.list));
        if live {
            let gate = self.rename_gate(old, gate);
            self.gates.list.push(gate);
        }
    }

    fn rename_gate(&mut self, old: &Gates, gate: Gate) -> Gate {
        match gate {
            Gate::Input | Gate::Constant(_) => gate,
            Gate::Xor(left, right) => Gate::Xor(self.rename(left), self.rename(right)),
            Gate::And(left, right) => Gate::And(self.rename(left), self.rename(right)),
            Gate::Not(operand) => Gate::Not(self.rename(operand)),
            Gate::Value(index) => {
                let number = next_index(&self.gates.values);
                self.gates.values.extend(old.value(index).cloned());
                Gate::Value(number)
            }
            Gate::Linear(index) => {
                let number = next_index(&self.gates.linears);
                if let Some(linear) = old.linear(index) {
                    let linear = self.rename_linear(&old.maps, linear);
                    self.gates.linears.push(linear);
                }
                Gate::Linear(number)
            }
        }
    }

    fn rename_linear(&mut self, old: &[RowMap], linear: &Linear) -> Linear {
        let terms = linear.terms.iter().map(|(wire, map)| {
            let wire = self.rename(*wire);
            (wire, self.rename_map(old, *map))
        });
        Linear {
            terms: terms.collect(),
            kind: linear.kind,
        }
    }

    fn rename_map(&mut self, old: &[RowMap], id: MapId) -> MapId {
        self.maps.resize(old.len(), None);
        let number = MapId::new(next_index(&self.gates.maps));
        match (self.maps.get_mut(id.index()), old.get(id.index())) {
            (Some(known), Some(map)) => *known.get_or_insert_with(|| {
                self.gates.maps.push(map.clone());
                number
            }),
            // Builders only write numbers of their own table.
            _ => id,
        }
    }

    fn rename(&self, wire: Wire) -> Wire {
        self.wires.get(wire.index()).copied().unwrap_or(wire)
    }

    /// The new names for a port's wires. Foreign wires keep theirs, which is out of range in the smaller
    /// circuit too.
    fn rename_all(&self, wires: Vec<Wire>) -> Vec<Wire> {
        wires.into_iter().map(|wire| self.rename(wire)).collect()
    }
}
