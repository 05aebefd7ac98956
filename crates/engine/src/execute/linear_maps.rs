//! The part of a scheme that an execution needs for linear maps of rows, beside [`Scheme`].

use std::convert::Infallible;

use ringmill_circuit::MapId;

use crate::Scheme;
use crate::error::Failure;

/// A sum of linear maps of values of one level, and of further terms, to be brought to a level.
pub(crate) struct MapSum<'a, C, R> {
    /// What is mapped, and the maps.
    pub images: Vec<(&'a R, MapId)>,
    pub terms: Vec<&'a C>,
    pub level: usize,
}

/// Linear maps over a scheme.
pub(crate) trait LinearMaps<S: Scheme>: Sync {
    /// A ciphertext made ready for automorphisms.
    type Rotations: Send + Sync;

    /// Makes a ciphertext ready for x -> x^k for these k.
    fn rotate(&self, a: &S::Ciphertext, exponents: &[u64]) -> Result<Self::Rotations, Failure>;

    /// Sums of maps of operands of one level; in order.
    fn map_all(
        &self,
        sums: &[MapSum<'_, S::Ciphertext, Self::Rotations>],
    ) -> Result<Vec<S::Ciphertext>, Failure>;
}

/// None: for schemes whose schedules have no linear maps.
pub(crate) struct NoMaps;

const NO_MAPS: &str = "there are no linear maps over this scheme";

impl<S: Scheme> LinearMaps<S> for NoMaps {
    type Rotations = Infallible;

    fn rotate(&self, _: &S::Ciphertext, _: &[u64]) -> Result<Infallible, Failure> {
        Err(NO_MAPS.into())
    }

    fn map_all(&self, _: &[MapSum<'_, S::Ciphertext, Infallible>]) -> Result<Vec<S::Ciphertext>, Failure> {
        Err(NO_MAPS.into())
    }
}
