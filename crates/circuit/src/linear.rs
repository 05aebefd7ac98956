//! Sums of linear maps of several wires.

use crate::{MapId, Wire, WireType};

/// The sum of GF(2)-linear maps of several wires, which a [`Gate::Linear`](crate::Gate::Linear) computes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Linear {
    /// At least one wire and no wire twice, each with the number of the map that is applied to it. A bit
    /// counts as a row of one byte, 0 or 1.
    pub terms: Vec<(Wire, MapId)>,
    /// The kind of the sum. For [`WireType::Bit`] the maps give one byte, which is 0 or 1 for all operands.
    pub kind: WireType,
}
