use super::powers::{Power, Powers};
use super::tail::{log2_add, log2_sum};
use ringmill_rlwe::{Bins, COUNT, Pairs, RlweError};

use super::{Noise, Roots, Values};
use crate::{KeySwitching, Parameters};

/// |p|^2 of a plaintext at the root where it is largest, against its mean, at most. Of n/2 values nearly exponentially
/// distributed the largest is about ln(n/2), 10 at n = 32768, and above this with a probability of n/2 e^-32, below 2^-31.
/// Values in patterns, such as the first half of the slots or every k-th one, have been seen at 0.01 to 12.
const LARGE_PLAINTEXT: f64 = 32.0;

/// log2 of what the correlation of two operands with some ancestors in common may add to the power: an allowance. The
/// survey of sums with a term in common needs none of it (`examples/noise_survey`, shape `sums`).
const CORRELATION: f64 = 0.2;

/// Predicts the noise of ciphertexts under one set of parameters. See the module for its foundations.
///
/// Levels are 1 to [`Parameters::levels`]; larger ones count as the highest.
/// S_b = n V_s x_b is the secret's power in bin b, or at pair b of the roots of a known secret; q the modulus of the level.
#[derive(Debug, Clone)]
pub struct NoiseModel<R: Roots = Bins> {
    pub(super) n: f64,
    /// log2 of t.
    pub(super) t: f64,
    /// log2 of d sigma^2, the power of an error; n sigma^2 modulo x^n + 1.
    error: f64,
    /// n V_s
    pub(super) secret: f64,
    log2_q: Vec<f64>,
    /// (t/q)^2, by level.
    relative: Vec<Power>,
    /// (t/B)^2 of [`Parameters::factor_basis`], by level; 0 where there is none, and so no product.
    second: Vec<Power>,
    /// The power that a key switch adds before the division by P, by level.
    switched: Vec<Power>,
    hybrid: bool,
    pub(super) roots: R,
    /// S_b
    pub(super) secrets: R::Values,
    /// n (1 + S_b)/12, two parts rounded.
    rounding: R::Values,
    /// n (1 + S_b + S_b^2)/12, three parts rounded.
    product_rounding: R::Values,
    /// t^2 (K_b + n/4), by which a product multiplies the powers of its factors.
    growth: R::Values,
    pub(super) weights: R::Weights,
}

impl NoiseModel {
    /// The model of these parameters, for all secrets that it [covers](NoiseModel::covers).
    #[must_use]
    pub fn new(parameters: &Parameters) -> Self {
        let bins = Bins::new(parameters.ring(), parameters.secret_bound());
        Self::with_roots(parameters, bins)
    }

    /// The bins by which powers are kept.
    #[must_use]
    pub fn bins(&self) -> &Bins {
        &self.roots
    }

    /// Whether predictions hold for a secret, given x = |s(zeta^e)|^2 / (n V_s) for all n roots, in any order
    /// ([`crate::Context::secret_powers`]): its largest is within the parameters' secret bound, and no
    /// bin has more of them than it allows. Key generation draws again otherwise.
    #[must_use]
    pub fn covers(&self, x: &[f64]) -> bool {
        x.len() == self.n as usize && self.roots.cover(x, 1.0)
    }

    /// The model for one secret, given x at all n positions of evaluation domain ([`crate::Context::secret_powers`]). All
    /// that it holds of the secret is overwritten when it is dropped.
    ///
    /// # Errors
    /// If there are not n of them.
    pub fn of_secret(&self, parameters: &Parameters, x: &[f64]) -> Result<NoiseModel<Pairs>, RlweError> {
        let pairs = Pairs::new(parameters.ring(), &self.roots, x)?;
        Ok(NoiseModel::with_roots(parameters, pairs))
    }

