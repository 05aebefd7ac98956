//! What the tests of execution share.

use std::sync::Arc;

use ringmill_arith::Kernel;
use ringmill_arith::sampling::{Seed, Stream};
use ringmill_circuit::PortLanes;
use ringmill_device::CpuDevice;
use ringmill_engine::{
    EncryptedInputs, EngineError, Execution, Observer, Plan, PublicInputs, encrypt_inputs, execute,
};
use ringmill_fv::{Context, Parameters, PublicKey, RelinearizationKey, SecretKey};

pub fn seed(byte: u8) -> Seed {
    Seed::from_bytes([byte; 32])
}

/// A context and all its keys.
pub struct Party {
    pub context: Context<CpuDevice>,
    pub secret: SecretKey<CpuDevice>,
    pub public: PublicKey<CpuDevice>,
    pub relinearization: RelinearizationKey<CpuDevice>,
}

impl Party {
    pub fn new(parameters: &Parameters) -> Self {
        let device = CpuDevice::new(parameters.ring(), Kernel::from_environment().unwrap());
        let context = Context::new(parameters.clone(), Arc::new(device)).unwrap();
        let secret = context.generate_secret_key(&seed(1)).unwrap();
        Self {
            public: context.generate_public_key(&secret, &seed(2)).unwrap(),
            relinearization: context.generate_relinearization_key(&secret, &seed(3)).unwrap(),
            secret,
            context,
        }
    }

    pub fn encrypt(&self, plan: &Plan, private: &PublicInputs) -> EncryptedInputs<CpuDevice> {
        encrypt_inputs(
            plan,
            &self.context,
            private,
            &seed(4),
            |plaintext, level, seed| self.context.encrypt(&self.public, plaintext, level, seed),
        )
        .unwrap()
    }

    pub fn execute(
        &self,
        plan: &Plan,
        inputs: EncryptedInputs<CpuDevice>,
        public: &PublicInputs,
        observer: &dyn Observer,
    ) -> Result<Execution<CpuDevice>, EngineError> {
        execute(
            plan,
            &self.context,
            &self.relinearization,
            inputs,
            public,
            observer,
        )
    }
}

/// Small random numbers.
pub struct Dice(Stream);

impl Dice {
    pub fn new(byte: u8) -> Self {
        Self(Stream::new(&seed(byte)))
    }

    pub fn word(&mut self) -> u64 {
        let mut word = [0];
        self.0.fill_words(&mut word);
        word[0]
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.word() % limit as u64) as usize
    }

    pub fn lanes(&mut self, width: usize, slots: usize) -> PortLanes {
        (0..width)
            .map(|_| (0..slots / 64).map(|_| self.word()).collect())
            .collect()
    }
}
