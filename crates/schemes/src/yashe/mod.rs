//! YASHE: the scheme of Bos, Lauter, Loftus and Naehrig ("Improved security for a ring-based fully homomorphic
//! encryption scheme", IMACC 2013), the practical variant, of one polynomial a ciphertext.
//!
//! **Insecure**: see [`crate::ntru`]; [`crate::ntru::Parameters::warning`] is to be shown at each use.
//!
//! With the secret f = 2 f' + 1 and the public h = 2 g / f a ciphertext is c = round(q m / 2) + e + h s. Then
//! (2/q) f c = m + v + 2 K with a polynomial K of integers and the *invariant noise* v. Products are
//! round((2/q) c c'), which f^2 decrypts, and key switching brings them back to f: by digits in base w = 2^205 and
//! the evaluation key of elements w^i f + e_i + h s_i.
//!
//! The operations are those of [`crate::ntru`]; here are [`Yashe`], what is this scheme's own, and the noise.
//!
//! Beyond the paper's scheme ciphertexts can be switched to smaller moduli, as those of FV are: f is the same
//! and the key of the full modulus serves all that divide it. That makes later products cheaper, and nothing
//! else.

mod extension;
mod noise;
mod scheme;
#[cfg(test)]
mod tests;

use crate::ntru;
pub use scheme::Yashe;

/// YASHE parameters on a device.
pub type Context<D> = ntru::Context<Yashe, D>;
/// A YASHE ciphertext.
pub type Ciphertext<D> = ntru::Ciphertext<Yashe, D>;
/// A YASHE evaluation key.
pub type EvaluationKey<D> = ntru::EvaluationKey<Yashe, D>;
/// A YASHE context with an evaluation key.
pub type Evaluator<D> = ntru::Evaluator<Yashe, D>;
/// The noise model of YASHE.
pub type NoiseModel = ntru::NoiseModel<Yashe>;
