use crate::clear::{ClearId, ClearProgram};

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
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation {
    /// Bit `bit` of input port `port`, supplied encrypted.
    Input {
        /// Index among the circuit's input ports.
        port: usize,
        /// Bit of the port.
        bit: usize,
    },
    /// AND of two encrypted values, relinearized.
    Product {
        /// One factor.
        left: ValueId,
        /// The other factor, which may be the same.
        right: ValueId,
    },
    /// AND with a value known in the clear.
    PlainProduct {
        /// The encrypted factor.
        operand: ValueId,
        /// The factor in the clear.
        factor: ClearId,
    },
    /// XOR of one or more encrypted values, all different, and perhaps of a value in the clear.
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
    /// The encrypted operands.
    pub fn operands(&self) -> impl Iterator<Item = ValueId> + '_ {
        let (pair, rest): ([Option<ValueId>; 2], &[ValueId]) = match self {
            Self::Input { .. } => ([None, None], &[]),
            Self::Product { left, right } => ([Some(*left), Some(*right)], &[]),
            Self::PlainProduct { operand, .. } | Self::Switch { operand } => ([Some(*operand), None], &[]),
            Self::Linear { terms, .. } => ([None, None], terms),
        };
        pair.into_iter().flatten().chain(rest.iter().copied())
    }

    /// What a person calls it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Input { .. } => "input",
            Self::Product { .. } => "product",
            Self::PlainProduct { .. } => "product in the clear",
            Self::Linear { .. } => "sum",
            Self::Switch { .. } => "switch",
        }
    }

    /// The same operation on other operands.
    pub(crate) fn with_operands(&self, mut rename: impl FnMut(ValueId) -> ValueId) -> Self {
        match self {
            Self::Input { port, bit } => Self::Input {
                port: *port,
                bit: *bit,
            },
            Self::Product { left, right } => Self::Product {
                left: rename(*left),
                right: rename(*right),
            },
            Self::PlainProduct { operand, factor } => Self::PlainProduct {
                operand: rename(*operand),
                factor: *factor,
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

/// Where a bit of an output port comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputSource {
    /// An encrypted value.
    Encrypted(ValueId),
    /// A value that depends on public inputs only.
    Clear(ClearId),
}

/// What has to be computed under encryption, without levels or order: see [`crate::lower()`].
#[derive(Debug, Clone)]
pub struct Program {
    /// All encrypted values; operands come before their users.
    pub operations: Vec<Operation>,
    /// The most products on a path to each value.
    pub depths: Vec<u32>,
    /// What is computed in the clear.
    pub clear: ClearProgram,
    /// For each input port of the circuit and each of its bits its value; `None` for public bits and
    /// for bits that nothing depends on.
    pub inputs: Vec<Vec<Option<ValueId>>>,
    /// For each output port of the circuit where its bits come from.
    pub outputs: Vec<Vec<OutputSource>>,
}

impl Program {
    /// The most products on a path to any output.
    #[must_use]
    pub fn depth(&self) -> u32 {
        self.encrypted_outputs()
            .map(|value| self.depths[value.0])
            .max()
            .unwrap_or(0)
    }

    /// The number of products of two encrypted values.
    #[must_use]
    pub fn products(&self) -> usize {
        self.operations
            .iter()
            .filter(|op| matches!(op, Operation::Product { .. }))
            .count()
    }

    /// The encrypted output bits, in the order of ports and bits, with repetitions.
    pub fn encrypted_outputs(&self) -> impl Iterator<Item = ValueId> + '_ {
        encrypted(&self.outputs)
    }
}

/// The encrypted bits among outputs.
pub(crate) fn encrypted(outputs: &[Vec<OutputSource>]) -> impl Iterator<Item = ValueId> + '_ {
    outputs.iter().flatten().filter_map(|source| match source {
        OutputSource::Encrypted(value) => Some(*value),
        OutputSource::Clear(_) => None,
    })
}
