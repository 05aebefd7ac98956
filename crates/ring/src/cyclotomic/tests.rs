use super::*;

/// Computes Phi_m by the definition: x^m - 1 divided by Phi_d for all proper divisors d.
fn by_division(m: usize) -> Vec<i64> {
    let mut dividend = vec![0; m + 1];
    (dividend[0], dividend[m]) = (-1, 1);
    for d in (1..m).filter(|&d| m.is_multiple_of(d)) {
        let divisor = by_division(d);
        let mut quotient = vec![0; dividend.len() - divisor.len() + 1];
        for i in (0..quotient.len()).rev() {
            quotient[i] = dividend[i + divisor.len() - 1];
            for (j, c) in divisor.iter().enumerate() {
                dividend[i + j] -= quotient[i] * c;
            }
        }
        assert!(dividend.iter().all(|&x| x == 0));
        dividend = quotient;
    }
    dividend
}

fn dense(ring: &Cyclotomic) -> Vec<i64> {
    let mut phi = vec![0; ring.n() + 1];
    ring.terms().iter().for_each(|&(e, c)| phi[e] = c.into());
    phi
}

/// Divides by Phi_m as on paper.
fn remainder(ring: &Cyclotomic, product: &[i64]) -> Vec<i64> {
    let (phi, n, mut rest) = (dense(ring), ring.n(), product.to_vec());
    for top in (n..rest.len()).rev() {
        let lead = rest[top];
        for (j, c) in phi.iter().enumerate() {
            rest[top - n + j] -= lead * c;
        }
    }
    rest.truncate(n);
    rest
}

fn numbers(count: usize, seed: i64) -> Vec<i64> {
    (0..count as i64)
        .map(|i| (i * i * 31 + seed * i + 7 * seed) % 1009 - 504)
        .collect()
}

#[test]
fn polynomials_are_cyclotomic() {
    for m in (3..=135).step_by(2).chain([225, 315, 385]) {
        let ring = Cyclotomic::new(m).unwrap();
        assert_eq!(dense(&ring), by_division(m as usize), "m = {m}");
    }
    // The first with a coefficient of 2 in magnitude, and one of 3.
    let largest = |m| {
        Cyclotomic::new(m)
            .unwrap()
            .terms()
            .iter()
            .map(|(_, c)| c.abs())
            .max()
    };
    assert_eq!((largest(105), largest(385)), (Some(2), Some(3)));
}

/// The bound is reached if every coefficient has the right sign.
#[test]
fn bounds_are_tight() {
    let ring = Cyclotomic::new(105).unwrap();
    let length = 2 * ring.n() - 1;
    let mut power = ring.unit();
    let mut rows = vec![vec![0; length]; ring.n()];
    for i in 0..length {
        let mut monomial = vec![0; length];
        monomial[i] = 1;
        let expected = remainder(&ring, &monomial);
        assert!(
            power
                .coefficients()
                .iter()
                .zip(&expected)
                .all(|(&x, &y)| i64::from(x) == y),
            "x^{i}"
        );
        rows.iter_mut().zip(expected).for_each(|(row, x)| row[i] = x);
        power.advance();
    }
    let largest = rows.iter().enumerate().map(|(k, row)| {
        let signs: Vec<i64> = row.iter().map(|x| x.signum()).collect();
        remainder(&ring, &signs)[k]
    });
    assert_eq!(ring.bound(&vec![1.0; length]), largest.max().unwrap() as f64);
}

#[test]
fn conductors_are_odd_and_not_too_large() {
    for m in [0, 1, 2, 4096, MAX_CONDUCTOR + 1] {
        assert_eq!(Cyclotomic::new(m), Err(RingError::BadConductor { m }));
    }
    assert!(Cyclotomic::new(MAX_CONDUCTOR - 1).is_ok());
}

#[test]
fn every_reduction_is_the_remainder() {
    // Spacing above 1, two and three primes, a coefficient 2, one prime.
    for m in [63, 75, 105, 131, 189, 225, 385, 451] {
        let ring = Cyclotomic::new(m).unwrap();
        let product = numbers(2 * ring.n() - 1, m as i64);
        let expected = remainder(&ring, &product);
        for reduction in [Reduction::blocks(&ring), Reduction::folding(&ring)] {
            let mut once = product.clone();
            reduction.apply(&mut once, 1).unwrap();
            assert_eq!(once[..ring.n()], expected, "m = {m}");
            let mut reals: Vec<f64> = product.iter().map(|&x| x as f64).collect();
            reduction.apply(&mut reals, 1).unwrap();
            assert!(
                reals.iter().zip(&expected).all(|(&x, &y)| x == y as f64),
                "m = {m}"
            );
            // Each coefficient has two words; the second is three times the first.
            let mut twice: Vec<i32> = product.iter().flat_map(|&x| [x as i32, 3 * x as i32]).collect();
            reduction.apply(&mut twice, 2).unwrap();
            for (pair, &y) in twice.chunks_exact(2).zip(&expected) {
                assert_eq!((pair[0].into(), pair[1].into()), (y, 3 * y), "m = {m}");
            }
            assert!(reduction.apply(&mut twice, 1).is_err());
            let bounds: Vec<f64> = product.iter().map(|x| x.abs() as f64).collect();
            let bound = ring.bound(&bounds);
            assert!(bound <= reduction.growth(&bounds).unwrap(), "m = {m}");
            assert!(expected.iter().all(|&x| x.abs() as f64 <= bound), "m = {m}");
        }
        assert!(Reduction::folding(&ring).additions() <= Reduction::blocks(&ring).additions());
    }
}

