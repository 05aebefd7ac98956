//! How large the phase of a ciphertext is, predicted without its key.
//!
//! The phase w = \[f c\]_q decrypts rightly while all its coefficients are below q/2. As in
//! [`ringmill_fv::noise`] its power |w(zeta)|^2 at the complex roots is followed, in bins of roots sorted by the
//! power F of f there, because products multiply powers. With n coefficients of variance V in the normal basis of
//! power n V, errors of power d sigma^2, and ternary ones of power 2 n / 3:
//!
//! | | power of w |
//! |---|---|
//! | fresh: 4 g s + f (2 e + m) | 16 (2 n / 3)^2 + F (4 d sigma^2 + n / 4) |
//! | sum | amplitudes add up, whatever the correlation |
//! | product: w w' | the product of both |
//! | relinearization with k words of r bits: sum_k d_k (4 g s_k + 2 f e_k) | k n 2^(2 r) / 12 (16 (2 n / 3)^2 + 4 F d sigma^2) more |
//! | switch from q to q': 2 f u, u within 1/2 | (q'/q)^2 times what it was, and 4 F n / 12 |
//!
//! g is taken in its mean: it has nothing to do with f, and in the few roots that have a bin of their own f is so
//! large that its own terms are what counts.

use ringmill_device::{Device, Digits};
use ringmill_fv::noise::Bins;
use ringmill_fv::noise::tail::{log2_add, log2_erfc, log2_sum};

use super::Context;
use crate::ntru::{NtruError, Parameters};

/// The fraction |w| / q up to which a decryption is believed.
const TRUSTED: f64 = 0.45;

/// log2 of the power of a phase, for each bin of roots.
#[derive(Debug, Clone, PartialEq)]
pub struct Noise(Vec<f64>);

/// Predictions for a set of parameters.
#[derive(Debug, Clone)]
pub struct NoiseModel {
    parameters: Parameters,
    bins: Bins,
    /// log2 F for each bin.
    secret: Vec<f64>,
    /// log2 of the power of an error, and of g s.
    error: f64,
    masked: f64,
}

impl<D: Device> Context<D> {
    /// The noise model of these parameters.
    #[must_use]
    pub fn noise_model(&self) -> NoiseModel {
        let (parameters, bins) = (self.base.parameters(), self.base.bins());
        let (n, power) = (parameters.n() as f64, self.base.secret_power().log2());
        let unfolded = parameters.ring().unfolded_len() as f64;
        NoiseModel {
            secret: bins.x().iter().map(|x| power + x.log2()).collect(),
            error: (unfolded * parameters.sigma().powi(2)).log2(),
            masked: 2.0 * (n * 2.0 / 3.0).log2(),
            parameters: parameters.clone(),
            bins: bins.clone(),
        }
    }
}

impl NoiseModel {
    /// Of a fresh ciphertext.
    #[must_use]
    pub fn fresh(&self) -> Noise {
        let message = (self.parameters.n() as f64 / 4.0).log2();
        let inner = log2_add(2.0 + self.error, message);
        self.each(|secret| log2_add(4.0 + self.masked, secret + inner))
    }

    /// Of a sum.
    #[must_use]
    pub fn sum(&self, terms: &[&Noise]) -> Noise {
        let amplitudes = |b: usize| log2_sum(terms.iter().map(|term| term.0[b] / 2.0));
        Noise((0..self.secret.len()).map(|b| 2.0 * amplitudes(b)).collect())
    }

    /// Of a sum of products at a level, relinearized.
    ///
    /// # Errors
    /// [`NtruError::BadLevel`].
    pub fn product(&self, pairs: &[(&Noise, &Noise)], level: usize) -> Result<Noise, NtruError> {
        let bits = self.parameters.digit_bits();
        let words = Digits::Words { bits }
            .elements(self.parameters.q_at(level)?)
            .len();
        let digit = (words as f64 * self.parameters.n() as f64 / 12.0).log2() + 2.0 * f64::from(bits);
        let switching = self.each(|secret| digit + log2_add(4.0 + self.masked, 2.0 + secret + self.error));
        let products = (0..self.secret.len()).map(|b| {
            let amplitudes = pairs.iter().map(|(a, c)| (a.0[b] + c.0[b]) / 2.0);
            log2_add(2.0 * log2_sum(amplitudes), switching.0[b])
        });
        Ok(Noise(products.collect()))
    }

    /// After a switch from one level to another.
    ///
    /// # Errors
    /// [`NtruError::BadLevel`].
    pub fn switched(&self, noise: &Noise, from: usize, to: usize) -> Result<Noise, NtruError> {
        let (old, new) = (self.parameters.log2_q(from)?, self.parameters.log2_q(to)?);
        if from == to {
            return Ok(noise.clone());
        }
        let rounding = self.each(|secret| 2.0 + secret + (self.parameters.n() as f64 / 12.0).log2());
        let switched = noise
            .0
            .iter()
            .zip(rounding.0)
            .map(|(x, r)| log2_add(x + 2.0 * (new - old), r));
        Ok(Noise(switched.collect()))
    }

    /// log2 of the deviation of a coefficient of the phase.
    #[must_use]
    pub fn log2_deviation(&self, noise: &Noise) -> f64 {
        let shares = self.bins.log2_shares().iter();
        log2_sum(noise.0.iter().zip(shares).map(|(power, share)| power + share)) / 2.0
    }

    /// log2 of a bound on the probability that a ciphertext at a level does not decrypt: that one of n Gaussian
    /// coefficients is above 0.45 q.
    ///
    /// # Errors
    /// [`NtruError::BadLevel`].
    pub fn log2_failure(&self, noise: &Noise, level: usize) -> Result<f64, NtruError> {
        let limit = self.parameters.log2_q(level)? + TRUSTED.log2();
        let deviations = (limit - self.log2_deviation(noise) - 0.5).exp2();
        let tail = log2_erfc(deviations.min(1e9));
        Ok((tail + (self.parameters.n() as f64).log2()).min(0.0))
    }

    fn each(&self, power: impl Fn(f64) -> f64) -> Noise {
        Noise(self.secret.iter().map(|&secret| power(secret)).collect())
    }
}
