//! The noise model: how large the invariant noise of a ciphertext is, predicted without its key.
//!
//! A ciphertext c at level l satisfies (t/q_l) c(s) = m + v + t I with the plaintext m, the *invariant
//! noise* v and a polynomial I of integers. It decrypts rightly while every coefficient of v in the
//! normal basis (or of 1, x, ..., x^(n-1) modulo x^n + 1) is below 1/2.
//!
//! # Powers at the roots
//! The model follows the *power* of v at the complex roots: the mean of |v(zeta^e)|^2 over all randomness
//! but the secret's. Powers of independent elements multiply under products and add under sums.
//! n i.i.d. coefficients of variance V in the normal basis have the power n V at every root, because
//! v(zeta^e) is their sum with factors of modulus 1; d i.i.d. exponents of variance sigma^2, folded, have
//! d sigma^2. Modulo x^n + 1 nothing is folded: an error has n sigma^2.
//!
//! # Why not one number
//! A multiplication multiplies the power at a root by about 1 + |s|^2 there. For one secret that factor
//! differs from root to root, up to tenfold, and always in the same way: after many multiplications the
//! noise consists of what happened at the few roots where the secret is largest. So roots are sorted
//! into *bins* by x = |s(zeta^e)|^2 / (n V_s), and a [`Noise`] has a power for each bin (see [`Bins`](ringmill_rlwe::Bins)).
//!
//! # Coefficients
//! Coefficient e of a is (1/d) sum_j a(zeta^j) prod_p (zeta_p^(-e j) - 1), because (zeta_p^(-e) - 1)/p is
//! the dual basis for a prime p. The squared modulus F of the product runs through the same n values for
//! every e, of mean 2^w d/n. With P_j the power at root j the coefficient's variance is
//! sum_j P_j F(e, j) / d^2, at most that with both sorted (rearrangement inequality). For equal powers it
//! is 2^w P/d; when few roots matter, the largest coefficients have up to 2.4 bits more variance.
//!
//! Modulo x^n + 1 coefficient e is (1/n) sum_j a(psi^j) psi^(-e j), so that F is 1 and every coefficient's
//! variance is sum_j P_j / n^2, the mean power over n.
//!
//! # Tails
//! A coefficient is taken as Gaussian for its failure probability, as usual. Where few roots dominate after many
//! multiplications, the noise there is a product of many nearly Gaussian factors: its power is mostly below the mean that
//! the model follows, with a tail above that no Gaussian has. So a failure probability predicted after many levels is one
//! over coefficients in an ordinary run, not over runs and keys.
//!
//! [`NoiseModel::reserve_bits`] is the margin that makes it one over runs. It rests on moments of the power at one root:
//! E P^theta / y^theta bounds the probability that P exceeds y, for any theta. Moments that are too rare to be counted are
//! simulated by splitting, or bounded by Gamma(theta + 1)^(levels + 1), which holds for any operands: given what was before,
//! the noise of a product is Gaussian (`examples/noise_tails.rs` computes both). After 44 levels P exceeds its mean by 42
//! bits of power with a probability below 2^-64 where values are products of different ones, and by 54 for squares of
//! squares ([`NoiseModel::reserve_bits_any`]); a Gaussian's power does by 5.6. Of that the share is taken off that the
//! heaviest pair of roots has in a coefficient, but for the number of pairs that may have it: one or two bits of power after
//! SIMON's levels, ten where linear maps spread noise over all roots.
//!
//! What moduli drop adds to noise at each level makes tails lighter; it is not counted.
//!
//! # Products in the BGV form
//! Their noise is a plain product, v'' = q v v' (see [`crate::Context::multiply_bgv`]), so that powers
//! multiply too; for w = q v it is w'' = w w'. A modulus switch divides w'' and adds a rounding, independent
//! of what was before and at each root a sum of thousands of terms: Gaussian. So w at a root, in units of its
//! deviation, is sqrt(f) u u' + sqrt(1 - f) g with the share f of its power inherited and g Gaussian. That is
//! no product of as many factors as there are levels: the rounding renews the noise at each. But tails do
//! not vanish: two operands above f^(-1/2) have a result above it, so that a value once there may grow on, and
//! twice as fast at each level: it escapes.
//!
//! f is largest where the secret is: about proportional to x_b, so that an f of 0.01 in the last bin is one of
//! 0.002 in the mean. [`NoiseModel::reserve_bgv`] bounds the tail by the least improbable way there, for any
//! operands, related or not. With f up to 0.0114 noise does not escape with a probability above 2^-80 in a product at
//! one root, and the reserve is 3.6 bits for a root that has all of the noise. Noise that is
//! inherited from fresh ciphertexts is Gaussian and needs no reserve.
//!
//! Plaintexts are taken as random. Whoever multiplies by one in the clear compares its power with
//! [`NoiseModel::largest_plain_power`].
//!
//! # No number without a meaning
//! Powers range far beyond doubles, so that all bins of a noise share an exponent. A product adds the exponents of
//! its operands, so that once the noise is above 1 they double with each level, and after a few dozen levels more
//! no integer holds them. Exponents therefore end at 2^20, far above all with which anything decrypts: what reaches
//! that is taken to be that large. So a [`Noise`] holds finite logarithms, and minus infinity for no noise at all;
//! never infinity, never NaN, and every comparison with a limit means what it says. Planning follows the noise of
//! millions of values; no operation takes a logarithm, only what compares noises does.

