//! The golden model of paper 3's conversions on tiles, at the paper's size, beside big integers.

use num_bigint::{BigInt, BigUint};
use num_traits::ToPrimitive;
use ringmill_arith::prime::primes_below;
use ringmill_rtl::RtlError;
#[cfg(feature = "rtl")]
use ringmill_rtl::tile_conversion::TileSimulation;
use ringmill_rtl::tile_conversion::{Conversion, Model};

use crate::common::Random;

/// The primes of the paper's q, and of its Q.
const KEPT: usize = 41;
const ALL: usize = 84;

/// Coefficients of a tile: 2^15 on 256 tiles.
const COEFFICIENTS: u64 = 128;

fn primes() -> Vec<u32> {
    let primes = primes_below(1 << 30, 1 << 16, ALL, &[]).unwrap();
    primes.iter().map(|q| u32::try_from(q.value()).unwrap()).collect()
}

fn residues(x: &BigUint, primes: &[u32]) -> Vec<u32> {
    primes.iter().map(|q| (x % q).to_u32().unwrap()).collect()
}

/// Runs a conversion on one coefficient.
fn run(conversion: &Conversion, input: &[u32]) -> Vec<u32> {
    let mut model = Model::default();
    model.write(conversion.input().0, input);
    model.write(conversion.one(), &[1]);
    model.run(conversion.program());
    let (place, count) = conversion.output();
    model.read(place, count)
}

/// The simulated tiles do what the model does, in the cycles of the formula, all conversions one after the other.
#[cfg(feature = "rtl")]
#[test]
fn tiles_do_what_the_model_does() {
    let all = primes();
    let (from, to) = all.split_at(KEPT);
    let mut tiles = TileSimulation::new().unwrap();
    let mut random = Random::new(4);
    let residue = |random: &mut Random, q: &u32| (random.word() % u64::from(*q)) as u32;
    for conversion in [
        Conversion::small_crt(from, to).unwrap(),
        Conversion::large_crt(from).unwrap(),
        Conversion::large_crt(&all).unwrap(),
        Conversion::large_crt_for_division(&all, KEPT).unwrap(),
    ] {
        let mut coefficients: Vec<Vec<u32>> = (1..TileSimulation::TILES)
            .map(|_| all.iter().map(|q| residue(&mut random, q)).collect())
            .collect();
        // The number 1, the nearest to 0.
        coefficients.push(vec![1; ALL]);
        coefficients
            .iter_mut()
            .for_each(|words| words.truncate(conversion.input().1));
        same(&mut tiles, &conversion, &coefficients);
    }
    let integer = Conversion::large_crt_for_division(&all, KEPT).unwrap();
    let words: Vec<Vec<u32>> = (0..TileSimulation::TILES)
        .map(|_| all.iter().map(|q| residue(&mut random, q)).collect::<Vec<_>>())
        .map(|residues| run(&integer, &residues))
        .collect();
    same(
        &mut tiles,
        &Conversion::divide_and_round(&all, KEPT).unwrap(),
        &words,
    );
}

#[cfg(feature = "rtl")]
fn same(tiles: &mut TileSimulation, conversion: &Conversion, coefficients: &[Vec<u32>]) {
    let results = tiles.convert(conversion, coefficients).unwrap();
    let expected: Vec<_> = coefficients.iter().map(|words| run(conversion, words)).collect();
    assert_eq!(results.words, expected);
    assert_eq!(results.cycles, conversion.program().cycles());
}

/// Random numbers below a bound, and extremes.
fn numbers(bound: &BigUint) -> Vec<BigUint> {
    let mut random = Random::new(3);
    let mut number = || (0..60).fold(BigUint::ZERO, |x, _| (x << 64) + random.word()) % bound;
    let mut numbers: Vec<_> = (0..20).map(|_| number()).collect();
    numbers.extend([bound / 3_u32, bound * 2_u32 / 3_u32, bound - 1_u32, BigUint::ZERO]);
    numbers.extend([bound / 2_u32, bound / 2_u32 + 1_u32, BigUint::from(1_u32)]);
    numbers
}

#[test]
fn small_crt_lifts() {
    let all = primes();
    let (from, to) = all.split_at(KEPT);
    let q: BigUint = from.iter().product();
    let conversion = Conversion::small_crt(from, to).unwrap();
    for x in numbers(&q) {
        let result = run(&conversion, &residues(&x, from));
        let centred = BigInt::from(x.clone())
            - if &x * 2_u32 > q {
                BigInt::from(q.clone())
            } else {
                0.into()
            };
        let expected = to.iter().map(|&p| {
            let p = BigInt::from(p);
            (((&centred % &p) + &p) % &p).to_u32().unwrap()
        });
        assert_eq!(result, expected.collect::<Vec<_>>());
    }
    // 209,920 cycles in the paper.
    assert!(COEFFICIENTS * conversion.program().cycles() < 209_920);
}

#[test]
fn large_crt_finds_integers() {
    let all = primes();
    for (count, paper) in [(KEPT, 1_178_368), (ALL, 2_414_218)] {
        let primes = &all[..count];
        let q: BigUint = primes.iter().product();
        let conversion = Conversion::large_crt(primes).unwrap();
        for x in numbers(&q) {
            assert_eq!(BigUint::new(run(&conversion, &residues(&x, primes))), x);
        }
        assert!(COEFFICIENTS * conversion.program().cycles() < paper);
    }
}

#[test]
fn divisions_are_rounded() {
    let all = primes();
    let [q, product]: [BigUint; 2] = [&all[..KEPT], &all].map(|primes| primes.iter().product());
    let integer = Conversion::large_crt_for_division(&all, KEPT).unwrap();
    let division = Conversion::divide_and_round(&all, KEPT).unwrap();
    for x in numbers(&product) {
        let words = run(&integer, &residues(&x, &all));
        let c = BigInt::from(x.clone())
            - if &x * 2_u32 > product {
                BigInt::from(product.clone())
            } else {
                0.into()
            };
        // floor(2 c / q + 1/2), modulo q.
        let q = BigInt::from(q.clone());
        let doubled: BigInt = c * 4 + &q;
        let two: BigInt = &q * 2;
        let floor = (&doubled - ((&doubled % &two) + &two) % &two) / &two;
        let expected = ((floor % &q) + &q) % &q;
        let result = run(&division, &words);
        assert_eq!(BigInt::from(BigUint::new(result)), expected);
    }
    assert!(COEFFICIENTS * integer.program().cycles() < 2_414_218);
    assert!(COEFFICIENTS * division.program().cycles() < 3_666_304);
}

#[test]
fn unfit_primes_are_refused() {
    let all = primes();
    let refused = |from: &[u32]| Conversion::large_crt(from).unwrap_err();
    for error in [
        refused(&[]),
        refused(&[all[0], all[0]]),
        refused(&[(1 << 30) - 35]),
        refused(&[4_293_918_721]),
    ] {
        assert!(matches!(error, RtlError::BadConversion { .. }), "{error}");
    }
}
