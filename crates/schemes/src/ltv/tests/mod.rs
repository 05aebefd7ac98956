use std::sync::Arc;

use num_bigint::BigUint;
use num_traits::ToPrimitive;
use ringmill_arith::Kernel;
use ringmill_arith::sampling::Seed;
use ringmill_device::CpuDevice;
use ringmill_fv::{Plaintext, PrimeChoice};

use super::*;
use crate::ntru::{Noise, NtruError, Parameters, PublicKey, Scheme, SecretKey, Spec};

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

struct Setting {
    context: Arc<Context<CpuDevice>>,
    secret: SecretKey<CpuDevice>,
    public: PublicKey<CpuDevice>,
    evaluation: EvaluationKey<CpuDevice>,
}

fn seed(fill: u8) -> Seed {
    Seed::from_bytes([fill; 32])
}

fn setting(levels: usize) -> Setting {
    let parameters = Parameters::new(&spec(levels)).unwrap();
    let device = CpuDevice::new(parameters.ring(), Kernel::from_environment().unwrap());
    let context = Arc::new(Context::new(parameters, Arc::new(device)).unwrap());
    let secret = context.base().generate_secret_key(&seed(1)).unwrap();
    let public = context.base().generate_public_key(&secret, &seed(2)).unwrap();
    let evaluation = context
        .generate_evaluation_key(&secret, &public, &seed(3))
        .unwrap();
    Setting {
        context,
        secret,
        public,
        evaluation,
    }
}

impl Setting {
    fn plain(&self, bits: &[bool]) -> Plaintext {
        self.context.base().encode(bits).unwrap()
    }

    fn encrypt(&self, bits: &[bool], level: usize, fill: u8) -> Ciphertext<CpuDevice> {
        let plaintext = self.plain(bits);
        self.context
            .encrypt(&self.public, &plaintext, level, &seed(fill))
            .unwrap()
    }

    fn decrypt(&self, a: &Ciphertext<CpuDevice>) -> Vec<bool> {
        let plaintext = self.context.decrypt(&self.secret, a).unwrap();
        self.context.base().decode(&plaintext).unwrap()
    }

