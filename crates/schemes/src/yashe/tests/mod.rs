use std::sync::Arc;

use ringmill_arith::Kernel;
use ringmill_arith::sampling::{Seed, Stream};
use ringmill_device::CpuDevice;
use ringmill_fv::{Plaintext, PrimeChoice};

use super::*;
use crate::ntru::{NtruError, Parameters, PublicKey, Scheme, SecretKey, Spec};

mod circuits;
mod files;
mod noise;
mod reference;

/// A small set: 11 levels at n = 2048, digits of 100 bits.
pub(super) fn spec() -> Spec {
    Spec {
        name: "yashe-toy".to_owned(),
        scheme: Scheme::Yashe,
        n: 2048,
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

pub(super) struct Fixture {
    pub context: Arc<Context<CpuDevice>>,
    pub secret: SecretKey<CpuDevice>,
    pub public: PublicKey<CpuDevice>,
    pub evaluation: EvaluationKey<CpuDevice>,
}

pub(super) fn seed(fill: u8) -> Seed {
    Seed::from_bytes([fill; 32])
}

pub(super) fn context(spec: &Spec) -> Context<CpuDevice> {
    let parameters = Parameters::new(spec).unwrap();
    let device = CpuDevice::new(parameters.ring(), Kernel::from_environment().unwrap());
    Context::new(parameters, Arc::new(device)).unwrap()
}

impl Fixture {
    pub fn new(spec: &Spec) -> Self {
        let context = Arc::new(context(spec));
        let secret = context.generate_secret_key(&seed(1)).unwrap();
        let public = context.generate_public_key(&secret, &seed(2)).unwrap();
        let evaluation = context
            .generate_evaluation_key(&secret, &public, &seed(3))
            .unwrap();
        Self {
            context,
            secret,
            public,
            evaluation,
        }
    }

    /// Random bits, a plaintext and a ciphertext of them.
    pub fn encrypted(&self, number: u8, level: usize) -> (Vec<bool>, Ciphertext<CpuDevice>) {
        let mut words = vec![0; self.context.base().slots().len()];
        Stream::new(&seed(number)).fill_words(&mut words);
        let bits: Vec<bool> = words.iter().map(|word| word & 1 == 1).collect();
        let plaintext = self.context.base().encode(&bits).unwrap();
        let fresh = seed(number).derive("test", 0);
        (
            bits,
            self.context
                .encrypt(&self.public, &plaintext, level, &fresh)
                .unwrap(),
        )
    }

    pub fn decrypted(&self, a: &Ciphertext<CpuDevice>) -> Vec<bool> {
        let plaintext = self.context.decrypt(&self.secret, a).unwrap();
        self.context.base().decode(&plaintext).unwrap()
    }

    pub fn product(
        &self,
        a: &Ciphertext<CpuDevice>,
        b: &Ciphertext<CpuDevice>,
        level: usize,
    ) -> Ciphertext<CpuDevice> {
        let [a, b] = [a, b].map(|x| self.context.lift(x).unwrap());
        let product = self.context.multiply(&[(&a, &b)]).unwrap();
        self.context
            .relinearize(&product, &[], &self.evaluation, level)
            .unwrap()
    }
}

pub(super) fn zip(a: &[bool], b: &[bool], combine: fn(bool, bool) -> bool) -> Vec<bool> {
    a.iter().zip(b).map(|(&a, &b)| combine(a, b)).collect()
}

#[test]
fn operations_are_those_of_the_slots() {
    let f = Fixture::new(&spec());
    let (context, top) = (&f.context, 13);
    let (x, a) = f.encrypted(10, top);
    let (y, b) = f.encrypted(11, top);
    let (z, c) = f.encrypted(12, top);
    assert_eq!(f.decrypted(&a), x);
    assert_eq!(
        f.decrypted(&context.sum(&[&a, &b]).unwrap()),
        zip(&x, &y, |x, y| x ^ y)
    );
    let complement = context.sum_with(&[&a, &b], true).unwrap();
    assert_eq!(f.decrypted(&complement), zip(&x, &y, |x, y| x == y));
    for level in [top, top - 1, 5, 2] {
        assert_eq!(f.decrypted(&f.product(&a, &b, level)), zip(&x, &y, |x, y| x & y));
    }
    let plain = context.base().encode(&y).unwrap();
    assert_eq!(
        f.decrypted(&context.add_plain(&a, &plain).unwrap()),
        zip(&x, &y, |x, y| x ^ y)
    );
    let product = context.multiply_plain(&a, &plain).unwrap();
    assert_eq!(f.decrypted(&product), zip(&x, &y, |x, y| x & y));
    assert_eq!(f.decrypted(&context.switch(&a, 1).unwrap()), x);

    // x y + y z + z + x, with one relinearization.
    let [a, b, c] = [a, b, c].map(|x| (context.lift(&x).unwrap(), x));
    let product = context.multiply(&[(&a.0, &b.0), (&b.0, &c.0)]).unwrap();
    let sum = context
        .relinearize(&product, &[&c.1, &a.1], &f.evaluation, 4)
        .unwrap();
    let expected = x
        .iter()
        .zip(&y)
        .zip(&z)
        .map(|((x, y), z)| (x & y) ^ (y & z) ^ z ^ x);
    assert_eq!(f.decrypted(&sum), expected.collect::<Vec<bool>>());
    // More products than are scaled at once: an even number of times the same, and once more.
    let most = context.products(top).unwrap();
    let many = context.multiply(&vec![(&a.0, &b.0); most / 2 * 2 + 3]).unwrap();
    let many = context.relinearize(&many, &[], &f.evaluation, top).unwrap();
    assert_eq!(f.decrypted(&many), zip(&x, &y, |x, y| x & y));
}

#[test]
fn unfit_operands_are_refused() {
    let f = Fixture::new(&spec());
    let context = &f.context;
    let (_, a) = f.encrypted(10, 13);
    let (_, b) = f.encrypted(11, 7);
    let mismatch = |result: Result<_, NtruError>| matches!(result, Err(NtruError::LevelMismatch { .. }));
    assert!(mismatch(context.sum(&[&a, &b]).map(|_| ())));
    let [x, y] = [&a, &b].map(|x| context.lift(x).unwrap());
    assert!(mismatch(context.multiply(&[(&x, &y)]).map(|_| ())));
    let product = context.multiply(&[(&y, &y)]).unwrap();
    assert!(mismatch(
        context.relinearize(&product, &[&a], &f.evaluation, 7).map(|_| ())
    ));
    let above = context.relinearize(&product, &[], &f.evaluation, 8).map(|_| ());
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
    let device = Arc::new(CpuDevice::new(parameters.ring(), Kernel::Portable));
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