/// The costs are counted by hand. Phi_75 = x^40 - x^35 + x^25 - x^20 + x^15 - x^5 + 1: 79 coefficients, 39
/// times 6. For 3205 = 5 * 641: x^3205 - 1 takes 5119 - 3205, Phi_5(x^641) 4 (3205 - 2564), Phi_3205 four
/// times 1024.
#[test]
fn costs_are_counted() {
    let ring = Cyclotomic::new(75).unwrap();
    assert_eq!((ring.n(), ring.weight(), ring.spacing()), (40, 7, 5));
    assert_eq!(Reduction::blocks(&ring).additions(), 39 * 6);
    let ring = Cyclotomic::new(3205).unwrap();
    assert_eq!((ring.n(), ring.weight(), ring.slots()), (2560, 1025, 40));
    let reduction = Reduction::folding(&ring);
    assert_eq!(reduction.additions(), 1914 + 4 * 641 + 4 * 1024);
    let divisors: Vec<u64> = reduction.steps().iter().map(|step| step.divisor).collect();
    assert_eq!(divisors, [1, 5, 3205]);
}

#[test]
fn the_search_finds_the_degree() {
    let found = search(2560..=2560, 2);
    let conductors: Vec<u64> = found.iter().map(|candidate| candidate.m).collect();
    assert_eq!(conductors[0], 3205);
    assert!(conductors.contains(&2827) && conductors.contains(&3485));
    assert!(found.iter().all(|c| c.n == 2560 && c.slots * c.order == c.n));
    let costs: Vec<f64> = found.iter().map(Candidate::additions_per_coefficient).collect();
    assert!(costs.is_sorted());
    // For all m: among the odd ones, phi(m) = 8 only for 15.
    let found = search(8..=8, 1);
    assert_eq!(found.iter().map(|c| c.m).collect::<Vec<_>>(), [15]);
}

#[test]
fn slots_are_a_product_of_rings() {
    // 127: 18 slots; 75: 2; 451 = 11 * 41: 20; 3205: 40; 217 = 7 * 31: 12.
    for (m, slots) in [(127, 18), (75, 2), (451, 20), (217, 12), (3205, 40)] {
        let ring = Cyclotomic::new(m).unwrap();
        let batching = Batching::new(&ring).unwrap();
        assert_eq!(batching.slots(), slots, "m = {m}");
        let bits =
            |seed: usize| -> Vec<bool> { (0..slots).map(|i| (i * i + seed * i) / 3 % 2 == 1).collect() };
        let (a, b) = (bits(3), bits(8));
        let [x, y] = [&a, &b].map(|bits| coefficients(&batching.encode(bits).unwrap(), ring.n()));
        let sum: Vec<i64> = x.iter().zip(&y).map(|(x, y)| x + y).collect();
        let mut product = vec![0; 2 * ring.n() - 1];
        for (i, x) in x.iter().enumerate() {
            product[i..].iter_mut().zip(&y).for_each(|(to, y)| *to += x * y);
        }
        let decode = |element: &[i64]| batching.decode(&words(element)).unwrap();
        let pairs = || a.iter().zip(&b);
        assert_eq!(decode(&x), a);
        assert_eq!(decode(&sum), pairs().map(|(a, b)| a ^ b).collect::<Vec<_>>());
        assert_eq!(
            decode(&remainder(&ring, &product)),
            pairs().map(|(a, b)| a & b).collect::<Vec<_>>()
        );
    }
}

#[test]
fn what_batching_refuses() {
    let ring = Cyclotomic::new(125).unwrap();
    assert_eq!(Batching::new(&ring).unwrap_err(), RingError::NoSlots { m: 125 });
    let batching = Batching::new(&Cyclotomic::new(127).unwrap()).unwrap();
    assert!(matches!(
        batching.encode(&[true; 19]),
        Err(RingError::TooManyBits { got: 19, slots: 18 })
    ));
    assert!(matches!(
        batching.decode(&[0; 3]),
        Err(RingError::WrongLength { .. })
    ));
    assert!(matches!(
        batching.decode(&[2, 0]),
        Err(RingError::NotABit { slot: 0 })
    ));
    assert_eq!(batching.decode(&[0, 0]).unwrap(), [false; 18]);
}

fn coefficients(words: &[u64], n: usize) -> Vec<i64> {
    (0..n).map(|i| (words[i / 64] >> (i % 64) & 1) as i64).collect()
}

fn words(coefficients: &[i64]) -> Vec<u64> {
    let word = |block: &[i64]| {
        block
            .iter()
            .rev()
            .fold(0, |word, x| word << 1 | x.rem_euclid(2) as u64)
    };
    coefficients.chunks(64).map(word).collect()
}
