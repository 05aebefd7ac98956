//! How finely the model tells roots apart.

use std::fmt::Debug;

use ringmill_arith::secret::Secret;
use ringmill_rlwe::{Bins, COUNT, Pairs};

use super::Emphasis;

/// A number for each class of roots.
pub trait Values: Clone + Debug + PartialEq {
    /// As many numbers, by their places.
    fn by_place(&self, number: impl FnMut(usize) -> f64) -> Self;

    /// The numbers.
    fn numbers(&self) -> &[f64];

    /// The numbers.
    fn numbers_mut(&mut self) -> &mut [f64];

    /// The largest number, where they are powers of noise.
    fn largest(&self) -> f64;
}

/// A number for each bin. Powers ascend from bin to bin, as the model's formulas ascend with x.
impl Values for [f64; COUNT] {
    fn by_place(&self, number: impl FnMut(usize) -> f64) -> Self {
        std::array::from_fn(number)
    }

    fn numbers(&self) -> &[f64] {
        self
    }

    fn numbers_mut(&mut self) -> &mut [f64] {
        self
    }

    fn largest(&self) -> f64 {
        self[COUNT - 1]
    }
}

/// A number for each pair of roots of a secret: itself a secret.
impl Values for Secret<Vec<f64>> {
    fn by_place(&self, number: impl FnMut(usize) -> f64) -> Self {
        secret((0..self.len()).map(number))
    }

    fn numbers(&self) -> &[f64] {
        self
    }

    fn numbers_mut(&mut self) -> &mut [f64] {
        self
    }

    fn largest(&self) -> f64 {
        self.iter().copied().fold(0.0, f64::max)
    }
}

/// Numbers of an iterator that knows how many there are, so that memory for them is taken once; with vectors, which
/// [`Secret::collect`] has not.
fn secret(numbers: impl ExactSizeIterator<Item = f64>) -> Secret<Vec<f64>> {
    numbers.collect::<Vec<f64>>().into()
}

/// The roots as far as a [`NoiseModel`](super::NoiseModel) tells them apart: in [`Bins`] by the rank of the power that a
/// secret has there, for all secrets that the bins cover; or by [`Pairs`] of conjugates, for one secret that is known.
///
/// Powers are in any unit that all places share.
pub trait Roots {
    /// A number for each class.
    type Values: Values;
    /// What is known of a class's weight in coefficients.
    type Weights: Clone + Debug;
    /// Where an automorphism brings noise.
    type Motion;
    /// |p|^2 at the roots of a factor p in the clear.
    type Factor;

    /// The secret's power in each class, over n V_s.
    fn x(&self) -> Self::Values;

    /// The bin of a class.
    fn bin(&self, place: usize) -> usize;

    /// The weights of classes in coefficients.
    fn weights(&self) -> Self::Weights;

    /// The power of the largest coefficients.
    fn coefficient(weights: &Self::Weights, powers: &Self::Values) -> f64;

    /// The largest share that a pair of roots has in the power of the largest coefficients: at most 1.
    fn heaviest_share(&self, weights: &Self::Weights, powers: &Self::Values) -> f64;

    /// Noise moved by an automorphism.
    fn moved(weights: &Self::Weights, powers: &Self::Values, motion: &Self::Motion) -> Self::Values;

    /// Noise times a factor.
    fn times(powers: &Self::Values, factor: &Self::Factor) -> Self::Values;
}

impl Roots for Bins {
    type Values = [f64; COUNT];
    type Weights = Emphasis;
    /// Where the largest go is as good as random, so each bin gets the mean, whatever the automorphism.
    type Motion = ();
    /// The largest at any root.
    type Factor = f64;

    fn x(&self) -> [f64; COUNT] {
        std::array::from_fn(|bin| self.x()[bin])
    }

    fn bin(&self, place: usize) -> usize {
        place
    }

    fn weights(&self) -> Emphasis {
        Emphasis::new(self, 0)
    }

    fn coefficient(weights: &Emphasis, powers: &[f64; COUNT]) -> f64 {
        weights.weighted(powers)
    }

    fn heaviest_share(&self, weights: &Emphasis, powers: &[f64; COUNT]) -> f64 {
        weights.largest_share(powers, self.sizes())
    }

    /// The mean, weighted as it is for a coefficient's variance, which gives the few large ones more weight than their
    /// number does.
    fn moved(weights: &Emphasis, powers: &[f64; COUNT], (): &()) -> [f64; COUNT] {
        [weights.mean(powers); COUNT]
    }

    fn times(powers: &[f64; COUNT], factor: &f64) -> [f64; COUNT] {
        powers.map(|power| power * factor)
    }
}

impl Roots for Pairs {
    type Values = Secret<Vec<f64>>;
    /// [`Pairs::shares`]
    type Weights = Vec<f64>;
    /// [`Pairs::sources`]
    type Motion = Vec<usize>;
    /// |p|^2 at each pair.
    type Factor = Secret<Vec<f64>>;

    fn x(&self) -> Secret<Vec<f64>> {
        self.x().clone()
    }

    fn bin(&self, place: usize) -> usize {
        self.bin(place)
    }

    fn weights(&self) -> Vec<f64> {
        self.shares().to_vec()
    }

    /// With powers and shares both sorted: no coefficient's is larger.
    fn coefficient(weights: &Vec<f64>, powers: &Secret<Vec<f64>>) -> f64 {
        let mut sorted = powers.clone();
        sorted.sort_unstable_by(|a, b| b.total_cmp(a));
        weights
            .iter()
            .zip(sorted.iter())
            .map(|(share, power)| share * power)
            .sum()
    }

    fn heaviest_share(&self, weights: &Vec<f64>, powers: &Secret<Vec<f64>>) -> f64 {
        let all = Self::coefficient(weights, powers);
        let most = weights.first().copied().unwrap_or(1.0) * powers.largest();
        if all > 0.0 { most / all } else { 1.0 }
    }

    fn moved(_: &Vec<f64>, powers: &Secret<Vec<f64>>, motion: &Vec<usize>) -> Secret<Vec<f64>> {
        secret(motion.iter().map(|source| powers[*source]))
    }

    fn times(powers: &Secret<Vec<f64>>, factor: &Secret<Vec<f64>>) -> Secret<Vec<f64>> {
        secret(
            powers
                .iter()
                .zip(factor.iter())
                .map(|(power, factor)| power * factor),
        )
    }
}
