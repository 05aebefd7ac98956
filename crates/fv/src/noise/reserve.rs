//! Margins for noise that spreads more than a Gaussian, in the BFV form.

use super::{Noise, NoiseModel, Roots};

/// The theta of [`MOMENTS`].
const THETAS: [f64; 8] = [1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0];

/// No moment that simulation tells reliably.
const NONE: f64 = f64::INFINITY;

/// Numbers of levels of products in the BFV form, and log2 of the moments E P^theta of the power P of noise at one root, in
/// units of its mean, where nothing but products of neighbours in a ring of four values adds to it.
///
/// Simulated by `examples/noise_tails.rs`.
const MOMENTS: [(f64, [f64; 8]); 14] = [
    (1.0, [0.66, 1.60, 2.83, 4.21, 5.80, 7.57, 11.60, 15.98]),
    (2.0, [0.89, 2.18, 3.89, 5.84, 8.07, 10.45, 16.29, 22.69]),
    (3.0, [1.10, 2.72, 4.83, 7.30, 10.19, 13.15, 20.45, 28.47]),
    (4.0, [1.30, 3.22, 5.74, 8.72, 12.21, 15.81, 24.77, 34.24]),
    (6.0, [1.69, 4.21, 7.52, 11.46, 16.08, 21.04, 32.63, 46.35]),
    (8.0, [2.09, 5.21, 9.35, 14.18, 20.03, 26.20, 40.45, 57.36]),
    (12.0, [2.86, 7.15, 12.84, 19.65, 27.73, 36.31, 56.77, 80.88]),
    (16.0, [3.62, 9.16, 16.36, 25.13, 35.39, 46.68, 73.39, 103.23]),
    (24.0, [5.16, 13.05, 23.44, 36.06, 50.63, 67.33, 105.09, 148.89]),
    (32.0, [6.69, 16.93, 30.44, 46.99, 65.88, 87.84, 137.53, 193.62]),
    (44.0, [8.97, 22.75, 41.05, 63.23, 88.89, 118.33, 185.92, 262.24]),
    (64.0, [12.79, 32.50, 58.59, 90.41, 127.38, 169.06, NONE, 376.44]),
    (96.0, [18.92, 48.22, 86.97, 134.00, 188.63, 250.86, 394.22, NONE]),
    (
        128.0,
        [25.08, 63.75, 115.22, 177.56, 250.24, 332.39, 522.78, 741.71],
    ),
];

/// Whole moments that a bound looks at: the best is near 45 for a Gaussian at 2^-64, and less after products.
const MOST_MOMENTS: u32 = 200;

impl<R: Roots> NoiseModel<R> {
    /// Bits of margin to keep, beside what [`Noise::margin_bits`] counts, for the heavy tails of a noise after `depth` levels
    /// of products of different values one upon the other: those of [`NoiseModel::multiply`]. An encryption under the public
    /// key is such a product itself. A single ciphertext shall fail with a probability below 2^`log2_failure`.
    ///
    /// The noise at a root is a product of as many nearly Gaussian factors as there are levels, so that its power may be far
    /// above the mean that the model follows. For a coefficient to be as much larger, the power at one root has to exceed the
    /// power of all of them, of which it has a share: so the noise of few levels, or after linear maps, which spread it,
    /// needs much less in reserve than that after many. The probability is that of one root times the number of those that
    /// may have such a share. What a Gaussian coefficient has anyway is not counted twice.
    ///
    /// 18 bits after SIMON's 43 levels; none up to some levels.
    #[must_use]
    pub fn reserve_bits(&self, depth: usize, noise: &Noise<R::Values>, log2_failure: f64) -> f64 {
        self.reserve(noise, log2_failure, moments(depth).chain(simulated(depth)))
    }

    /// As [`NoiseModel::reserve_bits`], for operands that may depend on each other in any way, such as squares of squares:
    /// E P^theta is at most (theta!)^(depth + 1) for each whole theta, because given what was before the noise of a product
    /// is Gaussian.
    #[must_use]
    pub fn reserve_bits_any(&self, depth: usize, noise: &Noise<R::Values>, log2_failure: f64) -> f64 {
        self.reserve(noise, log2_failure, moments(depth))
    }

    fn reserve(
        &self,
        noise: &Noise<R::Values>,
        log2_failure: f64,
        moments: impl Iterator<Item = (f64, f64)>,
    ) -> f64 {
        let power = tail(moments, -log2_failure, self.heaviest_share_log2(noise));
        ((power - gaussian_tail(-log2_failure)) / 2.0).max(0.0)
    }

