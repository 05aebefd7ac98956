use ringmill_device::Device;
use ringmill_fv::noise::{Bins, tail};

use crate::ntru::{Base, Noise, NtruError, T};

/// |x|^2 of the randomness of one element (g of the public key, s of an encryption) at the few roots that
/// matter, against its mean.
const LARGE_RANDOMNESS: f64 = 4.0;

/// |p|^2 of a plaintext at the root where it is largest, against its mean: about ln(n/2).
const LARGE_PLAINTEXT: f64 = 10.0;

/// log2 of what the correlation of two operands with some ancestors in common may add to the power.
const CORRELATION: f64 = 0.2;

/// log2 of the probability that a ciphertext decrypts wrongly which is still allowed.
const FAILURE_LOG2: f64 = -64.0;

/// Bits of margin for the tails of products of products, which are heavier than a Gaussian's: as FV's
/// ([`ringmill_fv::NoiseModel::reserve_bits`]) after 44 levels.
const RESERVE_BITS: f64 = 9.2;

/// Predicts the invariant noise of YASHE ciphertexts, as [`ringmill_fv::noise`] does that of FV's: by its power
/// at the complex roots. F_b = (8 n/3 + 1) x_b is the secret f's power in bin b, E = d sigma^2 an error's,
/// G = 2 n/3 that of g and s, q the modulus of a level; t = 2.
#[derive(Debug, Clone)]
pub struct NoiseModel {
    n: f64,
    error: f64,
    secret: f64,
    /// From level 1 on.
    log2_q: Vec<f64>,
    /// log2 of the power sum_i n D_i^2/12 of the digits of an element of each level.
    digits: Vec<f64>,
    bins: Bins,
    name: String,
}

impl NoiseModel {
    /// The model of a set.
    #[must_use]
    pub fn new<D: Device>(base: &Base<D>) -> Self {
        let parameters = base.parameters();
        let n = parameters.n() as f64;
        let levels = 1..=parameters.levels();
        let log2_q: Vec<f64> = levels.filter_map(|level| parameters.log2_q(level).ok()).collect();
        let bits = f64::from(parameters.digit_bits());
        let digits = log2_q.iter().map(|&log2_q| {
            // The last digit has what is left.
            let whole = ((log2_q + 1.0) / bits).ceil() - 1.0;
            let last = 2.0 * (log2_q - bits * whole).max(1.0);
            tail::log2_add(2.0 * bits + whole.max(1e-9).log2(), last) + (n / 12.0).log2()
        });
        Self {
            error: parameters.ring().unfolded_len() as f64 * parameters.sigma().powi(2),
            secret: base.secret_power(),
            digits: digits.collect(),
            bins: base.bins().clone(),
            name: parameters.name().to_owned(),
            n,
            log2_q,
        }
    }

    /// The bins by which powers are kept.
    #[must_use]
    pub fn bins(&self) -> &Bins {
        &self.bins
    }

    /// A fresh encryption: (t/q) (f e + 2 g s + f r), |r| <= 1/2 the rounding of q m/t:
    /// (t/q)^2 (F (E + n/4) + t^2 G^2 A), A = 4.
    #[must_use]
    pub fn fresh(&self, level: usize) -> Noise {
        Noise::new(&self.bins, |x| {
            let own = self.secret * x * (self.error + self.n / 4.0);
            self.relative(level) + (own + self.masked()).log2()
        })
    }

    /// A sum: amplitudes are added, which is right even for equal noises.
    #[must_use]
    pub fn sum(&self, terms: &[&Noise]) -> Noise {
        let mut bin = 0..;
        Noise::new(&self.bins, |_| {
            let bin = bin.next().unwrap_or(0);
            2.0 * tail::log2_sum(terms.iter().map(|term| term.log2_powers()[bin] / 2.0))
        })
    }

