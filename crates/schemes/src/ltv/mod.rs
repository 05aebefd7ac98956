//! LTV, the scheme of Lopez-Alt, Tromer and Vaikuntanathan (STOC 2012), as paper 3 and Doroz, Hu and Sunar
//! ("Homomorphic AES evaluation using the modified LTV scheme", Designs, Codes and Cryptography 2016) use it.
//!
//! # The scheme
//! A ciphertext of m is one ring element c = h s + 2 e + m modulo q with the public key h = 2 g / f; its phase
//! f c is w = m + 2 (...) modulo q, small, so that decryption takes w centred and modulo 2. Sums are sums. A
//! product c c' has the phase w w' under f^2. *Relinearization* leads back to f: with words d_k of 16 bits of
//! the product it is sum_k d_k zeta_k, zeta_k = h s_k + 2 e_k + 2^(16 k) f. *Modulus switching* then divides
//! the noise: the nearest element to q'/q c that equals c modulo 2. There is one f for all levels, so that
//! one key serves them all.
//!
//! # Halves
//! Kept is b = c / 2 modulo q. Then the nearest b' to q'/q b is what matching parities asks of c' = 2 b': with
//! q = D q', r = q' b modulo the primes given up and f 2 b = w + k q it is f 2 b' = (w - 2 f r) / D + k q', and D
//! is odd, so that the parity of w is that of the quotient. So modulus switching is [`Device::rescale`], a
//! product is 2 b b', and a word switched brings e_k where it would bring 2 e_k: zeta_k is
//! h s_k + e_k + 2^(16 k) f. Messages are added as round(q m / 2), -1/2 times m modulo q, and decryption is the
//! rounding of [`Scaling`](ringmill_rlwe::Scaling): f b is w/2 modulo q, so within w/2 of 0 for m = 0 and of q/2 for m = 1.
//! For the same reason the mask s of an encryption is twice a ternary element.
//!
//! # Relinearization
//! 80 words modulo 28 primes would take 2240 transforms. Instead the key is cut into groups of primes
//! ([`ringmill_device::GroupedKey`]): words are transformed modulo three auxiliary primes, 240 transforms, and each
//! group adds three inverse ones.
//!
//! **Insecure**: see [`crate::ntru`], which also has the operations; here are [`Ltv`], what is this scheme's own,
//! and the noise.
//!
//! [`Device::rescale`]: ringmill_device::Device::rescale

mod groups;
mod noise;
mod scheme;
#[cfg(test)]
mod tests;

use crate::ntru;
pub use scheme::Ltv;

/// LTV parameters on a device.
pub type Context<D> = ntru::Context<Ltv, D>;
/// An LTV ciphertext: b = c / 2.
pub type Ciphertext<D> = ntru::Ciphertext<Ltv, D>;
/// An LTV evaluation key.
pub type EvaluationKey<D> = ntru::EvaluationKey<Ltv, D>;
/// An LTV context with an evaluation key.
pub type Evaluator<D> = ntru::Evaluator<Ltv, D>;
/// The noise model of LTV.
pub type NoiseModel = ntru::NoiseModel<Ltv>;
