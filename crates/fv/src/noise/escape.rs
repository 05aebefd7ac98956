//! Margins for noise that products square, in the BGV form.
//!
//! The noise w at a root, in units of its deviation, is sqrt(f) u u' + sqrt(1 - f) g after a product and a switch: u and u'
//! are those of the operands, f is the share of the power that the product left, g is Gaussian and new. Where both operands
//! have 1/f times their mean power or more, the result has too, and noise may grow on at every level: it *escapes*. That is
//! rare, and how rare follows from the most likely way to get there.
//!
//! A value g has the probability e^(-|g|^2). Let a = sqrt(f) |u|, of the larger operand; then a' is at most a^2 + h, where
//! h = sqrt(f) |g| has the probability e^(-h^2 / f). So all of a way h_0, h_1, ... to an amplitude has the probability
//! e^(-C / f) with the *effort* C = sum h_i^2, and the least effort decides. With one level it is 1 for a = 1, where escape
//! begins; with many 0.64, as each level helps a bit. This holds for any operands: those of a square, which the share counts
//! with the mean power 2, need twice the effort, and so do independent ones, both of which must be large. Sums of what
//! products left add amplitudes, in the share as in the worst case.
//!
//! The least effort is found by the calculus of variations: h_i = 2 a_i h_(i+1) on the best way, so that h_0 = a_0 alone
//! gives all of it. `examples/noise_escape.rs` compares this with simulated chains.

use std::f64::consts::LN_2;

use super::powers::power_of_two;
use super::reserve::gaussian_tail;
use super::{Noise, NoiseModel, Roots, Values};

/// log2 of the products and roots where the secret is as large as at the worst, among which the probability of a failure is
/// shared.
const SHARED_LOG2: f64 = 16.0;

/// The least effort with which noise escapes, however many levels help.
const LEAST_EFFORT: f64 = 0.635;

/// Levels beyond which more of them help no noise to escape.
const MOST_LEVELS: usize = 24;

/// First amplitudes that are tried.
const STEPS: u32 = 128;

impl<R: Roots> NoiseModel<R> {
    /// The share of a factor's noise that was inherited from earlier products, at the root where that is
    /// worst: of `all` its noise at `level`, `old` is what products left. The rest is Gaussian: rounding of
    /// switches, encryption.
    ///
    /// Where the secret is small there is little rounding, but also far to go before products make noise
    /// grow: there the rounding at a root of mean power counts.
    #[must_use]
    pub fn inherited_share(&self, level: usize, old: &Noise<R::Values>, all: &Noise<R::Values>) -> f64 {
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
        let powers = old.mantissas.numbers().iter().zip(all.mantissas.numbers());
        powers.map(share).fold(0.0, f64::max)
    }

    /// Bits of margin to keep, beside what [`Noise::margin_bits`] counts, for the heavy tails of a noise after `depth` levels
    /// of products in the BGV form one upon the other, if no more than `share` of the power of any factor is inherited
    /// ([`NoiseModel::inherited_share`]). All ciphertexts together shall fail with a probability below 2^`log2_failure`.
    /// Infinite if the noise may escape.
    #[must_use]
    pub fn reserve_bgv(&self, depth: usize, share: f64, noise: &Noise<R::Values>, log2_failure: f64) -> f64 {
        let tail = tail_bgv(depth, share, log2_failure);
        let power = tail + self.heaviest_share_log2(noise) - gaussian_tail(-log2_failure);
        (power / 2.0).max(0.0)
    }
}

impl NoiseModel {
    /// The share of a factor's power that may be inherited in programs of so many levels of products in the BGV form, of which
    /// one in 2^-`log2_failure` may fail: 0.0114 for 2^-64. Halving it takes half a bit a level. From the third level on noise
    /// that can escape soon does, so that all the effort must be spent before; with two levels the reserve alone is enough.
    #[must_use]
    pub fn most_inherited(depth: usize, log2_failure: f64) -> f64 {
        if depth > 2 {
            LEAST_EFFORT / effort(log2_failure)
        } else {
            0.3
        }
    }
}

/// C of the module for a share of 1 with the probability that noise may escape with in one product at one root.
fn effort(log2_failure: f64) -> f64 {
    (SHARED_LOG2 - log2_failure) * LN_2
}

/// The bits by which the power of noise at one root exceeds its mean with that probability, after so many
/// levels of products whose factors have the share of inherited power. Infinite if it may escape.
fn tail_bgv(depth: usize, share: f64, log2_failure: f64) -> f64 {
    if depth == 0 {
        return gaussian_tail(-log2_failure);
    }
    // With a smaller share the product of two Gaussians is still there.
    let share = share.clamp(1e-6, 1.0);
    let effort = share * effort(log2_failure);
    // |u u'|^2 is (a^2 / f)^2.
    2.0 * (furthest(depth, effort) / share).log2()
}

/// The largest square of an amplitude after so many levels that an effort leads to. It starts at the level that is best:
/// with little effort only the last counts.
fn furthest(levels: usize, effort: f64) -> f64 {
    let ways = (1..=levels.min(MOST_LEVELS)).map(|levels| {
        // The larger the first amplitude, the further the way, and beyond a least effort the larger that.
        let step = effort.sqrt() / f64::from(STEPS);
        let enough = |first: f64| way(levels, first).1 <= effort;
        let first = (0..=STEPS).rev().map(|index| f64::from(index) * step);
        let Some(mut low) = first.into_iter().find(|first| enough(*first)) else {
            return 0.0;
        };
        let mut high = low + step;
        for _ in 0..40 {
            let middle = (low + high) / 2.0;
            if enough(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        way(levels, low).0
    });
    ways.fold(0.0, f64::max)
}

/// The square of the last amplitude on the best way of so many levels from a first one, and the effort.
fn way(levels: usize, first: f64) -> (f64, f64) {
    let (mut amplitude, mut effort, mut help) = (first, first * first, 0.5);
    for _ in 1..levels {
        effort += help * help;
        let next = amplitude * amplitude + help;
        help /= 2.0 * next;
        amplitude = next;
    }
    (amplitude * amplitude, effort)
}

#[cfg(test)]
mod tests;
