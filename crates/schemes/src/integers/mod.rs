//! Encryption of bits over the integers: Coron, Naccache and Tibouchi, "Public key compression and modulus
//! switching for fully homomorphic encryption over the integers" (Eurocrypt 2012), the scheme that paper 5
//! accelerates. `docs/integers.md` has its definition, noise and measurements.
//!
//! Insecure: see [`Parameters::warning`].
//!
//! * [`Parameters`]: the four sets, by name.
//! * [`generate`]: [`SecretKey`] and [`PublicKey`], whose elements are a seed and short corrections.
//! * [`PublicKey::encrypt`], [`SecretKey::encrypt`], [`SecretKey::decrypt`]; [`Evaluator`] adds and multiplies
//!   [`Ciphertext`]s.
//! * [`Terms`]: what an encryption draws, for those who compute ciphertexts elsewhere.
//! * [`accumulation`]: the sum of products that encryption is, by several methods.
//! * [`Barrett`]: reduction as in the paper's algorithm 2.

pub mod accumulation;
mod barrett;
mod ciphertext;
mod encryption;
mod error;
mod evaluation;
mod key_generation;
mod keys;
mod parameters;
mod primes;
mod storage;
mod terms;
#[cfg(test)]
mod tests;
mod words;

pub use barrett::Barrett;
pub use ciphertext::Ciphertext;
pub use error::IntegersError;
pub use evaluation::Evaluator;
pub use key_generation::generate;
pub use keys::{PublicKey, SecretKey};
pub use parameters::Parameters;
pub use terms::Terms;
