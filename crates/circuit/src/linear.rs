//! Sums of linear maps of several wires.

use crate::{MapId, Wire, WireType};

/// The sum of GF(2)-linear maps of several wires, what a [`Gate::Linear`](crate::Gate::Linear) computes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Linear {
    /// At least one wire, none twice, each with the number of the map that is applied to it. A bit counts
    /// as a row of one byte, 0 or 1.
    pub terms: Vec<(Wire, MapId)>,
    /// What the sum is. For [`WireType::Bit`] the maps give one byte, and nothing but 0 or 1 whatever the
    /// operands are.
    pub kind: WireType,
}
