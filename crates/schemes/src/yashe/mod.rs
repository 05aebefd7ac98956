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
//! * [`Context`]: parameters on a device, and with it every operation.
//! * [`Evaluator`]: a context with an evaluation key, for the engine.
//! * [`NoiseModel`]: predicts the noise.
//!
//! Beyond the paper's scheme ciphertexts can be switched to smaller moduli, as those of FV are: f is the same
//! and the key of the full modulus serves all that divide it. That makes later products cheaper, and nothing
//! else.

mod context;
mod encryption;
mod evaluation;
mod evaluator;
mod keys;
mod noise;
mod storage;
#[cfg(test)]
mod tests;

pub use context::Context;
pub use evaluation::{Ciphertext, Factor, Product};
pub use evaluator::Evaluator;
pub use keys::EvaluationKey;
pub use noise::NoiseModel;
