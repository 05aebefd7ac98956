use ringmill_device::{Device, SecretPoly};
use ringmill_rlwe::Plaintext;
use ringmill_rlwe::{largest_log2, tail};

use super::{Ciphertext, Context, NoiseModel, Yashe};
use crate::ntru::{Noise, NtruError, SecretKey, T};

/// |x|^2 of the randomness of one element (g of the public key, s of an encryption) at the few roots that
/// matter, against its mean.
const LARGE_RANDOMNESS: f64 = 4.0;

/// |p|^2 of a plaintext at the root where it is largest, against its mean: about ln(n/2).
const LARGE_PLAINTEXT: f64 = 10.0;

/// log2 of what the correlation of two operands with some ancestors in common may add to the power.
const CORRELATION: f64 = 0.2;

/// Bits of margin for the tails of products of products, which are heavier than a Gaussian's: what the deviation of 44
/// simulated levels gives, were it that of a log-normal. By moments, as FV's are (`NoiseModel::reserve_bits` of
/// `ringmill_fv`), it would be 18 for failures below 2^-64.
const RESERVE_BITS: f64 = 9.2;

/// The invariant noise v, by its power at the roots. F is the secret f's power in a bin, E an error's, G that of g
/// and s, q the modulus of a level; t = 2.
impl NoiseModel {
    /// A fresh encryption: (t/q) (f e + 2 g s + f r), |r| <= 1/2 the rounding of q m/t:
    /// (t/q)^2 (F (E + n/4) + t^2 G^2 A), A = 4.
    ///
    /// # Errors
    /// [`NtruError::BadLevel`]; so everywhere below.
    pub fn fresh(&self, level: usize) -> Result<Noise, NtruError> {
        let relative = self.relative(level)?;
        Ok(Noise::new(self.bins(), |x| {
            let own = self.secret_power(x) * (self.error_power() + self.n() / 4.0);
            relative + (own + self.masked()).log2()
        }))
    }

    /// A product, relinearized at its level.
    ///
    /// With u_i = (t/q) f c_i = m_i + v_i + t K_i it is v = v_1 u_2 + v_2 u_1 - v_1 v_2 + (t/q) f^2 r, r being what
    /// rounding left, and key switching adds (t/q) sum_i d_i (f e_i + 2 g s_i). c_i is uniform modulo q, so that
    /// u_i has the power t^2 F n/12; r has n/12; digit i, of D_i values, n D_i^2/12:
    ///
    /// 2^0.2 t^2 F n/12 (P_1 + P_2) + P_1 P_2 + (t/q)^2 (F^2 n/12 + (F E + t^2 G^2 A) sum_i n D_i^2/12).
    ///
    /// # Errors
    /// [`NtruError::BadLevel`].
    pub fn multiply(&self, level: usize, a: &Noise, b: &Noise) -> Result<Noise, NtruError> {
        let mut pairs = a.log2_powers().iter().zip(b.log2_powers());
        let (digits, relative) = (self.digits(level)?, self.relative(level)?);
        Ok(Noise::new(self.bins(), |x| {
            let (p, q) = pairs.next().map_or((0.0, 0.0), |(p, q)| (*p, *q));
            let f = self.secret_power(x);
            let factor = 2.0 * (T as f64).log2() + (f * self.n() / 12.0).log2() + CORRELATION;
            let rounding = (f * f * self.n() / 12.0).log2();
            let switching = digits + (f * self.error_power() + self.masked()).log2();
            let new = relative + tail::log2_add(rounding, switching);
            tail::log2_sum([factor + tail::log2_add(p, q), p + q, new].into_iter())
        }))
    }

    /// A switch to a level: (t/q')^2 F n/12 comes to it.
    ///
    /// # Errors
    /// [`NtruError::BadLevel`].
    pub fn switch(&self, level: usize, a: &Noise) -> Result<Noise, NtruError> {
        let relative = self.relative(level)?;
        Ok(self.plus(a, |f| relative + (f * self.n() / 12.0).log2()))
    }

