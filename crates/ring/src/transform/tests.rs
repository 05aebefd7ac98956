use proptest::prelude::*;
use ringmill_arith::{Modulus, Simd, prime};
use sha2::{Digest, Sha256};

use super::*;
use crate::FermatRing;

fn random(n: usize, q: &Modulus, seed: u64) -> Vec<u64> {
    let step = |x: &u64| {
        Some(q.add(
            q.mul(*x, 6_364_136_223_846_793_005 % q.value()),
            1_442_695_040 % q.value(),
        ))
    };
    std::iter::successors(Some(q.reduce(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))), step)
        .take(n)
        .collect()
}

/// The value of a coefficient vector at zeta^k, from the definition.
fn value(ring: &FermatRing, q: &Modulus, zeta: u64, a: &[u64], k: u64) -> u64 {
    let terms = a.iter().zip(ring.exponents());
    terms.fold(0, |sum, (&x, &e)| {
        q.add(sum, q.mul(x, q.pow(zeta, u64::from(e) * k % ring.d())))
    })
}

/// The output of `fermat_ring.py` of the mathematics notes: q, and the hash of the values of the element
/// with coefficients 0, 1, ..., n - 1, decimal and comma-joined.
#[test]
fn agrees_with_the_reference_script() {
    let ring = FermatRing::new(32768).unwrap();
    let q = Modulus::new(838_848_001).unwrap();
    assert_eq!(prime::root_of_unity(&q, ring.d()), Ok(REFERENCE_ZETA));
    assert_eq!(prime::root_of_unity(&q, 256), Ok(REFERENCE_W256));
    for kernel in Simd::tested() {
        let transform = Transform::new(&ring.clone().into(), q, kernel).unwrap();
        let mut data: Vec<u64> = (0..32768).collect();
        transform.evaluate(&mut data).unwrap();
        let text: Vec<String> = data.iter().map(u64::to_string).collect();
        let hash: String = Sha256::digest(text.join(","))
            .iter()
            .map(|b| format!("{b:02x}"))
            .collect();
        assert_eq!(hash, REFERENCE_HASH, "{kernel:?}");
    }
}

const REFERENCE_ZETA: u64 = 744_990_411;
const REFERENCE_W256: u64 = 73_693_370;
const REFERENCE_HASH: &str = "61fd4108e0d7fb266df36c30c4e6819a9586f2becd720fd0d42f27db51228379";

/// The tables that devices with transforms of their own take.
#[test]
fn diagonals_are_sums_over_the_group() {
    for n in FermatRing::DIMENSIONS {
        let ring = FermatRing::new(n).unwrap();
        let q = ring.primes(1 << 48, 1, &[]).unwrap()[0];
        let largest = ring.orders()[ring.orders().len() - 1];
        let zeta = prime::root_of_unity(&q, ring.d()).unwrap();
        let root = prime::root_of_unity(&q, largest as u64).unwrap();
        let [table, inverse] = diagonals(&ring, &q).unwrap();
        assert_eq!((table.len(), inverse.len()), (n, n));
        // sum_i j_i k_i M/m_i over the dimensions, whose digits j_i and k_i stand in the indices, the last one lowest.
        let exponent = |j: usize, k: usize| {
            let dimensions = ring.orders().iter().rev();
            let digits = dimensions.scan((j, k), |(j, k), m| {
                let term = (*j % m) * (*k % m) * (largest / m);
                (*j, *k) = (*j / m, *k / m);
                Some(term)
            });
            digits.sum::<usize>() % largest
        };
        for k in [0, 1, n / 3, n - 1] {
            let sum = ring.exponents().iter().enumerate().fold(0, |sum, (j, &e)| {
                let term = q.mul(q.pow(zeta, e.into()), q.pow(root, exponent(j, k) as u64));
                q.add(sum, term)
            });
            assert_eq!(table[k], sum, "{n} {k}");
            assert_eq!(q.mul(table[k], inverse[k]), 1, "{n} {k}");
        }
    }
}

#[test]
fn evaluates_from_the_definition_and_interpolates_back() {
    for n in FermatRing::DIMENSIONS {
        let ring = FermatRing::new(n).unwrap();
        let mut primes = ring.primes(1 << 50, 1, &[]).unwrap();
        // Also with loose lanes, up to the largest primes that they take.
        for bits in [48, 40] {
            primes.extend(ring.primes(1 << bits, 1, &[]).unwrap());
        }
        for q in primes {
            let zeta = prime::root_of_unity(&q, ring.d()).unwrap();
            let edge = vec![q.value() - 1; n];
            for a in [random(n, &q, 1), edge.clone()] {
                let mut results = Vec::new();
                for kernel in Simd::tested() {
                    let transform = Transform::new(&ring.clone().into(), q, kernel).unwrap();
                    let mut data = a.clone();
                    transform.evaluate(&mut data).unwrap();
                    results.push(data.clone());
                    // From one array to another: the first stays, whatever was in the second.
                    let (from, mut other) = (data.clone(), edge.clone());
                    transform.interpolate_to(&from, &mut other).unwrap();
                    transform.interpolate(&mut data).unwrap();
                    assert_eq!(
                        [&data, &other, &from],
                        [&a, &a, &results[results.len() - 1]],
                        "{kernel:?} n = {n}"
                    );
                    transform.evaluate_to(&data, &mut other).unwrap();
                    assert_eq!([&other, &data], [&from, &a], "{kernel:?} n = {n}");
                }
                assert!(results.windows(2).all(|w| w[0] == w[1]), "n = {n}");
                for i in [0, 1, n / 3, n / 2 + 5, n - 1] {
                    let k = u64::from(ring.exponents()[i]);
                    assert_eq!(results[0][i], value(&ring, &q, zeta, &a, k), "n = {n} index {i}");
                }
            }
        }
    }
}

