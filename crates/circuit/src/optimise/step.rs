//! Gates from the optimiser's point of view.

use crate::{Circuit, Gate, Wire, WireType};

/// The definition of a wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The sum of two bits.
    Xor(Wire, Wire),
    /// The product of two bits.
    And(Wire, Wire),
    /// The complement of a bit.
    Not(Wire),
    /// A gate that is not rewritten: an input, a constant, a gate on rows or a sum of linear maps.
    Opaque,
}

impl Step {
    /// The step that a gate of a circuit is for the wire that it defines.
    pub(super) fn new(circuit: &Circuit, wire: Wire, gate: Gate) -> Self {
        let is_bit = circuit.kind(wire).is_some_and(WireType::is_bit);
        match gate {
            Gate::Xor(left, right) if is_bit => Self::Xor(left, right),
            Gate::And(left, right) if is_bit => Self::And(left, right),
            Gate::Not(operand) => Self::Not(operand),
            Gate::Xor(..) | Gate::And(..) => Self::Opaque,
            Gate::Input | Gate::Constant(_) | Gate::Value(_) | Gate::Linear(_) => Self::Opaque,
        }
    }

    /// The step that defines a wire of a circuit.
    pub(super) fn of(circuit: &Circuit, wire: Wire) -> Self {
        let gate = circuit.gates().get(wire.index());
        gate.map_or(Self::Opaque, |gate| Self::new(circuit, wire, *gate))
    }

    /// The bits that the step reads.
    pub(super) fn operands(self) -> impl Iterator<Item = Wire> {
        let (first, second) = match self {
            Self::Xor(left, right) | Self::And(left, right) => (Some(left), Some(right)),
            Self::Not(operand) => (Some(operand), None),
            Self::Opaque => (None, None),
        };
        first.into_iter().chain(second)
    }

    /// Whether this is a sum or a complement.
    pub(super) fn is_sum(self) -> bool {
        matches!(self, Self::Xor(..) | Self::Not(_))
    }
}
