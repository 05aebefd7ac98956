use ringmill_device::Digits;
use ringmill_rlwe::MAX_NOISE_FRACTION;
use ringmill_rlwe::tail;

use super::NoiseModel;
use crate::ntru::{Noise, NtruError};

/// Bits of margin for tails heavier than a Gaussian's. Of the phase after a switch nearly all is the rounding,
/// new at each level: little is inherited, for which FV's BGV form reserves no more.
const RESERVE_BITS: f64 = 1.0;

/// How large the phase w = \[f c\]_q is: its power |w(zeta)|^2 at the roots, F being that of f. A ciphertext decrypts
/// while all coefficients of w are below q/2.
///
/// n coefficients of variance V in the normal basis have the power n V, errors E = d sigma^2, g and s G = 2 n / 3:
///
/// | | power of w |
/// |---|---|
/// | fresh: 4 g s + f (2 e + m) | 16 G^2 + F (4 E + n / 4) |
/// | sum | amplitudes add up, whatever the correlation |
/// | product: w w' | the product of both |
/// | relinearization with k words of r bits: sum_k d_k (4 g s_k + 2 f e_k) | k n 2^(2 r) / 12 (16 G^2 + 4 F E) more |
/// | switch from q to q': -2 f u, u within 1/2 | (q'/q)^2 times what it was, and 4 F n / 12 |
///
/// g is taken in its mean: it has nothing to do with f, and at the few roots that have a bin of their own f is
/// so large that its own term is what counts.
impl NoiseModel {
    /// A fresh ciphertext.
    #[must_use]
    pub fn fresh(&self) -> Noise {
        Noise::new(self.bins(), |x| {
            (self.masked() + self.secret_power(x) * (4.0 * self.error_power() + self.n() / 4.0)).log2()
        })
    }

    /// A sum of products at a level, relinearized.
    ///
    /// # Errors
    /// [`NtruError::BadLevel`].
    pub fn multiply(&self, level: usize, pairs: &[(&Noise, &Noise)]) -> Result<Noise, NtruError> {
        let bits = self.parameters().digit_bits();
        let words = (Digits::BaseTwo { bits })
            .elements(self.parameters().q_at(level)?)
            .len();
        let digits = (words as f64 * self.n() / 12.0).log2() + 2.0 * f64::from(bits);
        let mut bin = 0..;
        Ok(Noise::new(self.bins(), |x| {
            let bin = bin.next().unwrap_or(0);
            let amplitude = |(a, b): &(&Noise, &Noise)| (a.log2_powers()[bin] + b.log2_powers()[bin]) / 2.0;
            let products = 2.0 * tail::log2_sum(pairs.iter().map(amplitude));
            let each = self.masked() + 4.0 * self.secret_power(x) * self.error_power();
            tail::log2_add(products, digits + each.log2())
        }))
    }

    /// A switch from one level to another.
    ///
    /// # Errors
    /// [`NtruError::BadLevel`].
    pub fn switch(&self, from: usize, to: usize, a: &Noise) -> Result<Noise, NtruError> {
        let ratio = self.parameters().log2_q(to)? - self.parameters().log2_q(from)?;
        if self.parameters().q_at(from)? == self.parameters().q_at(to)? {
            return Ok(a.clone());
        }
        let mut old = a.log2_powers().iter();
        Ok(Noise::new(self.bins(), |x| {
            let old = old.next().copied().unwrap_or(0.0) + 2.0 * ratio;
            tail::log2_add(old, (4.0 * self.secret_power(x) * self.n() / 12.0).log2())
        }))
    }

    /// Whether a ciphertext of a level can be trusted to decrypt: its bound and a reserve of a bit are below
    /// 0.45 q.
    ///
    /// # Errors
    /// [`NtruError::BadLevel`].
    pub fn is_safe(&self, level: usize, a: &Noise) -> Result<bool, NtruError> {
        Ok(self.bound_log2(a) + RESERVE_BITS < self.parameters().log2_q(level)? + MAX_NOISE_FRACTION.log2())
    }

    /// The products one after the other that a fresh ciphertext of the highest level stands, where each factor
    /// is a sum of `terms` such products and each product is switched a level down.
    ///
    /// # Errors
    /// None for checked parameters.
    pub fn depth(&self, terms: usize) -> Result<usize, NtruError> {
        let mut noise = self.fresh();
        for level in (2..=self.parameters().levels()).rev() {
            let factor = self.sum(&vec![&noise; terms.max(1)]);
            let product = self.multiply(level, &[(&factor, &factor)])?;
            noise = self.switch(level, level - 1, &product)?;
            if !self.is_safe(level, &product)? || !self.is_safe(level - 1, &noise)? {
                return Ok(self.parameters().levels() - level);
            }
        }
        Ok(self.parameters().levels() - 1)
    }

    /// The power of 4 g s.
    fn masked(&self) -> f64 {
        16.0 * self.ternary_power() * self.ternary_power()
    }
}