/// Gauss sums factor over the dimensions, so that two passes do; a dimension of 2^16 lies in rows and columns.
#[test]
fn tables_are_tensor_products() {
    for n in FermatRing::DIMENSIONS {
        let ring = FermatRing::new(n).unwrap();
        let q = ring.primes(1 << 50, 1, &[]).unwrap()[0];
        for kernel in Simd::tested() {
            let transform = Transform::new(&ring.clone().into(), q, kernel).unwrap();
            let Method::Fermat(correlations) = &transform.method else {
                panic!("n = {n}")
            };
            for operator in correlations.operators() {
                assert_eq!(operator.takes_two_passes(), n < 65536, "{kernel:?} n = {n}");
            }
        }
    }
}

/// The floating-point lanes and the loose ones stay exact: no value exceeds 8p. A loop's bounds do not depend on the
/// data, so one run is a proof.
#[test]
fn bounds_hold() {
    for n in FermatRing::DIMENSIONS {
        let ring = FermatRing::new(n).unwrap();
        let q = ring.primes(1 << 50, 1, &[]).unwrap()[0];
        let transform = Transform::new(&ring.clone().into(), q, Simd::Portable).unwrap();
        let Method::Fermat(convolutions) = &transform.method else {
            panic!("n = {n}")
        };
        for operator in convolutions.operators() {
            let [floating, loose] = operator::worst_bounds(operator);
            // 2^50 - 27 is the largest prime below 2^50: integers to 2^53 are exact.
            let limit = (1u64 << 53) as f64 / ((1u64 << 50) - 27) as f64;
            assert!((1.0..=limit).contains(&floating), "n = {n}: {floating}");
            // Loose lanes have 16p for primes below 2^48.
            assert!((1.0..=8.0).contains(&loose), "n = {n}: {loose}");
        }
    }
}

#[test]
fn refuses_bad_primes_and_lengths() {
    let ring = FermatRing::new(4096).unwrap();
    let alien = Modulus::new(65537).unwrap();
    assert!(Transform::new(&ring.clone().into(), alien, Simd::Portable).is_err());
    let giant = ring.primes(1 << 55, 1, &[]).unwrap()[0];
    assert!(Transform::new(&ring.clone().into(), giant, Simd::Avx2).is_err());
    assert!(Transform::new(&ring.clone().into(), giant, Simd::Portable).is_ok());
    let q = ring.primes(1 << 50, 1, &[]).unwrap()[0];
    let transform = Transform::new(&ring.clone().into(), q, Simd::Portable).unwrap();
    assert!(transform.evaluate(&mut [0; 100]).is_err());
    assert!(transform.evaluate_to(&[0; 100], &mut vec![0; 4096]).is_err());
    assert!(transform.interpolate_to(&vec![0; 4096], &mut [0; 100]).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]
    /// Products of values are values of the product. The product is computed from sparse elements,
    /// multiplied by exponents in Z[x]/(x^d - 1) and folded.
    #[test]
    fn products_agree_with_schoolbook(
        i in 0usize..3,
        a in proptest::collection::vec((0u64..196_611, -1000i64..1000), 1..40),
        b in proptest::collection::vec((0u64..196_611, -1000i64..1000), 1..40),
    ) {
        let ring = FermatRing::new([2048, 8192, 65536][i]).unwrap();
        let d = ring.d();
        let q = ring.primes(1 << 50, 1, &[]).unwrap()[0];
        let mut full = [(); 3].map(|()| vec![0i64; d as usize]);
        for &(e, x) in &a { full[0][(e % d) as usize] += x; }
        for &(e, x) in &b { full[1][(e % d) as usize] += x; }
        for &(e, x) in &a {
            for &(f, y) in &b {
                full[2][((e + f) % d) as usize] += x * y;
            }
        }
        let folded = full.map(|f| {
            ring.fold(&f).unwrap().into_iter().map(|x| q.from_signed(x)).collect::<Vec<u64>>()
        });
        for kernel in Simd::tested() {
            let transform = Transform::new(&ring.clone().into(), q, kernel).unwrap();
            let [mut x, mut y, z] = folded.clone();
            transform.evaluate(&mut x).unwrap();
            transform.evaluate(&mut y).unwrap();
            x.iter_mut().zip(&y).for_each(|(x, &y)| *x = q.mul(*x, y));
            transform.interpolate(&mut x).unwrap();
            prop_assert_eq!(&x, &z);
        }
    }
}
