use num_bigint::BigUint;
use num_traits::One;
use ringmill_arith::Simd;
use ringmill_arith::sampling::{Seed, Stream};
use ringmill_arith::secret::Secret;

use super::accumulation::{Factors, Method, weighted_sum};
use super::words::{add_product, number, uniform, words};
use super::{Ciphertext, IntegersError, Parameters, PublicKey};

/// What the ciphertext of a bit is made from besides the public key: c = m + 2r + 2 sum_i x_i b_i mod x_0. Wiped when
/// dropped.
///
/// Whoever computes c elsewhere, on a machine, takes the terms with [`PublicKey::terms`] and makes the ciphertext with
/// [`PublicKey::ciphertext`].
pub struct Terms {
    pub(super) factors: Factors,
    noise: Secret<Vec<u64>>,
}

impl Terms {
    /// The terms of a bit from a seed.
    pub(super) fn new(parameters: &Parameters, seed: &Seed, bit: bool) -> Self {
        let factors = Factors::random(parameters, &mut Stream::new(&seed.derive("factors", 0)));
        let noise = uniform(
            &mut Stream::new(&seed.derive("noise", 0)),
            parameters.fresh_rho() + 1,
        );
        let noise = Secret::new(words(
            &((noise << 1) + u32::from(bit)),
            Self::noise_words(parameters),
        ));
        Self { factors, noise }
    }

    /// Words of the noise, in two's complement: |m + 2r| is at most 2^(rho' + 1).
    const fn noise_words(parameters: &Parameters) -> usize {
        (parameters.fresh_rho() as usize + 3).div_ceil(64)
    }

    /// The factors b_i.
    #[must_use]
    pub const fn factors(&self) -> &Factors {
        &self.factors
    }

    /// The words of m + 2r, which may be negative, in two's complement, the lowest first.
    #[must_use]
    pub fn noise(&self, parameters: &Parameters) -> Secret<Vec<u64>> {
        let mut signed = Secret::copy_of(&self.noise);
        let place = parameters.fresh_rho() as usize + 1;
        let mut less = 1 << (place % 64);
        for word in signed.iter_mut().skip(place / 64) {
            let (rest, borrow) = word.overflowing_sub(less);
            (*word, less) = (rest, borrow.into());
        }
        signed
    }
}

impl std::fmt::Debug for Terms {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Terms(..)")
    }
}

impl PublicKey {
    /// The random terms of a bit's ciphertext: r uniform in \[-2^rho', 2^rho') for [`Parameters::fresh_rho`], b_i in
    /// \[0, 2^alpha).
    ///
    /// # Errors
    /// [`IntegersError::Arith`] without randomness.
    pub fn terms(&self, bit: bool) -> Result<Terms, IntegersError> {
        Ok(Terms::new(&self.parameters, &Seed::random()?, bit))
    }

    /// The ciphertext of terms.
    ///
    /// On all threads of the present pool of `rayon`.
    #[must_use]
    pub fn encrypt_terms(&self, terms: &Terms, method: Method, kernel: Simd) -> Ciphertext {
        let sum = weighted_sum(&self.elements, &terms.factors, method, kernel);
        let corrections = self.corrections_sum(&terms.factors);
        // Negative terms are below x_0, which is added.
        let positive = (number(&sum) << 1) + number(&terms.noise);
        let negative = number(&corrections) + (BigUint::one() << self.parameters.fresh_rho());
        let value = positive + self.barrett.modulus() - (negative << 1);
        self.fresh(self.barrett.reduce(&value))
    }

    /// A ciphertext of [`PublicKey::terms`] that was computed elsewhere, by its words, the lowest first.
    ///
    /// # Errors
    /// [`IntegersError::NotReduced`] if the number is not below x_0.
    pub fn ciphertext(&self, words: &[u64]) -> Result<Ciphertext, IntegersError> {
        let value = number(words);
        if value < *self.barrett.modulus() {
            Ok(self.fresh(value))
        } else {
            Err(IntegersError::NotReduced)
        }
    }

    /// A ciphertext with the noise of encryption with the public key.
    fn fresh(&self, value: BigUint) -> Ciphertext {
        Ciphertext {
            value,
            noise: self.parameters.public_noise(),
            key: *self.fingerprint(),
        }
    }

    /// sum_i delta_i b_i.
    fn corrections_sum(&self, factors: &Factors) -> Secret<Vec<u64>> {
        let each = self.parameters.correction_words();
        let words = each + self.parameters.alpha().div_ceil(64) as usize + 1;
        let mut sum = Secret::zeros(words);
        for (correction, factor) in self.corrections.chunks_exact(each).zip(factors.iter()) {
            add_product(&mut sum, correction, factor);
        }
        sum
    }
}
