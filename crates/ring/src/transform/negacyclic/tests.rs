use ringmill_arith::lanes::bounds::{Floating, Roomy, Rule, worst_vector_bound};
use ringmill_arith::lanes::shapes::Shape;
use ringmill_arith::{Modulus, Simd, prime};

use super::{Butterflies, Evaluate, Interpolate, Products, Table};
use crate::{NegacyclicRing, Prepared, RingError, Transform};

/// Primes of 22 to 50 bits, the largest below each power of two, and more at the edges of 2^30, 2^31
/// and 2^32, where kernels change.
fn primes(ring: &NegacyclicRing) -> Vec<Modulus> {
    let largest = |bits: u32, count| ring.primes(1 << bits, count, &[]).unwrap();
    let sizes = (22..=50).filter(|&bits| ring.congruence() << 3 < 1 << bits);
    sizes
        .flat_map(|bits| largest(bits, if (30..=32).contains(&bits) { 2 } else { 1 }))
        .collect()
}

/// Coefficients on which only a wrong kernel gives a different result: random ones, edge values only, single
/// terms.
fn inputs(n: usize, q: &Modulus) -> Vec<Vec<u64>> {
    let p = q.value();
    let step = |x: &u64| Some(q.add(q.mul(*x, 6_364_136_223_846_793_005 % p), 1_442_695_040 % p));
    let random = std::iter::successors(Some(12345 % p), step);
    let alternate = (0..n).map(|i| if i % 2 == 0 { p - 1 } else { 0 });
    let single = |at: usize| (0..n).map(|i| if i == at { p - 1 } else { 0 }).collect();
    vec![
        random.take(n).collect(),
        vec![p - 1; n],
        vec![0; n],
        vec![p / 2; n],
        alternate.collect(),
        single(0),
        single(n - 1),
        single(n / 2 + 3),
    ]
}

/// The value at psi^e, from the definition.
fn value(q: &Modulus, psi: u64, a: &[u64], e: u64) -> u64 {
    let x = q.pow(psi, e);
    a.iter().rev().fold(0, |sum, &c| q.add(q.mul(sum, x), c))
}

/// a b modulo x^n + 1, from the definition.
fn schoolbook(q: &Modulus, a: &[u64], b: &[u64]) -> Vec<u64> {
    let n = a.len();
    let mut sums = vec![(0u128, 0u128); n];
    for (i, &x) in a.iter().enumerate() {
        for (j, &y) in b.iter().enumerate() {
            let term = u128::from(x) * u128::from(y);
            if i + j < n {
                sums[i + j].0 += term;
            } else {
                sums[i + j - n].1 += term;
            }
        }
    }
    let residue = |&(plus, minus): &(u128, u128)| q.sub(q.reduce_wide(plus), q.reduce_wide(minus));
    sums.iter().map(residue).collect()
}

/// Compares all kernels with the definition at some positions and with each other at all positions, and
/// transforms back.
fn check(ring: &NegacyclicRing, q: Modulus, a: &[u64], positions: &[usize]) {
    let n = ring.n();
    let psi = prime::root_of_unity(&q, ring.conductor()).unwrap();
    let mut results = Vec::new();
    for kernel in Simd::tested() {
        let transform = Transform::new(&(*ring).into(), q, kernel).unwrap();
        let mut data = a.to_vec();
        transform.evaluate(&mut data).unwrap();
        results.push(data.clone());
        transform.interpolate(&mut data).unwrap();
        assert!(data == a, "{kernel:?} n = {n} modulo {}", q.value());
    }
    for &i in positions {
        let expected = value(&q, psi, a, ring.exponent_at(i));
        assert_eq!(
            results[0][i],
            expected,
            "n = {n} modulo {} position {i}",
            q.value()
        );
    }
    assert!(
        results.windows(2).all(|w| w[0] == w[1]),
        "n = {n} modulo {}",
        q.value()
    );
}

#[test]
fn evaluates_from_the_definition_and_interpolates_back() {
    for n in [64, 128, 256, 512, 1024, 2048, 4096] {
        let ring = NegacyclicRing::new(n).unwrap();
        for q in primes(&ring) {
            for a in inputs(n, &q) {
                check(&ring, q, &a, &[0, 1, n / 3, n / 2 + 5, n - 1]);
            }
        }
    }
    // Every position occurs once.
    let ring = NegacyclicRing::new(256).unwrap();
    for q in primes(&ring) {
        check(&ring, q, &inputs(256, &q)[0], &(0..256).collect::<Vec<_>>());
    }
}

