//! Word decomposition: digits in base 2^bits of the representative in [0, q).

use num_bigint::BigUint;
use num_traits::ToPrimitive;
use rayon::prelude::*;
use ringmill_arith::Basis;
use ringmill_ring::Domain;

use super::{CpuDevice, CpuPoly};
use crate::{DeviceError, Digits};

impl CpuDevice {
    pub(super) fn decompose_words(&self, a: &CpuPoly, bits: u32) -> Result<Vec<CpuPoly>, DeviceError> {
        if !(2..=60).contains(&bits) {
            return Err(DeviceError::BadDigits(bits as usize));
        }
        let (n, basis) = (self.n(), a.basis());
        let count = Digits::Words { bits }.elements(basis).len();
        let reconstruct = Reconstruction::new(basis);
        let mut digits = vec![0i64; count * n];
        // One row of digits for each coefficient, then one polynomial for each digit.
        digits.par_chunks_exact_mut(count).enumerate().for_each_init(
            || vec![0u64; reconstruct.words()],
            |value, (column, row)| {
                reconstruct.integer(|i| a.words()[i * n + column], value);
                signed_digits(value, bits, row);
            },
        );
        (0..count)
            .map(|k| {
                let mut poly = self.allocate(basis, Domain::Evaluation);
                let limbs = poly.words_mut().par_chunks_exact_mut(n).zip(basis.moduli());
                limbs.for_each(|(limb, q)| {
                    for (x, row) in limb.iter_mut().zip(digits.chunks_exact(count)) {
                        *x = q.from_signed(row[k]);
                    }
                });
                self.transform_limbs(basis, poly.words_mut(), Domain::Evaluation)?;
                Ok(poly)
            })
            .collect()
    }
}

/// Chinese remaindering to integers of fixed width.
pub(super) struct Reconstruction {
    basis: Basis,
    /// (q/q_i)^-1 mod q_i, with companion.
    inverse: Vec<(u64, u64)>,
    /// q/q_i, little-endian words.
    cofactors: Vec<Vec<u64>>,
    /// q, little-endian words, with one more for sums of up to 2^64 terms.
    product: Vec<u64>,
}

impl Reconstruction {
    pub(super) fn new(basis: &Basis) -> Self {
        let product = basis.product();
        let width = product.iter_u64_digits().len() + 1;
        let words = |x: &BigUint| {
            let mut words = x.to_u64_digits();
            words.resize(width, 0);
            words
        };
        let inverse = basis.moduli().iter().map(|q| {
            let cofactor = (&product / q.value() % q.value()).to_u64().unwrap_or(0);
            // The primes of a basis are distinct: the cofactor is invertible.
            let inverse = q.inv(cofactor).unwrap_or(0);
            (inverse, q.shoup(inverse))
        });
        Self {
            inverse: inverse.collect(),
            cofactors: basis
                .moduli()
                .iter()
                .map(|q| words(&(&product / q.value())))
                .collect(),
            product: words(&product),
            basis: basis.clone(),
        }
    }

    pub(super) fn words(&self) -> usize {
        self.product.len()
    }

    /// The integer in [0, q) with these residues: sum_i y_i q/q_i, less q as often as it goes.
    pub(super) fn integer(&self, residue: impl Fn(usize) -> u64, value: &mut [u64]) {
        value.fill(0);
        for (i, q) in self.basis.moduli().iter().enumerate() {
            let (inverse, companion) = self.inverse[i];
            let y = u128::from(q.mul_shoup(residue(i), inverse, companion));
            let mut carry = 0;
            for (x, &c) in value.iter_mut().zip(&self.cofactors[i]) {
                let sum = y * u128::from(c) + u128::from(*x) + carry;
                *x = sum as u64;
                carry = sum >> 64;
            }
        }
        while value.iter().rev().ge(self.product.iter().rev()) {
            let mut borrow = false;
            for (x, &p) in value.iter_mut().zip(&self.product) {
                let (difference, first) = x.overflowing_sub(p);
                let (difference, second) = difference.overflowing_sub(u64::from(borrow));
                (*x, borrow) = (difference, first || second);
            }
        }
    }
}

/// Digits in (-2^(bits-1), 2^(bits-1)], lowest first.
pub(super) fn signed_digits(value: &[u64], bits: u32, digits: &mut [i64]) {
    let (mut carry, half) = (0, 1i64 << (bits - 1));
    for (k, digit) in digits.iter_mut().enumerate() {
        let at = k * bits as usize;
        let (word, shift) = (at / 64, (at % 64) as u32);
        let low = value.get(word).copied().unwrap_or(0);
        let high = value.get(word + 1).copied().unwrap_or(0);
        let pair = u128::from(low) | u128::from(high) << 64;
        let x = ((pair >> shift) as u64 & ((1 << bits) - 1)) as i64 + carry;
        carry = i64::from(x > half);
        *digit = x - (carry << bits);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_recompose() {
        let value = [0xffff_ffff_ffff_ffff, 0x8000_0000_0000_0001, 0x1234, 0];
        for bits in [2, 16, 59, 60] {
            let count = 192usize.div_ceil(bits as usize) + 1;
            let mut digits = vec![0; count];
            signed_digits(&value, bits, &mut digits);
            let half = 1i64 << (bits - 1);
            assert!(digits.iter().all(|&d| -half < d && d <= half));
            let base = num_bigint::BigInt::from(1) << bits;
            let sum = digits
                .iter()
                .rev()
                .fold(num_bigint::BigInt::ZERO, |s, &d| s * &base + d);
            let expected = value.iter().rev().fold(BigUint::ZERO, |s, &w| (s << 64) + w);
            assert_eq!(sum, expected.into());
        }
    }
}
