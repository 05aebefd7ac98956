//! Margins for noise that spreads more than a Gaussian.

use super::powers::power_of_two;
use super::{Noise, NoiseModel, tail};

/// Levels simulated for [`NoiseModel::reserve_bits`]; after them, bits of power that a dominating root is
/// below the model in the mean, and their deviation.
const SIMULATED_LEVELS: f64 = 44.0;
const SIMULATED_MEAN: f64 = 5.3;
const SIMULATED_DEVIATION: f64 = 3.3;

/// log2 of the probability over runs that the reserves are for.
const RUN_FAILURE_LOG2: f64 = -64.0;

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
    /// Bits of margin to keep, beside what [`Noise::margin_bits`] counts, for the heavy tails of the noise
    /// after `depth` levels of products one upon the other: those of [`NoiseModel::multiply`].
    ///
    /// As the module says: log2 of the power at a dominating root is 5.3 below the model's in the mean after
    /// 44 levels, with a deviation of 3.3; the mean and the square of the deviation grow with the levels.
    /// This is what the power, taken as log-normal, reaches with a probability of 2^-64, beyond what a
    /// Gaussian coefficient does: 9.2 bits after 44 levels, 3.4 after 10, none up to 2. By the same formula it would
    /// fall again after some hundreds of levels, because the mean falls faster than the deviation grows. That is
    /// far from what was simulated, so it stays at its largest.
    #[must_use]
    pub fn reserve_bits(&self, depth: usize) -> f64 {
        let deviations = tail::inverse_log2_erfc(RUN_FAILURE_LOG2) * std::f64::consts::SQRT_2;
        let largest = (SIMULATED_DEVIATION * deviations / (2.0 * SIMULATED_MEAN)).powi(2);
        let levels = (depth as f64 / SIMULATED_LEVELS).min(largest);
        let power = SIMULATED_DEVIATION * levels.sqrt() * deviations - SIMULATED_MEAN * levels;
        (power / 2.0 - deviations.log2()).max(0.0)
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
        let pair = LOW_RESERVES.windows(2).find(|pair| share <= pair[1].0);
        let Some(&[(x0, y0), (x1, y1)]) = pair else {
            return f64::INFINITY;
        };
        let at_full = y0 + (share - x0) * (y1 - y0) / (x1 - x0);
        // In smaller rings fewer roots share a coefficient; the root's power grows as the bound squared.
        let bound = self.bins().x().last().copied().unwrap_or(0.0);
        (at_full + 0.5 * (32768.0 / self.n).log2() + (bound / 9.0).log2()).max(0.0)
    }
}