    /// A product, relinearized at its level.
    ///
    /// With u_i = (t/q) f c_i = m_i + v_i + t K_i it is v = v_1 u_2 + v_2 u_1 - v_1 v_2 + (t/q) f^2 r, r being what
    /// rounding left, and key switching adds (t/q) sum_i d_i (f e_i + 2 g s_i). c_i is uniform modulo q, so that
    /// u_i has the power t^2 F n/12; r has n/12; digit i, of D_i values, n D_i^2/12:
    ///
    /// 2^0.2 t^2 F n/12 (P_1 + P_2) + P_1 P_2 + (t/q)^2 (F^2 n/12 + (F E + t^2 G^2 A) sum_i n D_i^2/12).
    #[must_use]
    pub fn multiply(&self, level: usize, a: &Noise, b: &Noise) -> Noise {
        let mut pairs = a.log2_powers().iter().zip(b.log2_powers());
        let digits = self.digits[self.index(level)];
        Noise::new(&self.bins, |x| {
            let (p, q) = pairs.next().map_or((0.0, 0.0), |(p, q)| (*p, *q));
            let f = self.secret * x;
            let factor = 2.0 * (T as f64).log2() + (f * self.n / 12.0).log2() + CORRELATION;
            let rounding = (f * f * self.n / 12.0).log2();
            let switching = digits + (f * self.error + self.masked()).log2();
            let new = self.relative(level) + tail::log2_add(rounding, switching);
            tail::log2_sum([factor + tail::log2_add(p, q), p + q, new].into_iter())
        })
    }

    /// A switch to a level: (t/q')^2 F n/12 comes to it.
    #[must_use]
    pub fn switch(&self, level: usize, a: &Noise) -> Noise {
        self.plus(a, |f| self.relative(level) + (f * self.n / 12.0).log2())
    }

    /// A plaintext added: the rounding of q m/t, (t/q)^2 F n/4.
    #[must_use]
    pub fn add_plain(&self, level: usize, a: &Noise) -> Noise {
        self.plus(a, |f| self.relative(level) + (f * self.n / 4.0).log2())
    }

    /// A product with a random plaintext of coefficients 0 and 1 or -1: its power, n/4 at an average root and ten
    /// times that where it is largest.
    #[must_use]
    pub fn multiply_plain(&self, a: &Noise) -> Noise {
        let mut old = a.log2_powers().iter();
        let factor = (LARGE_PLAINTEXT * self.n / 4.0).log2();
        Noise::new(&self.bins, |_| old.next().copied().unwrap_or(0.0) + factor)
    }

    /// log2 of a magnitude that all coefficients of a ciphertext keep below but for a probability of 2^-64, with
    /// coefficients taken as Gaussian.
    #[must_use]
    pub fn bound_log2(&self, a: &Noise) -> f64 {
        a.bound_log2(&self.bins, FAILURE_LOG2, self.n as usize)
    }

    /// Whether a ciphertext of this noise can be trusted to decrypt: its bound and a reserve of 9.2 bits are
    /// below 1/2.
    #[must_use]
    pub fn is_safe(&self, a: &Noise) -> bool {
        self.bound_log2(a) + RESERVE_BITS < -1.0
    }

    /// The products one after the other that a fresh ciphertext of a level stands, where each factor is a sum of
    /// `terms` such products and each product is switched a level down: at most one less than the level.
    #[must_use]
    pub fn depth(&self, level: usize, terms: usize) -> usize {
        let mut noise = self.fresh(level);
        for depth in 1..level {
            let factor = self.sum(&vec![&noise; terms.max(1)]);
            let at = level + 1 - depth;
            noise = self.switch(at - 1, &self.multiply(at, &factor, &factor));
            if !self.is_safe(&noise) {
                return depth - 1;
            }
        }
        level.saturating_sub(1)
    }

    /// Sees that a circuit of this depth can be evaluated: that a level for it exists.
    ///
    /// # Errors
    /// [`NtruError::TooDeep`].
    pub fn check_depth(&self, depth: usize) -> Result<(), NtruError> {
        let most = self.depth(self.log2_q.len(), 1);
        if depth <= most {
            return Ok(());
        }
        Err(NtruError::TooDeep {
            name: self.name.clone(),
            depth,
            most,
        })
    }

    /// t^2 G^2 A: the power of 2 g s.
    fn masked(&self) -> f64 {
        let ternary = self.n * 2.0 / 3.0;
        (T * T) as f64 * ternary * ternary * LARGE_RANDOMNESS
    }

    /// Noise with independent noise added, its log2 power a function of F_b.
    fn plus(&self, a: &Noise, power: impl Fn(f64) -> f64) -> Noise {
        let mut old = a.log2_powers().iter();
        Noise::new(&self.bins, |x| {
            let old = old.next().copied().unwrap_or(0.0);
            tail::log2_add(old, power(self.secret * x))
        })
    }

    /// log2 of (t/q)^2.
    fn relative(&self, level: usize) -> f64 {
        2.0 * ((T as f64).log2() - self.log2_q[self.index(level)])
    }

    fn index(&self, level: usize) -> usize {
        level.clamp(1, self.log2_q.len()) - 1
    }
}
