use ringmill_arith::Modulus;
use ringmill_arith::lanes::{Lanes, Rows};

use super::passes::ROW;
use crate::negacyclic::reverse_bits;

/// A factor with its companion, as [`ringmill_arith::lanes::Vector::factor`] reads it.
pub(super) type Factor = [u64; 2];

/// The factors of transforms by splitting, for the root w of order [`ROW`] and all cyclic lengths that divide it.
///
/// Node b of a level is x^M - z^4, which splits into x^(M/4) - z i^k, or x^M - z^8, which splits into
/// x^(M/8) - z zeta^k with zeta^2 = i. Its z is w to the reversed bits of b, whatever the level.
#[derive(Debug, Clone)]
pub(super) struct Splitting {
    /// z^2; z, i z: two levels.
    pub fours: Vec<[Factor; 3]>,
    /// z^4; z^2, i z^2; z, i z, zeta z, i zeta z: three levels.
    pub eights: Vec<[Factor; 7]>,
    /// i, zeta, i zeta.
    pub units: [Factor; 3],
}

/// The factors of transforms by decimation in time, for the same root and lengths.
#[derive(Debug, Clone)]
pub(super) struct Joining {
    /// Pass p, h = 4^p, uses the h entries from (h - 1)/3 on. Entry j holds power j of the root of order 2h, and
    /// powers j and j + h of the root of order 4h.
    pub fours: Vec<[Factor; 3]>,
    /// i, zeta, i zeta.
    pub units: [Factor; 3],
    /// For vectors along a row that join eight transforms of length 8: seven vectors of factors for each vector
    /// of j, j < 8.
    pub eights_along: Vec<u64>,
    /// For vectors along a row that join four transforms of length 64: three vectors of factors for each vector
    /// of j, j < 64.
    pub fours_along: Vec<u64>,
}

/// i, zeta and i zeta as powers of w.
const UNITS: [usize; 3] = [ROW / 4, ROW / 8, 3 * ROW / 8];

impl Splitting {
    pub(super) fn new<L: Lanes>(q: &Modulus, w: u64) -> Self {
        let factor = |exponent| L::encode_factor(q, q.pow(w, exponent as u64));
        let [i, zeta, i_zeta] = UNITS;
        let four = |z| [2 * z, z, z + i].map(factor);
        let eight = |z| [4 * z, 2 * z, 2 * z + i, z, z + i, z + zeta, z + i_zeta].map(factor);
        Self {
            fours: (0..ROW / 4).map(|b| four(reverse_bits(b, ROW / 4))).collect(),
            eights: (0..ROW / 8).map(|b| eight(reverse_bits(b, ROW / 8))).collect(),
            units: UNITS.map(factor),
        }
    }
}

impl Joining {
    pub(super) fn new<L: Lanes>(q: &Modulus, w: u64) -> Self {
        let factor = |exponent| L::encode_factor(q, q.pow(w, exponent as u64));
        let mut fours = Vec::new();
        for h in [1, 4, 16, 64] {
            let step = ROW / (4 * h);
            fours.extend((0..h).map(|j| [2 * j * step, j * step, (j + h) * step].map(factor)));
        }
        // Each factor is w to a multiple of j plus a constant. Those of three levels are in the order that
        // `radix::eight` takes: power j of the root of order 16, j and j + 8 of that of order 32, j, j + 16, j + 8 and
        // j + 24 of that of order 64.
        let eights = [(16, 0), (8, 0), (8, 64), (4, 0), (4, 64), (4, 32), (4, 96)];
        let last = [(2, 0), (1, 0), (1, 64)];
        Self {
            fours,
            units: UNITS.map(factor),
            eights_along: along::<L>(q, w, 8, &eights),
            fours_along: along::<L>(q, w, 64, &last),
        }
    }

    /// Stops the program unless the vectors are as many as passes take for granted.
    #[inline(always)]
    pub(super) fn require<L: Rows>(&self) {
        assert!(
            self.eights_along.len() >= 7 * 8 * L::TABLE_WORDS,
            "factors of eights"
        );
        assert!(
            self.fours_along.len() >= 3 * 64 * L::TABLE_WORDS,
            "factors of fours"
        );
    }
}

/// For each vector of j, j < h, a vector of w^(a j + b) for each (a, b).
fn along<L: Lanes>(q: &Modulus, w: u64, h: usize, powers: &[(usize, usize)]) -> Vec<u64> {
    let mut words = Vec::with_capacity(h * powers.len() * L::TABLE_WORDS);
    for first in (0..h).step_by(L::WIDTH) {
        for (a, b) in powers {
            let exponents = (first..first + L::WIDTH).map(|j| (a * j + b) as u64);
            let factors: Vec<u64> = exponents.map(|exponent| q.pow(w, exponent)).collect();
            encode_table::<L>(q, &factors, &mut words);
        }
    }
    words
}

/// Encodes the factors of one vector for [`ringmill_arith::lanes::Vector::mul_table`].
pub(super) fn encode_table<L: Lanes>(q: &Modulus, factors: &[u64], words: &mut Vec<u64>) {
    for word in 0..L::TABLE_WORDS {
        words.extend(factors.iter().map(|&w| L::encode_table(q, w)[word]));
    }
}
