//! Integers in columns: the inputs of conversions, and their definitions.

use num_bigint::{BigInt, BigUint};
use num_traits::{One, ToPrimitive};
use ringmill_arith::{Basis, Modulus};

use super::PERIOD;
use super::random::{Random, edges};

/// The residues of integers, limb-major: column c holds integer c modulo their number.
pub(super) fn words(integers: &[BigInt], basis: &Basis, n: usize) -> Vec<u64> {
    let limbs = basis.moduli().iter().flat_map(|q| {
        let limb: Vec<u64> = integers.iter().map(|x| residue(x, q)).collect();
        (0..n).map(move |c| limb[c % limb.len()])
    });
    limbs.collect()
}

fn residue(x: &BigInt, q: &Modulus) -> u64 {
    let rest = (x.magnitude() % q.value()).to_u64().unwrap_or(0);
    if x.sign() == num_bigint::Sign::Minus && rest > 0 {
        q.value() - rest
    } else {
        rest
    }
}

/// The representative of x in (-d/2, d/2), d odd.
pub(super) fn centred(x: &BigInt, d: &BigUint) -> BigInt {
    x - nearest(x, d) * BigInt::from(d.clone())
}

/// round(x / d), d odd: floor((2x + d) / 2d).
pub(super) fn nearest(x: &BigInt, d: &BigUint) -> BigInt {
    let d = BigInt::from(d.clone());
    let (over, under) = (x * 2 + &d, d * 2);
    let quotient = &over / &under;
    // Division of `BigInt` rounds towards zero.
    if &quotient * under > over {
        quotient - 1
    } else {
        quotient
    }
}

/// The digits of x >= 0 in (-2^(bits-1), 2^(bits-1)], lowest first, until nothing is left and at
/// least `count`.
pub(super) fn signed_digits(x: &BigInt, bits: u32, count: usize) -> Vec<BigInt> {
    let base = BigInt::one() << bits;
    let (mut rest, mut digits) = (x.clone(), Vec::new());
    while digits.len() < count || rest != BigInt::ZERO {
        // What is left stays above -1: its remainder is not negative.
        let low: BigInt = &rest % &base;
        let digit = if &low * 2 > base { low - &base } else { low };
        rest = (rest - &digit) / &base;
        digits.push(digit);
    }
    digits
}

/// [`PERIOD`] integers in [0, q): those given modulo q first, then those at which representations
/// modulo q change, then random ones.
pub(super) fn integers(random: &mut Random, basis: &Basis, special: &[BigInt]) -> Vec<BigInt> {
    let q = basis.product();
    let signed = BigInt::from(q.clone());
    let mut all: Vec<BigInt> = special
        .iter()
        .map(|x| (x % &signed + &signed) % &signed)
        .collect();
    all.extend(edge_integers(basis).into_iter().map(BigInt::from));
    all.resize_with(all.len().max(PERIOD), || random.integer(&q).into());
    // Edges among random neighbours: what one lane's exception does to others shows.
    for i in (1..all.len()).rev() {
        all.swap(i, random.below(i as u64 + 1) as usize);
    }
    all
}

/// Small integers and their negatives, those around q/2, those that are 0, +-1 or half modulo some
/// primes and something else modulo others.
fn edge_integers(basis: &Basis) -> Vec<BigUint> {
    let q = basis.product();
    let half = &q / 2u32;
    let mut all = vec![BigUint::ZERO, BigUint::one()];
    all.extend([
        &q - 1u32,
        &q - 2u32,
        &half - 1u32,
        half.clone(),
        &half + 1u32,
        &half + 2u32,
    ]);
    all.extend([&q / 3u32, &q / 4u32, &q / 4u32 * 3u32]);
    for p in [basis.moduli().first(), basis.moduli().last()]
        .into_iter()
        .flatten()
    {
        let cofactor = &q / p.value();
        all.extend([
            BigUint::from(p.value() - 1),
            p.value().into(),
            (p.value() / 2).into(),
        ]);
        all.extend([&cofactor - 1u32, &q - &cofactor, cofactor]);
    }
    // One edge residue in the limbs of even position, one in those of odd position. Equal ones are
    // among the integers above, but cost nothing.
    let idempotents = idempotents(basis);
    for even in 0..6 {
        for odd in 0..6 {
            let choose = |(i, m): (usize, &Modulus)| edges(m)[if i % 2 == 0 { even } else { odd }];
            let residues = basis.moduli().iter().enumerate().map(choose);
            all.push(reconstruct(&idempotents, residues));
        }
    }
    all.iter().map(|x| x % &q).collect()
}

