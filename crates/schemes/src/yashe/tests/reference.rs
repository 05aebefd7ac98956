//! Products and key switching beside big integers in Z[x]/Phi_d.

use num_bigint::{BigInt, BigUint};
use num_traits::Zero;
use ringmill_arith::Basis;
use ringmill_device::Device;
use ringmill_ring::{Domain, FermatRing};

use super::*;

/// The centred integers of residues, limb after limb.
fn centred(basis: &Basis, words: &[u64], n: usize) -> Vec<BigInt> {
    let q = basis.product();
    let cofactors: Vec<(BigUint, u64)> = basis
        .moduli()
        .iter()
        .map(|p| {
            let cofactor = &q / p.value();
            let rest = u64::try_from(&cofactor % p.value()).unwrap();
            (cofactor, p.inv(rest).unwrap())
        })
        .collect();
    let integer = |c: usize| {
        let terms = basis.moduli().iter().zip(&cofactors).enumerate();
        let sum: BigUint = terms
            .map(|(i, (p, (x, inverse)))| x * p.mul(words[i * n + c], *inverse))
            .sum();
        let sum = BigInt::from(sum % &q);
        if &sum * 2 > BigInt::from(q.clone()) {
            sum - BigInt::from(q.clone())
        } else {
            sum
        }
    };
    (0..n).map(integer).collect()
}

/// Coefficient j of the product of two elements, by the definition: what (x^d - 1) leaves, folded: where the
/// exponent is made a multiple of some of d's primes, the coefficient there is taken off, or put back.
fn product_at(ring: &FermatRing, a: &[BigInt], b: &[BigInt], j: usize) -> BigInt {
    let d = ring.d();
    let primes: Vec<u64> = ring.orders().iter().map(|&order| order as u64 + 1).collect();
    let e = u64::from(ring.exponents()[j]);
    let mut sum = BigInt::zero();
    for subset in 0..1u32 << primes.len() {
        let chosen = |i: usize| subset >> i & 1 == 1;
        let fits =
            |x: &u64| (0..primes.len()).all(|i| x % primes[i] == if chosen(i) { 0 } else { e % primes[i] });
        let at = (0..d).find(fits).unwrap();
        let mut coefficient = BigInt::zero();
        for (i, &unit) in ring.exponents().iter().enumerate() {
            if let Some(other) = ring.index_of((at + d - u64::from(unit)) % d) {
                coefficient += &a[i] * &b[other];
            }
        }
        sum += if subset.count_ones() % 2 == 0 {
            coefficient
        } else {
            -coefficient
        };
    }
    sum
}

fn modulo(x: &BigInt, q: &BigInt) -> BigInt {
    ((x % q) + q) % q
}

#[test]
fn products_are_those_of_big_integers() {
    let f = Fixture::new(&spec());
    let (context, n) = (&f.context, 2048);
    let (device, ring) = (context.device(), FermatRing::new(n).unwrap());
    for level in [13, 4] {
        let (_, a) = f.encrypted(20, level);
        let (_, b) = f.encrypted(21, level);
        let basis = context.parameters().q_at(level).unwrap();
        let q = BigInt::from(basis.product());
        let integers = |poly| centred(basis, &device.download(poly).unwrap(), n);
        let [x, y] = [&a, &b].map(|c| integers(&c.0.poly));
        let [a, b] = [&a, &b].map(|c| context.factor(c).unwrap());
        let product = context.multiply(&[(&a, &b)]).unwrap();
        let got = integers(&product.0.poly);
        for j in (0..n).step_by(97) {
            // round(2 c / q), q odd.
            let c: BigInt = product_at(&ring, &x, &y, j) * 2;
            let rest = {
                let rest = modulo(&c, &q);
                if &rest * 2 > q { rest - &q } else { rest }
            };
            assert_eq!(
                modulo(&((c - rest) / &q), &q),
                modulo(&got[j], &q),
                "level {level}, {j}"
            );
        }
    }
}

/// Some coefficients of what key switching gives, by the positional digits of big integers times the key.
#[test]
fn key_switching_is_the_inner_product_with_digits() {
    let f = Fixture::new(&spec());
    let (context, n, level) = (&f.context, 2048, 13);
    let (device, ring) = (context.device(), FermatRing::new(n).unwrap());
    let basis = context.parameters().q_at(level).unwrap();
    let (_, a) = f.encrypted(22, level);
    let lifted = context.factor(&a).unwrap();
    let product = context.multiply(&[(&lifted, &lifted)]).unwrap();
    let switched = context.relinearize(&f.evaluation, &product, &[], level).unwrap();
    let coefficients = |poly| {
        let poly = context.in_domain(poly, Domain::Coefficient).unwrap();
        centred(basis, &device.download(&poly).unwrap(), n)
    };
    let q = BigInt::from(basis.product());
    let bits = context.parameters().digit_bits();
    let (base, half) = (BigInt::from(1) << bits, BigInt::from(1) << (bits - 1));
    // Digits of the representative in [0, q), each in (-w/2, w/2].
    let mut rest: Vec<BigInt> = coefficients(&product.0.poly)
        .iter()
        .map(|x| modulo(x, &q))
        .collect();
    let keys: Vec<Vec<BigInt>> = f.evaluation.elements.iter().map(coefficients).collect();
    let mut digits = Vec::new();
    for _ in 0..keys.len() {
        let low: Vec<BigInt> = rest
            .iter()
            .map(|x| {
                let low = modulo(x, &base);
                if low > half { low - &base } else { low }
            })
            .collect();
        rest = rest.iter().zip(&low).map(|(x, low)| (x - low) >> bits).collect();
        digits.push(low);
    }
    assert!(rest.iter().all(Zero::is_zero));
    let got = coefficients(&switched.0.poly);
    for j in [0, 1, 700, 1400, 2047] {
        let sum: BigInt = digits
            .iter()
            .zip(&keys)
            .map(|(d, key)| product_at(&ring, d, key, j))
            .sum();
        assert_eq!(modulo(&sum, &q), modulo(&got[j], &q), "{j}");
    }
}
