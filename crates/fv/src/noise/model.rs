use std::array;

use super::powers::{Power, Powers};
use super::tail::{log2_add, log2_sum};
use ringmill_rlwe::Bins;
use ringmill_rlwe::COUNT;

use super::{Emphasis, Noise};
use crate::{KeySwitching, Parameters};

/// |u|^2 of a fresh encryption's randomness u at the few roots that matter, against its mean.
const LARGE_RANDOMNESS: f64 = 4.0;

/// |p|^2 of a plaintext at the root where it is largest, against its mean, at most. Of n/2 values nearly exponentially
/// distributed the largest is about ln(n/2), 10 at n = 32768, and above this with a probability of n/2 e^-32, below 2^-31.
/// Values in patterns, such as the first half of the slots or every k-th one, have been seen at 0.01 to 12.
const LARGE_PLAINTEXT: f64 = 32.0;

/// log2 of what the correlation of two operands with some ancestors in common may add to the power.
const CORRELATION: f64 = 0.2;

/// Predicts the noise of ciphertexts under one set of parameters. See the module for its foundations.
///
/// Levels are 1 to [`Parameters::levels`]; larger ones count as the highest.
/// S_b = n V_s x_b is the secret's power in bin b, q the modulus of the level.
#[derive(Debug, Clone)]
pub struct NoiseModel {
    pub(super) n: f64,
    /// log2 of t.
    t: f64,
    /// log2 of d sigma^2, the power of an error; n sigma^2 modulo x^n + 1.
    error: f64,
    /// n V_s
    pub(super) secret: f64,
    log2_q: Vec<f64>,
    /// (t/q)^2, by level.
    relative: Vec<Power>,
    /// The power that a key switch adds before the division by P, by level.
    switched: Vec<Power>,
    hybrid: bool,
    bins: Bins,
    /// n (1 + S_b)/12, two parts rounded.
    rounding: [f64; COUNT],
    /// n (1 + S_b + S_b^2)/12, three parts rounded.
    product_rounding: [f64; COUNT],
    /// t^2 (K_b + n/4), by which a product multiplies the powers of its factors.
    growth: [f64; COUNT],
    emphasis: Emphasis,
}

impl NoiseModel {
    /// The model of these parameters.
    #[must_use]
    pub fn new(parameters: &Parameters) -> Self {
        let n = parameters.n() as f64;
        let t = parameters.t() as f64;
        let error = (parameters.ring().unfolded_len() as f64).log2() + 2.0 * parameters.sigma().log2();
        let secret = n * parameters.secret().variance();
        let log2_q = (0..=parameters.levels()).map(|level| parameters.log2_q(level));
        let log2_q: Vec<f64> = log2_q.collect();
        let relative = |level: usize| 2.0 * (t.log2() - log2_q[level]);
        let switched = |level| {
            let digits = parameters.digits_log2(level);
            let squares = log2_sum(digits.into_iter().map(|digit| 2.0 * digit));
            relative(level) + squares + (n / 12.0).log2() + error - 2.0 * parameters.log2_p()
        };
        let by_level = |power: &dyn Fn(usize) -> f64| -> Vec<Power> {
            let levels = 0..=parameters.levels();
            levels.map(|level| Power::from_log2(power(level))).collect()
        };
        let bins = Bins::new(parameters.ring(), parameters.secret_bound());
        let by_bin = |power: &dyn Fn(f64) -> f64| array::from_fn(|bin| power(secret * bins.x()[bin]));
        Self {
            n,
            t: t.log2(),
            error,
            secret,
            relative: by_level(&relative),
            switched: by_level(&switched),
            log2_q,
            hybrid: matches!(parameters.key_switching(), KeySwitching::Hybrid { .. }),
            rounding: by_bin(&|s| n * (1.0 + s) / 12.0),
            product_rounding: by_bin(&|s| n * (1.0 + s + s * s) / 12.0),
            growth: by_bin(&|s| t * t * (n * (1.0 + s) / 12.0 + n / 4.0)),
            emphasis: Emphasis::new(&bins, 0),
            bins,
        }
    }

    /// The bins by which powers are kept.
    #[must_use]
    pub fn bins(&self) -> &Bins {
        &self.bins
    }

    /// Whether predictions hold for a secret, given |s(zeta^e)|^2 for all n roots, in any order
    /// ([`ringmill_ring::embedding::powers`]): its largest is within the parameters' secret bound, and no
    /// bin has more of them than it allows. Key generation draws again otherwise.
    #[must_use]
    pub fn covers(&self, powers: &[f64]) -> bool {
        powers.len() == self.n as usize && self.bins.cover(powers, self.secret)
    }

