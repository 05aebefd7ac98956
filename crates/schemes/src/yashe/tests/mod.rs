use std::sync::Arc;

use ringmill_arith::Simd;
use ringmill_cpu::CpuDevice;
use ringmill_ring::PrimeRule;
use ringmill_rlwe::{Plaintext, PrimeChoice};

use super::*;
use crate::ntru::testing::{self, Setting, seed, zip};
use crate::ntru::{NtruError, Parameters, Scheme, Spec};

mod circuits;
mod noise;
mod reference;

/// A small set: 11 levels at n = 2048, digits of 100 bits.
pub(super) fn spec() -> Spec {
    Spec {
        name: "yashe-toy".to_owned(),
        scheme: Scheme::Yashe,
        n: 2048,
        prime_rule: PrimeRule::Transform,
        large: PrimeChoice { count: 7, bits: 49.0 },
        small: None,
        levels: 13,
        floor: 130.0,
        step: 17.0,
        digit_bits: 100,
        auxiliary: 8,
        sigma: 3.2,
    }
}

type Fixture = Setting<Yashe>;

impl Fixture {
    /// Random bits and a ciphertext of them.
    fn encrypted(&self, number: u8, level: usize) -> (Vec<bool>, Ciphertext<CpuDevice>) {
        let bits = self.bits(number);
        let ciphertext = self.encrypt(&bits, level, number);
        (bits, ciphertext)
    }
}

#[test]
fn operations_are_those_of_the_slots() {
    let f = Fixture::new(&spec());
    let (context, top) = (&f.context, 13);
    let (x, a) = f.encrypted(10, top);
    let (y, b) = f.encrypted(11, top);
    let (z, c) = f.encrypted(12, top);
    assert_eq!(f.decrypt(&a), x);
    assert_eq!(
        f.decrypt(&context.sum(&[&a, &b]).unwrap()),
        zip(&x, &y, |x, y| x ^ y)
    );
    let complement = context.sum_with(&[&a, &b], true).unwrap();
    assert_eq!(f.decrypt(&complement), zip(&x, &y, |x, y| x == y));
    for level in [top, top - 1, 5, 2] {
        assert_eq!(
            f.decrypt(&f.products(&[(&a, &b)], &[], level)),
            zip(&x, &y, |x, y| x & y)
        );
    }
    let plain = context.encode(&y).unwrap();
    assert_eq!(
        f.decrypt(&context.add_plain(&a, &plain).unwrap()),
        zip(&x, &y, |x, y| x ^ y)
    );
    let product = context.multiply_plain(&a, &plain).unwrap();
    assert_eq!(f.decrypt(&product), zip(&x, &y, |x, y| x & y));
    assert_eq!(f.decrypt(&context.switch(&a, 1).unwrap()), x);

    // x y + y z + z + x, with one relinearization.
    let sum = f.products(&[(&a, &b), (&b, &c)], &[&c, &a], 4);
    let expected = x
        .iter()
        .zip(&y)
        .zip(&z)
        .map(|((x, y), z)| (x & y) ^ (y & z) ^ z ^ x);
    assert_eq!(f.decrypt(&sum), expected.collect::<Vec<bool>>());
    // More products than are scaled at once: an even number of times the same, and once more.
    let most = context.extension(top).unwrap().products;
    let [a, b] = [a, b].map(|x| context.factor(&x).unwrap());
    let many = context.multiply(&vec![(&a, &b); most / 2 * 2 + 3]).unwrap();
    let many = context.relinearize(&f.evaluation, &many, &[], top).unwrap();
    assert_eq!(f.decrypt(&many), zip(&x, &y, |x, y| x & y));
}

#[test]
fn unfit_operands_are_refused() {
    let f = Fixture::new(&spec());
    let context = &f.context;
    let (_, a) = f.encrypted(10, 13);
    let (_, b) = f.encrypted(11, 7);
    let mismatch = |result: Result<_, NtruError>| matches!(result, Err(NtruError::LevelMismatch { .. }));
    assert!(mismatch(context.sum(&[&a, &b]).map(|_| ())));
    let [x, y] = [&a, &b].map(|x| context.factor(x).unwrap());
    assert!(mismatch(context.multiply(&[(&x, &y)]).map(|_| ())));
    let product = context.multiply(&[(&y, &y)]).unwrap();
    assert!(mismatch(
        context.relinearize(&f.evaluation, &product, &[&a], 7).map(|_| ())
    ));
    let above = context.relinearize(&f.evaluation, &product, &[], 8).map(|_| ());
    assert!(matches!(above, Err(NtruError::BadLevel { level: 8, levels: 7 })));
    assert!(matches!(context.sum(&[]), Err(NtruError::NoOperands)));
    assert!(matches!(context.multiply(&[]), Err(NtruError::NoOperands)));
    let short = Plaintext::new(vec![0; 3], 2).unwrap();
    assert!(context.encrypt(&f.public, &short, 3, &seed(1)).is_err());
    let other = context.generate_secret_key(&seed(99)).unwrap();
    assert!(matches!(
        context.decrypt(&other, &a),
        Err(NtruError::NoiseOverflow { .. })
    ));

    let mut spec = spec();
    spec.auxiliary = 7;
    let parameters = Parameters::new(&spec).unwrap();
    let device = Arc::new(CpuDevice::new(parameters.ring(), Simd::Portable));
    let refused = Context::new(parameters, Arc::clone(&device)).map(|_| ());
    assert!(matches!(
        refused,
        Err(NtruError::BadParameter {
            name: "auxiliary",
            ..
        })
    ));
    let other_ring = Parameters::named("yashe-1225").unwrap();
    let refused = Context::new(other_ring, Arc::clone(&device)).map(|_| ());
    assert!(matches!(refused, Err(NtruError::WrongRing { .. })));
    let ltv = Context::new(Parameters::named("ltv-1271").unwrap(), device).map(|_| ());
    assert!(matches!(ltv, Err(NtruError::WrongScheme { .. })));
}

#[test]
fn keys_and_ciphertexts_go_through_files() {
    testing::files::round_trip::<Yashe>(&spec());
}

/// Recorded when auxiliary primes came to be those below 2^48.
#[test]
fn files_stay_as_they_were() {
    let expected = [
        "5b4f9b4cd11a8723",
        "c8cd4e24e07ae218",
        "a72c4d5d8149fd71",
        "5c01df86c713b857",
    ];
    assert_eq!(testing::files::digests::<Yashe>(&spec(), 9, 5), expected);
}