    /// The most that |p(zeta^e)|^2 may be for a plaintext p, unknown while the noise is predicted: 32 times the
    /// n (t^2 - 1)/12 of an average root. See [`crate::Plaintext::power`].
    #[must_use]
    pub fn largest_plain_power(parameters: &Parameters) -> f64 {
        largest_plain_power(parameters.n() as f64, parameters.t() as f64)
    }
}

impl<R: Roots> NoiseModel<R> {
    fn with_roots(parameters: &Parameters, roots: R) -> Self {
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
        let second = |level| match parameters.factor_basis(level) {
            Ok(basis) => 2.0 * (t.log2() - basis.log2()),
            Err(_) => f64::NEG_INFINITY,
        };
        let by_level = |power: &dyn Fn(usize) -> f64| -> Vec<Power> {
            let levels = 0..=parameters.levels();
            levels.map(|level| Power::from_log2(power(level))).collect()
        };
        let x = roots.x();
        let secrets = x.by_place(|place| secret * x.numbers()[place]);
        let by_root = |power: &dyn Fn(f64) -> f64| secrets.by_place(|place| power(secrets.numbers()[place]));
        Self {
            n,
            t: t.log2(),
            error,
            secret,
            relative: by_level(&relative),
            second: by_level(&second),
            switched: by_level(&switched),
            log2_q,
            hybrid: matches!(parameters.key_switching(), KeySwitching::Hybrid { .. }),
            rounding: by_root(&|s| n * (1.0 + s) / 12.0),
            product_rounding: by_root(&|s| n * (1.0 + s + s * s) / 12.0),
            growth: by_root(&|s| t * t * (n * (1.0 + s) / 12.0 + n / 4.0)),
            weights: roots.weights(),
            secrets,
            roots,
        }
    }

    /// The roots as far as they are told apart.
    #[must_use]
    pub fn roots(&self) -> &R {
        &self.roots
    }

    /// No noise.
    #[must_use]
    pub fn none(&self) -> Noise<R::Values> {
        Noise {
            powers: Powers::none(&self.secrets),
        }
    }

    /// The noise with these powers in bins: their logarithms, as [`Noise::log2_powers`] returns them.
    #[must_use]
    pub fn of_bins(&self, log2_powers: &[f64; COUNT]) -> Noise<R::Values> {
        Noise {
            powers: Powers::from_log2(&self.secrets, |place| log2_powers[self.roots.bin(place)]),
        }
    }

    /// log2 of the power of a noise's largest coefficients.
    #[must_use]
    pub fn coefficient_power_log2(&self, noise: &Noise<R::Values>) -> f64 {
        let Powers { exponent, mantissas } = &noise.powers;
        f64::from(*exponent) + R::coefficient(&self.weights, mantissas).log2()
    }

    /// A fresh encryption under the public key (b, a), b = e - a s: (b u + e1 + round(q m/t), a u + e2).
    ///
    /// c(s) - q m/t = e u + e1 + e2 s + rounding. Power d sigma^2 (n V_u + 1 + S_b) + n/4 with
    /// V_u = 2/3 (u is ternary). e u is a product of two elements that are Gaussian at each root, which
    /// [`NoiseModel::reserve_bits`] counts as a level.
    #[must_use]
    pub fn fresh_public(&self, level: usize) -> Noise<R::Values> {
        let randomness = self.n * 2.0 / 3.0;
        self.noise(|s| {
            let errors = self.error + (randomness + 1.0 + s).log2();
            self.relative_log2(level) + log2_add(errors, self.plain_rounding())
        })
    }

    /// A fresh encryption under the secret key: an error and the rounding of q m/t, d sigma^2 + n/4.
    #[must_use]
    pub fn fresh_secret(&self, level: usize) -> Noise<R::Values> {
        self.noise(|_| self.relative_log2(level) + log2_add(self.error, self.plain_rounding()))
    }

    /// A plaintext taken as the ciphertext (round(q m/t), 0): the rounding only, n/4.
    #[must_use]
    pub fn trivial(&self, level: usize) -> Noise<R::Values> {
        self.noise(|_| self.relative_log2(level) + self.plain_rounding())
    }