    /// A fresh encryption under the public key (b, a), b = e - a s: (b u + e1 + round(q m/t), a u + e2).
    ///
    /// c(s) - q m/t = e u + e1 + e2 s + rounding. Power d sigma^2 (n V_u A + 1 + S_b) + n/4 with
    /// V_u = 2/3 (u is ternary) and A = 4, because u is one element whose power at the roots that come
    /// to dominate may exceed the mean.
    #[must_use]
    pub fn fresh_public(&self, level: usize) -> Noise {
        let randomness = self.n * 2.0 / 3.0 * LARGE_RANDOMNESS;
        self.noise(|s| {
            let errors = self.error + (randomness + 1.0 + s).log2();
            self.relative_log2(level) + log2_add(errors, self.plain_rounding())
        })
    }

    /// A fresh encryption under the secret key: an error and the rounding of q m/t, d sigma^2 + n/4.
    #[must_use]
    pub fn fresh_secret(&self, level: usize) -> Noise {
        self.noise(|_| self.relative_log2(level) + log2_add(self.error, self.plain_rounding()))
    }

    /// A plaintext taken as the ciphertext (round(q m/t), 0): the rounding only, n/4.
    #[must_use]
    pub fn trivial(&self, level: usize) -> Noise {
        self.noise(|_| self.relative_log2(level) + self.plain_rounding())
    }

    /// A sum or difference. Amplitudes are added, which is right even for equal noises.
    ///
    /// The sum of none has no noise.
    #[must_use]
    pub fn sum(&self, terms: &[&Noise]) -> Noise {
        Noise {
            powers: Powers::of_sum(terms.iter().map(|term| &term.powers)),
        }
    }

    /// A product of two different ciphertexts, of three parts.
    ///
    /// With u_i = (t/q) c_i(s) = m_i + v_i + t I_i the product's phase is u_1 u_2 + (t/q) r, r being what
    /// rounding of its three parts left. u_1 u_2 = m_1 m_2 + v_1 u_2 + v_2 u_1 - v_1 v_2 up to t times
    /// integers. c_i is uniform modulo q, so that u_i has the power t^2 K_b with K_b = n (1 + S_b)/12;
    /// r has n (1 + S_b + S_b^2)/12. With n t^2/4 for m_i:
    ///
    /// 2^0.2 t^2 (K_b + n/4) (P_1 + P_2) + P_1 P_2 + (t/q)^2 n (1 + S_b + S_b^2)/12.
    ///
    /// The first factor allows for some dependence between v_1 and v_2.
    #[must_use]
    pub fn multiply(&self, level: usize, a: &Noise, b: &Noise) -> Noise {
        self.product(level, a, b, CORRELATION)
    }

    /// The square of a ciphertext, of three parts: [`NoiseModel::multiply`] with 4 P for P_1 + P_2, as
    /// the two terms are equal.
    #[must_use]
    pub fn square(&self, level: usize, a: &Noise) -> Noise {
        self.product(level, a, a, 1.0)
    }

    /// The sum of both factors' powers counts 2^`excess` times.
    fn product(&self, level: usize, a: &Noise, b: &Noise, excess: f64) -> Noise {
        let (p, q, rounding) = (&a.powers, &b.powers, self.relative[self.clamp(level)]);
        let excess = excess.exp2();
        let exponents = [p.exponent, q.exponent, p.exponent + q.exponent, rounding.exponent];
        let powers = Powers::sum(exponents, |bin| {
            let (p, q, growth) = (p.mantissas[bin], q.mantissas[bin], excess * self.growth[bin]);
            [
                growth * p,
                growth * q,
                p * q,
                rounding.mantissa * self.product_rounding[bin],
            ]
        });
        Noise { powers }
    }

    /// A product of two ciphertexts that may depend on each other in any way, of three parts: [`NoiseModel::multiply`]
    /// with amplitudes added, 2 (P_1 + P_2) for P_1 + P_2. Covers squares too.
    #[must_use]
    pub fn multiply_related(&self, level: usize, a: &Noise, b: &Noise) -> Noise {
        self.product(level, a, b, 1.0)
    }

    /// A product of two different ciphertexts in the BGV form, of three parts:
    /// [`crate::Context::multiply_bgv`].
    ///
    /// Exactly v'' = q v v', so q^2 P_1 P_2, and 2^0.2 for some dependence between v and v'.
    #[must_use]
    pub fn multiply_bgv(&self, level: usize, a: &Noise, b: &Noise) -> Noise {
        self.low(level, a, b, CORRELATION)
    }

