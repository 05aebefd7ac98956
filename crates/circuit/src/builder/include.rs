//! Includes circuits as parts of others.

use std::collections::BTreeMap;

use super::Builder;
use crate::{Circuit, CircuitError, Gate, Linear, RowMap, Wire, WireType};

impl Builder {
    /// Appends a circuit's gates in their order, simplified like any others, with these wires in place of
    /// its inputs. Each input port takes as many wires as it has, of its kind. Returns the wires of each
    /// output port.
    ///
    /// # Errors
    /// [`CircuitError::PartInputs`] if there are too few or too many wires; those of
    /// [`linear`](Self::linear) for some wires of other kinds. `finish` reports the other wires of wrong
    /// kinds.
    pub fn include(
        &mut self,
        circuit: &Circuit,
        inputs: &[Vec<Wire>],
    ) -> Result<Vec<Vec<Wire>>, CircuitError> {
        let mut given = BTreeMap::new();
        for (index, port) in circuit.inputs().iter().enumerate() {
            let wires = inputs.get(index).map_or(&[][..], Vec::as_slice);
            if wires.len() != port.wires.len() {
                return Err(CircuitError::PartInputs {
                    port: port.name.clone(),
                    expected: port.wires.len(),
                    found: wires.len(),
                });
            }
            given.extend(port.wires.iter().copied().zip(wires.iter().copied()));
        }
        let mut wires = Vec::with_capacity(circuit.gates().len());
        for (wire, gate) in circuit.numbered_gates() {
            let included = match gate {
                // All inputs belong to ports.
                Gate::Input => given.get(&wire).copied().unwrap_or(wire),
                gate => self.include_gate(circuit, &wires, gate)?,
            };
            wires.push(included);
        }
        let outputs = circuit.outputs().iter();
        Ok(outputs
            .map(|port| port.wires.iter().map(|wire| part(&wires, *wire)).collect())
            .collect())
    }

    /// Appends a gate other than an input; `wires` are the new wires for the earlier ones.
    pub(crate) fn include_gate(
        &mut self,
        circuit: &Circuit,
        wires: &[Wire],
        gate: Gate,
    ) -> Result<Wire, CircuitError> {
        Ok(match gate {
            Gate::Input => self.constant(false),
            Gate::Constant(value) => self.constant(value),
            Gate::Xor(left, right) => self.xor(part(wires, left), part(wires, right)),
            Gate::And(left, right) => self.and(part(wires, left), part(wires, right)),
            Gate::Not(operand) => self.not(part(wires, operand)),
            Gate::Value(index) => {
                let row = circuit.values().get(index as usize);
                self.row_constant(row.map_or(&[], Vec::as_slice))
            }
            Gate::Linear(index) => match circuit.linears().get(index as usize) {
                Some(linear) => self.include_linear(circuit, wires, linear)?,
                None => self.constant(false),
            },
        })
    }

    fn include_linear(
        &mut self,
        circuit: &Circuit,
        wires: &[Wire],
        linear: &Linear,
    ) -> Result<Wire, CircuitError> {
        let terms = linear.terms.iter().filter_map(|(wire, map)| {
            let map: &RowMap = circuit.maps().get(map.index())?;
            Some((part(wires, *wire), map.clone()))
        });
        let terms: Vec<(Wire, RowMap)> = terms.collect();
        match linear.kind {
            WireType::Row(_) => self.linear(&terms),
            WireType::Bit => self.linear_bit(&terms),
        }
    }
}

/// The new wire for a wire of the part. Circuits read only wires that exist.
fn part(wires: &[Wire], wire: Wire) -> Wire {
    wires.get(wire.index()).copied().unwrap_or(wire)
}
