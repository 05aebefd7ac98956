#![doc = include_str!("../README.md")]
//!
//! # Contents
//!
//! * [`Ring`]: either; [`FermatRing`]: d, n and the group G = (Z/d)* that indexes both domains;
//!   [`NegacyclicRing`]: x^n + 1 and the order of its evaluation domain.
//! * [`Transform`]: evaluation and interpolation modulo one prime.
//! * [`Automorphism`]: x -> x^k as an index map in either domain.
//! * [`Slots`]: bits and bytes to and from elements of a Fermat ring modulo 2; [`Rows`]: linear maps of
//!   several bytes.
//! * [`polynomial_basis`]: from the normal basis of a Fermat ring to 1, x, ..., x^(n-1) and back.
//! * [`cyclotomic`]: Z\[x\]/Phi_m for any odd m, without transforms: reduction, search, bits in slots.
//! * [`embedding`]: complex values at the roots of unity, for noise and key sizes.

mod automorphism;
pub mod cyclotomic;
pub mod embedding;
mod error;
mod fermat;
mod negacyclic;
pub mod polynomial_basis;
mod ring;
mod slots;
mod transform;
mod units;

pub use automorphism::{Automorphism, Domain};
pub use error::RingError;
pub use fermat::FermatRing;
pub use negacyclic::NegacyclicRing;
pub use ring::Ring;
pub use slots::{RowEntry, RowTerm, Rows, SlotAction, Slots};
pub use transform::{Prepared, Transform, diagonals};
