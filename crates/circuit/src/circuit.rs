//! A validated Boolean circuit.

use std::collections::HashSet;

use crate::{Analysis, CircuitError, Gate, InputPort, OutputPort, Wire};

/// A Boolean circuit: gates in topological order between named ports.
///
/// Gate `i` defines wire `i` and reads only wires below `i`, so evaluating the
/// gates in order is always right. Circuits are immutable; write them with a
/// [`Builder`](crate::Builder) or from a list of gates with [`Circuit::new`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Circuit {
    gates: Vec<Gate>,
    inputs: Vec<InputPort>,
    outputs: Vec<OutputPort>,
}

impl Circuit {
    /// Checks that the parts form a circuit, and takes them as they are:
    /// nothing is simplified or dropped.
    ///
    /// # Errors
    ///
    /// * [`CircuitError::TooManyGates`]: more gates than `u32` can count.
    /// * [`CircuitError::ForwardReference`]: a gate reads a wire that no
    ///   earlier gate defines.
    /// * [`CircuitError::WireOutOfRange`], [`CircuitError::NotAnInput`],
    ///   [`CircuitError::InputListedTwice`]: a port lists a wire it cannot have.
    /// * [`CircuitError::UnlistedInput`]: an input gate belongs to no port.
    /// * [`CircuitError::NoOutputs`], [`CircuitError::EmptyPort`],
    ///   [`CircuitError::DuplicatePortName`]: the ports themselves are wrong.
    pub fn new(
        gates: Vec<Gate>,
        inputs: Vec<InputPort>,
        outputs: Vec<OutputPort>,
    ) -> Result<Self, CircuitError> {
        check_gates(&gates)?;
        if outputs.is_empty() {
            return Err(CircuitError::NoOutputs);
        }
        check_ports(inputs.iter().map(|port| (&port.name, &port.wires)), &gates)?;
        check_ports(outputs.iter().map(|port| (&port.name, &port.wires)), &gates)?;
        check_input_listing(&gates, &inputs)?;
        Ok(Self {
            gates,
            inputs,
            outputs,
        })
    }

    /// The gates in topological order; number `i` defines wire `i`.
    #[must_use]
    pub fn gates(&self) -> &[Gate] {
        &self.gates
    }

    /// The gates in topological order, each with the wire that it defines.
    pub fn numbered_gates(&self) -> impl DoubleEndedIterator<Item = (Wire, Gate)> + ExactSizeIterator {
        numbered(&self.gates)
    }

    /// The input ports in the order in which evaluation takes their data.
    #[must_use]
    pub fn inputs(&self) -> &[InputPort] {
        &self.inputs
    }

    /// The output ports in the order in which evaluation returns their data.
    #[must_use]
    pub fn outputs(&self) -> &[OutputPort] {
        &self.outputs
    }

    /// The most AND gates on any path from an input to an output, whether
    /// their operands are public or private. See
    /// [`Analysis::private_and_depth`] for the depth that encryption feels.
    /// Takes time linear in the number of gates.
    #[must_use]
    pub fn and_depth(&self) -> u32 {
        Analysis::new(self).and_depth()
    }

    /// The number of AND gates, with dead ones.
    #[must_use]
    pub fn and_count(&self) -> usize {
        self.count(|gate| matches!(gate, Gate::And(..)))
    }

    /// The number of XOR gates, with dead ones; NOT gates are not counted.
    #[must_use]
    pub fn xor_count(&self) -> usize {
        self.count(|gate| matches!(gate, Gate::Xor(..)))
    }

    fn count(&self, wanted: impl Fn(&Gate) -> bool) -> usize {
        self.gates.iter().filter(|gate| wanted(gate)).count()
    }
}

/// Each gate with the wire that it defines.
pub(crate) fn numbered(gates: &[Gate]) -> impl DoubleEndedIterator<Item = (Wire, Gate)> + ExactSizeIterator {
    gates.iter().enumerate().map(|(index, gate)| {
        // `check_gates` refuses lists too long for this conversion.
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        (Wire::new(index), *gate)
    })
}

/// Checks that wire indices suffice and that gates read only earlier wires.
pub(crate) fn check_gates(gates: &[Gate]) -> Result<(), CircuitError> {
    if u32::try_from(gates.len()).is_err() {
        return Err(CircuitError::TooManyGates { count: gates.len() });
    }
    for (wire, gate) in numbered(gates) {
        if let Some(operand) = gate.operands().find(|operand| *operand >= wire) {
            return Err(CircuitError::ForwardReference { gate: wire, operand });
        }
    }
    Ok(())
}

/// Checks what input and output ports have in common.
fn check_ports<'a>(
    ports: impl Iterator<Item = (&'a String, &'a Vec<Wire>)>,
    gates: &[Gate],
) -> Result<(), CircuitError> {
    let mut names = HashSet::new();
    for (name, wires) in ports {
        if !names.insert(name) {
            return Err(CircuitError::DuplicatePortName { port: name.clone() });
        }
        if wires.is_empty() {
            return Err(CircuitError::EmptyPort { port: name.clone() });
        }
        if let Some(wire) = wires.iter().find(|wire| wire.index() >= gates.len()) {
            return Err(CircuitError::WireOutOfRange {
                port: name.clone(),
                wire: *wire,
                wires: gates.len(),
            });
        }
    }
    Ok(())
}

/// Checks that input gates and the wires of input ports match one to one.
fn check_input_listing(gates: &[Gate], inputs: &[InputPort]) -> Result<(), CircuitError> {
    let mut listed = HashSet::new();
    for port in inputs {
        for wire in &port.wires {
            if gates.get(wire.index()) != Some(&Gate::Input) {
                return Err(CircuitError::NotAnInput {
                    port: port.name.clone(),
                    wire: *wire,
                });
            }
            if !listed.insert(*wire) {
                return Err(CircuitError::InputListedTwice {
                    port: port.name.clone(),
                    wire: *wire,
                });
            }
        }
    }
    let unlisted = numbered(gates).find(|(wire, gate)| *gate == Gate::Input && !listed.contains(wire));
    match unlisted {
        Some((wire, _)) => Err(CircuitError::UnlistedInput { wire }),
        None => Ok(()),
    }
}
