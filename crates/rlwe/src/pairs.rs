use ringmill_arith::Modulus;
use ringmill_arith::secret::Secret;
use ringmill_ring::{Automorphism, Domain, Ring, RingError};

use crate::RlweError;
use crate::bins::{Bins, pair_shares};

/// A modulus for moving indices: no value of evaluation domain changes where it is moved.
const ANY_MODULUS: u64 = (1 << 31) - 1;

/// The pairs of conjugate roots of one known secret, each by itself: what [`Bins`] are for all secrets together.
///
/// Pairs are numbered by the position of evaluation domain at which the first root of each is. All that depends on the
/// secret is overwritten when it is dropped.
#[derive(Debug, Clone)]
pub struct Pairs {
    ring: Ring,
    x: Secret<Vec<f64>>,
    bins: Secret<Vec<u8>>,
    shares: Vec<f64>,
    /// The first position of each pair.
    positions: Vec<usize>,
    /// The pair of each position.
    pairs: Vec<usize>,
}

impl Pairs {
    /// The pairs of a ring for a secret s, given x = |s(zeta^e)|^2 / (n V_s) at all n positions of evaluation domain.
    /// `bins` are those that other secrets would share.
    ///
    /// # Errors
    /// [`RingError::WrongLength`] unless there are n numbers.
    pub fn new(ring: &Ring, bins: &Bins, x: &[f64]) -> Result<Self, RlweError> {
        if x.len() != ring.n() {
            return Err(wrong_length(ring, x.len()));
        }
        let conjugates = sources(ring, ring.conductor() - 1)?;
        let first = |position: &usize| *position < conjugates[*position];
        let positions: Vec<usize> = (0..ring.n()).filter(first).collect();
        let mut pairs = vec![0; ring.n()];
        for (pair, position) in positions.iter().enumerate() {
            (pairs[*position], pairs[conjugates[*position]]) = (pair, pair);
        }
        let x = Secret::collect(positions.iter().map(|position| x[*position]));
        Ok(Self {
            bins: by_rank(&x, bins),
            ring: ring.clone(),
            x,
            shares: pair_shares(ring),
            positions,
            pairs,
        })
    }

    /// x = |s(zeta^e)|^2 / (n V_s) of each pair.
    #[must_use]
    pub fn x(&self) -> &Secret<Vec<f64>> {
        &self.x
    }

    /// The bin that a pair is in by the rank of its x.
    #[must_use]
    pub fn bin(&self, pair: usize) -> usize {
        self.bins.get(pair).map_or(0, |bin| usize::from(*bin))
    }

    /// The shares of pairs in the variance of a coefficient, as [`Bins::log2_shares`] has them for bins: descending, so
    /// that they bound the largest coefficient's if pairs are sorted by their power.
    #[must_use]
    pub fn shares(&self) -> &[f64] {
        &self.shares
    }

    /// Of numbers at all n positions of evaluation domain, equal at conjugate roots, that of each pair.
    ///
    /// # Errors
    /// [`RingError::WrongLength`] unless there are n.
    pub fn of_positions(&self, numbers: &[f64]) -> Result<Secret<Vec<f64>>, RlweError> {
        if numbers.len() != self.pairs.len() {
            return Err(wrong_length(&self.ring, numbers.len()));
        }
        let positions = self.positions.iter();
        Ok(Secret::collect(positions.map(|position| numbers[*position])))
    }

    /// For each pair the one from which x -> x^`exponent` takes its value.
    ///
    /// # Errors
    /// [`RingError::NotAUnit`] if the exponent is not a unit modulo the conductor.
    pub fn sources(&self, exponent: u64) -> Result<Vec<usize>, RlweError> {
        let sources = sources(&self.ring, exponent)?;
        let positions = self.positions.iter();
        Ok(positions.map(|position| self.pairs[sources[*position]]).collect())
    }
}

fn wrong_length(ring: &Ring, got: usize) -> RlweError {
    RingError::WrongLength {
        expected: ring.n(),
        got,
    }
    .into()
}

/// For each position of evaluation domain the one from which x -> x^`exponent` takes its value: as devices do.
fn sources(ring: &Ring, exponent: u64) -> Result<Vec<usize>, RlweError> {
    let map = Automorphism::new(ring, exponent, Domain::Evaluation)?;
    let positions: Vec<u64> = (0..ring.n() as u64).collect();
    let mut moved = vec![0; ring.n()];
    map.apply(&Modulus::new(ANY_MODULUS)?, &positions, &mut moved)?;
    Ok(moved.into_iter().map(|position| position as usize).collect())
}

/// The bin of each pair by the rank of its x.
fn by_rank(x: &[f64], bins: &Bins) -> Secret<Vec<u8>> {
    // Doubles that are not negative are in the order of their bits.
    let mut order = Secret::collect(x.iter().map(|x| x.to_bits()).zip(0..x.len()));
    order.sort_unstable();
    let mut found = Secret::zeros(x.len());
    for (rank, (_, pair)) in order.iter().rev().enumerate() {
        found[*pair] = bins.of_rank(rank) as u8;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringmill_ring::{FermatRing, NegacyclicRing};

    fn rings() -> [Ring; 3] {
        [
            FermatRing::new(2048).unwrap().into(),
            FermatRing::new(4096).unwrap().into(),
            NegacyclicRing::new(1024).unwrap().into(),
        ]
    }

    /// x of position i, and of its conjugate, is the smaller of both exponents.
    fn pairs(ring: &Ring) -> (Bins, Pairs) {
        let bins = Bins::new(ring, 7.0);
        let smaller = |position| {
            let exponent = ring.value_exponent(position);
            exponent.min(ring.conductor() - exponent) as f64
        };
        let x: Vec<f64> = (0..ring.n()).map(smaller).collect();
        let pairs = Pairs::new(ring, &bins, &x).unwrap();
        (bins, pairs)
    }

    /// An automorphism brings to the root of exponent e what is at that of k e.
    #[test]
    fn automorphisms_move_values_as_in_the_ring() {
        for ring in rings() {
            let (_, pairs) = pairs(&ring);
            let d = ring.conductor();
            for exponent in [1, 7, 11, d - 1, d - 2].into_iter().filter(|k| ring.is_unit(*k)) {
                for (x, source) in pairs.x().iter().zip(pairs.sources(exponent).unwrap()) {
                    let image = *x as u64 * exponent % d;
                    assert_eq!(pairs.x()[source], image.min(d - image) as f64);
                }
            }
            assert!(pairs.sources(d).is_err());
        }
    }

    #[test]
    fn pairs_are_all_roots_once_and_ranked() {
        for ring in rings() {
            let (bins, pairs) = pairs(&ring);
            assert_eq!(pairs.x().len(), ring.n() / 2);
            let mut ranked: Vec<(f64, usize)> = pairs.x().iter().copied().zip(0..).collect();
            ranked.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
            for (rank, (_, pair)) in ranked.into_iter().enumerate() {
                let bin = pairs.bin(pair);
                let next = if bin == 0 {
                    ring.n() / 2
                } else {
                    bins.first_ranks()[bin - 1]
                };
                assert!((bins.first_ranks()[bin]..next).contains(&rank));
            }
            let shares: f64 = bins.log2_shares().iter().map(|share| share.exp2()).sum();
            assert!((pairs.shares().iter().sum::<f64>() / shares - 1.0).abs() < 1e-9);
            assert!(pairs.shares().is_sorted_by(|a, b| a >= b));
            assert!(pairs.of_positions(&[1.0]).is_err());
            assert!(Pairs::new(&ring, &bins, &[1.0]).is_err());
        }
    }
}
