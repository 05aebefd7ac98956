//! The engine with XOR banks: all words of a pass lie in different banks, whatever its bit.
//!
//! Cyclic, negacyclic and Fermat rings. The transform of a Fermat ring is one dimension after the other:
//! the Gauss sums of the ring are products of those of its primes, so each dimension is transformed,
//! multiplied by its own few Gauss sums and transformed back by itself.
//!
//! * [`Shape`]: the sizes of an engine, its ring, the places of words.
//! * [`Schedule`]: the passes, the words of each slot, gaps and cycles.
//! * [`XorBanks`]: the golden model, an [`Engine`](super::Engine).

mod constants;
mod model;
mod schedule;
mod shape;

pub use model::XorBanks;
pub use schedule::{Pass, Schedule, Slot, Work};
pub use shape::{Dimension, Place, RingKind, Shape};
