use ringmill_arith::secret::Secret;
use ringmill_ring::{Ring, embedding};

use crate::RlweError;

/// An element of R/t: n coefficients in [0, t), in the order of the ring.
///
/// It is overwritten when dropped, `Debug` shows nothing of it, and it cannot be cloned: what is in it may be a secret.
/// Comparisons do not take constant time.
#[derive(Debug, PartialEq, Eq)]
pub struct Plaintext(Secret<Vec<u64>>);

impl Plaintext {
    /// A plaintext of these coefficients.
    ///
    /// # Errors
    /// [`RlweError::PlaintextOutOfRange`] if one is not below `t`.
    pub fn new(coefficients: Vec<u64>, t: u64) -> Result<Self, RlweError> {
        let coefficients = Secret::new(coefficients);
        match coefficients.iter().position(|&c| c >= t) {
            Some(index) => Err(RlweError::PlaintextOutOfRange {
                index,
                value: coefficients[index],
                t,
            }),
            None => Ok(Self(coefficients)),
        }
    }

    /// The plaintext of what [`Scaling::round`](crate::Scaling::round) found, all below t.
    pub(crate) const fn of_rounded(coefficients: Secret<Vec<u64>>) -> Self {
        Self(coefficients)
    }

    /// The coefficients.
    #[must_use]
    pub fn coefficients(&self) -> &[u64] {
        &self.0
    }

    /// The coefficients as a factor takes them: in (-t/2, t/2]. For t = 2 these are 0 and 1 or -1 by the
    /// parity of their place, so that they have no mean to add up.
    #[must_use]
    pub fn centred(&self, t: u64) -> Secret<Vec<i64>> {
        let centred = |(i, &m): (usize, &u64)| match t {
            2 if i % 2 == 1 => -(m as i64),
            _ if m > t / 2 => m as i64 - t as i64,
            _ => m as i64,
        };
        Secret::collect(self.0.iter().enumerate().map(centred))
    }

    /// The largest |p(zeta)|^2 over the complex roots zeta of it as a factor p: what multiplies the power of noise.
    ///
    /// # Errors
    /// [`RlweError::Ring`] if it is of another ring.
    pub fn power(&self, ring: &Ring, t: u64) -> Result<f64, RlweError> {
        let centred = self.centred(t);
        let centred = Secret::collect(centred.iter().map(|&x| x as f64));
        let powers = embedding::powers(ring, &centred)?;
        Ok(powers.iter().copied().fold(0.0, f64::max))
    }
}