#[test]
fn long_polynomials() {
    for n in [8192, 16384, 32768, 65536, 131_072] {
        let ring = NegacyclicRing::new(n).unwrap();
        for bits in [30, 31, 50] {
            let q = ring.primes(1 << bits, 1, &[]).unwrap()[0];
            for a in &inputs(n, &q)[..2] {
                check(&ring, q, a, &[0, 1, 64, n / 3, n / 2 + 5, n - 1]);
            }
        }
    }
}

#[test]
fn pointwise_products_are_products() {
    for n in [64, 512, 1024] {
        let ring = NegacyclicRing::new(n).unwrap();
        for bits in [22, 30, 31, 50] {
            let q = ring.primes(1 << bits, 1, &[]).unwrap()[0];
            let [a, b, ..] = &inputs(n, &q)[..] else { panic!() };
            let expected = schoolbook(&q, a, b);
            for kernel in Simd::tested() {
                let transform = Transform::new(&ring.into(), q, kernel).unwrap();
                let [mut x, mut y] = [a.clone(), b.clone()];
                transform.evaluate(&mut x).unwrap();
                transform.evaluate(&mut y).unwrap();
                x.iter_mut().zip(&y).for_each(|(x, &y)| *x = q.mul(*x, y));
                transform.interpolate(&mut x).unwrap();
                assert!(x == expected, "{kernel:?} n = {n} of {bits} bits");
                let factor = transform.prepare(&y).unwrap();
                let [mut first, mut second] = [a.clone(), vec![0; n]];
                let others = &mut [&mut second[..]];
                transform
                    .products(&mut first, &[&factor, &factor], others)
                    .unwrap();
                assert!(first == expected, "{kernel:?} n = {n} of {bits} bits");
                assert!(second == expected, "{kernel:?} n = {n} of {bits} bits");
            }
        }
    }
}

#[test]
fn refuses_bad_primes_and_lengths() {
    let ring = NegacyclicRing::new(1024).unwrap();
    let new = |q, kernel| Transform::new(&ring.into(), q, kernel);
    assert!(new(Modulus::new(257).unwrap(), Simd::Portable).is_err());
    let giant = ring.primes(1 << 55, 1, &[]).unwrap()[0];
    assert!(new(giant, Simd::Avx2).is_err());
    let transform = new(giant, Simd::Portable).unwrap();
    let refusal = RingError::WrongLength {
        expected: 1024,
        got: 100,
    };
    assert_eq!(transform.evaluate(&mut [0; 100]), Err(refusal.clone()));
    assert_eq!(transform.interpolate(&mut [0; 100]), Err(refusal));
}

/// The floating-point lanes stay exact: no value exceeds 8p. Those of primes of 31 bits with AVX-512 have room for 2^20 p. A
/// loop's bounds do not depend on the data, so one run is a proof, for vectors of one width.
#[test]
fn bounds_hold() {
    // 2^50 - 27 is the largest prime below 2^50: integers to 2^53 are exact.
    let exact = (1u64 << 53) as f64 / ((1u64 << 50) - 27) as f64;
    for n in NegacyclicRing::DIMENSIONS {
        let ring = NegacyclicRing::new(n).unwrap();
        for (worst, limit) in [
            (worst::<Floating, 4>(&ring, Shape::Four), exact),
            (worst::<Floating, 8>(&ring, Shape::Eight), exact),
            (worst::<Roomy, 8>(&ring, Shape::Eight), (1 << 20) as f64),
        ] {
            assert!((1.0..=limit).contains(&worst), "n = {n}: {worst} of {limit}");
        }
    }
}

/// The worst bound of all loops. The tables of a kernel with equally many lanes are at least as long as those of bounds,
/// whose contents do not matter.
fn worst<R: Rule, const WIDTH: usize>(ring: &NegacyclicRing, kernel: Shape) -> f64 {
    let (n, kernel) = (ring.n(), Simd::Shape(kernel));
    let q = ring.primes(1 << 50, 1, &[]).unwrap()[0];
    let tables = &Butterflies::new(ring, &q, kernel).unwrap();
    let data = &mut vec![0; n][..];
    let factor = tables.prepare(kernel, data);
    let products = Products {
        tables,
        a: &mut vec![0; n],
        factors: [&factor, &factor].into_iter(),
        others: &mut [&mut vec![0; n]],
    };
    let worst = worst_vector_bound::<R, WIDTH, _>(products);
    let worst = worst.max(worst_vector_bound::<R, WIDTH, _>(Evaluate { tables, data }));
    let data = &mut vec![0; n][..];
    worst.max(worst_vector_bound::<R, WIDTH, _>(Interpolate { tables, data }))
}

