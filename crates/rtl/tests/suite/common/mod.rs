//! Polynomials modulo x^n + 1, from the definitions, and random ones.

use ringmill_arith::Modulus;
use ringmill_arith::prime::root_of_unity;

/// SplitMix64: the same inputs on every machine.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// Canonical residues.
    pub fn residues(&mut self, q: &Modulus, n: usize) -> Vec<u64> {
        (0..n).map(|_| self.word() % q.value()).collect()
    }
}

/// a b modulo x^n + 1, term by term.
pub fn product(q: &Modulus, a: &[u64], b: &[u64]) -> Vec<u64> {
    let n = a.len();
    let coefficient = |k: usize| {
        (0..n).fold(0, |sum, i| match k.checked_sub(i) {
            Some(j) => q.add(sum, q.mul(a[i], b[j])),
            None => q.sub(sum, q.mul(a[i], b[n + k - i])),
        })
    };
    (0..n).map(coefficient).collect()
}

/// a(psi^(2 r + 1)) for each i, r being i with its bits reversed; term by term.
pub fn evaluations(q: &Modulus, a: &[u64]) -> Vec<u64> {
    let n = a.len();
    let psi = root_of_unity(q, 2 * n as u64).unwrap();
    let bits = n.trailing_zeros();
    let value = |i: usize| {
        let root = q.pow(psi, 2 * (i.reverse_bits() >> (usize::BITS - bits)) as u64 + 1);
        a.iter()
            .rev()
            .fold(0, |value, &term| q.add(q.mul(value, root), term))
    };
    (0..n).map(value).collect()
}
