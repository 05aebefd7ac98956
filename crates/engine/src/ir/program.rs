use std::sync::Arc;

use ringmill_circuit::{MapId, RowMap};

use crate::ir::clear::{ClearId, ClearProgram};

/// The index of an encrypted value: of the operation that makes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ValueId(pub(crate) usize);

impl ValueId {
    /// The index.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0
    }
}

/// How an encrypted value is made. Operands come before the values made of them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Wire `wire` of input port `port`, supplied encrypted.
    Input {
        /// Index among the circuit's input ports.
        port: usize,
        /// Wire of the port.
        wire: usize,
    },
    /// A sum of products of two encrypted values each, relinearized once, of further encrypted values and
    /// perhaps of a value in the clear.
    Product {
        /// The factors of each product, which may be the same.
        pairs: Vec<(ValueId, ValueId)>,
        /// Encrypted terms, all different.
        terms: Vec<ValueId>,
        /// The term in the clear.
        clear: Option<ClearId>,
    },
    /// A product with a value known in the clear.
    PlainProduct {
        /// The encrypted factor.
        operand: ValueId,
        /// The factor in the clear.
        factor: ClearId,
    },
    /// A sum of GF(2)-linear maps of encrypted values, of further encrypted values and perhaps of a value in
    /// the clear.
    Map {
        /// The values that are mapped.
        images: Vec<(ValueId, MapId)>,
        /// Encrypted terms, all different.
        terms: Vec<ValueId>,
        /// The term in the clear.
        clear: Option<ClearId>,
    },
    /// The sum of one or more encrypted values, all different, and perhaps of a value in the clear.
    Linear {
        /// The encrypted terms.
        terms: Vec<ValueId>,
        /// The term in the clear.
        clear: Option<ClearId>,
    },
    /// The operand at a lower level. Only in plans, not in programs.
    Switch {
        /// The value.
        operand: ValueId,
    },
}

impl Operation {
    /// The encrypted operands, with repetitions.
    pub fn operands(&self) -> impl Iterator<Item = ValueId> + '_ {
        let (single, pairs, images, terms): (_, &[_], &[_], &[_]) = match self {
            Self::Input { .. } => (None, &[], &[], &[]),
            Self::Product { pairs, terms, .. } => (None, pairs, &[], terms),
            Self::Map { images, terms, .. } => (None, &[], images, terms),
            Self::Linear { terms, .. } => (None, &[], &[], terms),
            Self::PlainProduct { operand, .. } | Self::Switch { operand } => (Some(*operand), &[], &[], &[]),
        };
        let pairs = pairs.iter().flat_map(|(left, right)| [*left, *right]);
        let images = images.iter().map(|(operand, _)| *operand);
        single
            .into_iter()
            .chain(pairs)
            .chain(images)
            .chain(terms.iter().copied())
    }

    /// The term in the clear.
    pub(crate) const fn clear_term(&self) -> Option<ClearId> {
        match self {
            Self::Product { clear, .. } | Self::Map { clear, .. } | Self::Linear { clear, .. } => *clear,
            Self::Input { .. } | Self::PlainProduct { .. } | Self::Switch { .. } => None,
        }
    }

    /// The name shown to people.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Input { .. } => "input",
            Self::Product { .. } => "product",
            Self::PlainProduct { .. } => "product in the clear",
            Self::Map { .. } => "linear map",
            Self::Linear { .. } => "sum",
            Self::Switch { .. } => "switch",
        }
    }

    /// The encrypted operands, with repetitions, and the products on the path through each: 1 for factors of
    /// products, 0 for what is only added or mapped.
    pub(crate) fn paths(&self) -> impl Iterator<Item = (ValueId, u32)> + '_ {
        let factors = match self {
            Self::Product { pairs, .. } => 2 * pairs.len(),
            _ => 0,
        };
        let operands = self.operands().enumerate();
        operands.map(move |(index, operand)| (operand, u32::from(index < factors)))
    }

    /// The same operation on other operands.
    pub(crate) fn with_operands(&self, mut rename: impl FnMut(ValueId) -> ValueId) -> Self {
        match self {
            Self::Input { port, wire } => Self::Input {
                port: *port,
                wire: *wire,
            },
            Self::Product { pairs, terms, clear } => Self::Product {
                pairs: pairs.iter().map(|(a, b)| (rename(*a), rename(*b))).collect(),
                terms: terms.iter().map(|term| rename(*term)).collect(),
                clear: *clear,
            },
            Self::PlainProduct { operand, factor } => Self::PlainProduct {
                operand: rename(*operand),
                factor: *factor,
            },
            Self::Map { images, terms, clear } => Self::Map {
                images: images
                    .iter()
                    .map(|(operand, map)| (rename(*operand), *map))
                    .collect(),
                terms: terms.iter().map(|term| rename(*term)).collect(),
                clear: *clear,
            },
            Self::Linear { terms, clear } => Self::Linear {
                terms: terms.iter().map(|term| rename(*term)).collect(),
                clear: *clear,
            },
            Self::Switch { operand } => Self::Switch {
                operand: rename(*operand),
            },
        }
    }
}

/// Where a wire of an output port comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputSource {
    /// An encrypted value.
    Encrypted(ValueId),
    /// A value that depends on public inputs only.
    Clear(ClearId),
}

