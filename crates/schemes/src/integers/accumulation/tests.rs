use num_bigint::BigUint;
use ringmill_arith::secret::Secret;

use super::*;
use crate::integers::words::number;

/// The definition, with big integers.
fn slowly(elements: &Elements, factors: &Factors) -> BigUint {
    let mut sum = BigUint::ZERO;
    for (i, factor) in factors.iter().enumerate() {
        let mut chi = vec![0; elements.words()];
        elements.fill(i, 0, &mut chi);
        sum += number(&chi) * number(factor);
    }
    sum
}

fn factors(parameters: &Parameters, fill: u8) -> Factors {
    Factors::random(parameters, &mut Stream::new(&Seed::from_bytes([fill; 32])))
}

#[test]
fn every_method_on_every_kernel_is_the_definition() {
    let toy = Parameters::insecure("integers-toy").unwrap();
    for (parameters, seed) in [(Parameters::tiny(), 1), (Parameters::tiny(), 2), (toy, 3)] {
        let elements = Elements::new(&parameters, Seed::from_bytes([seed; 32]));
        let factors = factors(&parameters, seed + 100);
        let expected = slowly(&elements, &factors);
        for kernel in Simd::tested() {
            for method in Method::ALL {
                let sum = weighted_sum(&elements, &factors, method, kernel);
                assert_eq!(number(&sum), expected, "{parameters} {method:?} {kernel:?}");
            }
        }
    }
}

/// Factors of the widest set that make the largest columns: all bits set, or digits of -2^15.
#[test]
fn extreme_factors_are_exact() {
    let large = Parameters::insecure("integers-large").unwrap();
    for pattern in [u64::MAX, 0x7fff_7fff_7fff_7fff, 0x8000_8000_8000_8000, 0] {
        let count = 96;
        let elements = Elements {
            seed: Seed::from_bytes([9; 32]),
            words: 2500,
            count,
        };
        let each = large.alpha().div_ceil(64) as usize;
        let mut words = Secret::new(vec![pattern; each * count]);
        for last in words.iter_mut().skip(each - 1).step_by(each) {
            *last >>= 64 - large.alpha() % 64;
        }
        let factors = Factors {
            words,
            each,
            bits: large.alpha(),
        };
        let expected = slowly(&elements, &factors);
        for kernel in Simd::tested() {
            for method in Method::ALL {
                let sum = weighted_sum(&elements, &factors, method, kernel);
                assert_eq!(number(&sum), expected, "{pattern:x} {method:?} {kernel:?}");
            }
        }
    }
}

#[test]
fn columns_join_with_carries_of_either_sign() {
    for bits in [16, 28, 52, 56] {
        let columns: Vec<i128> = (0..200).map(|i: i128| (i * 7919 % 1000 - 400) << 60).collect();
        let mut joiner = Joiner::new(bits);
        let mut expected = num_bigint::BigInt::ZERO;
        for (i, &column) in columns.iter().chain([&(1 << 70)]).enumerate() {
            joiner.push(column);
            expected += num_bigint::BigInt::from(column) << (i as u32 * bits);
        }
        assert_eq!(
            num_bigint::BigInt::from(number(&joiner.finish())),
            expected,
            "{bits} bits"
        );
    }
}
