use ringmill_arith::{ArithError, Modulus, prime};

use crate::RingError;

/// The number of words in a tile, the unit of the evaluation order.
pub(crate) const TILE: usize = 64;

/// The ring Z\[x\]/(x^n + 1), n = 2^k.
///
/// In *coefficient domain* an element is its coefficients of 1, x, ..., x^(n-1). In *evaluation domain* it
/// is its values at the primitive 2n-th roots of unity psi^e, e odd. The order of the values is part of the
/// definition and the same for every kernel and device: position i belongs to
///
/// ```text
/// e(i) = 2 brv_k(swap(i)) + 1
/// ```
///
/// where brv_k reverses k bits and swap exchanges bits 0 to 2 of an index with its bits 3 to 5. This is the
/// bit-reversed order of in-place transforms with every tile of 8 x 8 values transposed, so that vector
/// kernels transpose once in a transform, not twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NegacyclicRing {
    n: usize,
}

impl NegacyclicRing {
    /// The dimensions that are offered: 2^6 to 2^17.
    pub const DIMENSIONS: [usize; 12] = [
        64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131_072,
    ];

    /// Makes the ring of dimension n.
    ///
    /// # Errors
    /// [`RingError::BadDimension`] unless n is one of [`NegacyclicRing::DIMENSIONS`].
    pub fn new(n: usize) -> Result<Self, RingError> {
        if Self::DIMENSIONS.contains(&n) {
            Ok(Self { n })
        } else {
            Err(RingError::BadDimension {
                n,
                offered: &Self::DIMENSIONS,
            })
        }
    }

    /// The dimension n.
    #[must_use]
    pub const fn n(&self) -> usize {
        self.n
    }

    /// The conductor 2n: the order of x.
    #[must_use]
    pub const fn conductor(&self) -> u64 {
        2 * self.n as u64
    }

    /// The primes of a transform are 1 modulo this number, 2n, so that all primitive 2n-th roots of unity
    /// exist.
    #[must_use]
    pub const fn congruence(&self) -> u64 {
        self.conductor()
    }

    /// Finds the `count` largest suitable primes below `limit` that are not in `taken`, in descending order.
    ///
    /// # Errors
    /// [`ArithError::TooFewPrimes`] if there are fewer.
    pub fn primes(&self, limit: u64, count: usize, taken: &[u64]) -> Result<Vec<Modulus>, ArithError> {
        prime::primes_below(limit, self.congruence(), count, taken)
    }

    /// A bound of a product's growth: the magnitudes of its coefficients are at most this number, n, times
    /// the product of the factors' largest magnitudes.
    #[must_use]
    pub const fn expansion(&self) -> u64 {
        self.n as u64
    }

    /// The exponent e(i) of the evaluation order; it is odd and below 2n.
    #[must_use]
    pub fn exponent_at(&self, position: usize) -> u64 {
        let tiles = self.n / TILE;
        let index = in_tile(position % TILE) * tiles + reverse_bits(position / TILE, tiles);
        2 * index as u64 + 1
    }

    /// The position of the value at psi^`exponent`, or `None` if that is not a primitive root of unity.
    #[must_use]
    pub fn position_of(&self, exponent: u64) -> Option<usize> {
        if exponent.is_multiple_of(2) {
            return None;
        }
        let index = (exponent % self.conductor() / 2) as usize;
        let tiles = self.n / TILE;
        Some(reverse_bits(index % tiles, tiles) * TILE + in_tile(index / tiles))
    }
}

/// The order within a tile: brv_6 after swap reverses each half of six bits. It is its own inverse.
pub(crate) const fn in_tile(i: usize) -> usize {
    const REVERSED: [usize; 8] = [0, 4, 2, 6, 1, 5, 3, 7];
    REVERSED[i / 8] * 8 + REVERSED[i % 8]
}

/// Reverses the lowest `order` bits of `x`.
pub(crate) const fn reverse_bits(x: usize, order: usize) -> usize {
    if order == 1 {
        0
    } else {
        x.reverse_bits() >> (usize::BITS - order.trailing_zeros())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition, bit by bit.
    fn defined(n: usize, i: usize) -> u64 {
        let k = n.ilog2() as usize;
        let bit = |j: usize| match j {
            0..3 => i >> (j + 3) & 1,
            3..6 => i >> (j - 3) & 1,
            _ => i >> j & 1,
        };
        let index: usize = (0..k).map(|j| bit(j) << (k - 1 - j)).sum();
        2 * index as u64 + 1
    }

    #[test]
    fn the_order_is_the_defined_one() {
        for n in NegacyclicRing::DIMENSIONS {
            let ring = NegacyclicRing::new(n).unwrap();
            for i in 0..n {
                let e = ring.exponent_at(i);
                assert_eq!(e, defined(n, i), "n = {n} position {i}");
                assert_eq!(
                    ring.position_of(e + 2 * n as u64),
                    Some(i),
                    "n = {n} position {i}"
                );
            }
            assert_eq!(ring.position_of(2), None);
        }
        // brv_6: tile of 64 values, position 1 is position 8 of the bit-reversed order.
        assert_eq!(NegacyclicRing::new(64).unwrap().exponent_at(1), 2 * 4 + 1);
    }

    #[test]
    fn offers_powers_of_two() {
        for n in [0, 1, 32, 1000, 1 << 18] {
            let refusal = NegacyclicRing::new(n).unwrap_err();
            assert!(refusal.to_string().contains(&n.to_string()), "{refusal}");
        }
        let ring = NegacyclicRing::new(1024).unwrap();
        assert_eq!((ring.n(), ring.conductor(), ring.expansion()), (1024, 2048, 1024));
        let primes = ring.primes(1 << 31, 3, &[]).unwrap();
        assert!(primes.iter().all(|q| q.value() % 2048 == 1));
    }
}
