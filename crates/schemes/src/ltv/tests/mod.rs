use std::sync::Arc;

use num_bigint::BigUint;
use num_traits::ToPrimitive;
use ringmill_arith::Simd;
use ringmill_cpu::CpuDevice;
use ringmill_device::Device;
use ringmill_ring::PrimeRule;
use ringmill_rlwe::PrimeChoice;

use super::*;
use crate::ntru::testing::{self, Setting, seed, zip};
use crate::ntru::{Noise, NtruError, Parameters, Scheme, Spec, Terms};

mod circuits;

const LEVELS: usize = 9;

/// A set built as `ltv-1271` is: units of 15.5 bits, small primes of two and large ones of three.
fn spec(levels: usize) -> Spec {
    let units = 2 * levels;
    let small = 2;
    Spec {
        name: format!("ltv-toy-{levels}"),
        scheme: Scheme::Ltv,
        n: 2048,
        prime_rule: PrimeRule::Transform,
        large: PrimeChoice {
            count: (units - 2 * small).div_ceil(3),
            bits: 46.5,
        },
        small: Some(PrimeChoice {
            count: small,
            bits: 31.0,
        }),
        levels,
        floor: 31.0,
        step: 31.0,
        digit_bits: 16,
        auxiliary: 3,
        sigma: 3.2,
    }
}

fn setting(levels: usize) -> Setting<Ltv> {
    Setting::new(&spec(levels))
}

impl Setting<Ltv> {
    /// The coefficients of the phase with the largest magnitude, as log2, and how it decrypts, by big integers
    /// from the definition: 2 f b centred, and that modulo 2.
    fn phase(&self, a: &Ciphertext<CpuDevice>) -> (f64, Vec<u64>) {
        let half = self.context.value(&self.secret, a).unwrap();
        let words = self.context.device().download(&half).unwrap();
        let basis = self.context.parameters().q_at(a.level()).unwrap();
        let q = basis.product();
        let n = words.len() / basis.len();
        let cofactors: Vec<BigUint> = basis
            .moduli()
            .iter()
            .map(|p| {
                let cofactor = &q / p.value();
                let inverse = p.inv((&cofactor % p.value()).to_u64().unwrap()).unwrap();
                cofactor * inverse
            })
            .collect();
        let mut largest = BigUint::ZERO;
        let mut parities = Vec::new();
        for c in 0..n {
            let terms = cofactors.iter().enumerate().map(|(i, x)| x * words[i * n + c]);
            let w = terms.sum::<BigUint>() * 2u32 % &q;
            let other = &q - &w;
            // q is odd: the parity of w - q is not that of w.
            parities.push(u64::from(w.bit(0) ^ (other < w)));
            largest = largest.max(w.min(other));
        }
        let shift = largest.bits().saturating_sub(50);
        (
            (&largest >> shift).to_f64().unwrap().log2() + shift as f64,
            parities,
        )
    }
}

#[test]
fn operations_at_all_levels() {
    let setting = setting(4);
    let context = &setting.context;
    let (x, y) = (setting.bits(3), setting.bits(5));
    for level in 1..=4 {
        let a = setting.encrypt(&x, level, 10);
        let b = setting.encrypt(&y, level, 11);
        assert_eq!((a.level(), setting.decrypt(&a)), (level, x.clone()));
        let (_, parities) = setting.phase(&a);
        assert_eq!(parities, setting.plain(&x).coefficients());
        let sum = context.sum(&[&a, &b]).unwrap();
        assert_eq!(setting.decrypt(&sum), zip(&x, &y, |x, y| x ^ y));
        let sum = context.add_plain(&a, &setting.plain(&y)).unwrap();
        assert_eq!(setting.decrypt(&sum), zip(&x, &y, |x, y| x ^ y));
        for to in 1..level {
            assert_eq!(setting.decrypt(&context.switch(&a, to).unwrap()), x);
            assert_eq!(setting.phase(&context.switch(&a, to).unwrap()).1, parities);
        }
        if level > 1 {
            let product = context.multiply_plain(&a, &setting.plain(&y)).unwrap();
            assert_eq!(setting.decrypt(&product), zip(&x, &y, |x, y| x & y));
            let [a, b] = [&a, &b].map(|x| context.factor(x).unwrap());
            let products =
                [&[(&a, &b)][..], &[(&a, &a), (&a, &b)]].map(|pairs| context.multiply(pairs).unwrap());
            let sums: Vec<Terms<'_, _, _>> = products.iter().map(|product| (product, &[][..])).collect();
            for to in 1..=level {
                let results = context.relinearize_all(&setting.evaluation, &sums, to).unwrap();
                assert_eq!(setting.decrypt(&results[0]), zip(&x, &y, |x, y| x & y));
                assert_eq!(setting.decrypt(&results[1]), zip(&x, &y, |x, y| x ^ (x & y)));
            }
        }
    }
}

