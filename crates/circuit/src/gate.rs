//! The operations a circuit is made of.

use crate::Wire;

/// How one wire gets its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gate {
    /// A bit supplied from outside; exactly one input port lists the wire.
    Input,
    /// A bit fixed when the circuit was written.
    Constant(bool),
    /// The sum over GF(2) of two wires.
    Xor(Wire, Wire),
    /// The product over GF(2) of two wires.
    And(Wire, Wire),
    /// The complement of a wire, that is its sum with the constant 1.
    Not(Wire),
}

impl Gate {
    /// The wires that the gate reads: none, one or two. A wire read on both
    /// sides of the gate comes twice.
    pub fn operands(self) -> impl Iterator<Item = Wire> {
        let (first, second) = match self {
            Self::Input | Self::Constant(_) => (None, None),
            Self::Not(operand) => (Some(operand), None),
            Self::Xor(left, right) | Self::And(left, right) => (Some(left), Some(right)),
        };
        first.into_iter().chain(second)
    }
}
