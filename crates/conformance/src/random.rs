use num_bigint::BigUint;
use ringmill_arith::{Basis, Modulus};

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): test inputs, the same on every machine.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// A word below `limit`; the bias of 2^-14 at 50 bits does not matter to tests.
    pub(super) fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.word()) * u128::from(limit)) >> 64) as u64
    }

    /// An integer below `limit`.
    pub(super) fn integer(&mut self, limit: &BigUint) -> BigUint {
        let words = limit.bits() / 64 + 2;
        (0..words).fold(BigUint::ZERO, |x, _| (x << 64u32) + self.word()) % limit
    }

    /// Residues for n columns, limb-major. Polynomials of different `rank` meet in every pair
    /// (triple, ...) of edge residues in their first columns; the other columns are random.
    pub(super) fn words(&mut self, basis: &Basis, n: usize, rank: u32) -> Vec<u64> {
        let mut words = Vec::with_capacity(basis.len() * n);
        for q in basis.moduli() {
            let edges = edges(q);
            let stride = edges.len().pow(rank % RANKS);
            let met = edges.len().pow(RANKS).min(n);
            words.extend((0..met).map(|column| edges[column / stride % edges.len()]));
            words.extend((met..n).map(|_| self.below(q.value())));
        }
        words
    }
}

/// Polynomials whose edges all meet: 6^3 columns.
const RANKS: u32 = 3;

/// The residues at which arithmetic modulo q breaks first.
pub(super) fn edges(q: &Modulus) -> [u64; 6] {
    let q = q.value();
    [0, 1, q - 1, q / 2, q / 2 + 1, q - 2]
}
