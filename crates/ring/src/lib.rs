#![doc = include_str!("../README.md")]
//!
//! # Contents
//!
//! * [`Ring`]: a ring of either kind. [`FermatRing`] has d, n and the group G = (Z/d)* that indexes both
//!   domains; [`NegacyclicRing`] is modulo x^n + 1 and defines the order of its evaluation domain.
//! * [`Transform`]: evaluation and interpolation modulo one prime.
//! * [`Automorphism`]: x -> x^k as an index map in either domain.
//! * [`Slots`]: converts bits and bytes to and from elements of a Fermat ring modulo 2. [`Rows`] makes
//!   linear maps of several bytes.
//! * [`Packing`]: several elements modulo 2 in one, and how automorphisms take them apart.
//! * [`polynomial_basis`]: converts between the normal basis of a Fermat ring and 1, x, ..., x^(n-1).
//! * [`cyclotomic`]: Z\[x\]/Phi_m for any odd m, without transforms: reduction, search, bits in slots.
//! * [`embedding`]: complex values at the roots of unity, for noise and key sizes.

mod automorphism;
pub mod cyclotomic;
pub mod embedding;
mod error;
mod fermat;
mod negacyclic;
mod packing;
pub mod polynomial_basis;
mod prime_rule;
mod ring;
mod slots;
mod transform;
mod units;

pub use automorphism::{Automorphism, Domain};
pub use error::RingError;
pub use fermat::FermatRing;
pub use negacyclic::NegacyclicRing;
pub use packing::{Alike, Factor, Packing, Repeated, Split};
pub use prime_rule::PrimeRule;
pub use ring::Ring;
pub use slots::{RowEntry, RowTerm, Rows, SlotAction, Slots};
pub use transform::{Prepared, Transform, diagonals};