mod emphasis;
mod escape;
mod images;
mod model;
mod powers;
mod reserve;
mod roots;

pub use emphasis::Emphasis;
pub use model::NoiseModel;
use powers::Powers;
use ringmill_arith::secret::Secret;
use ringmill_rlwe::{COUNT, tail};
pub use roots::{Roots, Values};

/// Deviations beyond which Gaussian tails are not told apart.
const MOST_DEVIATIONS: f64 = 1e9;

/// The power of a ciphertext's invariant noise in each bin, or at each pair of roots of a known secret. Made and used by
/// [`NoiseModel`].
#[derive(Debug, Clone, PartialEq)]
pub struct Noise<V: Values = [f64; COUNT]> {
    powers: Powers<V>,
}

impl Noise {
    /// log2 of the power in each bin, in the order of [`NoiseModel::bins`]: at most 2^20, never NaN; minus infinity
    /// for none.
    #[must_use]
    pub fn log2_powers(&self) -> Vec<f64> {
        (0..COUNT).map(|bin| self.powers.log2(bin)).collect()
    }

    /// log2 of the power of the largest coefficients, with this emphasis.
    #[must_use]
    pub fn coefficient_power_log2(&self, emphasis: &Emphasis) -> f64 {
        emphasis.of(&self.powers)
    }
}

impl Noise<Secret<Vec<f64>>> {
    /// log2 of the power at each pair of roots of the secret, as secret as that.
    #[must_use]
    pub fn log2_powers(&self) -> Secret<Vec<f64>> {
        self.powers.mantissas.by_place(|pair| self.powers.log2(pair))
    }
}

impl<V: Values> Noise<V> {
    /// The smaller power of both in each bin or at each root: what neither noise is below.
    #[must_use]
    pub fn least(&self, other: &Self) -> Self {
        Self {
            powers: self.powers.least(&other.powers),
        }
    }

    /// log2 of the power where it is largest.
    #[must_use]
    pub fn largest_log2(&self) -> f64 {
        self.powers.largest_log2()
    }

    /// log2 of the standard deviation of the largest coefficients.
    #[must_use]
    pub fn coefficient_deviation_log2<R: Roots<Values = V>>(&self, model: &NoiseModel<R>) -> f64 {
        model.coefficient_power_log2(self) / 2.0
    }

    /// log2 of a magnitude that all coefficients of `ciphertexts` ciphertexts of this noise keep below, but
    /// for a probability of 2^`log2_failure`, which is negative.
    ///
    /// Each of the n coefficients is taken as Gaussian, the events added up (union bound).
    #[must_use]
    pub fn bound_log2<R: Roots<Values = V>>(
        &self,
        model: &NoiseModel<R>,
        log2_failure: f64,
        ciphertexts: usize,
    ) -> f64 {
        let each = log2_failure - model.log2_coefficients(ciphertexts);
        // |X| > x sqrt(2) sigma with probability erfc(x)
        self.coefficient_deviation_log2(model) + 0.5 + tail::inverse_log2_erfc(each).log2()
    }

    /// Bits between 1/2 and [`Noise::bound_log2`]: decryption is safe while this is positive.
    #[must_use]
    pub fn margin_bits<R: Roots<Values = V>>(
        &self,
        model: &NoiseModel<R>,
        log2_failure: f64,
        ciphertexts: usize,
    ) -> f64 {
        -1.0 - self.bound_log2(model, log2_failure, ciphertexts)
    }

    /// log2 of the probability that one of `ciphertexts` ciphertexts of this noise decrypts wrongly; at
    /// most 0.
    #[must_use]
    pub fn failure_log2<R: Roots<Values = V>>(&self, model: &NoiseModel<R>, ciphertexts: usize) -> f64 {
        let ratio = (-1.5 - self.coefficient_deviation_log2(model)).exp2();
        let ratio = ratio.min(MOST_DEVIATIONS);
        (tail::log2_erfc(ratio) + model.log2_coefficients(ciphertexts)).min(0.0)
    }
}

#[cfg(test)]
mod tests;
