//! Small parameter sets, and contexts and keys of them: large ones would only make inputs longer.

use std::sync::{Arc, LazyLock};

use ringmill_arith::Simd;
use ringmill_arith::sampling::Seed;
use ringmill_cpu::CpuDevice;
use ringmill_fv::{
    Context, KeySwitching, Parameters, ParametersSpec, PrimeChoice, PrimeRule, RingKind, SecretDistribution,
    SecretKey,
};

/// The smallest ring, with all that a set can have.
pub static SMALL: LazyLock<Party> = LazyLock::new(|| {
    Party::new(&ParametersSpec {
        name: "fuzz-64".to_owned(),
        ring: RingKind::Negacyclic,
        n: 64,
        t: 2,
        prime_rule: PrimeRule::default(),
        limbs: PrimeChoice { count: 1, bits: 30.0 },
        small: Some(PrimeChoice { count: 1, bits: 25.0 }),
        special: Some(PrimeChoice { count: 1, bits: 31.0 }),
        key_switching: KeySwitching::Hybrid { digit_limbs: 1 },
        auxiliary_bits: None,
        sigma: 3.2,
        secret: SecretDistribution::Ternary,
        secret_bound: None,
        allow_insecure: true,
    })
});

/// The smallest ring of bits, with what the other one lacks.
pub static FERMAT: LazyLock<Party> = LazyLock::new(|| {
    Party::new(&ParametersSpec {
        name: "fuzz-2048".to_owned(),
        ring: RingKind::Fermat,
        n: 2048,
        t: 2,
        prime_rule: PrimeRule::default(),
        limbs: PrimeChoice { count: 1, bits: 24.0 },
        small: None,
        special: None,
        key_switching: KeySwitching::BaseTwo { bits: 13 },
        auxiliary_bits: None,
        sigma: 3.2,
        secret: SecretDistribution::Signs,
        secret_bound: None,
        allow_insecure: true,
    })
});

/// A set with a context, and the owner of a secret key.
pub struct Party {
    pub context: Context<CpuDevice>,
    pub secret: SecretKey<CpuDevice>,
}

pub fn seed(byte: u8) -> Seed {
    Seed::from_bytes([byte; 32])
}

impl Party {
    fn new(spec: &ParametersSpec) -> Self {
        let parameters = Parameters::new(spec).expect("a set");
        let device = CpuDevice::new(parameters.ring(), Simd::Portable);
        let context = Context::new(parameters, Arc::new(device)).expect("a context");
        let secret = context.generate_secret_key(&seed(1)).expect("a key");
        Self { context, secret }
    }

    pub fn parameters(&self) -> &Parameters {
        self.context.parameters()
    }

    pub fn hash(&self) -> &[u8; 32] {
        self.parameters().hash()
    }
}

/// The payload of what is written.
pub fn written<E: std::fmt::Debug>(write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>) -> Vec<u8> {
    let mut file = Vec::new();
    write(&mut file).expect("memory");
    crate::frame::payload(&file)
}
