//! How one noise follows from others.

use crate::ir::origins::Origins;
use crate::ir::program::{Operation, ValueId};

/// A noise, by its place among those that were followed: operands come before what is made of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NoiseId(pub usize);

/// The way a noise comes about. Two values that come about in the same way from the same noises have the same noise,
/// whatever the secret.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Rule {
    Fresh {
        level: usize,
    },
    Product {
        at: usize,
        to: usize,
        /// Whether both have the same noise, for each.
        pairs: Vec<(NoiseId, NoiseId, bool)>,
        terms: Vec<NoiseId>,
        clear: bool,
    },
    PlainProduct {
        a: NoiseId,
    },
    Map {
        at: usize,
        to: usize,
        images: Vec<(NoiseId, usize)>,
        terms: Vec<NoiseId>,
        clear: bool,
    },
    Linear {
        level: usize,
        terms: Vec<NoiseId>,
        clear: bool,
    },
    Switch {
        level: usize,
        a: NoiseId,
    },
    Returned {
        level: usize,
        a: NoiseId,
    },
}

impl Rule {
    /// What an operation makes from values of these noises: computed at level `at`, then brought to level `to`.
    pub fn new(
        operation: &Operation,
        (at, to): (usize, usize),
        origins: &Origins,
        noise: impl Fn(ValueId) -> NoiseId,
    ) -> Self {
        let sorted = |terms: &[ValueId]| {
            let mut terms: Vec<NoiseId> = terms.iter().map(|term| noise(*term)).collect();
            terms.sort_unstable();
            terms
        };
        match operation {
            Operation::Input { .. } => Self::Fresh { level: to },
            Operation::Product { pairs, terms, clear } => {
                let pair = |(a, b): &(ValueId, ValueId)| {
                    let (x, y) = (noise(*a), noise(*b));
                    (x.min(y), x.max(y), origins.are_same(*a, *b))
                };
                let mut pairs: Vec<_> = pairs.iter().map(pair).collect();
                pairs.sort_unstable();
                Self::Product {
                    at,
                    to,
                    pairs,
                    terms: sorted(terms),
                    clear: clear.is_some(),
                }
            }
            Operation::PlainProduct { operand, .. } => Self::PlainProduct { a: noise(*operand) },
            Operation::Map { images, terms, clear } => {
                let images = images.iter();
                let mut images: Vec<_> = images
                    .map(|(operand, map)| (noise(*operand), map.index()))
                    .collect();
                images.sort_unstable();
                Self::Map {
                    at,
                    to,
                    images,
                    terms: sorted(terms),
                    clear: clear.is_some(),
                }
            }
            Operation::Linear { terms, clear } => Self::Linear {
                level: to,
                terms: sorted(terms),
                clear: clear.is_some(),
            },
            Operation::Switch { operand } => Self::Switch {
                level: to,
                a: noise(*operand),
            },
        }
    }

    /// A product of two different values of this noise at its level, relinearized.
    pub fn product_of_equals(level: usize, factor: NoiseId) -> Self {
        Self::Product {
            at: level,
            to: level,
            pairs: vec![(factor, factor, false)],
            terms: Vec::new(),
            clear: false,
        }
    }

    /// The noises that it is made of, with repetitions.
    pub fn operands(&self) -> Vec<NoiseId> {
        match self {
            Self::Fresh { .. } => Vec::new(),
            Self::Product { pairs, terms, .. } => {
                let factors = pairs.iter().flat_map(|(a, b, _)| [*a, *b]);
                factors.chain(terms.iter().copied()).collect()
            }
            Self::Map { images, terms, .. } => {
                let images = images.iter().map(|(a, _)| *a);
                images.chain(terms.iter().copied()).collect()
            }
            Self::Linear { terms, .. } => terms.clone(),
            Self::PlainProduct { a } | Self::Switch { a, .. } | Self::Returned { a, .. } => vec![*a],
        }
    }

    /// The factors of its products of two noises, and the level at which they are multiplied.
    pub fn factors(&self) -> impl Iterator<Item = (NoiseId, usize)> + '_ {
        let (pairs, at): (&[_], _) = match self {
            Self::Product { pairs, at, .. } => (pairs, *at),
            _ => (&[], 0),
        };
        pairs.iter().flat_map(move |(a, b, _)| [(*a, at), (*b, at)])
    }
}
