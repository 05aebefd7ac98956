//! Margins for noise that spreads more than a Gaussian, in the BFV form.

use super::{Noise, NoiseModel, Roots};

/// The bits by which the power of Gaussian noise at one root exceeds its mean with a probability below 2^-64.
pub(super) const GAUSSIAN_TAIL: f64 = 5.6;

/// Numbers of levels of products in the BFV form, and the bits by which the power of noise at one root exceeds its mean
/// with a probability below 2^-64, where nothing but products adds to it. The first is that of a Gaussian.
///
/// Computed by `examples/noise_tails.rs`: bounds by moments, which are exact for up to three levels, whatever the
/// operands are, and simulated for products of neighbours in a ring of four values beyond.
const TAILS: [(f64, f64); 15] = [
    (0.0, GAUSSIAN_TAIL),
    (1.0, 9.3),
    (2.0, 12.3),
    (3.0, 14.9),
    (4.0, 16.4),
    (6.0, 18.4),
    (8.0, 20.2),
    (12.0, 24.1),
    (16.0, 27.5),
    (24.0, 32.8),
    (32.0, 37.0),
    (44.0, 42.0),
    (64.0, 48.3),
    (96.0, 55.3),
    (128.0, 59.4),
];

/// Bits of the probability that tails are bounded for.
const TAIL_BITS: f64 = 64.0;

/// Moments that a bound looks at: the best is near 45 for a Gaussian, and less after products.
const MOST_MOMENTS: u32 = 100;

/// What no power exceeds with that probability, by Markov's inequality.
const LARGEST_TAIL: f64 = 64.0;

impl<R: Roots> NoiseModel<R> {
    /// Bits of margin to keep, beside what [`Noise::margin_bits`] counts, for the heavy tails of a noise after `depth` levels
    /// of products one upon the other: those of [`NoiseModel::multiply`].
    ///
    /// The noise at a root is a product of as many nearly Gaussian factors as there are levels, so that its power may be far
    /// above the mean that the model follows. For a coefficient to be as much larger, the power at one root has to exceed the
    /// power of all of them, of which it has a share: the heaviest root's is counted, by which the noise of few levels, or
    /// after linear maps, which spread it, needs much less in reserve than that after many. What a Gaussian coefficient has
    /// anyway is not counted twice.
    ///
    /// 16 bits after SIMON's 43 levels; none up to some levels.
    #[must_use]
    pub fn reserve_bits(&self, depth: usize, noise: &Noise<R::Values>) -> f64 {
        let tail = interpolate(&TAILS, depth as f64).unwrap_or(LARGEST_TAIL);
        let power = tail + self.heaviest_share_log2(noise) - GAUSSIAN_TAIL;
        (power / 2.0).max(0.0)
    }

    /// As [`NoiseModel::reserve_bits`], for operands that may depend on each other in any way: the power at a root exceeds y
    /// times its mean with a probability of at most (theta!)^(depth + 1) / y^theta for each whole theta, because given what
    /// was before the noise of a product is Gaussian. That is 2^-64 for the y that is taken, with the theta for which it is
    /// least.
    #[must_use]
    pub fn reserve_bits_any(&self, depth: usize, noise: &Noise<R::Values>) -> f64 {
        let power = any_tail(depth) + self.heaviest_share_log2(noise) - GAUSSIAN_TAIL;
        (power / 2.0).max(0.0)
    }

    /// log2 of the largest share that one pair of conjugate roots has in the power of the largest coefficients.
    pub(super) fn heaviest_share_log2(&self, noise: &Noise<R::Values>) -> f64 {
        let share = self.roots.heaviest_share(&self.weights, &noise.powers.mantissas);
        share.min(1.0).log2()
    }
}

/// The bits by which the power at one root exceeds its mean with a probability below 2^-64, after so many levels of products
/// of any operands.
fn any_tail(depth: usize) -> f64 {
    let mut factorial = 0.0;
    let moments = (1..=MOST_MOMENTS).map(|theta| {
        let theta = f64::from(theta);
        factorial += theta.log2();
        (TAIL_BITS + (depth as f64 + 1.0) * factorial) / theta
    });
    moments.fold(f64::INFINITY, f64::min)
}

/// What a table has for x, between its lines too, and before the first as there; `None` beyond the last.
fn interpolate(table: &[(f64, f64)], x: f64) -> Option<f64> {
    let pair = table.windows(2).find(|pair| x <= pair[1].0);
    let Some(&[(x0, y0), (x1, y1)]) = pair else {
        return None;
    };
    Some(y0 + (x - x0) * (y1 - y0) / (x1 - x0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the module and `examples/noise_tails.rs` say of any operands.
    #[test]
    fn tails_of_any_operands_are_as_documented() {
        for (depth, bits) in [(0, 5.6), (3, 14.9), (12, 31.0), (44, 54.0)] {
            let found = any_tail(depth);
            assert!((found - bits).abs() < 0.6, "{depth}: {found:.2}, not {bits}");
        }
        assert!((1..60).all(|depth| any_tail(depth) > any_tail(depth - 1)));
    }
}
