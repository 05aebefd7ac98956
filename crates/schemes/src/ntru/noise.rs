use ringmill_rlwe::{Bins, tail};

/// The power of a ciphertext's noise in each bin of roots ([`Bins`]): the mean of its |v(zeta)|^2 there over all
/// randomness but the secret's. See `ringmill_fv::noise`, which explains why not one number.
#[derive(Debug, Clone, PartialEq)]
pub struct Noise {
    log2_powers: Vec<f64>,
}

impl Noise {
    /// The noise with this log2 power in each bin, given its x = |f|^2 against the mean.
    #[must_use]
    pub fn new(bins: &Bins, power: impl FnMut(f64) -> f64) -> Self {
        let log2_powers = bins.x().iter().copied().map(power).collect();
        Self { log2_powers }
    }

    /// log2 of the power in each bin.
    #[must_use]
    pub fn log2_powers(&self) -> &[f64] {
        &self.log2_powers
    }

    /// log2 of the standard deviation of the largest coefficients.
    #[must_use]
    pub fn deviation_log2(&self, bins: &Bins) -> f64 {
        let terms = self.log2_powers.iter().zip(bins.log2_shares());
        tail::log2_sum(terms.map(|(power, share)| power + share)) / 2.0
    }

    /// log2 of a magnitude that all of so many coefficients keep below, but for a probability of
    /// 2^`log2_failure`: each is taken as Gaussian, the events added up.
    #[must_use]
    pub fn bound_log2(&self, bins: &Bins, log2_failure: f64, coefficients: usize) -> f64 {
        let each = log2_failure - (coefficients.max(1) as f64).log2();
        // |X| > x sqrt(2) sigma with probability erfc(x)
        self.deviation_log2(bins) + 0.5 + tail::inverse_log2_erfc(each).log2()
    }
}
