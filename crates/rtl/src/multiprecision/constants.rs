use num_bigint::BigUint;
use ringmill_arith::{Basis, Modulus};

use super::words::to_words;
use super::{Shape, WORD};
use crate::RtlError;

/// The tables of a pipeline for a basis, as the host loads them. Words have 59 bits, the least significant first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constants {
    /// The primes: those of q, then the others of Q.
    pub primes: Vec<Modulus>,
    /// b_i = (q / q_i) \[(q / q_i)^-1 mod q_i\] of each prime of q (equation 1).
    pub lift_sums: Vec<Vec<u64>>,
    /// For each new prime what the slots of a lift are multiplied by: \[b_i\], -q, -2^30 q (equations 2 and 3).
    pub lift_residues: Vec<Vec<u64>>,
    /// (Q / q_j)^-1 modulo q_j (equation 4).
    pub scale_factors: Vec<u64>,
    /// Q / q_j (equation 4).
    pub scale_sums: Vec<Vec<u64>>,
    /// ceil(2^(118 P) / q), with P long words of fraction.
    pub lift_reciprocal: Vec<u64>,
    /// ceil(2^(118 P + 1) / q).
    pub scale_reciprocal: Vec<u64>,
    /// The rows of the reduction modulo Q: the greatest multiple 2^e Q first, down to Q, then (Q + 1) / 2.
    pub total_rows: Vec<Vec<u64>>,
    /// The rows of the reduction modulo q: 2 q, q, (q + 1) / 2.
    pub base_rows: Vec<Vec<u64>>,
    /// floor(2^(30 l + 60) / q): Barrett's constant of 64 bits.
    pub quotient: u64,
    /// For each prime of q what half words are multiplied by: 2^(59 k) and 2^(59 k + 30) (algorithm 6).
    pub powers: Vec<Vec<u64>>,
    /// 2^58 modulo each prime (algorithm 6, line 6).
    pub folds: Vec<u64>,
}

impl Constants {
    /// Computes the tables for the primes of Q, those of q first.
    ///
    /// # Errors
    /// [`RtlError::WrongLength`] unless there are as many primes as the shape has; [`RtlError::BadMultiprecision`] unless
    /// they have 30 bits and q is at least 2^(30 l - 3).
    pub fn new(shape: Shape, basis: &Basis) -> Result<Self, RtlError> {
        if basis.len() != shape.total() {
            return Err(RtlError::WrongLength {
                expected: shape.total(),
                got: basis.len(),
            });
        }
        let primes = basis.moduli().to_vec();
        if primes.iter().any(|prime| prime.bits() != Shape::PRIME) {
            return Err(RtlError::BadMultiprecision {
                need: "primes of 30 bits",
            });
        }
        let (q, total) = (basis.prefix(shape.base())?.product(), basis.product());
        if q < power(shape.modulus_bits() - 3) {
            return Err(RtlError::BadMultiprecision {
                need: "primes near 2^30: their product q is at least 2^(30 l - 3)",
            });
        }
        let (base, new) = primes.split_at(shape.base());
        let idempotents: Vec<BigUint> = base
            .iter()
            .map(|prime| {
                let (rest, inverse) = cofactor(&q, prime);
                rest * inverse
            })
            .collect();
        let cofactors: Vec<(BigUint, u64)> = primes.iter().map(|prime| cofactor(&total, prime)).collect();
        Ok(Self {
            lift_sums: idempotents
                .iter()
                .map(|b| to_words(b, shape.lift_words()))
                .collect(),
            lift_residues: new
                .iter()
                .map(|prime| {
                    let minus = prime.neg(residue(&q, prime));
                    let shifted = prime.mul(minus, prime.reduce(1 << Shape::PRIME));
                    let terms = idempotents.iter().map(|b| residue(b, prime));
                    terms.chain([minus, shifted]).collect()
                })
                .collect(),
            scale_factors: cofactors.iter().map(|&(_, inverse)| inverse).collect(),
            scale_sums: cofactors
                .iter()
                .map(|(rest, _)| to_words(rest, shape.scale_words()))
                .collect(),
            lift_reciprocal: reciprocal(&q, shape.lift_fraction(), 0, shape.lift_reciprocal()),
            scale_reciprocal: reciprocal(&q, shape.scale_fraction(), 1, shape.scale_reciprocal()),
            total_rows: rows(&total, shape.excess_bits(), shape.scale_words()),
            base_rows: rows(&q, 2, shape.modulus_words()),
            quotient: word(&(power(shape.modulus_bits() + 60) / &q)),
            powers: base
                .iter()
                .map(|prime| {
                    let halves =
                        (0..shape.modulus_words() as u32).flat_map(|k| [WORD * k, WORD * k + Shape::PRIME]);
                    halves.map(|exponent| residue(&power(exponent), prime)).collect()
                })
                .collect(),
            folds: primes.iter().map(|prime| prime.reduce(1 << 58)).collect(),
            primes,
        })
    }
}

fn power(exponent: u32) -> BigUint {
    BigUint::from(1_u32) << exponent
}

/// The value of a number below 2^64.
fn word(number: &BigUint) -> u64 {
    number.iter_u64_digits().next().unwrap_or(0)
}

fn residue(number: &BigUint, prime: &Modulus) -> u64 {
    word(&(number % prime.value()))
}

/// The product of the other primes, and its inverse modulo this one.
fn cofactor(product: &BigUint, prime: &Modulus) -> (BigUint, u64) {
    let rest = product / prime.value();
    // The others are distinct primes, so there is an inverse.
    let inverse = prime.inv(residue(&rest, prime)).unwrap_or(0);
    (rest, inverse)
}

/// ceil(2^(118 fraction + shift) / q): no power of 2 is a multiple of q.
fn reciprocal(q: &BigUint, fraction: usize, shift: u32, long_words: usize) -> Vec<u64> {
    let quotient = power(2 * WORD * fraction as u32 + shift) / q + 1_u32;
    to_words(&quotient, 2 * long_words)
}

/// 2^(count - 1) m down to m, then (m + 1) / 2.
fn rows(modulus: &BigUint, count: u32, words: usize) -> Vec<Vec<u64>> {
    let multiples = (0..count).rev().map(|shift| modulus << shift);
    let half = (modulus + 1_u32) >> 1;
    multiples.chain([half]).map(|row| to_words(&row, words)).collect()
}
