use ringmill_ring::embedding;

use crate::{FvError, Parameters};

/// An element of R/t: n coefficients in [0, t), in the order of the ring.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plaintext(Vec<u64>);

impl Plaintext {
    /// A plaintext of these coefficients.
    ///
    /// # Errors
    /// [`FvError::PlaintextOutOfRange`] if one is not below `t`.
    pub fn new(coefficients: Vec<u64>, t: u64) -> Result<Self, FvError> {
        match coefficients.iter().position(|&c| c >= t) {
            Some(index) => Err(FvError::PlaintextOutOfRange {
                index,
                value: coefficients[index],
                t,
            }),
            None => Ok(Self(coefficients)),
        }
    }

    /// The coefficients.
    #[must_use]
    pub fn coefficients(&self) -> &[u64] {
        &self.0
    }

    /// The coefficients as a factor takes them: in (-t/2, t/2]. For t = 2 these are 0 and 1 or -1 by the
    /// parity of their place, so that they have no mean to add up.
    #[must_use]
    pub fn centred(&self, t: u64) -> Vec<i64> {
        let centred = |(i, &m): (usize, &u64)| match t {
            2 if i % 2 == 1 => -(m as i64),
            _ if m > t / 2 => m as i64 - t as i64,
            _ => m as i64,
        };
        self.0.iter().enumerate().map(centred).collect()
    }

    /// The largest |p(zeta)|^2 over the complex roots zeta of it as a factor p: what
    /// [`crate::NoiseModel::multiply_plain_power`] takes.
    ///
    /// # Errors
    /// [`FvError::Ring`] if it is of another ring.
    pub fn power(&self, parameters: &Parameters) -> Result<f64, FvError> {
        let centred = self.centred(parameters.t());
        let centred: Vec<f64> = centred.into_iter().map(|x| x as f64).collect();
        let powers = embedding::powers(parameters.ring(), &centred)?;
        Ok(powers.into_iter().fold(0.0, f64::max))
    }
}