    /// The square of a ciphertext in the BGV form: 2 q^2 P^2, because E |v|^4 = 2 (E |v|^2)^2 for a complex
    /// Gaussian v.
    #[must_use]
    pub fn square_bgv(&self, level: usize, a: &Noise) -> Noise {
        self.low(level, a, a, 1.0)
    }

    fn low(&self, level: usize, a: &Noise, b: &Noise, excess: f64) -> Noise {
        let factor = Power::from_log2(2.0 * self.log2_q[self.clamp(level)] + excess);
        let (p, q) = (&a.powers, &b.powers);
        let powers = Powers::sum([p.exponent + q.exponent + factor.exponent], |bin| {
            [factor.mantissa * p.mantissas[bin] * q.mantissas[bin]]
        });
        Noise { powers }
    }

    /// A key switch, so also a relinearization, to the same level: [`NoiseModel::key_switch_extended`], and for
    /// hybrid key switching the rounding of both parts by the division by P, (t/q)^2 n (1 + S_b)/12.
    #[must_use]
    pub fn key_switch(&self, level: usize, a: &Noise) -> Noise {
        let extended = self.key_switch_extended(level, a);
        if self.hybrid {
            self.switch_modulus(level, &extended)
        } else {
            extended
        }
    }

    /// A key switch without the rounding by its division: what a extended ciphertext has, and what
    /// [`NoiseModel::switch_modulus`] to the level of the result makes that of a relinearization or a
    /// combination that ends there.
    ///
    /// Hybrid: digit i is uniform modulo D_i, of power n D_i^2/12, and multiplies an error of power
    /// d sigma^2: (t/q)^2 sum_i n D_i^2/12 d sigma^2 / P^2. By words with D_i = 2^bits and P = 1. P may be
    /// smaller than D_i; that only makes this the larger.
    #[must_use]
    pub fn key_switch_extended(&self, level: usize, a: &Noise) -> Noise {
        self.plus(a, self.switched[self.clamp(level)], &[1.0; COUNT])
    }

    /// A product relinearized: [`NoiseModel::multiply`], then [`NoiseModel::key_switch`].
    #[must_use]
    pub fn multiply_relinearize(&self, level: usize, a: &Noise, b: &Noise) -> Noise {
        self.key_switch(level, &self.multiply(level, a, b))
    }

    /// A ciphertext of two parts, perhaps extended, switched to a level.
    ///
    /// (q'/q) c is rounded: v remains, and (t/q')^2 n (1 + S_b)/12 comes to it.
    #[must_use]
    pub fn switch_modulus(&self, to_level: usize, a: &Noise) -> Noise {
        self.plus(a, self.relative[self.clamp(to_level)], &self.rounding)
    }

    /// A plaintext added or subtracted: the rounding of q m/t, n/4.
    #[must_use]
    pub fn add_plain(&self, level: usize, a: &Noise) -> Noise {
        self.plus(a, self.relative[self.clamp(level)], &[self.n / 4.0; COUNT])
    }

    /// A product with a random plaintext of coefficients 0 to t - 1: v p, nothing else.
    ///
    /// [`NoiseModel::largest_plain_power`] is taken; whoever multiplies has to see that no plaintext has more.
    /// [`NoiseModel::multiply_plain_power`] is sharper for a plaintext that is known.
    #[must_use]
    pub fn multiply_plain(&self, a: &Noise) -> Noise {
        self.multiply_plain_power(a, largest_plain_power(self.n, self.t.exp2()))
    }

    /// The most that |p(zeta^e)|^2 may be for a plaintext p, unknown while the noise is predicted: 32 times the
    /// n (t^2 - 1)/12 of an average root. See [`crate::Plaintext::power`].
    #[must_use]
    pub fn largest_plain_power(parameters: &Parameters) -> f64 {
        largest_plain_power(parameters.n() as f64, parameters.t() as f64)
    }

    /// A product with a plaintext whose largest |p(zeta^e)|^2 is `power`: see [`crate::Plaintext::power`].
    #[must_use]
    pub fn multiply_plain_power(&self, a: &Noise, power: f64) -> Noise {
        let factor = Power::from_log2(power.log2());
        let powers = Powers::sum([a.powers.exponent + factor.exponent], |bin| {
            [factor.mantissa * a.powers.mantissas[bin]]
        });
        Noise { powers }
    }

    /// A product with any plaintext at all, taken with centred coefficients: no |p(zeta)| exceeds the sum of its n
    /// coefficients' magnitudes, n t/2.
    #[must_use]
    pub fn multiply_any_plain(&self, a: &Noise) -> Noise {
        self.multiply_plain_power(a, (self.n * self.t.exp2() / 2.0).powi(2))
    }