    /// The coefficients of the phase with the largest magnitude, as log2, and how it decrypts, by big integers
    /// from the definition: 2 f b centred, and that modulo 2.
    fn phase(&self, a: &Ciphertext<CpuDevice>) -> (f64, Vec<u64>) {
        let words = self.context.half_phase(&self.secret, a).unwrap();
        let basis = self.context.base().parameters().q_at(a.level()).unwrap();
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

/// Bits without a pattern, as many as slots.
fn bits(fill: u64) -> Vec<bool> {
    (0..128u64)
        .map(|i| (i + 1).wrapping_mul(fill).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 63 == 1)
        .collect()
}

fn map(a: &[bool], b: &[bool], f: fn(bool, bool) -> bool) -> Vec<bool> {
    a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect()
}

/// Products without further terms.
fn sums(products: &[Product<CpuDevice>]) -> Vec<(&Product<CpuDevice>, &[&'static Ciphertext<CpuDevice>])> {
    products.iter().map(|product| (product, &[][..])).collect()
}

#[test]
fn operations_at_all_levels() {
    let setting = setting(4);
    let context = &setting.context;
    let (x, y) = (bits(3), bits(5));
    for level in 1..=4 {
        let a = setting.encrypt(&x, level, 10);
        let b = setting.encrypt(&y, level, 11);
        assert_eq!((a.level(), setting.decrypt(&a)), (level, x.clone()));
        let (_, parities) = setting.phase(&a);
        assert_eq!(parities, setting.plain(&x).coefficients());
        let sum = context.sum(&[&a, &b]).unwrap();
        assert_eq!(setting.decrypt(&sum), map(&x, &y, |x, y| x ^ y));
        let sum = context.add_plain(&a, &setting.plain(&y)).unwrap();
        assert_eq!(setting.decrypt(&sum), map(&x, &y, |x, y| x ^ y));
        for to in 1..level {
            assert_eq!(setting.decrypt(&context.switch(&a, to).unwrap()), x);
            assert_eq!(setting.phase(&context.switch(&a, to).unwrap()).1, parities);
        }
        if level > 1 {
            let product = context.multiply_plain(&a, &setting.plain(&y)).unwrap();
            assert_eq!(setting.decrypt(&product), map(&x, &y, |x, y| x & y));
            let products =
                || [&[(&a, &b)][..], &[(&a, &a), (&a, &b)]].map(|pairs| context.multiply(pairs).unwrap());
            for to in 1..=level {
                let results = context
                    .relinearize_all(&setting.evaluation, &sums(&products()), to)
                    .unwrap();
                assert_eq!(setting.decrypt(&results[0]), map(&x, &y, |x, y| x & y));
                assert_eq!(setting.decrypt(&results[1]), map(&x, &y, |x, y| x ^ (x & y)));
            }
        }
    }
}

/// Each step's phase stays within what the model says, and is not far below it.
#[test]
fn noise_follows_its_formula_to_the_last_level() {
    let setting = setting(LEVELS);
    let (context, model) = (&setting.context, setting.context.noise_model());
    let (x, y) = (bits(3), bits(5));
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
        let product = context.multiply(&pairs).unwrap();
        let product = [product];
        let kept = context
            .relinearize_all(&setting.evaluation, &sums(&product), level + 1)
            .unwrap();
        let noises = [(&sum_noise, &fresh), (&noise, &fresh), (&noise, &fresh)];
        let product_noise = model.multiply(level + 1, &noises).unwrap();
        near(&kept[0], &product_noise, "product");
        let mut lower = context
            .relinearize_all(&setting.evaluation, &sums(&product), level)
            .unwrap();
        let switched = model.switch(level + 1, level, &product_noise).unwrap();
        near(&lower[0], &switched, "switched");
        a = lower.remove(0);
        noise = switched;
        let sum = map(&expected, &y, |x, y| x ^ y);
        expected = map(&sum, &y, |x, y| x & y);
        assert_eq!(setting.decrypt(&a), expected, "level {level}");
        assert!(model.is_safe(level, &noise).unwrap());
    }
    assert_eq!(a.level(), 1);
}

#[test]
fn a_product_at_the_lowest_level_fails_as_predicted() {
    let setting = setting(3);
    let (context, model) = (&setting.context, setting.context.noise_model());
    let a = setting.encrypt(&bits(3), 1, 10);
    let product = [context.multiply(&[(&a, &a)]).unwrap()];
    let product = context
        .relinearize_all(&setting.evaluation, &sums(&product), 1)
        .unwrap();
    let noise = model.multiply(1, &[(&model.fresh(), &model.fresh())]).unwrap();
    assert!(!model.is_safe(1, &noise).unwrap());
    assert!(matches!(
        context.decrypt(&setting.secret, &product[0]),
        Err(NtruError::NoiseOverflow { .. })
    ));
}

#[test]
fn unfit_operands_are_refused() {
    let setting = setting(3);
    let context = &setting.context;
    let (a, b) = (setting.encrypt(&bits(3), 3, 1), setting.encrypt(&bits(3), 2, 2));
    let mismatch = |error| matches!(error, Some(NtruError::LevelMismatch { expected: 3, got: 2 }));
    assert!(mismatch(context.sum(&[&a, &b]).err()));
    assert!(mismatch(context.multiply(&[(&a, &b)]).err()));
    assert!(matches!(context.sum(&[]), Err(NtruError::NoOperands)));
    assert!(matches!(context.multiply(&[]), Err(NtruError::NoOperands)));
    let products = [context.multiply(&[(&b, &b)]).unwrap()];
    let high = context.relinearize_all(&setting.evaluation, &sums(&products), 3);
    assert!(matches!(high, Err(NtruError::BadLevel { level: 3, levels: 2 })));
    assert!(matches!(context.switch(&b, 3), Err(NtruError::BadLevel { .. })));
    let plaintext = setting.plain(&bits(3));
    for level in [0, 4] {
        let fresh = context.encrypt(&setting.public, &plaintext, level, &seed(9));
        assert!(matches!(fresh, Err(NtruError::BadLevel { .. })));
    }
    let other = context.base().generate_secret_key(&seed(77)).unwrap();
    assert!(matches!(
        context.decrypt(&other, &a),
        Err(NtruError::NoiseOverflow { .. })
    ));
    let mut few = spec(3);
    few.auxiliary = 1;
    let device = Arc::clone(&Arc::new(CpuDevice::new(
        context.base().parameters().ring(),
        Kernel::Portable,
    )));
    let few = Context::new(Parameters::new(&few).unwrap(), device);
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
    let setting = setting(3);
    let context = &setting.context;
    let (a, b) = (setting.encrypt(&bits(3), 2, 10), setting.encrypt(&bits(5), 2, 11));
    let mut key = Vec::new();
    context
        .write_evaluation_key(&mut key, &setting.evaluation)
        .unwrap();
    let read = context.read_evaluation_key(&key[..]).unwrap();
    let product = [context.multiply(&[(&a, &b)]).unwrap()];
    let expected = context
        .relinearize_all(&setting.evaluation, &sums(&product), 1)
        .unwrap();
    let result = context.relinearize_all(&read, &sums(&product), 1).unwrap();
    assert_eq!(setting.phase(&result[0]), setting.phase(&expected[0]));
    assert_eq!(setting.decrypt(&result[0]), map(&bits(3), &bits(5), |x, y| x & y));

    let mut file = Vec::new();
    context.write_ciphertexts(&mut file, &[&a, &result[0]]).unwrap();
    let read = context.read_ciphertexts(&file[..]).unwrap();
    assert_eq!(read.iter().map(Ciphertext::level).collect::<Vec<_>>(), [2, 1]);
    assert_eq!(setting.decrypt(&read[0]), bits(3));
    assert_eq!(setting.phase(&read[1]), setting.phase(&result[0]));

    assert!(context.read_ciphertexts(&key[..]).is_err());
    assert!(context.read_evaluation_key(&file[..]).is_err());
    for at in [0, 6, 30, 44, 50, 52, 100, file.len() / 2, file.len() - 1] {
        let mut changed = file.clone();
        changed[at] ^= 8;
        assert!(context.read_ciphertexts(&changed[..]).is_err(), "byte {at}");
        assert!(context.read_ciphertexts(&file[..at]).is_err(), "cut off at {at}");
    }
    for at in [0, 44, key.len() / 2, key.len() - 1] {
        let mut changed = key.clone();
        changed[at] ^= 8;
        assert!(context.read_evaluation_key(&changed[..]).is_err(), "byte {at}");
        assert!(
            context.read_evaluation_key(&key[..at]).is_err(),
            "cut off at {at}"
        );
    }
}
