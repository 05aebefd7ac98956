//! The size of coefficients beyond a word.

use num_bigint::BigUint;
use num_traits::ToPrimitive;
use ringmill_arith::Basis;

/// log2 of the largest magnitude among centred coefficients of n, given as residues limb after limb; 0 if all
/// are 0.
#[must_use]
pub fn largest_log2(basis: &Basis, words: &[u64], n: usize) -> f64 {
    let product = basis.product();
    let cofactors: Vec<(BigUint, u64)> = basis
        .moduli()
        .iter()
        .map(|q| {
            let cofactor = &product / q.value();
            let inverse = q.inv((&cofactor % q.value()).to_u64().unwrap_or(0)).unwrap_or(0);
            (cofactor, inverse)
        })
        .collect();
    let magnitude = |c: usize| {
        let terms = basis.moduli().iter().zip(&cofactors).enumerate();
        let sum: BigUint = terms
            .map(|(i, (q, (cofactor, inverse)))| cofactor * q.mul(words[i * n + c], *inverse))
            .sum();
        let sum = sum % &product;
        let other = &product - &sum;
        sum.min(other)
    };
    log2(&(0..n).map(magnitude).max().unwrap_or_default())
}

/// log2 of a large integer; 0 counts as 1.
fn log2(x: &BigUint) -> f64 {
    let shift = x.bits().saturating_sub(60);
    (x >> shift).to_f64().unwrap_or(1.0).max(1.0).log2() + shift as f64
}
