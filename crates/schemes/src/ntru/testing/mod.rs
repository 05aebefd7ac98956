//! What the tests of both schemes share: a party with all keys, circuits, files.

use std::sync::Arc;

use ringmill_arith::Simd;
use ringmill_arith::sampling::{Seed, Stream};
use ringmill_cpu::CpuDevice;
use ringmill_rlwe::Plaintext;

use super::{Ciphertext, Context, EvaluationKey, NtruScheme, Parameters, PublicKey, SecretKey, Spec};

pub mod circuits;
pub mod files;

/// A context with all keys.
pub struct Setting<S: NtruScheme> {
    pub context: Arc<Context<S, CpuDevice>>,
    pub secret: SecretKey<S, CpuDevice>,
    pub public: PublicKey<S, CpuDevice>,
    pub evaluation: EvaluationKey<S, CpuDevice>,
}

type OnCpu<S> = Ciphertext<S, CpuDevice>;

pub fn seed(fill: u8) -> Seed {
    Seed::from_bytes([fill; 32])
}

pub fn context<S: NtruScheme>(parameters: Parameters) -> Context<S, CpuDevice> {
    let device = CpuDevice::new(parameters.ring(), Simd::from_environment().unwrap());
    Context::new(parameters, Arc::new(device)).unwrap()
}

impl<S: NtruScheme> Setting<S> {
    pub fn new(spec: &Spec) -> Self {
        let context = context(Parameters::new(spec).unwrap());
        let secret = context.generate_secret_key(&seed(1)).unwrap();
        let public = context.generate_public_key(&secret, &seed(2)).unwrap();
        let evaluation = context
            .generate_evaluation_key(&secret, &public, &seed(3))
            .unwrap();
        Self {
            context: Arc::new(context),
            secret,
            public,
            evaluation,
        }
    }

    /// Random bits, as many as slots.
    pub fn bits(&self, number: u8) -> Vec<bool> {
        let mut words = vec![0; self.context.slots().len()];
        Stream::new(&seed(number).derive("bits", 0)).fill_words(&mut words);
        words.iter().map(|word| word & 1 == 1).collect()
    }

    pub fn plain(&self, bits: &[bool]) -> Plaintext {
        self.context.encode(bits).unwrap()
    }

    pub fn encrypt(&self, bits: &[bool], level: usize, fill: u8) -> OnCpu<S> {
        let plaintext = self.plain(bits);
        self.context
            .encrypt(&self.public, &plaintext, level, &seed(fill))
            .unwrap()
    }

    pub fn decrypt(&self, a: &OnCpu<S>) -> Vec<bool> {
        let plaintext = self.context.decrypt(&self.secret, a).unwrap();
        self.context.decode(&plaintext).unwrap()
    }

    /// The sum of products, with ciphertexts added, at a level.
    pub fn products(
        &self,
        pairs: &[(&OnCpu<S>, &OnCpu<S>)],
        addends: &[&OnCpu<S>],
        level: usize,
    ) -> OnCpu<S> {
        let factor = |a| self.context.factor(a).unwrap();
        let factors: Vec<_> = pairs.iter().map(|(a, b)| (factor(a), factor(b))).collect();
        let pairs: Vec<_> = factors.iter().map(|(a, b)| (a, b)).collect();
        let product = self.context.multiply(&pairs).unwrap();
        self.context
            .relinearize(&self.evaluation, &product, addends, level)
            .unwrap()
    }
}

pub fn zip(a: &[bool], b: &[bool], combine: fn(bool, bool) -> bool) -> Vec<bool> {
    a.iter().zip(b).map(|(&a, &b)| combine(a, b)).collect()
}