    /// log2 of the largest share that one pair of conjugate roots has in the power of the largest coefficients.
    pub(super) fn heaviest_share_log2(&self, noise: &Noise<R::Values>) -> f64 {
        let share = self.roots.heaviest_share(&self.weights, &noise.powers.mantissas);
        share.min(1.0).log2()
    }
}

/// The bits by which the power of Gaussian noise at one root exceeds its mean with a probability below 2^-`bits`.
pub(super) fn gaussian_tail(bits: f64) -> f64 {
    tail(moments(0), bits, 0.0)
}

/// The bits by which the power of all roots exceeds its mean with a probability below 2^-`bits`, by the moment that shows
/// the least, if no root has more than a share of it.
///
/// A root with the share s must exceed y/s times its mean: with a probability of at most E P^theta (s/y)^theta. The shares
/// of all roots add up to 1, so the sum of s^theta is at most the largest s^(theta - 1).
fn tail(moments: impl Iterator<Item = (f64, f64)>, bits: f64, share_log2: f64) -> f64 {
    let bounds = moments.map(|(theta, log2)| (bits + log2 + (theta - 1.0) * share_log2) / theta);
    bounds.fold(f64::INFINITY, f64::min)
}

/// theta and a bound for log2 E P^theta after so many levels of products of any operands.
fn moments(depth: usize) -> impl Iterator<Item = (f64, f64)> {
    (1..=MOST_MOMENTS).scan(0.0, move |factorial, theta| {
        let theta = f64::from(theta);
        *factorial += theta.log2();
        Some((theta, (depth as f64 + 1.0) * *factorial))
    })
}

/// theta and log2 E P^theta after so many levels of products of different values, between the lines of the table too; none
/// outside of it.
fn simulated(depth: usize) -> impl Iterator<Item = (f64, f64)> {
    let x = depth as f64;
    let pair = MOMENTS
        .windows(2)
        .find(|pair| (pair[0].0..=pair[1].0).contains(&x));
    pair.into_iter().flat_map(move |pair| {
        let [(from, low), (to, high)] = [&pair[0], &pair[1]];
        let part = (x - from) / (to - from);
        let moments = low
            .iter()
            .zip(high)
            .map(move |(low, high)| low + part * (high - low));
        // Where only one of both is there, neither is taken.
        let pairs = THETAS.into_iter().zip(moments);
        pairs.filter(|(_, log2)| log2.is_finite())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the module and `examples/noise_tails.rs` say.
    #[test]
    fn tails_are_as_documented() {
        let any = |depth| tail(moments(depth), 64.0, 0.0);
        for (depth, bits) in [(0, 5.6), (3, 14.9), (12, 31.0), (44, 54.0)] {
            let found = any(depth);
            assert!((found - bits).abs() < 0.6, "{depth}: {found:.2}, not {bits}");
        }
        assert!((1..60).all(|depth| any(depth) > any(depth - 1)));
        let different = |depth| tail(moments(depth).chain(simulated(depth)), 64.0, 0.0);
        for (depth, bits) in [(0, 5.6), (1, 9.3), (4, 16.4), (12, 24.1), (44, 42.0), (128, 59.4)] {
            let found = different(depth);
            assert!((found - bits).abs() < 0.1, "{depth}: {found:.2}, not {bits}");
        }
        // Beyond the table it is what the power exceeds by Markov's inequality.
        assert!((0..200).all(|depth| different(depth) <= different(depth + 1) + 1e-9));
        assert_eq!([different(1_000), different(1_000_000)], [64.0; 2]);
    }

    /// The distribution function is known where there are no products: n equal roots whose powers are exponentially
    /// distributed.
    #[test]
    fn tails_of_gaussians_are_right() {
        for bits in [20.0, 64.0, 128.0, 200.0] {
            let exact = (bits * std::f64::consts::LN_2).log2();
            let found = gaussian_tail(bits);
            assert!(
                (exact..exact + 0.25).contains(&found),
                "{bits}: {found}, exactly {exact}"
            );
            // That one of 2^12 does takes 12 bits more, and each has 2^-12.
            let spread = tail(moments(0), bits, -12.0) + 12.0;
            let exact = ((bits + 12.0) * std::f64::consts::LN_2).log2();
            assert!(
                (exact..exact + 0.25).contains(&spread),
                "{bits}: {spread}, exactly {exact}"
            );
        }
    }
}
