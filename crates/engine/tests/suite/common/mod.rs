//! What the tests of execution share.

pub mod circuits;
pub mod mock;
pub mod reference;

use std::sync::Arc;

use ringmill_arith::Simd;
use ringmill_arith::sampling::Seed;
use ringmill_circuit::{Circuit, PortValues, Visibility};
use ringmill_cpu::CpuDevice;
use ringmill_engine::{
    EncryptedInputs, EvaluationKeys, Execution, InputKey, InputValues, OutputSource, OutputValue, Plan,
    ProductForm, decrypt_outputs, encrypt_inputs,
};
use ringmill_fv::{
    Ciphertext, Context, KeySwitching, Parameters, ParametersSpec, PrimeChoice, PrimeRule, PublicKey,
    RingKind, SecretDistribution, SecretKey,
};

pub fn seed(byte: u8) -> Seed {
    Seed::from_bytes([byte; 32])
}

/// Bits of the limbs of [`insecure`].
pub const LIMB_BITS: f64 = 45.0;

/// Insecure parameters of a small dimension for products in a form.
pub fn insecure(n: usize, form: ProductForm, limbs: usize) -> Parameters {
    insecure_of(n, form, limbs, LIMB_BITS)
}

/// The same with limbs of so many bits.
pub fn insecure_of(n: usize, form: ProductForm, limbs: usize, bits: f64) -> Parameters {
    let small = match form {
        ProductForm::Bfv => None,
        ProductForm::Bgv => Some(PrimeChoice {
            count: 2,
            bits: bits * 2.0 / 3.0,
        }),
    };
    let special = PrimeChoice {
        count: 2,
        bits: bits + 1.0,
    };
    Parameters::new(&ParametersSpec {
        name: format!("test-{form:?}-{n}-{limbs}-{bits:.0}"),
        ring: RingKind::Fermat,
        n,
        t: 2,
        prime_rule: PrimeRule::default(),
        limbs: PrimeChoice { count: limbs, bits },
        small,
        special: Some(special),
        key_switching: KeySwitching::Hybrid {
            digit_limbs: limbs.min(2),
        },
        auxiliary_bits: None,
        sigma: 3.2,
        secret: SecretDistribution::Ternary,
        secret_bound: None,
        allow_insecure: true,
    })
    .unwrap()
}

/// A context and the keys of one party.
pub struct Party {
    pub context: Context<CpuDevice>,
    pub secret: SecretKey<CpuDevice>,
    pub public: PublicKey<CpuDevice>,
}

/// Values by port, encrypted and public.
pub type Sides = (InputValues, InputValues);

/// Sorts values by the visibility of their ports.
pub fn sides(circuit: &Circuit, values: &[PortValues]) -> Sides {
    let (mut private, mut public) = Sides::default();
    for (port, values) in circuit.inputs().iter().zip(values) {
        let side = match port.visibility {
            Visibility::Private => &mut private,
            Visibility::Public => &mut public,
        };
        side.insert(port.name.clone(), values.clone());
    }
    (private, public)
}

impl Party {
    pub fn new(parameters: &Parameters) -> Self {
        let device = CpuDevice::new(parameters.ring(), Simd::from_environment().unwrap());
        let context = Context::new(parameters.clone(), Arc::new(device)).unwrap();
        let secret = context.generate_secret_key(&seed(1)).unwrap();
        Self {
            public: context.generate_public_key(&secret, &seed(2)).unwrap(),
            secret,
            context,
        }
    }

    pub fn keys(&self, plan: &Plan) -> EvaluationKeys<CpuDevice> {
        EvaluationKeys::generate(plan, &self.context, &self.secret, &seed(3)).unwrap()
    }

    pub fn encrypt(
        &self,
        plan: &Plan,
        key: InputKey,
        private: &InputValues,
    ) -> EncryptedInputs<Ciphertext<CpuDevice>> {
        let encrypted = encrypt_inputs(
            plan.schedule(),
            &plan.encoding(&self.context),
            private,
            &seed(4),
            |plaintext, level, seed| match key {
                InputKey::Public => self.context.encrypt(&self.public, plaintext, level, seed),
                InputKey::Secret => self
                    .context
                    .encrypt_with_secret(&self.secret, plaintext, level, seed),
            },
        );
        encrypted.unwrap()
    }

    /// Encrypts and executes.
    pub fn run(
        &self,
        plan: &Plan,
        key: InputKey,
        (private, public): &Sides,
    ) -> Execution<Ciphertext<CpuDevice>> {
        let inputs = self.encrypt(plan, key, private);
        plan.execute(&self.context, &self.keys(plan), inputs, public, &())
            .unwrap()
    }

    pub fn decrypt(&self, plan: &Plan, execution: &Execution<Ciphertext<CpuDevice>>) -> Vec<PortValues> {
        let decrypt = |ciphertext: &_| self.context.decrypt(&self.secret, ciphertext);
        decrypt_outputs(
            plan.schedule(),
            &plan.encoding(&self.context),
            &execution.outputs,
            decrypt,
        )
        .unwrap()
    }

    /// For each encrypted output the predicted bound of its noise and the measured largest, as logarithms.
    pub fn noises(&self, plan: &Plan, execution: &Execution<Ciphertext<CpuDevice>>) -> Vec<(f64, f64)> {
        let mut noises = Vec::new();
        for (port, values) in plan.schedule().outputs().iter().zip(&execution.outputs) {
            for (source, value) in port.sources.iter().zip(values) {
                if let (OutputSource::Encrypted(id), OutputValue::Encrypted(ciphertext)) = (source, value) {
                    let plaintext = self.context.decrypt(&self.secret, ciphertext).unwrap();
                    let measured = self
                        .context
                        .measure_noise(&self.secret, ciphertext, &plaintext)
                        .unwrap();
                    noises.push((plan.noise(*id), measured));
                }
            }
        }
        noises
    }
}
