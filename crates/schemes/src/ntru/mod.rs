//! What the schemes over NTRU rings, YASHE and LTV, share: parameters by name, keys by inversion, files.
//!
//! * [`Parameters`], made from a [`Spec`] or by name ([`Parameters::named`]): a ring, a pool of primes, and the
//!   levels: moduli that are products of some of them.
//! * [`Base`]: parameters on a device; keys and the slots of plaintexts.
//! * [`SecretKey`], [`PublicKey`]: f = 2 f' + 1 and h = 2 g / f, f' and g ternary.
//!
//! # Why these sets are insecure
//! q is far larger than NTRU problems of this dimension can bear: in the subfields, or simply in the sublattice
//! that f and g span, which is much denser than the lattice of h, reduction finds f and g once q is above about
//! n^2.5 ("overstretched"): Albrecht, Bai and Ducas, "A subfield lattice attack on overstretched NTRU
//! assumptions" (Crypto 2016); Kirchner and Fouque, "Revisiting lattice attacks on overstretched NTRU
//! parameters" (Eurocrypt 2017); Ducas and van Woerden, "NTRU fatigue" (Asiacrypt 2021). Both schemes were
//! given up for that reason. [`Parameters::warning`] says it in a line.

mod base;
mod encoding;
mod error;
mod generation;
mod keys;
mod leveled;
mod noise;
mod parameters;
mod sets;
mod spec;
mod storage;

pub use base::Base;
pub use error::NtruError;
pub use keys::{PublicKey, SecretKey};
pub(crate) use leveled::{Leveled, require_level};
pub use noise::Noise;
pub use parameters::Parameters;
pub(crate) use spec::T;
pub use spec::{Scheme, Spec};

#[cfg(test)]
mod tests;
