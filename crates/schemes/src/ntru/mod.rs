//! YASHE and LTV, the schemes over NTRU rings, as far as they are alike, and that is most of both: parameters by
//! name, keys by inversion, encryption, evaluation, files.
//!
//! * [`Parameters`], made from a [`Spec`] or by name ([`Parameters::named`]): a ring, a pool of primes, and the
//!   levels: moduli that are products of some of them.
//! * [`Context`]: parameters on a device, and with it every operation.
//! * [`SecretKey`], [`PublicKey`]: f = 2 f' + 1 and h = 2 g / f, f' and g ternary.
//! * [`EvaluationKey`]: elements w^k f + e_k + h s_k, by which products return from f^2 to f.
//! * [`Ciphertext`], [`PreparedOperand`], [`Product`]: one polynomial each.
//! * [`Evaluator`]: a context with an evaluation key, for the engine.
//! * [`NoiseModel`]: predicts the noise.
//!
//! All of them have the scheme as a type parameter, [`Yashe`](crate::yashe::Yashe) or [`Ltv`](crate::ltv::Ltv).
//! [`NtruScheme`] is what differs: how factors are made and multiplied, how keys are kept and switched, in which
//! domain ciphertexts rest, how noise grows.
//!
//! # Ciphertexts of both
//! A ciphertext of m at a level of modulus q is c = round(q m/2) + e + h s, and f c is near q m/2. YASHE's own form
//! is that; LTV's is brought to it in [`ltv`](crate::ltv). So sums, encryption, decryption and modulus switching
//! are the same, and only products are not.
//!
//! # Why these sets are insecure
//! q is far larger than NTRU problems of this dimension can bear: in the subfields, or simply in the sublattice
//! that f and g span, which is much denser than the lattice of h, reduction finds f and g once q is above about
//! n^2.5 ("overstretched"): Albrecht, Bai and Ducas, "A subfield lattice attack on overstretched NTRU
//! assumptions" (Crypto 2016); Kirchner and Fouque, "Revisiting lattice attacks on overstretched NTRU
//! parameters" (Eurocrypt 2017); Ducas and van Woerden, "NTRU fatigue" (Asiacrypt 2021). Both schemes were
//! given up for that reason. [`Parameters::warning`] says it in a line.

mod context;
mod encoding;
mod encryption;
mod error;
mod evaluation;
mod evaluator;
mod generation;
mod keys;
mod leveled;
mod noise;
mod noise_model;
mod parameters;
mod scheme;
mod sets;
mod spec;
mod storage;

pub use context::Context;
pub use error::NtruError;
pub use evaluation::{Ciphertext, Pair, PreparedOperand, Product, Terms};
pub use evaluator::Evaluator;
pub use keys::{EvaluationKey, PublicKey, SecretKey};
pub(crate) use leveled::{Leveled, require_level};
pub use noise::Noise;
pub use noise_model::NoiseModel;
pub use parameters::Parameters;
pub use scheme::NtruScheme;
pub(crate) use scheme::Sealed;
pub(crate) use spec::T;
pub use spec::{Scheme, Spec};

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
