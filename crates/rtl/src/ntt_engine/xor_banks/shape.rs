use crate::RtlError;

/// The ring of an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RingKind {
    /// Z\[x\]/(x^n - 1). Value i is at psi^(2 brv(i)), psi of order 2n.
    Cyclic,
    /// Z\[x\]/(x^n + 1). Value i is at psi^(2 brv(i) + 1).
    Negacyclic,
    /// Z\[x\]/Phi_d, d a product of Fermat primes, in the orders of [`ringmill_ring::FermatRing`].
    Fermat,
}

/// The bits of the index that belong to a prime 2^bits + 1 of a Fermat ring's conductor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Dimension {
    /// The first bit.
    pub low: u32,
    /// The number of bits.
    pub bits: u32,
}

impl Dimension {
    /// The order of the prime's group, 2^bits.
    #[must_use]
    pub const fn order(&self) -> usize {
        1 << self.bits
    }

    /// Whether the bit belongs to the dimension.
    #[must_use]
    pub const fn contains(&self, bit: u32) -> bool {
        self.low <= bit && bit < self.low + self.bits
    }
}

/// The place of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Place {
    /// The bank.
    pub bank: usize,
    /// The address in the bank.
    pub address: usize,
}

/// The sizes of an engine, powers of two, and its ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape {
    log_n: u32,
    log_units: u32,
    ring: RingKind,
}

impl Shape {
    /// Makes the shape of an engine for n words with this number of butterfly units.
    ///
    /// # Errors
    /// [`RtlError::BadEngine`] unless both are powers of two, n is from 8 to 65536 and there are at most n/4 units.
    pub fn new(n: usize, units: usize, ring: RingKind) -> Result<Self, RtlError> {
        let bad = |need| RtlError::BadEngine {
            engine: "engine with XOR banks",
            n,
            units,
            need,
        };
        if !n.is_power_of_two() || !units.is_power_of_two() {
            return Err(bad("both must be powers of two"));
        }
        if !(8..=65536).contains(&n) {
            return Err(bad("n must be from 8 to 65536"));
        }
        if units > n / 4 {
            return Err(bad("there may be at most n/4 units"));
        }
        Ok(Self {
            log_n: n.trailing_zeros(),
            log_units: units.trailing_zeros(),
            ring,
        })
    }

    /// Whether all units take the same factor in each cycle, from one memory. In a Fermat ring, the index needs for
    /// that, outside of each dimension, a bit of each class modulo log2 2B but the pair's: up to 64 units for
    /// n = 32768, 4 for n = 2048, one for n = 65536. Otherwise each unit has a memory of its own.
    #[must_use]
    pub fn shares_factors(&self) -> bool {
        let shared = |dimension: Dimension, bit: u32| {
            (0..self.log_banks()).all(|class| self.shared_bit(dimension, bit, class).is_some())
        };
        let all = |dimension: Dimension| {
            (dimension.low..dimension.low + dimension.bits).all(|bit| shared(dimension, bit))
        };
        self.ring == RingKind::Fermat && self.dimensions().into_iter().all(all)
    }

    /// The number of words of a transform.
    #[must_use]
    pub const fn n(&self) -> usize {
        1 << self.log_n
    }

    /// The logarithm of n.
    #[must_use]
    pub const fn log_n(&self) -> u32 {
        self.log_n
    }

    /// The number of butterfly units.
    #[must_use]
    pub const fn units(&self) -> usize {
        1 << self.log_units
    }

    /// The number of banks, two for each unit.
    #[must_use]
    pub const fn banks(&self) -> usize {
        2 * self.units()
    }

    /// The logarithm of the number of banks.
    #[must_use]
    pub const fn log_banks(&self) -> u32 {
        self.log_units + 1
    }

    /// The number of words of a bank: the slots of a pass.
    #[must_use]
    pub const fn depth(&self) -> usize {
        self.n() / self.banks()
    }

    /// The ring.
    #[must_use]
    pub const fn ring(&self) -> RingKind {
        self.ring
    }

    /// The dimensions of a Fermat ring, the largest first: it has the lowest bits. Other rings have one.
    #[must_use]
    pub fn dimensions(&self) -> Vec<Dimension> {
        if self.ring != RingKind::Fermat {
            return vec![Dimension {
                low: 0,
                bits: self.log_n,
            }];
        }
        let mut low = 0;
        let powers = (0..5).rev().map(|i| 1 << i).filter(|bits| self.log_n & bits != 0);
        powers
            .map(|bits| {
                low += bits;
                Dimension {
                    low: low - bits,
                    bits,
                }
            })
            .collect()
    }

    /// The place of the word of an index.
    #[must_use]
    pub fn place(&self, index: usize) -> Place {
        let classes = 0..self.log_banks();
        Place {
            bank: classes
                .map(|class| self.class_parity(index, class) << class)
                .sum(),
            address: index >> self.log_banks(),
        }
    }

    /// The index bit of a class that the banks tell apart in a pass on `bit`: that bit itself, or the lowest that
    /// factors do not depend on, or the lowest of all if they depend on all.
    pub(super) fn space_bit(&self, dimension: Dimension, bit: u32, class: u32) -> u32 {
        self.shared_bit(dimension, bit, class).unwrap_or(class)
    }

    fn shared_bit(&self, dimension: Dimension, bit: u32, class: u32) -> Option<u32> {
        if bit % self.log_banks() == class {
            return Some(bit);
        }
        let mut bits = (class..self.log_n).step_by(self.log_banks() as usize);
        bits.find(|&m| self.ring != RingKind::Fermat || !dimension.contains(m))
    }

    /// The sum modulo 2 of the bits of an index that belong to a bit of the bank's number.
    pub(super) fn class_parity(&self, index: usize, class: u32) -> usize {
        let bits = (class..self.log_n).step_by(self.log_banks() as usize);
        bits.fold(0, |parity, m| parity ^ index >> m & 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_a_permutation() {
        for (n, units) in [(8, 1), (64, 16), (2048, 4), (4096, 64)] {
            let shape = Shape::new(n, units, RingKind::Cyclic).unwrap();
            let mut places: Vec<_> = (0..n).map(|index| shape.place(index)).collect();
            assert!(
                places
                    .iter()
                    .all(|p| p.bank < shape.banks() && p.address < shape.depth())
            );
            places.sort_unstable_by_key(|p| (p.bank, p.address));
            places.dedup();
            assert_eq!(places.len(), n);
        }
    }

    #[test]
    fn shapes_that_cannot_be_are_refused() {
        let refused = |n, units, ring| match Shape::new(n, units, ring) {
            Err(RtlError::BadEngine { need, .. }) => need,
            other => panic!("{other:?}"),
        };
        assert!(refused(48, 4, RingKind::Cyclic).contains("powers of two"));
        assert!(refused(64, 3, RingKind::Cyclic).contains("powers of two"));
        assert!(refused(4, 1, RingKind::Cyclic).contains("from 8"));
        assert!(refused(64, 32, RingKind::Negacyclic).contains("n/4"));
    }

    #[test]
    fn units_share_factors_up_to_a_number() {
        let shares = |n, units| Shape::new(n, units, RingKind::Fermat).unwrap().shares_factors();
        for (n, most) in [
            (2048, 4),
            (4096, 8),
            (8192, 16),
            (16384, 32),
            (32768, 64),
            (65536, 1),
        ] {
            assert!(shares(n, most) && !shares(n, 2 * most), "{n}");
        }
    }
}