    /// A plaintext added: the rounding of q m/t, (t/q)^2 F n/4.
    ///
    /// # Errors
    /// [`NtruError::BadLevel`].
    pub fn add_plain(&self, level: usize, a: &Noise) -> Result<Noise, NtruError> {
        let relative = self.relative(level)?;
        Ok(self.plus(a, |f| relative + (f * self.n() / 4.0).log2()))
    }

    /// A product with a random plaintext of coefficients 0 and 1 or -1: its power, n/4 at an average root and ten
    /// times that where it is largest.
    #[must_use]
    pub fn multiply_plain(&self, a: &Noise) -> Noise {
        let mut old = a.log2_powers().iter();
        let factor = (LARGE_PLAINTEXT * self.n() / 4.0).log2();
        Noise::new(self.bins(), |_| old.next().copied().unwrap_or(0.0) + factor)
    }

    /// Whether a ciphertext of this noise can be trusted to decrypt: its bound and a reserve of 9.2 bits are
    /// below 1/2.
    #[must_use]
    pub fn is_safe(&self, a: &Noise) -> bool {
        self.bound_log2(a) + RESERVE_BITS < -1.0
    }

    /// The products one after the other that a fresh ciphertext of a level stands, where each factor is a sum of
    /// `terms` such products and each product is switched a level down: at most one less than the level.
    ///
    /// # Errors
    /// [`NtruError::BadLevel`].
    pub fn depth(&self, level: usize, terms: usize) -> Result<usize, NtruError> {
        let mut noise = self.fresh(level)?;
        for at in (2..=level).rev() {
            let factor = self.sum(&vec![&noise; terms.max(1)]);
            noise = self.switch(at - 1, &self.multiply(at, &factor, &factor)?)?;
            if !self.is_safe(&noise) {
                return Ok(level - at);
            }
        }
        Ok(level - 1)
    }

    /// t^2 G^2 A: the power of 2 g s.
    fn masked(&self) -> f64 {
        (T * T) as f64 * self.ternary_power() * self.ternary_power() * LARGE_RANDOMNESS
    }

    /// log2 of the power sum_i n D_i^2/12 of the digits of an element of a level.
    fn digits(&self, level: usize) -> Result<f64, NtruError> {
        let log2_q = self.parameters().log2_q(level)?;
        let bits = f64::from(self.parameters().digit_bits());
        // The last digit has what is left.
        let whole = ((log2_q + 1.0) / bits).ceil() - 1.0;
        let last = 2.0 * (log2_q - bits * whole).max(1.0);
        Ok(tail::log2_add(2.0 * bits + whole.max(1e-9).log2(), last) + (self.n() / 12.0).log2())
    }

    /// Noise with independent noise added, its log2 power a function of F.
    fn plus(&self, a: &Noise, power: impl Fn(f64) -> f64) -> Noise {
        let mut old = a.log2_powers().iter();
        Noise::new(self.bins(), |x| {
            let old = old.next().copied().unwrap_or(0.0);
            tail::log2_add(old, power(self.secret_power(x)))
        })
    }

    /// log2 of (t/q)^2.
    fn relative(&self, level: usize) -> Result<f64, NtruError> {
        Ok(2.0 * ((T as f64).log2() - self.parameters().log2_q(level)?))
    }
}

impl<D: Device> Context<D> {
    /// log2 of the largest coefficient of the invariant noise v, given what the ciphertext should hold. A value
    /// of -1 or above means that it decrypts to something else.
    ///
    /// # Errors
    /// If the plaintext is of another ring.
    pub fn measure_noise(
        &self,
        key: &SecretKey<Yashe, D>,
        ciphertext: &Ciphertext<D>,
        expected: &Plaintext,
    ) -> Result<f64, NtruError> {
        let (device, level) = (self.device(), ciphertext.level());
        let value = self.value(key, ciphertext)?;
        let noise = device.sub(&value, &*self.message(level, expected)?)?;
        let words = SecretPoly::new(device, noise).download()?;
        let basis = self.parameters().q_at(level)?;
        Ok(largest_log2(basis, &words, self.parameters().n()) + 1.0 - basis.log2())
    }
}
