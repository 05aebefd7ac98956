//! The operations a circuit is made of.

use crate::{Linear, RowMap, Wire};

/// The way in which one wire gets its value.
///
/// Rows are summed and multiplied byte by byte in GF(2^8); see [`field`](crate::field).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gate {
    /// A bit or row supplied from outside; exactly one input port lists the wire.
    Input,
    /// A bit fixed when the circuit was written.
    Constant(bool),
    /// The sum of two wires of one kind.
    Xor(Wire, Wire),
    /// The product of two wires of one kind.
    And(Wire, Wire),
    /// The complement of a bit, that is, its sum with the constant 1.
    Not(Wire),
    /// A row fixed when the circuit was written: its number among [`Gates::values`].
    Value(u32),
    /// A sum of linear maps: its number among [`Gates::linears`].
    Linear(u32),
}

impl Gate {
    /// Whether the gate multiplies two wires: depth and cost count such gates.
    #[must_use]
    pub const fn is_product(&self) -> bool {
        matches!(self, Self::And(..))
    }
}

/// Gates in topological order, with the tables to which they refer.
///
/// Nothing is checked before [`Circuit::new`](crate::Circuit::new) takes it. A list of gates on bits alone
/// can be converted into it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gates {
    /// Gate `i` defines wire `i`.
    pub list: Vec<Gate>,
    /// The rows of [`Gate::Value`] gates.
    pub values: Vec<Vec<u8>>,
    /// The sums of [`Gate::Linear`] gates.
    pub linears: Vec<Linear>,
    /// The maps to which sums refer.
    pub maps: Vec<RowMap>,
}

impl From<Vec<Gate>> for Gates {
    fn from(list: Vec<Gate>) -> Self {
        Self {
            list,
            ..Self::default()
        }
    }
}

impl Gates {
    /// The wires that a gate reads. A wire on both sides of a sum or product comes twice.
    pub fn operands(&self, gate: Gate) -> impl Iterator<Item = Wire> {
        let (first, second) = match gate {
            Gate::Input | Gate::Constant(_) | Gate::Value(_) | Gate::Linear(_) => (None, None),
            Gate::Not(operand) => (Some(operand), None),
            Gate::Xor(left, right) | Gate::And(left, right) => (Some(left), Some(right)),
        };
        let terms = match gate {
            Gate::Linear(index) => self.linear(index).map(|linear| linear.terms.as_slice()),
            _ => None,
        };
        let mapped = terms.unwrap_or_default().iter().map(|(operand, _)| *operand);
        first.into_iter().chain(second).chain(mapped)
    }

    /// Each gate with the wire that it defines.
    pub fn numbered(&self) -> impl DoubleEndedIterator<Item = (Wire, Gate)> + ExactSizeIterator {
        self.list.iter().enumerate().map(|(index, gate)| {
            // Circuits refuse lists that are too long for this conversion.
            let index = u32::try_from(index).unwrap_or(u32::MAX);
            (Wire::new(index), *gate)
        })
    }

    /// The row of a [`Gate::Value`].
    pub(crate) fn value(&self, index: u32) -> Option<&Vec<u8>> {
        self.values.get(usize::try_from(index).ok()?)
    }

    /// The sum of a [`Gate::Linear`].
    pub(crate) fn linear(&self, index: u32) -> Option<&Linear> {
        self.linears.get(usize::try_from(index).ok()?)
    }
}