/// An automorphism that moves the bits of a batch between records.
#[derive(Debug, Clone)]
pub(crate) struct RecordMove {
    /// k of x -> x^k.
    pub exponent: u64,
    /// For each record the one whose bit it gets.
    pub source: Arc<[u32]>,
}

/// The computation under encryption, without levels or order: see [`crate::lower()`].
#[derive(Debug, Clone)]
pub struct Program {
    /// All encrypted values; operands come before their users.
    pub operations: Vec<Operation>,
    /// The circuit's linear maps, which operations name.
    pub maps: Vec<RowMap>,
    /// Exponents of automorphisms that move values between records. Operations name them as the maps after `maps`.
    pub moves: Vec<u64>,
    /// Bytes in a row: the slots that a record takes in a ciphertext; 1 for bits and bytes.
    pub row: usize,
    /// Whether four records share each slot, their bits embedded as [`nibble`](ringmill_circuit::nibble)s.
    pub shared: bool,
    /// The computation in the clear.
    pub clear: ClearProgram,
    /// For each input port of the circuit and each of its wires its value; `None` for public wires and
    /// for wires that nothing depends on.
    pub inputs: Vec<Vec<Option<ValueId>>>,
    /// For each output port of the circuit where its wires come from.
    pub outputs: Vec<Vec<OutputSource>>,
}

impl Program {
    /// The most products on a path to each value, itself included.
    #[must_use]
    pub fn depths(&self) -> Vec<u32> {
        let mut depths: Vec<u32> = Vec::with_capacity(self.operations.len());
        for operation in &self.operations {
            let paths = operation.paths();
            let depth = paths.map(|(operand, own)| depths[operand.0] + own).max();
            depths.push(depth.unwrap_or(0));
        }
        depths
    }

    /// The most products on a path to any output.
    #[must_use]
    pub fn depth(&self) -> u32 {
        let depths = self.depths();
        let outputs = self.encrypted_outputs().map(|value| depths[value.0]);
        outputs.max().unwrap_or(0)
    }

    /// The number of products of two encrypted values.
    #[must_use]
    pub fn products(&self) -> usize {
        self.operations.iter().map(products).sum()
    }

    /// The encrypted output wires, in the order of ports and wires, with repetitions.
    pub fn encrypted_outputs(&self) -> impl Iterator<Item = ValueId> + '_ {
        encrypted(&self.outputs)
    }

    /// How often each value is used.
    pub(crate) fn uses(&self) -> Vec<usize> {
        let mut uses = vec![0; self.operations.len()];
        let operands = self.operations.iter().flat_map(Operation::operands);
        for value in operands.chain(self.encrypted_outputs()) {
            uses[value.0] += 1;
        }
        uses
    }

    /// The most products on a path from each value to an output, its own not counted.
    pub(crate) fn later_products(&self) -> Vec<u32> {
        let mut later = vec![0; self.operations.len()];
        for (index, operation) in self.operations.iter().enumerate().rev() {
            for (operand, own) in operation.paths() {
                later[operand.0] = (later[index] + own).max(later[operand.0]);
            }
        }
        later
    }

    /// Removes values that no output depends on.
    pub(crate) fn prune(self) -> Self {
        let mut live = vec![false; self.operations.len()];
        for value in self.encrypted_outputs() {
            live[value.0] = true;
        }
        for (index, operation) in self.operations.iter().enumerate().rev() {
            if live[index] {
                operation.operands().for_each(|operand| live[operand.0] = true);
            }
        }
        let mut count = 0;
        let renamed = live.iter().map(|live| {
            count += usize::from(*live);
            live.then(|| ValueId(count - 1))
        });
        let renamed: Vec<Option<ValueId>> = renamed.collect();
        // Operands and outputs of what is live are live.
        let rename = |value: ValueId| renamed[value.0].unwrap_or(value);
        let rename_source = |source: &OutputSource| match source {
            OutputSource::Encrypted(value) => OutputSource::Encrypted(rename(*value)),
            clear @ OutputSource::Clear(_) => *clear,
        };
        let rename_input = |value: &Option<ValueId>| value.and_then(|value| renamed[value.0]);
        let operations = self.operations.iter().zip(&live).filter(|(_, live)| **live);
        Self {
            operations: operations
                .map(|(operation, _)| operation.with_operands(rename))
                .collect(),
            inputs: self
                .inputs
                .iter()
                .map(|port| port.iter().map(rename_input).collect())
                .collect(),
            outputs: self
                .outputs
                .iter()
                .map(|port| port.iter().map(rename_source).collect())
                .collect(),
            ..self
        }
    }
}

/// Products of two encrypted values in an operation.
pub(crate) fn products(operation: &Operation) -> usize {
    match operation {
        Operation::Product { pairs, .. } => pairs.len(),
        _ => 0,
    }
}

/// The encrypted wires among outputs.
pub(crate) fn encrypted(outputs: &[Vec<OutputSource>]) -> impl Iterator<Item = ValueId> + '_ {
    outputs.iter().flatten().filter_map(|source| match source {
        OutputSource::Encrypted(value) => Some(*value),
        OutputSource::Clear(_) => None,
    })
}
