#![doc = include_str!("../README.md")]
//!
//! # Contents
//!
//! * [`Modulus`], [`prime`]: one prime and arithmetic modulo it; certified primes and roots of unity.
//! * [`Basis`]: an ordered list of primes; [`Conversion`]: exact centred conversion between two.
//! * [`Simd`], [`lanes`]: which vector instructions run, chosen at run time, and the traits
//!   through which every vector loop of the workspace is written. A kernel is trusted once it gave known answers
//!   ([`Simd::prove`]).
//! * [`sampling`]: uniform, ternary and Gaussian sampling from a ChaCha20 stream.
//! * [`secret`]: memory of secrets, overwritten when it is dropped; [`memory`]: how freed memory goes back to the
//!   system.

mod basis;
mod conversion;
mod error;
pub mod lanes;
pub mod memory;
mod modulus;
pub mod prime;
mod proof;
pub mod sampling;
pub mod secret;
mod simd;

pub use basis::Basis;
pub use conversion::{Conversion, Dividend, Prepared};
pub use error::ArithError;
pub use modulus::Modulus;
pub use proof::Proofs;
pub use simd::{Simd, WithSimd, WithVector};
