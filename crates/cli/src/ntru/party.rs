use std::sync::Arc;

use ringmill_arith::sampling::Seed;
use ringmill_device::Device;
use ringmill_engine::Scheme;
use ringmill_schemes::ntru::{Parameters, PublicKey, SecretKey};
use ringmill_schemes::{ltv, yashe};

use super::run::run;
use super::{Cipher, Run};
use crate::device::Devices;
use crate::error::CliError;
use crate::progress::timed;

/// The two schemes have the same operations on types of their own, so that neither's can be taken for the other's.
macro_rules! party {
    ($(#[$documentation:meta])* $name:ident, $scheme:ident) => {
        $(#[$documentation])*
        pub struct $name<D: Device> {
            pub context: Arc<$scheme::Context<D>>,
            pub public: PublicKey<D>,
            pub evaluator: $scheme::Evaluator<D>,
            secret: SecretKey<D>,
            /// Seconds that making the keys took.
            keys: f64,
        }

        impl<D: Device> $name<D> {
            /// The set of a name, with new keys. Says what is wrong with it, every time.
            pub fn new(devices: &impl Devices<Device = D>, name: &str) -> Result<Self, CliError> {
                let parameters = Parameters::named(name)?;
                eprintln!("warning: {}", parameters.warning());
                let device = devices.open(parameters.ring())?;
                let context = Arc::new($scheme::Context::new(parameters, device)?);
                let (made, keys) = timed("keys", || {
                    let secret = context.base().generate_secret_key(&Seed::random()?)?;
                    let public = context.base().generate_public_key(&secret, &Seed::random()?)?;
                    let key = context.generate_evaluation_key(&secret, &public, &Seed::random()?)?;
                    context.base().device().finish()?;
                    Ok::<_, CliError>((secret, public, key))
                })?;
                let (secret, public, key) = made;
                let evaluator = $scheme::Evaluator::new(Arc::clone(&context), key);
                Ok(Self {
                    context,
                    public,
                    evaluator,
                    secret,
                    keys,
                })
            }

            /// Evaluates a cipher on full slots.
            pub fn evaluate(
                &self,
                cipher: impl FnOnce(usize) -> Result<Cipher, CliError>,
            ) -> Result<Run, CliError> {
                let cipher = cipher(self.evaluator.encoding().slots().len())?;
                let ladder = self.context.ladder(cipher.depth()?)?;
                run(
                    &self.evaluator,
                    (ladder, self.keys),
                    &cipher,
                    |plaintext, level, seed| self.context.encrypt(&self.public, plaintext, level, seed),
                    |ciphertext| self.context.decrypt(&self.secret, ciphertext),
                )
            }
        }
    };
}

party!(
    /// YASHE with all keys.
    Yashe,
    yashe
);
party!(
    /// LTV with all keys.
    Ltv,
    ltv
);
