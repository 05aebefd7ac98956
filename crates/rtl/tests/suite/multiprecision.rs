//! The multi-precision conversion pipeline: its golden model beside exact integers, its schedule beside the paper.

use num_bigint::{BigInt, BigUint};
use ringmill_arith::prime::primes_below;
use ringmill_arith::{Basis, Modulus};
use ringmill_rtl::RtlError;
#[cfg(feature = "rtl")]
use ringmill_rtl::multiprecision::ConversionSimulation;
use ringmill_rtl::multiprecision::{Model, Schedule, Shape, WORD};

use crate::common::Random;

const SHAPES: [(usize, usize, usize); 5] = [(2, 5, 2), (3, 8, 4), (5, 11, 4), (20, 42, 8), (41, 84, 8)];

/// Primes as the transforms need them: 1 modulo 2^16.
fn basis_below(shape: Shape, limit: u64) -> Basis {
    Basis::new(&primes_below(limit, 1 << 16, shape.total(), &[]).unwrap()).unwrap()
}

/// The greatest primes.
fn basis(shape: Shape) -> Basis {
    basis_below(shape, 1 << 30)
}

/// Bases for all shapes; and one whose q has the paper's 1228 bits.
fn bases() -> Vec<(Shape, Basis)> {
    let shapes = SHAPES.map(|(base, total, cores)| Shape::new(base, total, cores).unwrap());
    let mut bases: Vec<_> = shapes.into_iter().map(|shape| (shape, basis(shape))).collect();
    let papers = basis_below(Shape::PAPER, 1_050_000_000);
    assert_eq!(papers.prefix(41).unwrap().product().bits(), 1228);
    bases.push((Shape::PAPER, papers));
    bases
}

fn residues(number: &BigInt, primes: &[Modulus]) -> Vec<u64> {
    let residue = |prime: &Modulus| {
        let modulus = BigInt::from(prime.value());
        u64::try_from((number % &modulus + &modulus) % &modulus).unwrap()
    };
    primes.iter().map(residue).collect()
}

/// The number in (-m/2, m/2) that is congruent.
fn centred(number: &BigInt, modulus: &BigInt) -> BigInt {
    let rest = (number % modulus + modulus) % modulus;
    if &rest * 2 > *modulus {
        rest - modulus
    } else {
        rest
    }
}

/// The integer nearest to a fraction with an odd denominator.
fn rounded(numerator: &BigInt, denominator: &BigInt) -> BigInt {
    let twice: BigInt = numerator * 2 + denominator;
    let divisor: BigInt = denominator * 2;
    let rest = (&twice % &divisor + &divisor) % &divisor;
    (twice - rest) / divisor
}

/// Numbers in (-m/2, m/2): ends, small ones, those next to half multiples of `step`, random ones.
fn numbers(random: &mut Random, modulus: &BigInt, step: &BigInt, count: usize) -> Vec<BigInt> {
    let bytes = modulus.bits() as usize / 8 + 8;
    let mut any = || {
        BigInt::from(BigUint::from_bytes_le(
            &(0..bytes).map(|_| random.word() as u8).collect::<Vec<_>>(),
        ))
    };
    let mut found: Vec<BigInt> = (-2..=2).map(BigInt::from).collect();
    found.extend((1..3).flat_map(|i| [(modulus - i) / 2, (i - modulus) / 2]));
    for _ in 0..count {
        let multiple: BigInt = centred(&any(), modulus) / step * step;
        // Quarters of odd multiples: 2 c / q next to half integers.
        found.extend((-2..3).map(|i| (&multiple * 4 + step + i) / 4));
        found.extend((-1..2).map(|i| &multiple + i));
        found.push(any());
    }
    found.iter().map(|number| centred(number, modulus)).collect()
}

#[test]
fn a_lift_keeps_the_centred_number() {
    for (shape, basis) in bases() {
        let base = shape.base();
        let model = Model::new(shape, &basis).unwrap();
        let (old, new) = basis.moduli().split_at(base);
        let q = BigInt::from(basis.prefix(base).unwrap().product());
        for number in numbers(&mut Random::new(base as u64), &q, &BigInt::from(5), 20) {
            assert_eq!(
                model.lift(&residues(&number, old)).unwrap(),
                residues(&number, new)
            );
        }
    }
}

#[test]
fn a_scale_rounds_and_reduces() {
    for (shape, basis) in bases() {
        let base = shape.base();
        let model = Model::new(shape, &basis).unwrap();
        let old = &basis.moduli()[..base];
        let q = BigInt::from(basis.prefix(base).unwrap().product());
        for number in numbers(
            &mut Random::new(base as u64),
            &BigInt::from(basis.product()),
            &q,
            20,
        ) {
            let expected = centred(&rounded(&(&number * 2), &q), &q);
            let scaled = model.scale(&residues(&number, basis.moduli())).unwrap();
            let magnitude: BigInt = scaled
                .words
                .iter()
                .rev()
                .fold(BigInt::ZERO, |sum, &word| (sum << WORD) + word);
            let got = if scaled.negative { -magnitude } else { magnitude };
            assert_eq!(got, expected);
            assert_eq!(scaled.residues, residues(&expected, old));
        }
    }
}