/// Each step's phase stays within what the model says, and is not far below it.
#[test]
fn noise_follows_its_formula_to_the_last_level() {
    let setting = setting(LEVELS);
    let (context, model) = (&setting.context, setting.context.noise_model());
    let (x, y) = (setting.bits(3), setting.bits(5));
    let near = |a: &Ciphertext<CpuDevice>, noise: &Noise, what: &str| {
        let (measured, predicted) = (setting.phase(a).0, noise.deviation_log2(model.bins()));
        // The largest of 2048 Gaussians is about 3.6 deviations.
        let excess = measured - predicted;
        assert!(
            (-2.5..2.6).contains(&excess),
            "{what}: {measured} for {predicted}"
        );
    };
    let (mut a, mut expected) = (setting.encrypt(&x, LEVELS, 10), x.clone());
    let mut noise = model.fresh();
    near(&a, &noise, "fresh");
    for level in (1..LEVELS).rev() {
        let b = setting.encrypt(&y, level + 1, level as u8 + 20);
        let fresh = model.fresh();
        // 16 (a + b) b + a b = a b + b
        let sum = context.sum(&[&a, &b]).unwrap();
        let sum_noise = model.sum(&[&noise, &fresh]);
        let pairs = [(&sum, &b), (&a, &b), (&a, &b)];
        let kept = setting.products(&pairs, &[], level + 1);
        let noises = [(&sum_noise, &fresh), (&noise, &fresh), (&noise, &fresh)];
        let product_noise = model.multiply(level + 1, &noises).unwrap();
        near(&kept, &product_noise, "product");
        a = setting.products(&pairs, &[], level);
        let switched = model.switch(level + 1, level, &product_noise).unwrap();
        near(&a, &switched, "switched");
        noise = switched;
        let sum = zip(&expected, &y, |x, y| x ^ y);
        expected = zip(&sum, &y, |x, y| x & y);
        assert_eq!(setting.decrypt(&a), expected, "level {level}");
        assert!(model.is_safe(level, &noise).unwrap());
    }
    assert_eq!(a.level(), 1);
}

#[test]
fn a_product_at_the_lowest_level_fails_as_predicted() {
    let setting = setting(3);
    let (context, model) = (&setting.context, setting.context.noise_model());
    let a = setting.encrypt(&setting.bits(3), 1, 10);
    let product = setting.products(&[(&a, &a)], &[], 1);
    let noise = model.multiply(1, &[(&model.fresh(), &model.fresh())]).unwrap();
    assert!(!model.is_safe(1, &noise).unwrap());
    assert!(matches!(
        context.decrypt(&setting.secret, &product),
        Err(NtruError::NoiseOverflow { .. })
    ));
}

#[test]
fn unfit_operands_are_refused() {
    let setting = setting(3);
    let context = &setting.context;
    let (a, b) = (
        setting.encrypt(&setting.bits(3), 3, 1),
        setting.encrypt(&setting.bits(3), 2, 2),
    );
    let mismatch = |error| matches!(error, Some(NtruError::LevelMismatch { expected: 3, got: 2 }));
    assert!(mismatch(context.sum(&[&a, &b]).err()));
    let [x, y] = [&a, &b].map(|x| context.factor(x).unwrap());
    assert!(mismatch(context.multiply(&[(&x, &y)]).err()));
    assert!(matches!(context.sum(&[]), Err(NtruError::NoOperands)));
    assert!(matches!(context.multiply(&[]), Err(NtruError::NoOperands)));
    let product = context.multiply(&[(&y, &y)]).unwrap();
    let high = context.relinearize(&setting.evaluation, &product, &[], 3);
    assert!(matches!(high, Err(NtruError::BadLevel { level: 3, levels: 2 })));
    assert!(matches!(context.switch(&b, 3), Err(NtruError::BadLevel { .. })));
    let plaintext = setting.plain(&setting.bits(3));
    for level in [0, 4] {
        let fresh = context.encrypt(&setting.public, &plaintext, level, &seed(9));
        assert!(matches!(fresh, Err(NtruError::BadLevel { .. })));
    }
    let other = context.generate_secret_key(&seed(77)).unwrap();
    assert!(matches!(
        context.decrypt(&other, &a),
        Err(NtruError::NoiseOverflow { .. })
    ));
    let mut few = spec(3);
    few.auxiliary = 1;
    let device = CpuDevice::new(context.parameters().ring(), Simd::Portable);
    let few = Context::new(Parameters::new(&few).unwrap(), Arc::new(device));
    assert!(matches!(
        few,
        Err(NtruError::BadParameter {
            name: "auxiliary",
            ..
        })
    ));
}

#[test]
fn evaluation_keys_and_ciphertexts_go_through_files() {
    testing::files::round_trip::<Ltv>(&spec(3));
}

/// Recorded when auxiliary primes came to be those below 2^48.
#[test]
fn files_stay_as_they_were() {
    let expected = [
        "2f030bbf30991518",
        "f7912777ccf59110",
        "82cade44e97fb8d9",
        "e1b216f452de05e9",
    ];
    assert_eq!(testing::files::digests::<Ltv>(&spec(4), 3, 2), expected);
}