/// For each prime the integer that is 1 modulo it and 0 modulo the others.
fn idempotents(basis: &Basis) -> Vec<BigUint> {
    let q = basis.product();
    let idempotents = basis.moduli().iter().map(|p| {
        let cofactor = &q / p.value();
        let inverse = cofactor.modpow(&(p.value() - 2).into(), &p.value().into());
        cofactor * inverse
    });
    idempotents.collect()
}

/// An integer with these residues, from the idempotents of the primes.
fn reconstruct(idempotents: &[BigUint], residues: impl Iterator<Item = u64>) -> BigUint {
    let terms = idempotents.iter().zip(residues);
    terms.map(|(idempotent, x)| idempotent * x).sum()
}

/// The integers next to the points where round(x / d) changes and where it is exact, for x in
/// (-q/2, q/2).
pub(super) fn boundaries(random: &mut Random, q: &BigUint, d: &BigUint) -> Vec<BigInt> {
    let last = q / (d * 2u32);
    let mut all = Vec::new();
    for turn in [
        BigUint::ZERO,
        BigUint::one(),
        random.integer(&(&last + 1u32)),
        last,
    ] {
        let exact = BigInt::from(turn * d);
        let half = BigInt::from(d / 2u32);
        for x in [exact.clone(), &exact + 1, &exact + &half, exact + half + 1] {
            all.extend([-x.clone(), x]);
        }
    }
    let half = BigInt::from(q / 2u32);
    all.extend([-half.clone(), half]);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_agree_with_small_integers() {
        let d = BigUint::from(7u32);
        for x in -40i64..40 {
            let y = (x as f64 / 7.0).round() as i64;
            assert_eq!(nearest(&x.into(), &d), y.into());
            assert_eq!(centred(&x.into(), &d), (x - 7 * y).into());
        }
        let q = Modulus::new(7).unwrap();
        assert_eq!(
            [-8, -7, -1, 0, 6, 7].map(|x| residue(&x.into(), &q)),
            [6, 0, 6, 0, 6, 0]
        );
    }

    #[test]
    fn digits_are_small_and_recompose() {
        let integers = [
            0u64,
            1,
            2,
            3,
            0xffff_ffff,
            0x8000_0000,
            u64::MAX,
            0xaaaa_aaaa_aaaa_aaaa,
        ];
        for bits in [2, 3, 16, 60] {
            let half = BigInt::one() << (bits - 1);
            for x in integers {
                let digits = signed_digits(&x.into(), bits, 3);
                assert!(digits.len() >= 3 && digits.iter().all(|d| -&half < *d && *d <= half));
                let sum = digits.iter().rev().fold(BigInt::ZERO, |sum, d| (sum << bits) + d);
                assert_eq!(sum, x.into());
            }
        }
    }

    #[test]
    fn edges_have_the_residues_asked_for() {
        let primes = [7, 11, 65537].map(|p| Modulus::new(p).unwrap());
        let basis = Basis::new(&primes).unwrap();
        let x = reconstruct(&idempotents(&basis), [3, 10, 65536].into_iter());
        assert_eq!(primes.map(|p| residue(&x.clone().into(), &p)), [3, 10, 65536]);
        assert!(edge_integers(&basis).iter().all(|x| *x < basis.product()));
    }
}
