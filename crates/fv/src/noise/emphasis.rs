use std::array;

use super::powers::Powers;
use ringmill_rlwe::Bins;
use ringmill_rlwe::COUNT;

use super::NoiseModel;

/// Least x of a bin: the logarithm of 0 is no factor.
const LEAST_X: f64 = 1e-9;

/// How much each bin matters to the largest coefficients after further products, which multiply the power at a root by
/// about x.
#[derive(Debug, Clone)]
pub struct Emphasis {
    /// The share of each bin in a coefficient's variance times a power of its x, in units of the last bin's power of x.
    weights: [f64; COUNT],
    /// log2 of that unit.
    unit: f64,
}

impl Emphasis {
    /// After so many products.
    pub(super) fn new(bins: &Bins, products: u32) -> Self {
        let log2 = |bin: usize| f64::from(products) * bins.x()[bin].max(LEAST_X).log2();
        let unit = log2(COUNT - 1);
        Self {
            weights: array::from_fn(|bin| (bins.log2_shares()[bin] + log2(bin) - unit).exp2()),
            unit,
        }
    }

    /// log2 of the power of the largest coefficients.
    pub(super) fn of(&self, powers: &Powers<[f64; COUNT]>) -> f64 {
        self.unit + f64::from(powers.exponent) + self.weighted(&powers.mantissas).log2()
    }

    /// The sum of all bins, each times its weight.
    pub(super) fn weighted(&self, powers: &[f64; COUNT]) -> f64 {
        powers
            .iter()
            .zip(&self.weights)
            .map(|(power, weight)| power * weight)
            .sum()
    }

    /// The largest share that one pair of roots has in the power of the largest coefficients, given the number of each
    /// bin's pairs.
    pub(super) fn largest_share(&self, powers: &[f64; COUNT], pairs: impl Iterator<Item = usize>) -> f64 {
        let all = self.weighted(powers);
        let weighted = self.weights.iter().zip(powers).zip(pairs);
        let shares = weighted.map(|((weight, power), pairs)| weight * power / pairs.max(1) as f64);
        let largest = shares.fold(0.0, f64::max);
        if all > 0.0 { largest / all } else { 1.0 }
    }

    /// The mean of all bins.
    pub(super) fn mean(&self, powers: &[f64; COUNT]) -> f64 {
        self.weighted(powers) / self.weights.iter().sum::<f64>()
    }
}

impl NoiseModel {
    /// The weight of each bin after some further products in the BFV form.
    #[must_use]
    pub fn emphasis(&self, products: u32) -> Emphasis {
        Emphasis::new(self.bins(), products)
    }
}