/// Products with fixed factors equal the results of transforms and pointwise products, also with rows and
/// columns.
#[test]
fn fixed_factors() {
    for n in [64, 128, 1024, 4096, 8192, 32768] {
        let ring = NegacyclicRing::new(n).unwrap();
        for bits in [22, 27, 30, 31, 32, 50] {
            let Ok(primes) = ring.primes(1 << bits, 1, &[]) else {
                continue;
            };
            let q = primes[0];
            let [a, b, c, ..] = &inputs(n, &q)[..] else {
                panic!()
            };
            for kernel in Simd::tested() {
                let transform = Transform::new(&ring.into(), q, kernel).unwrap();
                let [first, second] = [a, b].map(|f| transform.prepare(f).unwrap());
                let mut got = [b.clone(), vec![7; n], vec![7; n]];
                let [x, y, z] = &mut got;
                transform
                    .products(x, &[&first, &second, &first], &mut [y, z])
                    .unwrap();
                for (got, f) in got.iter().zip([a, b, a]) {
                    let mut expected = b.clone();
                    transform.evaluate(&mut expected).unwrap();
                    expected.iter_mut().zip(f).for_each(|(x, &f)| *x = q.mul(*x, f));
                    transform.interpolate(&mut expected).unwrap();
                    assert!(*got == expected, "{kernel:?} n = {n} of {bits} bits");
                }
                got[0].copy_from_slice(c);
                transform.products(&mut got[0], &[&first], &mut []).unwrap();
                assert!(got[0].iter().all(|&x| x == 0));
            }
        }
    }
}

#[test]
fn foreign_factors_are_refused() {
    let [small, large] = [64, 128].map(|n| NegacyclicRing::new(n).unwrap());
    let primes = small.primes(1 << 30, 2, &[]).unwrap();
    let new = |ring: NegacyclicRing, q| Transform::new(&ring.into(), q, Simd::Portable).unwrap();
    let q = large.primes(1 << 30, 1, &[]).unwrap()[0];
    let transform = new(small, primes[0]);
    let own = transform.prepare(&[1; 64]).unwrap();
    let foreign = [
        new(small, primes[1]).prepare(&[1; 64]).unwrap(),
        new(large, q).prepare(&[1; 128]).unwrap(),
    ];
    let (mut a, mut other) = (vec![1; 64], vec![0; 64]);
    for factor in &foreign {
        let refusal = transform.products(&mut a, &[factor], &mut []);
        assert!(matches!(refusal, Err(RingError::ForeignFactor { .. })));
    }
    let mut refused = |length: usize, factors: &[&Prepared], others: &mut [&mut [u64]]| {
        let refusal = transform.products(&mut a[..length], factors, others);
        assert!(matches!(refusal, Err(RingError::WrongLength { .. })));
    };
    refused(64, &[&own], &mut [&mut other]);
    refused(64, &[&own, &own], &mut []);
    refused(64, &[], &mut []);
    refused(63, &[&own], &mut []);
    refused(64, &[&own, &own], &mut [&mut other[1..]]);
}

/// With each kernel, in every build: loops stop before they read beyond an array or a table.
#[test]
fn short_arrays_and_foreign_tables_stop_before_they_are_read() {
    for kernel in Simd::tested() {
        let [(small, factor), (large, _)] = [64, 8192].map(|n| {
            let ring = NegacyclicRing::new(n).unwrap();
            let q = ring.primes(1 << 27, 1, &[]).unwrap()[0];
            let tables = Butterflies::new(&ring, &q, kernel).unwrap();
            let factor = tables.prepare(kernel, &vec![1; n]);
            (tables, factor)
        });
        let refused = |call: &dyn Fn()| std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).is_err();
        assert!(refused(&|| small.evaluate(kernel, &mut [0; 63])), "{kernel:?}");
        assert!(refused(&|| small.interpolate(kernel, &mut [0; 32])), "{kernel:?}");
        assert!(refused(&|| large.evaluate(kernel, &mut [0; 4096])), "{kernel:?}");
        let products = |length: usize, factors: &[&Table], other: &mut [u64]| {
            let factors = factors.iter().copied();
            large.products(kernel, &mut vec![0; length], factors, &mut [other]);
        };
        let own = large.prepare(kernel, &vec![1; 8192]);
        assert!(
            refused(&|| products(8192, &[&own, &factor], &mut vec![0; 8192])),
            "{kernel:?}: the factor of another ring"
        );
        let own = [&own; 2];
        assert!(refused(&|| products(64, &own, &mut vec![0; 8192])), "{kernel:?}");
        assert!(refused(&|| products(8192, &own, &mut [0; 64])), "{kernel:?}");
        assert!(
            !refused(&|| products(8192, &own, &mut vec![0; 8192])),
            "{kernel:?}"
        );
    }
}
