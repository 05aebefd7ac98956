//! Words, primes, residue number systems, their exact conversions, and sampling.
//!
//! This is the lowest layer of ringmill. Nothing here knows about rings or encryption.
//!
//! * [`Modulus`], [`prime`]: one prime and arithmetic modulo it; certified primes and roots of unity.
//! * [`Basis`]: an ordered list of primes; [`Conversion`]: exact centred conversion between two.
//! * [`Simd`], [`lanes`]: the choice of vector instructions at run time, and the traits over which every vector loop of
//!   the workspace is written. A kernel is trusted once it has given known answers ([`Simd::prove`]).
//! * [`sampling`]: uniform, ternary and Gaussian sampling from a ChaCha20 stream.

mod basis;
mod conversion;
mod error;
pub mod lanes;
mod modulus;
pub mod prime;
mod proof;
pub mod sampling;
mod simd;

pub use basis::Basis;
pub use conversion::{Conversion, Prepared};
pub use error::ArithError;
pub use modulus::Modulus;
pub use proof::Proofs;
pub use simd::{Simd, WithSimd, WithVector};
