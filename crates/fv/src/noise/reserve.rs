//! Margins for noise that spreads more than a Gaussian.

use super::powers::power_of_two;
use super::{Noise, NoiseModel};

/// Numbers of levels of products in the BFV form, and the bits by which the power of noise at one root exceeds its mean
/// with a probability below 2^-64, where nothing but products adds to it. The first is that of a Gaussian.
///
/// Computed by `examples/noise_tails.rs`: bounds by moments, which are exact for up to three levels, whatever the
/// operands are, and simulated for products of neighbours in a ring of four values beyond.
const TAILS: [(f64, f64); 15] = [
    (0.0, 5.6),
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

/// Shares of inherited noise at the worst root, and the bits of reserve for a long chain of products by the
/// low bits at n = 32768 and a secret bound of 9.
///
/// Computed on a grid of log |w|: twenty times the distribution of sqrt(f) w w' + sqrt(1 - f) g, then that
/// of the last product w w', at roots of all powers of the secret.
const LOW_RESERVES: [(f64, f64); 7] = [
    (0.1, -0.5),
    (0.2, 1.3),
    (0.25, 2.7),
    (0.3, 4.6),
    (0.35, 7.0),
    (0.4, 10.2),
    (0.5, 16.0),
];

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
        let power = tail + self.heaviest_share_log2(noise) - TAILS[0].1;
        (power / 2.0).max(0.0)
    }

    /// log2 of the largest share that one pair of conjugate roots has in the power of the largest coefficients.
    fn heaviest_share_log2(&self, noise: &Noise) -> f64 {
        let first = self.bins().first_ranks();
        let all = (self.n / 2.0) as usize;
        let pairs = |bin: usize| {
            let end = if bin == 0 { all } else { first[bin - 1] };
            end.saturating_sub(first[bin]).max(1) as f64
        };
        let share = self.plain_emphasis().largest_share(&noise.powers, pairs);
        share.min(1.0).log2()
    }

    /// The share of a factor's noise that was inherited from earlier products, at the root where that is
    /// worst: of `all` its noise at `level`, `old` is what products left. The rest is Gaussian: rounding of
    /// switches, encryption.
    ///
    /// Where the secret is small there is little rounding, but also far to go before products make noise
    /// grow: there the rounding at a root of mean power counts.
    #[must_use]
    pub fn inherited_share(&self, level: usize, old: &Noise, all: &Noise) -> f64 {
        let (mean, old, all) = (self.mean_rounding(level), &old.powers, &all.powers);
        if old.is_none() {
            return 0.0;
        }
        let scale = |exponent: i32| power_of_two((exponent - all.exponent).min(1000));
        let (old_scale, mean) = (scale(old.exponent), mean.mantissa * scale(mean.exponent));
        let share = |(old, all): (&f64, &f64)| {
            let (old, mean) = ((old_scale * old / all).min(f64::MAX.sqrt()), mean / all);
            old / (old + mean.max(1.0 - old))
        };
        let powers = old.mantissas.iter().zip(&all.mantissas);
        powers.map(share).fold(0.0, f64::max)
    }

    /// Bits of margin to keep, beside what [`Noise::margin_bits`] counts, at the last of a long chain of
    /// products in the BGV form, each followed by a modulus switch after which no more than `share` of the
    /// power is inherited ([`NoiseModel::inherited_share`]): once for the chain, not for each level.
    ///
    /// 1.3 bits for a share of 0.2, 4.6 for 0.3, 16 for a half; infinite above. See the module.
    #[must_use]
    pub fn reserve_bgv(&self, share: f64) -> f64 {
        let Some(at_full) = interpolate(&LOW_RESERVES, share) else {
            return f64::INFINITY;
        };
        // In smaller rings fewer roots share a coefficient; the root's power grows as the bound squared.
        let bound = self.bins().x().last().copied().unwrap_or(0.0);
        (at_full + 0.5 * (32768.0 / self.n).log2() + (bound / 9.0).log2()).max(0.0)
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