    /// A sum or difference. Amplitudes are added, which is right even for equal noises.
    ///
    /// The sum of none has no noise.
    #[must_use]
    pub fn sum(&self, terms: &[&Noise<R::Values>]) -> Noise<R::Values> {
        Noise {
            powers: Powers::of_sum(&self.secrets, terms.iter().map(|term| &term.powers)),
        }
    }

    /// A sum of independent terms: powers are added.
    #[must_use]
    pub fn sum_independent(&self, terms: &[Noise<R::Values>]) -> Noise<R::Values> {
        Noise {
            powers: Powers::of_independent(&self.secrets, terms.iter().map(|term| &term.powers)),
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
    ///
    /// In [`crate::Context::product`] one factor was switched to B: its noise has (t/B)^2 n (1 + S_b)/12 more. Of r only
    /// the third part is there, the two others are the rounding of the relinearization.
    #[must_use]
    pub fn multiply(&self, level: usize, a: &Noise<R::Values>, b: &Noise<R::Values>) -> Noise<R::Values> {
        self.product(level, a, b, CORRELATION)
    }

    /// The square of a ciphertext, of three parts: [`NoiseModel::multiply`] with 4 P for P_1 + P_2, as
    /// the two terms are equal.
    #[must_use]
    pub fn square(&self, level: usize, a: &Noise<R::Values>) -> Noise<R::Values> {
        self.product(level, a, a, 1.0)
    }

    /// The sum of both factors' powers counts 2^`excess` times.
    fn product(
        &self,
        level: usize,
        a: &Noise<R::Values>,
        b: &Noise<R::Values>,
        excess: f64,
    ) -> Noise<R::Values> {
        let level = self.clamp(level);
        let (p, q, rounding, second) = (&a.powers, &b.powers, self.relative[level], self.second[level]);
        let excess = excess.exp2();
        let exponents = [
            p.exponent,
            q.exponent,
            second.exponent,
            p.exponent + q.exponent,
            rounding.exponent,
        ];
        let [ps, qs, growths, of_two, of_three] = [
            &p.mantissas,
            &q.mantissas,
            &self.growth,
            &self.rounding,
            &self.product_rounding,
        ]
        .map(Values::numbers);
        let powers = Powers::sum(&self.secrets, exponents, |place| {
            let (p, q, growth) = (ps[place], qs[place], excess * growths[place]);
            [
                growth * p,
                growth * q,
                // Products of this with p and q are far below the excess.
                growth * second.mantissa * of_two[place],
                p * q,
                rounding.mantissa * of_three[place],
            ]
        });
        Noise { powers }
    }

    /// A product of two ciphertexts that may depend on each other in any way, of three parts: [`NoiseModel::multiply`]
    /// with amplitudes added, 2 (P_1 + P_2) for P_1 + P_2. Covers squares too.
    #[must_use]
    pub fn multiply_related(
        &self,
        level: usize,
        a: &Noise<R::Values>,
        b: &Noise<R::Values>,
    ) -> Noise<R::Values> {
        self.product(level, a, b, 1.0)
    }

    /// A product of two different ciphertexts in the BGV form, of three parts:
    /// [`crate::Context::multiply_bgv`].
    ///
    /// Exactly v'' = q v v', so q^2 P_1 P_2, and 2^0.2 for some dependence between v and v'.
    #[must_use]
    pub fn multiply_bgv(&self, level: usize, a: &Noise<R::Values>, b: &Noise<R::Values>) -> Noise<R::Values> {
        self.low(level, a, b, CORRELATION)
    }

    /// The square of a ciphertext in the BGV form: 2 q^2 P^2, because E |v|^4 = 2 (E |v|^2)^2 for a complex
    /// Gaussian v.
    #[must_use]
    pub fn square_bgv(&self, level: usize, a: &Noise<R::Values>) -> Noise<R::Values> {
        self.low(level, a, a, 1.0)
    }

    fn low(&self, level: usize, a: &Noise<R::Values>, b: &Noise<R::Values>, excess: f64) -> Noise<R::Values> {
        let factor = Power::from_log2(2.0 * self.log2_q[self.clamp(level)] + excess);
        let (p, q) = (&a.powers, &b.powers);
        let exponents = [p.exponent + q.exponent + factor.exponent];
        let [ps, qs] = [p, q].map(|powers| powers.mantissas.numbers());
        let powers = Powers::sum(&self.secrets, exponents, |place| {
            [factor.mantissa * ps[place] * qs[place]]
        });
        Noise { powers }
    }

    /// A key switch, so also a relinearization, to the same level: [`NoiseModel::key_switch_extended`], and for
    /// hybrid key switching the rounding of both parts by the division by P, (t/q)^2 n (1 + S_b)/12.
    #[must_use]
    pub fn key_switch(&self, level: usize, a: &Noise<R::Values>) -> Noise<R::Values> {
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
    pub fn key_switch_extended(&self, level: usize, a: &Noise<R::Values>) -> Noise<R::Values> {
        self.plus(a, self.switched[self.clamp(level)], |_| 1.0)
    }

    /// A product relinearized: [`NoiseModel::multiply`], then [`NoiseModel::key_switch`].
    #[must_use]
    pub fn multiply_relinearize(
        &self,
        level: usize,
        a: &Noise<R::Values>,
        b: &Noise<R::Values>,
    ) -> Noise<R::Values> {
        self.key_switch(level, &self.multiply(level, a, b))
    }

    /// A ciphertext of two parts, perhaps extended, switched to a level.
    ///
    /// (q'/q) c is rounded: v remains, and (t/q')^2 n (1 + S_b)/12 comes to it.
    #[must_use]
    pub fn switch_modulus(&self, to_level: usize, a: &Noise<R::Values>) -> Noise<R::Values> {
        let rounding = self.rounding.numbers();
        self.plus(a, self.relative[self.clamp(to_level)], |place| rounding[place])
    }

    /// A plaintext added or subtracted: the rounding of q m/t, n/4.
    #[must_use]
    pub fn add_plain(&self, level: usize, a: &Noise<R::Values>) -> Noise<R::Values> {
        self.plus(a, self.relative[self.clamp(level)], |_| self.n / 4.0)
    }

    /// Any plaintext at all added or subtracted: the rounding of q m/t is at most 1/2 in each coefficient, so at most n/2
    /// at a root.
    #[must_use]
    pub fn add_any_plain(&self, level: usize, a: &Noise<R::Values>) -> Noise<R::Values> {
        let largest = self.n * self.n / 4.0;
        self.plus(a, self.relative[self.clamp(level)], |_| largest)
    }

    /// log2 of the number of coefficients of some ciphertexts.
    pub(super) fn log2_coefficients(&self, ciphertexts: usize) -> f64 {
        (self.n * ciphertexts.max(1) as f64).log2()
    }

    /// The noise whose log2 power is this function of S_b.
    fn noise(&self, power: impl Fn(f64) -> f64) -> Noise<R::Values> {
        Noise {
            powers: Powers::from_log2(&self.secrets, |place| power(self.secrets.numbers()[place])),
        }
    }

    /// Noise with independent noise added: in each class a factor of `unit`.
    fn plus(&self, a: &Noise<R::Values>, unit: Power, factor: impl Fn(usize) -> f64) -> Noise<R::Values> {
        let (exponents, old) = ([a.powers.exponent, unit.exponent], a.powers.mantissas.numbers());
        let powers = Powers::sum(&self.secrets, exponents, |place| {
            [old[place], unit.mantissa * factor(place)]
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

pub(super) fn largest_plain_power(n: f64, t: f64) -> f64 {
    LARGE_PLAINTEXT * n * (t * t - 1.0) / 12.0
}
