//! Parties with insecure parameters of any depth, and plain arithmetic on bits to compare with.

use std::sync::Arc;

use ringmill_arith::Simd;
use ringmill_arith::sampling::Seed;
use ringmill_cpu::CpuDevice;
use ringmill_fv::{
    Ciphertext, Context, Domain, GaloisKey, KeySwitching, Noise, Parameters, ParametersSpec, PrimeChoice,
    PrimeRule, PublicKey, RelinearizationKey, RingKind, SecretDistribution, SecretKey,
};

pub type Cpu = Context<CpuDevice>;

pub struct Party {
    pub context: Cpu,
    pub secret: SecretKey<CpuDevice>,
    pub public: PublicKey<CpuDevice>,
    pub relinearization: RelinearizationKey<CpuDevice>,
}

pub fn seed(i: u8) -> Seed {
    Seed::from_bytes([i; 32])
}

pub fn context(parameters: Parameters) -> Cpu {
    let device = CpuDevice::new(parameters.ring(), Simd::from_environment().unwrap());
    Context::new(parameters, Arc::new(device)).unwrap()
}

pub fn party(parameters: Parameters) -> Party {
    let context = context(parameters);
    let secret = context.generate_secret_key(&seed(1)).unwrap();
    Party {
        public: context.generate_public_key(&secret, &seed(2)).unwrap(),
        relinearization: context.generate_relinearization_key(&secret, &seed(3)).unwrap(),
        context,
        secret,
    }
}

/// Deep but small, so insecure: for tests of the arithmetic.
pub fn spec(n: usize, limbs: usize, key_switching: KeySwitching) -> ParametersSpec {
    let special = match key_switching {
        KeySwitching::Hybrid { digit_limbs } => Some(PrimeChoice {
            count: digit_limbs,
            bits: 49.0,
        }),
        KeySwitching::BaseTwo { .. } | KeySwitching::None => None,
    };
    ParametersSpec {
        name: "toy".to_owned(),
        ring: RingKind::Fermat,
        n,
        t: 2,
        prime_rule: PrimeRule::default(),
        limbs: PrimeChoice {
            count: limbs,
            bits: 48.0,
        },
        small: None,
        special,
        key_switching,
        auxiliary_bits: None,
        sigma: 3.2,
        secret: SecretDistribution::Ternary,
        secret_bound: None,
        allow_insecure: true,
    }
}

pub fn toy(n: usize, limbs: usize, key_switching: KeySwitching) -> Parameters {
    Parameters::new(&spec(n, limbs, key_switching)).unwrap()
}

/// The same with primes that the machines of hdl/ could take.
pub fn for_machines(n: usize, limbs: usize, key_switching: KeySwitching) -> Parameters {
    let parameters = Parameters::new(&ParametersSpec {
        prime_rule: PrimeRule::Machine,
        ..spec(n, limbs, key_switching)
    })
    .unwrap();
    assert_eq!(parameters.prime_rule(), PrimeRule::Machine);
    parameters
}

/// The same with two small primes of 32 bits, by which moduli have steps of 16 bits.
pub fn fine(n: usize, limbs: usize, key_switching: KeySwitching) -> Parameters {
    Parameters::new(&ParametersSpec {
        small: Some(PrimeChoice { count: 2, bits: 32.0 }),
        ..spec(n, limbs, key_switching)
    })
    .unwrap()
}

pub fn bits(context: &Cpu, seed: u64) -> Vec<bool> {
    let next = |x: &u64| {
        Some(
            x.wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963),
        )
    };
    let words = std::iter::successors(Some(seed), next).skip(1);
    words
        .take(context.slots().unwrap().len())
        .map(|x| x >> 62 & 1 == 1)
        .collect()
}

pub fn zip(a: &[bool], b: &[bool], f: impl Fn(bool, bool) -> bool) -> Vec<bool> {
    a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect()
}

impl Party {
    pub fn encrypt(&self, bits: &[bool], level: usize, i: u8) -> Ciphertext<CpuDevice> {
        let plaintext = self.context.encode(bits).unwrap();
        self.context
            .encrypt(&self.public, &plaintext, level, &seed(i))
            .unwrap()
    }

    pub fn decrypt(&self, ciphertext: &Ciphertext<CpuDevice>) -> Vec<bool> {
        self.context
            .decode(&self.context.decrypt(&self.secret, ciphertext).unwrap())
            .unwrap()
    }

    /// Decrypts, and holds the measured noise against the prediction: never above, and at most
    /// `slack` bits below.
    pub fn check(&self, c: &Ciphertext<CpuDevice>, expected: &[bool], predicted: &Noise, slack: f64) {
        assert_eq!(self.decrypt(c), expected);
        // The plaintext as an element: decryption is right, so it is what decryption says.
        let plaintext = self.context.decrypt(&self.secret, c).unwrap();
        let measured = self.context.measure_noise(&self.secret, c, &plaintext).unwrap();
        let bound = predicted.bound_log2(self.context.noise_model(), -64.0, 1);
        assert!(measured <= bound, "measured {measured:.2}, predicted {bound:.2}");
        assert!(
            bound <= measured + slack,
            "measured {measured:.2}, predicted {bound:.2}, slack {slack}"
        );
    }

    /// At the same level, in coefficient domain.
    pub fn relinearize(&self, product: &Ciphertext<CpuDevice>) -> Ciphertext<CpuDevice> {
        let (key, level) = (&self.relinearization, product.level());
        self.context
            .relinearize(product, &[], key, level, Domain::Coefficient)
            .unwrap()
    }

    pub fn galois(&self, exponent: u64) -> GaloisKey<CpuDevice> {
        self.context
            .generate_galois_key(&self.secret, exponent, &seed(20))
            .unwrap()
    }

    /// Slots after x -> x^exponent.
    pub fn moved(&self, bits: &[bool], exponent: u64) -> Vec<bool> {
        let permutation = self.context.slots().unwrap().permutation(exponent).unwrap();
        permutation.iter().map(|&i| bits[i]).collect()
    }
}
