//! Products in slots that several records share.

use std::collections::HashMap;

use ringmill_circuit::{Analysis, Circuit, CircuitError, MapId, RowMap, Wire, nibble};

use crate::ir::cut::fewest_between_products;
use crate::ir::program::{Operation, ValueId};

/// Which values are embedded nibbles, and which only read as them ([`nibble`]): products and sums with products. These are
/// tidied before they are multiplied; and before they are returned, because a product tells whoever can read the slot
/// more of its factors than the ANDs of their bits.
pub(crate) struct Tidying {
    /// The map that tidies.
    map: MapId,
    /// For each wire whether it is tidied as soon as it is there.
    wires: Vec<bool>,
    /// For each value whether it is not an embedded nibble.
    untidy: Vec<bool>,
    /// The tidied values of those that are not.
    tidied: HashMap<ValueId, ValueId>,
}

impl Tidying {
    /// For a circuit of bits, whose own maps come before the one that tidies.
    pub fn new(circuit: &Circuit, analysis: &Analysis) -> Self {
        Self {
            map: MapId::new(circuit.maps().len() as u32),
            wires: fewest_between_products(circuit, analysis),
            untidy: Vec::new(),
            tidied: HashMap::new(),
        }
    }

    /// The map that tidies a slot.
    pub fn row_map() -> Result<RowMap, CircuitError> {
        RowMap::bytewise(1, nibble::tidy())
    }

    /// Whether a wire is tidied as soon as it is there.
    pub fn is_due(&self, wire: Wire) -> bool {
        self.wires[wire.index()]
    }

    /// Takes note of the next value.
    pub fn note(&mut self, operation: &Operation) {
        self.untidy.push(match operation {
            Operation::Product { .. } | Operation::PlainProduct { .. } => true,
            Operation::Linear { terms, .. } => terms.iter().any(|term| self.is_untidy(*term)),
            Operation::Input { .. } | Operation::Map { .. } | Operation::Switch { .. } => false,
        });
    }

    /// Whether a value is not an embedded nibble.
    pub fn is_untidy(&self, value: ValueId) -> bool {
        self.untidy[value.0]
    }

    /// The tidied value of another, if it is there.
    pub fn known(&self, value: ValueId) -> Option<ValueId> {
        self.tidied.get(&value).copied()
    }

    /// Takes note of the tidied value of another.
    pub fn remember(&mut self, value: ValueId, tidied: ValueId) {
        self.tidied.insert(value, tidied);
    }

    /// The operation that tidies a value.
    pub fn operation(&self, value: ValueId) -> Operation {
        Operation::Map {
            images: vec![(value, self.map)],
            terms: Vec::new(),
            clear: None,
        }
    }
}
