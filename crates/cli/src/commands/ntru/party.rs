use std::sync::Arc;

use ringmill_arith::sampling::Seed;
use ringmill_device::Device;
use ringmill_schemes::ntru::{Ciphertext, Context, Evaluator, NtruScheme, Parameters, PublicKey, SecretKey};

use crate::error::CliError;
use crate::progress::timed;
use ringmill::platform::Platform;

/// A scheme with all keys.
pub struct Party<S: NtruScheme, D: Device> {
    pub context: Arc<Context<S, D>>,
    pub evaluator: Evaluator<S, D>,
    pub public: PublicKey<S, D>,
    pub(super) secret: SecretKey<S, D>,
    /// Seconds that making the keys took.
    pub(super) keys: f64,
}

impl<S: NtruScheme, D: Device> Party<S, D> {
    /// The set of a name, with new keys. Says what is wrong with it, every time.
    pub fn new(devices: &impl Platform<Device = D>, name: &str) -> Result<Self, CliError> {
        let parameters = Parameters::named(name)?;
        eprintln!("warning: {}", parameters.warning());
        let device = devices.open(parameters.ring())?;
        let context = Arc::new(Context::new(parameters, device)?);
        let ((secret, public, key), keys) = timed("keys", || {
            let secret = context.generate_secret_key(&Seed::random()?)?;
            let public = context.generate_public_key(&secret, &Seed::random()?)?;
            let key = context.generate_evaluation_key(&secret, &public, &Seed::random()?)?;
            context.device().finish()?;
            Ok::<_, CliError>((secret, public, key))
        })?;
        Ok(Self {
            evaluator: Evaluator::new(Arc::clone(&context), key),
            context,
            public,
            secret,
            keys,
        })
    }

    /// Encrypts 1 in every slot at the highest level.
    pub fn ones(&self) -> Result<Ciphertext<S, D>, CliError> {
        let context = &self.context;
        let plaintext = context.encode(&vec![true; context.slots().len()])?;
        let level = context.parameters().levels();
        Ok(context.encrypt(&self.public, &plaintext, level, &Seed::random()?)?)
    }
}
