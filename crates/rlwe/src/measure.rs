//! The size of coefficients beyond a word.

use num_bigint::BigUint;
use num_traits::ToPrimitive;
use ringmill_arith::secret::Secret;
use ringmill_arith::{Basis, Modulus};

/// log2 of the largest magnitude among centred coefficients of n, given as residues limb after limb; 0 if all
/// are 0.
#[must_use]
pub fn largest_log2(basis: &Basis, words: &[u64], n: usize) -> f64 {
    let centred = Centred::new(basis);
    let magnitudes = (0..n).map(|c| centred.coefficient(words, n, c).1);
    log2(&magnitudes.max().unwrap_or_default())
}

/// Centred coefficients, divided by a power of two near the largest of them, and the logarithm of that power.
#[must_use]
pub fn scaled(basis: &Basis, words: &[u64], n: usize) -> (Secret<Vec<f64>>, f64) {
    let centred = Centred::new(basis);
    let coefficients: Vec<(bool, BigUint)> = (0..n).map(|c| centred.coefficient(words, n, c)).collect();
    let bits = coefficients.iter().map(|(_, x)| x.bits()).max().unwrap_or(0);
    // The bits below the 1000th from the top are nothing in a double.
    let shift = bits.saturating_sub(1000);
    let scaled = |(is_negative, x): &(bool, BigUint)| {
        let x = (x >> shift).to_f64().unwrap_or(0.0) / ((bits - shift) as f64).exp2();
        if *is_negative { -x } else { x }
    };
    (Secret::collect(coefficients.iter().map(scaled)), bits as f64)
}

/// What joins the residues of a number.
struct Centred<'a> {
    basis: &'a Basis,
    product: BigUint,
    /// For each prime what is 0 modulo the others, and what makes it 1 modulo this one.
    cofactors: Vec<(BigUint, u64)>,
}

impl<'a> Centred<'a> {
    fn new(basis: &'a Basis) -> Self {
        let product = basis.product();
        let cofactor = |q: &Modulus| {
            let cofactor = &product / q.value();
            let inverse = q.inv((&cofactor % q.value()).to_u64().unwrap_or(0)).unwrap_or(0);
            (cofactor, inverse)
        };
        Self {
            basis,
            cofactors: basis.moduli().iter().map(cofactor).collect(),
            product,
        }
    }

    /// Whether coefficient c is negative, and its magnitude.
    fn coefficient(&self, words: &[u64], n: usize, c: usize) -> (bool, BigUint) {
        let terms = self.basis.moduli().iter().zip(&self.cofactors).enumerate();
        let sum: BigUint = terms
            .map(|(i, (q, (cofactor, inverse)))| cofactor * q.mul(words[i * n + c], *inverse))
            .sum();
        let sum = sum % &self.product;
        let other = &self.product - &sum;
        if other < sum { (true, other) } else { (false, sum) }
    }
}

/// log2 of a large integer; 0 counts as 1.
fn log2(x: &BigUint) -> f64 {
    let shift = x.bits().saturating_sub(60);
    (x >> shift).to_f64().unwrap_or(1.0).max(1.0).log2() + shift as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_both_signs_are_scaled() {
        let moduli = [1_048_583u64, 1_048_589, 1_048_601].map(|q| Modulus::new(q).unwrap());
        let basis = Basis::new(&moduli).unwrap();
        let numbers: [i128; 5] = [0, 1, -1, 123_456_789_012_345, -576_460_752_303_423_488];
        let words: Vec<u64> = moduli
            .iter()
            .flat_map(|q| numbers.map(|x| x.rem_euclid(i128::from(q.value())) as u64))
            .collect();
        let (scaled, log2) = scaled(&basis, &words, numbers.len());
        assert_eq!(log2, 60.0);
        for (x, number) in scaled.iter().zip(numbers) {
            assert_eq!(x * log2.exp2(), number as f64);
        }
        assert_eq!(largest_log2(&basis, &words, numbers.len()), 59.0);
        assert_eq!(super::scaled(&basis, &[0; 15], 5).1, 0.0);
    }
}
