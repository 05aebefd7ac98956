//! Margins for noise that spreads more than a Gaussian, in the BFV form.

use super::{Noise, NoiseModel};

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

/// What no power exceeds with that probability, by Markov's inequality.
const LARGEST_TAIL: f64 = 64.0;

impl NoiseModel {
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
    pub fn reserve_bits(&self, depth: usize, noise: &Noise) -> f64 {
        let tail = interpolate(&TAILS, depth as f64).unwrap_or(LARGEST_TAIL);
        let power = tail + self.heaviest_share_log2(noise) - GAUSSIAN_TAIL;
        (power / 2.0).max(0.0)
    }

    /// log2 of the largest share that one pair of conjugate roots has in the power of the largest coefficients.
    pub(super) fn heaviest_share_log2(&self, noise: &Noise) -> f64 {
        let first = self.bins().first_ranks();
        let all = (self.n / 2.0) as usize;
        let pairs = |bin: usize| {
            let end = if bin == 0 { all } else { first[bin - 1] };
            end.saturating_sub(first[bin]).max(1) as f64
        };
        let share = self.plain_emphasis().largest_share(&noise.powers, pairs);
        share.min(1.0).log2()
    }
}

/// What a table has for x, between its lines too, and before the first as there; `None` beyond the last.
fn interpolate(table: &[(f64, f64)], x: f64) -> Option<f64> {
    let pair = table.windows(2).find(|pair| x <= pair[1].0);
    let Some(&[(x0, y0), (x1, y1)]) = pair else {
        return None;
    };
    Some(y0 + (x - x0) * (y1 - y0) / (x1 - x0))
}
