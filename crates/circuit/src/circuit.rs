//! A validated circuit.

use std::collections::HashSet;

use crate::kinds::infer_kinds;
use crate::{
    Analysis, CircuitError, Gate, Gates, InputPort, Linear, OutputPort, RowMap, Visibility, Wire, WireType,
};

/// A circuit on bits and rows of bytes: gates in topological order between named ports.
///
/// Gate `i` defines wire `i` and reads only wires below `i`, so gates can be evaluated in order. Circuits
/// are immutable; make them with a [`Builder`](crate::Builder) or from a list of gates with
/// [`Circuit::new`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Circuit {
    gates: Gates,
    kinds: Vec<WireType>,
    inputs: Vec<InputPort>,
    outputs: Vec<OutputPort>,
}

impl Circuit {
    /// Checks that the parts form a circuit and takes them as they are, without simplifying or dropping
    /// anything.
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
    /// * [`CircuitError::OperandKind`], [`CircuitError::PortKind`]: a gate or output port gets wires of a
    ///   kind that it cannot take.
    /// * [`CircuitError::RowLength`]: an empty row or one of more than
    ///   [`MAX_ROW_BYTES`](crate::MAX_ROW_BYTES).
    /// * [`CircuitError::MissingEntry`], [`CircuitError::EmptySum`], [`CircuitError::RepeatedOperand`],
    ///   [`CircuitError::MapKind`], [`CircuitError::NotABit`]: a gate refers to a table wrongly, or to a
    ///   sum of linear maps that is none.
    pub fn new(
        gates: impl Into<Gates>,
        inputs: Vec<InputPort>,
        outputs: Vec<OutputPort>,
    ) -> Result<Self, CircuitError> {
        let gates = gates.into();
        check_gates(&gates)?;
        if outputs.is_empty() {
            return Err(CircuitError::NoOutputs);
        }
        check_ports(inputs.iter().map(|port| (&port.name, &port.wires)), &gates.list)?;
        check_ports(outputs.iter().map(|port| (&port.name, &port.wires)), &gates.list)?;
        check_input_listing(&gates, &inputs)?;
        let kinds = infer_kinds(&gates, &inputs)?;
        check_output_kinds(&outputs, &kinds)?;
        Ok(Self {
            gates,
            kinds,
            inputs,
            outputs,
        })
    }

    /// The same circuit with another visibility of an input port.
    ///
    /// # Errors
    /// [`CircuitError::NoSuchInput`] if there is no such port.
    pub fn with_visibility(mut self, port: &str, visibility: Visibility) -> Result<Self, CircuitError> {
        match self.inputs.iter_mut().find(|known| known.name == port) {
            Some(found) => {
                found.visibility = visibility;
                Ok(self)
            }
            None => Err(CircuitError::NoSuchInput {
                port: port.to_string(),
                known: self.inputs.into_iter().map(|port| port.name).collect(),
            }),
        }
    }

    /// The same circuit with other names for its ports; `inputs` and `outputs` get the old ones.
    ///
    /// # Errors
    /// [`CircuitError::DuplicatePortName`] if two inputs or two outputs get the same name.
    pub fn with_names(
        mut self,
        inputs: impl FnMut(&str) -> String,
        outputs: impl FnMut(&str) -> String,
    ) -> Result<Self, CircuitError> {
        rename(self.inputs.iter_mut().map(|port| &mut port.name), inputs)?;
        rename(self.outputs.iter_mut().map(|port| &mut port.name), outputs)?;
        Ok(self)
    }

    /// The gates in topological order; gate number `i` defines wire `i`.
    #[must_use]
    pub fn gates(&self) -> &[Gate] {
        &self.gates.list
    }

    /// The gates in topological order, each with the wire that it defines.
    pub fn numbered_gates(&self) -> impl DoubleEndedIterator<Item = (Wire, Gate)> + ExactSizeIterator {
        self.gates.numbered()
    }

    /// The wires that a gate of this circuit reads. A wire on both sides of a sum or product comes twice.
    pub fn operands(&self, gate: Gate) -> impl Iterator<Item = Wire> {
        self.gates.operands(gate)
    }

