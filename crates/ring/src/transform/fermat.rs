use ringmill_arith::{Modulus, Simd, prime};

use super::operator::{Direction, Operator, spectrum_of_line};
use crate::{FermatRing, RingError};

/// The transform of a Fermat ring: between coefficients in the normal basis and values at the
/// primitive d-th roots of unity, in the index order of [`FermatRing`].
///
/// A(zeta^(g^m)) = sum_j a_j zeta^(g^(j+m)) is a correlation over G with W_j = zeta^(g^j)
/// (Rader's algorithm in every dimension at once). With NTT the multidimensional cyclic transform
/// over G, R reversal of indices and S = NTT(W):
///
/// ```text
/// evaluate(a)    = NTT^-1( NTT(R a) * S )         interpolate(v) = R NTT^-1( NTT(v) / S )
/// ```
///
/// R turns the root w of the transforms into w^-1, so it costs nothing; S is never zero.
#[derive(Debug, Clone)]
pub(super) struct Correlations {
    evaluation: Operator,
    interpolation: Operator,
}

impl Correlations {
    /// Makes the tables, about 4n words. The root zeta is the d-th root of unity of
    /// [`prime::root_of_unity`]; the root w is its root of the largest order in G.
    pub(super) fn new(ring: &FermatRing, modulus: &Modulus, kernel: Simd) -> Result<Self, RingError> {
        let [spectrum, inverse] = diagonals(ring, modulus)?;
        let (up, down) = (Direction::Up, Direction::Down);
        Ok(Self {
            evaluation: Operator::new(ring, modulus, kernel, (down, down), &spectrum)?,
            interpolation: Operator::new(ring, modulus, kernel, (up, up), &inverse)?,
        })
    }

    pub(super) fn evaluate(&self, data: &mut [u64]) -> Result<(), RingError> {
        self.evaluation.apply(data)
    }

    pub(super) fn interpolate(&self, data: &mut [u64]) -> Result<(), RingError> {
        self.interpolation.apply(data)
    }

    pub(super) fn evaluate_to(&self, from: &[u64], to: &mut [u64]) -> Result<(), RingError> {
        self.evaluation.apply_to(from, to)
    }

    pub(super) fn interpolate_to(&self, from: &[u64], to: &mut [u64]) -> Result<(), RingError> {
        self.interpolation.apply_to(from, to)
    }

    #[cfg(test)]
    pub(super) fn operators(&self) -> [&Operator; 2] {
        [&self.evaluation, &self.interpolation]
    }
}

/// S and 1/S of the correlations that make up the transform of a Fermat ring modulo a prime, for devices
/// that have transforms of their own. S_k = sum_j zeta^(g^j) w^(jk), in natural order of the frequencies k
/// in G; in a dimension of order m, w stands for the power M/m of the root of order M, the largest order.
///
/// zeta^(g^j) is a product of a factor for each dimension, and so is S_k: only the sums of single dimensions are
/// computed.
///
/// # Errors
/// The prime must be 1 modulo [`FermatRing::congruence`].
pub fn diagonals(ring: &FermatRing, modulus: &Modulus) -> Result<[Vec<u64>; 2], RingError> {
    let zeta = prime::root_of_unity(modulus, ring.d())?;
    let largest = ring.orders().last().copied().unwrap_or(1);
    let root = prime::root_of_unity(modulus, largest as u64)?;
    let mut diagonals = [vec![1], vec![1]];
    for factor in ring.factors() {
        let order = factor.order();
        let first = modulus.pow(zeta, factor.idempotent);
        let images = std::iter::successors(Some(first), |&x| Some(modulus.pow(x, factor.generator)));
        let images: Vec<u64> = images.take(order).collect();
        let spectrum = spectrum_of_line(modulus, modulus.pow(root, (largest / order) as u64), &images);
        let inverse = inverses(modulus, &spectrum);
        diagonals = [(0, spectrum), (1, inverse)].map(|(k, line)| outer(modulus, &diagonals[k], &line));
    }
    Ok(diagonals)
}

/// The products of all pairs, those with the first word of the slow factor first.
fn outer(q: &Modulus, slow: &[u64], fast: &[u64]) -> Vec<u64> {
    let lines = slow.iter().map(|&x| fast.iter().map(move |&y| q.mul(x, y)));
    lines.flatten().collect()
}

/// Inverts residues that are not 0 by one inversion of their product (Montgomery's trick). No entry of a
/// spectrum is 0, because the absolute value of a Gauss sum is the square root of its conductor.
fn inverses(q: &Modulus, a: &[u64]) -> Vec<u64> {
    let mut products = Vec::with_capacity(a.len());
    let mut product = 1;
    for &x in a {
        products.push(product);
        product = q.mul(product, x);
    }
    let mut inverse = q.inv(product).unwrap_or(0);
    for (slot, &x) in products.iter_mut().zip(a).rev() {
        *slot = q.mul(*slot, inverse);
        inverse = q.mul(inverse, x);
    }
    products
}
