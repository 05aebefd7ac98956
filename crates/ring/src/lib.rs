//! Fermat cyclotomic rings: Z\[x\]/Phi_d for a squarefree product d of Fermat primes.
//!
//! Their dimension n is a power of two, as for x^n + 1, but Phi_d splits into n/16 or n/32 factors
//! modulo 2, so that one element holds thousands of bits; and multiplication is pointwise in the
//! evaluation domain, with no reduction. `docs/mathematics.md` derives all of it.
//!
//! * [`FermatRing`]: d, n and the group G = (Z/d)* that indexes both domains.
//! * [`Transform`]: evaluation and interpolation modulo one prime.
//! * [`automorphism`]: x -> x^k as an index map in either domain.
//! * [`Slots`]: bits and bytes to and from elements modulo 2; [`Rows`]: linear maps of several bytes.
//! * [`polynomial_basis`]: to and from 1, x, ..., x^(n-1) modulo Phi_d.
//! * [`embedding`]: complex values at the roots of unity, for noise and key sizes.

pub mod automorphism;
pub mod embedding;
mod error;
mod fermat;
pub mod polynomial_basis;
mod slots;
mod transform;

pub use automorphism::Domain;
pub use error::RingError;
pub use fermat::FermatRing;
pub use slots::{RowEntry, RowTerm, Rows, SlotAction, Slots};
pub use transform::Transform;