    /// Any plaintext at all added or subtracted: the rounding of q m/t is at most 1/2 in each coefficient, so at most n/2
    /// at a root.
    #[must_use]
    pub fn add_any_plain(&self, level: usize, a: &Noise) -> Noise {
        let largest = self.n * self.n / 4.0;
        self.plus(a, self.relative[self.clamp(level)], &[largest; COUNT])
    }

    /// An automorphism with its key switch, to the same level.
    #[must_use]
    pub fn automorphism(&self, level: usize, a: &Noise) -> Noise {
        self.key_switch(level, &self.moved(a))
    }

    /// An automorphism with its key switch, extended: without the rounding by the division.
    #[must_use]
    pub fn rotate(&self, level: usize, a: &Noise) -> Noise {
        self.key_switch_extended(level, &self.moved(a))
    }

    /// A step of unpacking ([`ringmill_ring::Halving`]): theta x + sigma(theta) sigma(x), brought to a level, sigma being so
    /// many automorphisms with their key switches. `power` is the largest mean of |theta|^2 and |sigma(theta)|^2 at a root.
    ///
    /// Noise at one root is added to noise at another. They are uncorrelated: coefficients are independent, and values at
    /// different roots are orthogonal functions of them. So powers add up, to at most twice the mean of both factors times
    /// the larger noise. The result is the same at all roots that sigma exchanges: its coefficients may be larger than
    /// those of other noise of this power, once for each step by a factor of 2 in power, until a product makes roots
    /// differ.
    #[must_use]
    pub fn halve(&self, (level, to): (usize, usize), a: &Noise, (times, power): (usize, f64)) -> Noise {
        let mut moved = self.moved(a);
        for _ in 1..times {
            moved = self.key_switch(level, &moved);
        }
        let moved = self.key_switch_extended(level, &moved);
        let larger = Noise {
            powers: a.powers.most(&moved.powers),
        };
        self.switch_modulus(to, &self.multiply_plain_power(&larger, 2.0 * power))
    }

    /// The noise of every root moved to another. Where the largest go is as good as random, so each bin gets
    /// the mean, weighted as it is for a coefficient's variance, which gives the few large ones more weight
    /// than their number does.
    #[must_use]
    pub fn moved(&self, a: &Noise) -> Noise {
        let mean = self.emphasis.mean(&a.powers);
        Noise {
            powers: Powers::sum([a.powers.exponent], |_| [mean]),
        }
    }

    /// How much each bin matters to a coefficient as it is.
    pub(super) fn plain_emphasis(&self) -> &Emphasis {
        &self.emphasis
    }

    /// log2 of the number of coefficients of some ciphertexts.
    pub(super) fn log2_coefficients(&self, ciphertexts: usize) -> f64 {
        (self.n * ciphertexts.max(1) as f64).log2()
    }

    /// The noise whose log2 power is this function of S_b.
    fn noise(&self, power: impl Fn(f64) -> f64) -> Noise {
        Noise {
            powers: Powers::from_log2(|bin| power(self.secret * self.bins.x()[bin])),
        }
    }

    /// Noise with independent noise added: in each bin a factor of `unit`.
    fn plus(&self, a: &Noise, unit: Power, factors: &[f64; COUNT]) -> Noise {
        let old = &a.powers;
        let powers = Powers::sum([old.exponent, unit.exponent], |bin| {
            [old.mantissas[bin], unit.mantissa * factors[bin]]
        });
        Noise { powers }
    }

    fn clamp(&self, level: usize) -> usize {
        level.min(self.log2_q.len() - 1)
    }

    /// log2 of (t/q)^2.
    fn relative_log2(&self, level: usize) -> f64 {
        2.0 * (self.t - self.log2_q[self.clamp(level)])
    }

    /// The power (t/q)^2 n (1 + n V_s)/12 of two parts rounded, at a root of mean power.
    pub(super) fn mean_rounding(&self, level: usize) -> Power {
        let Power { mantissa, exponent } = self.relative[self.clamp(level)];
        Power {
            mantissa: mantissa * self.n * (1.0 + self.secret) / 12.0,
            exponent,
        }
    }

    /// log2 of the power n/4 of round(q m/t) - q m/t: coefficients of at most 1/2, for t = 2 just that.
    fn plain_rounding(&self) -> f64 {
        (self.n / 4.0).log2()
    }
}

fn largest_plain_power(n: f64, t: f64) -> f64 {
    LARGE_PLAINTEXT * n * (t * t - 1.0) / 12.0
}
