use super::tail::{log2_add, log2_sum};
use super::{Bins, Noise};
use crate::{KeySwitching, Parameters};

/// |u|^2 of a fresh encryption's randomness u at the few roots that matter, against its mean.
const LARGE_RANDOMNESS: f64 = 4.0;

/// |p|^2 of a plaintext at the root where it is largest, against its mean: of n/2 values nearly
/// exponentially distributed the largest is about ln(n/2), so 10 at n = 32768.
const LARGE_PLAINTEXT: f64 = 10.0;

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
    /// log2 of the power that a key switch adds before the division by P, by level.
    switched: Vec<f64>,
    log2_q: Vec<f64>,
    hybrid: bool,
    bins: Bins,
}

impl NoiseModel {
    /// The model of these parameters.
    #[must_use]
    pub fn new(parameters: &Parameters) -> Self {
        let n = parameters.n() as f64;
        let error = (parameters.ring().unfolded_len() as f64).log2() + 2.0 * parameters.sigma().log2();
        let switched = |level| {
            let digits = parameters.digits_log2(level);
            let squares = log2_sum(digits.into_iter().map(|digit| 2.0 * digit));
            squares + (n / 12.0).log2() + error - 2.0 * parameters.log2_p()
        };
        Self {
            n,
            t: (parameters.t() as f64).log2(),
            error,
            secret: n * parameters.secret().variance(),
            switched: (0..=parameters.levels()).map(switched).collect(),
            log2_q: (0..=parameters.levels())
                .map(|level| parameters.log2_q(level))
                .collect(),
            hybrid: matches!(parameters.key_switching(), KeySwitching::Hybrid { .. }),
            bins: Bins::new(parameters.ring(), parameters.secret_bound()),
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
            self.relative(level) + log2_add(errors, self.plain_rounding())
        })
    }

    /// A fresh encryption under the secret key: an error and the rounding of q m/t, d sigma^2 + n/4.
    #[must_use]
    pub fn fresh_secret(&self, level: usize) -> Noise {
        self.noise(|_| self.relative(level) + log2_add(self.error, self.plain_rounding()))
    }

    /// A plaintext taken as the ciphertext (round(q m/t), 0): the rounding only, n/4.
    #[must_use]
    pub fn trivial(&self, level: usize) -> Noise {
        self.noise(|_| self.relative(level) + self.plain_rounding())
    }

    /// A sum or difference. Amplitudes are added, which is right even for equal noises.
    ///
    /// The sum of none has no noise.
    #[must_use]
    pub fn sum(&self, terms: &[&Noise]) -> Noise {
        let bins = 0..self.bins.x().len();
        let power = |bin| 2.0 * log2_sum(terms.iter().map(|term| term.log2_powers[bin] / 2.0));
        Noise::new(bins.map(power))
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
        self.product(level, a, b, |p, q| log2_add(p, q) + CORRELATION)
    }

    /// The square of a ciphertext, of three parts: [`NoiseModel::multiply`] with 4 P for P_1 + P_2, as
    /// the two terms are equal.
    #[must_use]
    pub fn square(&self, level: usize, a: &Noise) -> Noise {
        self.product(level, a, a, |p, _| p + 2.0)
    }

    fn product(&self, level: usize, a: &Noise, b: &Noise, linear: impl Fn(f64, f64) -> f64) -> Noise {
        let mut pairs = a.log2_powers.iter().zip(&b.log2_powers);
        self.noise(|s| {
            let (p, q) = pairs.next().map_or((0.0, 0.0), |(p, q)| (*p, *q));
            let factor = 2.0 * self.t + (self.n * (1.0 + s) / 12.0 + self.n / 4.0).log2();
            let rounding = self.relative(level) + (self.n * (1.0 + s + s * s) / 12.0).log2();
            log2_sum([factor + linear(p, q), p + q, rounding].into_iter())
        })
    }

    /// A product of two different ciphertexts by their low bits, of three parts:
    /// [`crate::Context::multiply_low`].
    ///
    /// Exactly v'' = q v v', so q^2 P_1 P_2, and 2^0.2 for some dependence between v and v'.
    #[must_use]
    pub fn multiply_low(&self, level: usize, a: &Noise, b: &Noise) -> Noise {
        self.low(level, a, b, CORRELATION)
    }

    /// The square of a ciphertext by its low bits: 2 q^2 P^2, because E |v|^4 = 2 (E |v|^2)^2 for a complex
    /// Gaussian v.
    #[must_use]
    pub fn square_low(&self, level: usize, a: &Noise) -> Noise {
        self.low(level, a, a, 1.0)
    }

    fn low(&self, level: usize, a: &Noise, b: &Noise, excess: f64) -> Noise {
        let modulus = 2.0 * self.log2_q[self.clamp(level)];
        let pairs = a.log2_powers.iter().zip(&b.log2_powers);
        Noise::new(pairs.map(|(p, q)| modulus + p + q + excess))
    }

    /// A key switch, so also a relinearization, to the same level: [`NoiseModel::key_switch_raised`], and for
    /// hybrid key switching the rounding of both parts by the division by P, (t/q)^2 n (1 + S_b)/12.
    #[must_use]
    pub fn key_switch(&self, level: usize, a: &Noise) -> Noise {
        let raised = self.key_switch_raised(level, a);
        match self.hybrid {
            true => self.switch_modulus(level, &raised),
            false => raised,
        }
    }

    /// A key switch without the rounding by its division: what a raised ciphertext has, and what
    /// [`NoiseModel::switch_modulus`] to the level of the result makes that of a relinearization or a
    /// combination that ends there.
    ///
    /// Hybrid: digit i is uniform modulo D_i, of power n D_i^2/12, and multiplies an error of power
    /// d sigma^2: (t/q)^2 sum_i n D_i^2/12 d sigma^2 / P^2. By words with D_i = 2^bits and P = 1. P may be
    /// smaller than D_i; that only makes this the larger.
    #[must_use]
    pub fn key_switch_raised(&self, level: usize, a: &Noise) -> Noise {
        let switched = self.switched[self.clamp(level)];
        self.plus(a, |_| self.relative(level) + switched)
    }

    /// A product relinearized: [`NoiseModel::multiply`], then [`NoiseModel::key_switch`].
    #[must_use]
    pub fn multiply_relinearize(&self, level: usize, a: &Noise, b: &Noise) -> Noise {
        self.key_switch(level, &self.multiply(level, a, b))
    }

    /// A ciphertext of two parts, perhaps raised, switched to a level.
    ///
    /// (q'/q) c is rounded: v remains, and (t/q')^2 n (1 + S_b)/12 comes to it.
    #[must_use]
    pub fn switch_modulus(&self, to_level: usize, a: &Noise) -> Noise {
        self.plus(a, |s| self.relative(to_level) + self.rounding(s))
    }

    /// A plaintext added or subtracted: the rounding of q m/t, n/4.
    #[must_use]
    pub fn add_plain(&self, level: usize, a: &Noise) -> Noise {
        self.plus(a, |_| self.relative(level) + self.plain_rounding())
    }

    /// A product with a random plaintext of coefficients 0 to t - 1: v p, nothing else.
    ///
    /// The power of p is n (t^2 - 1)/12 at an average root and ten times that at its largest, which is
    /// taken. [`NoiseModel::multiply_plain_power`] is sharper for a plaintext that is known.
    #[must_use]
    pub fn multiply_plain(&self, a: &Noise) -> Noise {
        let t = self.t.exp2();
        self.multiply_plain_power(a, LARGE_PLAINTEXT * self.n * (t * t - 1.0) / 12.0)
    }

    /// A product with a plaintext whose largest |p(zeta^e)|^2 is `power`: see [`crate::Plaintext::power`].
    #[must_use]
    pub fn multiply_plain_power(&self, a: &Noise, power: f64) -> Noise {
        let factor = power.log2();
        Noise::new(a.log2_powers.iter().map(|p| p + factor))
    }

    /// An automorphism with its key switch, to the same level.
    #[must_use]
    pub fn automorphism(&self, level: usize, a: &Noise) -> Noise {
        self.key_switch(level, &self.moved(a))
    }

    /// An automorphism with its key switch, raised: without the rounding by the division.
    #[must_use]
    pub fn rotate(&self, level: usize, a: &Noise) -> Noise {
        self.key_switch_raised(level, &self.moved(a))
    }

    /// The noise of every root moved to another. Where the largest go is as good as random, so each bin gets
    /// the mean, weighted as it is for a coefficient's variance, which gives the few large ones more weight
    /// than their number does.
    #[must_use]
    pub fn moved(&self, a: &Noise) -> Noise {
        let shares = self.bins.log2_shares();
        let terms = a
            .log2_powers
            .iter()
            .zip(shares)
            .map(|(power, share)| power + share);
        let mean = log2_sum(terms) - log2_sum(shares.iter().copied());
        self.noise(|_| mean)
    }

    /// log2 of the coefficients of so many ciphertexts.
    pub(super) fn log2_coefficients(&self, ciphertexts: usize) -> f64 {
        (self.n * ciphertexts.max(1) as f64).log2()
    }

    /// The noise whose log2 power is this function of S_b, called from the first bin to the last.
    fn noise(&self, mut power: impl FnMut(f64) -> f64) -> Noise {
        Noise::new(self.bins.x().iter().map(|x| power(self.secret * x)))
    }

    /// Noise with independent noise added, its log2 power a function of S_b.
    fn plus(&self, a: &Noise, power: impl Fn(f64) -> f64) -> Noise {
        let mut old = a.log2_powers.iter();
        self.noise(|s| log2_add(old.next().copied().unwrap_or(0.0), power(s)))
    }

    fn clamp(&self, level: usize) -> usize {
        level.min(self.log2_q.len() - 1)
    }

    /// log2 of (t/q)^2.
    pub(super) fn relative(&self, level: usize) -> f64 {
        2.0 * (self.t - self.log2_q[self.clamp(level)])
    }

    /// log2 of the power n (1 + S_b)/12 of two parts rounded.
    pub(super) fn rounding(&self, s: f64) -> f64 {
        (self.n * (1.0 + s) / 12.0).log2()
    }

    /// log2 of the power n/4 of round(q m/t) - q m/t: coefficients of at most 1/2, for t = 2 just that.
    fn plain_rounding(&self) -> f64 {
        (self.n / 4.0).log2()
    }
}