    /// The kinds of all wires; that of a wire is at [`Wire::index`].
    #[must_use]
    pub fn kinds(&self) -> &[WireType] {
        &self.kinds
    }

    /// The kind of one wire, or `None` if the circuit has no such wire.
    #[must_use]
    pub fn kind(&self, wire: Wire) -> Option<WireType> {
        self.kinds.get(wire.index()).copied()
    }

    /// The rows that [`Gate::Value`] gates refer to.
    #[must_use]
    pub fn values(&self) -> &[Vec<u8>] {
        &self.gates.values
    }

    /// The sums of linear maps that [`Gate::Linear`] gates refer to.
    #[must_use]
    pub fn linears(&self) -> &[Linear] {
        &self.gates.linears
    }

    /// The maps that sums of linear maps refer to.
    #[must_use]
    pub fn maps(&self) -> &[RowMap] {
        &self.gates.maps
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

    /// The most AND gates on any path from an input to an output, whether their operands are public or
    /// private. [`Analysis::private_and_depth`] gives the depth that matters to encryption. Takes time
    /// linear in the number of gates.
    #[must_use]
    pub fn and_depth(&self) -> u32 {
        Analysis::new(self).and_depth()
    }

    /// The number of AND gates, including dead ones.
    #[must_use]
    pub fn and_count(&self) -> usize {
        self.count(|gate| gate.is_product())
    }

    /// The number of sums of linear maps, including dead ones.
    #[must_use]
    pub fn linear_count(&self) -> usize {
        self.count(|gate| matches!(gate, Gate::Linear(_)))
    }

    /// The number of XOR gates, including dead ones; NOT gates are not counted.
    #[must_use]
    pub fn xor_count(&self) -> usize {
        self.count(|gate| matches!(gate, Gate::Xor(..)))
    }

    fn count(&self, wanted: impl Fn(&Gate) -> bool) -> usize {
        self.gates.list.iter().filter(|gate| wanted(gate)).count()
    }
}

/// Checks that wire indices suffice and that gates read only earlier wires.
pub(crate) fn check_gates(gates: &Gates) -> Result<(), CircuitError> {
    let count = gates.list.len();
    if u32::try_from(count).is_err() {
        return Err(CircuitError::TooManyGates { count });
    }
    for (wire, gate) in gates.numbered() {
        if let Some(operand) = gates.operands(gate).find(|operand| *operand >= wire) {
            return Err(CircuitError::ForwardReference { gate: wire, operand });
        }
    }
    Ok(())
}

fn rename<'a>(
    ports: impl Iterator<Item = &'a mut String>,
    mut name: impl FnMut(&str) -> String,
) -> Result<(), CircuitError> {
    let mut names = HashSet::new();
    for port in ports {
        *port = name(port);
        if !names.insert(port.clone()) {
            return Err(CircuitError::DuplicatePortName { port: port.clone() });
        }
    }
    Ok(())
}

/// Checks the rules that input and output ports have in common.
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
fn check_input_listing(gates: &Gates, inputs: &[InputPort]) -> Result<(), CircuitError> {
    let mut listed = HashSet::new();
    for port in inputs {
        for wire in &port.wires {
            if gates.list.get(wire.index()) != Some(&Gate::Input) {
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
    let is_unlisted = |(wire, gate): &(Wire, Gate)| *gate == Gate::Input && !listed.contains(wire);
    let unlisted = gates.numbered().find(is_unlisted);
    match unlisted {
        Some((wire, _)) => Err(CircuitError::UnlistedInput { wire }),
        None => Ok(()),
    }
}

/// Checks that the wires of output ports are of the declared kinds.
fn check_output_kinds(outputs: &[OutputPort], kinds: &[WireType]) -> Result<(), CircuitError> {
    for port in outputs {
        if let Some(wire) = port.wires.iter().find(|wire| wire.of(kinds) != port.kind) {
            return Err(CircuitError::PortKind {
                port: port.name.clone(),
                wire: *wire,
                expected: port.kind,
                found: wire.of(kinds),
            });
        }
    }
    Ok(())
}