/// Results and cycles of the machine are the model's, for as many coefficients as the paper's memory interface brings and
/// for more.
#[cfg(feature = "rtl")]
#[test]
fn the_machine_lifts_and_scales_like_its_model() {
    for (base, total, cores) in [(5, 11, 4), (41, 84, 8)] {
        let shape = Shape::new(base, total, cores).unwrap();
        let (basis, schedule) = (basis(shape), Schedule::new(shape));
        let model = Model::new(shape, &basis).unwrap();
        let mut machine = ConversionSimulation::new(&model).unwrap();
        let q = BigInt::from(basis.prefix(base).unwrap().product());
        let mut random = Random::new(base as u64);
        let old = &basis.moduli()[..base];
        let lifts = numbers(&mut random, &q, &BigInt::from(5), 2);
        let lifts: Vec<_> = lifts.iter().map(|number| residues(number, old)).collect();
        let scales = numbers(&mut random, &BigInt::from(basis.product()), &q, 2);
        let scales: Vec<_> = scales
            .iter()
            .map(|number| residues(number, basis.moduli()))
            .collect();
        for count in [4, lifts.len()] {
            let (lifted, cycles) = machine.lift(&lifts[..count]).unwrap();
            let expected: Vec<_> = lifts[..count]
                .iter()
                .map(|residues| model.lift(residues).unwrap())
                .collect();
            assert_eq!(lifted, expected);
            // In the small one the quotients wait for residues that are written.
            if base == 41 {
                assert_eq!(cycles, schedule.lifts(count as u64));
            }
            let (scaled, cycles) = machine.scale(&scales[..count]).unwrap();
            let expected: Vec<_> = scales[..count]
                .iter()
                .map(|residues| model.scale(residues).unwrap())
                .collect();
            assert_eq!(scaled, expected);
            assert_eq!(cycles, schedule.scales(count as u64));
        }
    }
}

#[test]
fn the_words_are_the_papers() {
    let shape = Shape::PAPER;
    assert_eq!(
        (shape.modulus_words(), shape.lift_words(), shape.scale_words()),
        (21, 22, 43)
    );
    // Section 4.3.3: 12 words of a reciprocal of 2493 bits, 22 of one of 32 words.
    assert_eq!((shape.lift_fraction(), shape.lift_reciprocal()), (22, 12));
    assert_eq!((shape.scale_fraction(), shape.scale_reciprocal()), (32, 22));
    assert_eq!((shape.excess_bits(), shape.quotient_words()), (7, 22));
}

#[test]
fn the_stages_keep_the_papers_pace() {
    let schedule = Schedule::new(Shape::PAPER);
    assert_eq!((schedule.lift_sum(), schedule.lift_residues()), (132, 258));
    assert_eq!(schedule.division(false), 133);
    let stages = [
        (schedule.scale_sum(), 473),
        (schedule.scale_reduction(), 396),
        (schedule.division(true), 484),
        (schedule.scale_centre(), 88),
        (schedule.scale_residues(), 462),
    ];
    for (stage, expected) in stages {
        assert_eq!(stage, expected);
    }
    // Table 2, and section 5.1: 401 and 687 cycles in a full pipeline, 2,016 and 5,387 for four coefficients.
    assert_eq!((schedule.lift_interval(), schedule.scale_interval()), (390, 484));
    assert_eq!(
        (schedule.lifts(4), schedule.scales(1), schedule.scales(4)),
        (1804, 2086, 3538)
    );
}

#[test]
fn unfit_sizes_primes_and_residues_are_refused() {
    for (base, total, cores) in [
        (1, 2, 2),
        (65, 130, 8),
        (5, 9, 4),
        (5, 13, 4),
        (5, 10, 3),
        (5, 10, 18),
    ] {
        assert!(matches!(
            Shape::new(base, total, cores),
            Err(RtlError::BadMultiprecision { .. })
        ));
    }
    let shape = Shape::new(3, 8, 4).unwrap();
    let basis = basis(shape);
    let short = basis.prefix(7).unwrap();
    assert!(matches!(
        Model::new(shape, &short),
        Err(RtlError::WrongLength { .. })
    ));
    let of_31_bits = Basis::new(&primes_below(1 << 31, 1 << 16, 8, &[]).unwrap()).unwrap();
    let small = Basis::new(&primes_below((1 << 29) + (1 << 26), 1 << 16, 9, &[]).unwrap()).unwrap();
    // The product of primes just above 2^29 is below 2^(30 l - 3) from l = 4 on.
    let four = Shape::new(4, 9, 4).unwrap();
    assert!(matches!(
        Model::new(shape, &of_31_bits),
        Err(RtlError::BadMultiprecision { .. })
    ));
    assert!(matches!(
        Model::new(four, &small),
        Err(RtlError::BadMultiprecision { .. })
    ));
    let model = Model::new(shape, &basis).unwrap();
    assert!(matches!(model.lift(&[0; 4]), Err(RtlError::WrongLength { .. })));
    let mut residues = vec![0; 8];
    residues[6] = basis.moduli()[6].value();
    assert!(matches!(
        model.scale(&residues),
        Err(RtlError::OutOfRange { index: 6, .. })
    ));
}
