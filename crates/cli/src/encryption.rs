//! Records to ciphertexts and back.

use std::sync::Arc;

use rayon::prelude::*;
use ringmill_arith::sampling::Seed;
use ringmill_circuit::{PortValues, Visibility};
use ringmill_device::Device;
use ringmill_engine::{EncryptedWire, InputKey, InputValues, OutputValue, decrypt_outputs, encrypt_inputs};
use ringmill_fv::{Ciphertext, Context, FvError, Plaintext, PublicKey, SecretKey};

use crate::arguments::EncryptionKey;
use crate::batches::{Inputs, Outputs};
use crate::error::CliError;
use crate::files;
use crate::keys::{self, KeySet};
use crate::session::Session;

/// A key to encrypt with, from a file.
pub enum Key<D: Device> {
    /// Anybody's.
    Public(PublicKey<D>, KeySet),
    /// Its owner's, and the set that it is of, if its file says so.
    Secret(SecretKey<D>, Option<KeySet>),
}

impl<D: Device> Key<D> {
    /// Reads the one that was named.
    pub fn read(choice: &EncryptionKey, context: &Context<D>) -> Result<Self, CliError> {
        match (&choice.secret_key, &choice.public_key) {
            (Some(path), _) => {
                let (key, set) = keys::read_secret(path, context)?;
                Ok(Self::Secret(key, set))
            }
            (None, Some(path)) => {
                let (key, digest) = files::read_digested(path, |input| context.read_public_key(input))?;
                Ok(Self::Public(key, KeySet(digest)))
            }
            (None, None) => Err(CliError::Usage("give --public-key or --secret-key".to_owned())),
        }
    }

    /// To encrypt with it.
    pub fn encryptor(&self) -> Encryptor<'_, D> {
        match self {
            Self::Public(key, _) => Encryptor::Public(key),
            Self::Secret(key, _) => Encryptor::Secret(key),
        }
    }

    /// The set that it is of, if that is known.
    pub fn set(&self) -> Option<KeySet> {
        match self {
            Self::Public(_, set) => Some(*set),
            Self::Secret(_, set) => *set,
        }
    }
}

/// A key to encrypt with.
pub enum Encryptor<'a, D: Device> {
    /// Anybody's.
    Public(&'a PublicKey<D>),
    /// Its owner's: ciphertexts take half the space, and have less noise.
    Secret(&'a SecretKey<D>),
}

impl<D: Device> Clone for Encryptor<'_, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D: Device> Copy for Encryptor<'_, D> {}

impl<D: Device> Encryptor<'_, D> {
    /// Encrypts messages at the highest level, each from a seed derived from a secret, fresh one.
    pub fn encrypt_many(
        self,
        context: &Context<D>,
        plaintexts: &[Plaintext],
        seed: &Seed,
    ) -> Result<Vec<Ciphertext<D>>, FvError> {
        let level = context.parameters().levels();
        match self {
            Self::Public(key) => context.encrypt_many(key, plaintexts, level, seed),
            Self::Secret(key) => {
                let indexed = plaintexts.par_iter().enumerate();
                let encrypt = |(i, plaintext)| {
                    context.encrypt_with_secret(key, plaintext, level, &seed.derive("message", i as u64))
                };
                indexed.map(encrypt).collect()
            }
        }
    }

    /// Refuses the public key for a plan that counts on the little noise of the other.
    pub fn check(self, session: &Session<D>) -> Result<(), CliError> {
        match (self, session.plan.recipe().input_key) {
            (Self::Public(_), InputKey::Secret) => Err(CliError::Usage(
                "the parameters were made for inputs encrypted with the secret key; give --secret-key, or make \
                 parameters with --input-key public"
                    .to_owned(),
            )),
            _ => Ok(()),
        }
    }
}

/// Encrypts the private inputs of a batch; `done` is called after each ciphertext.
pub fn encrypt<D: Device>(
    session: &Session<D>,
    key: Encryptor<'_, D>,
    values: &InputValues,
    seed: &Seed,
    done: impl Fn() + Sync,
) -> Result<Inputs<D>, CliError> {
    let (plan, context) = (&session.plan, &session.context);
    let inputs = encrypt_inputs(
        plan.schedule(),
        &plan.encoding(context),
        values,
        seed,
        |plaintext, level, seed| {
            let ciphertext = match key {
                Encryptor::Public(key) => context.encrypt(key, plaintext, level, seed),
                Encryptor::Secret(key) => context.encrypt_with_secret(key, plaintext, level, seed),
            };
            done();
            ciphertext
        },
    )?;
    context.device().finish()?;
    Ok(inputs)
}

/// The ciphertexts of all private ports in order.
pub fn ciphertexts<D: Device>(session: &Session<D>, inputs: &Inputs<D>) -> Vec<Arc<Ciphertext<D>>> {
    let ports = session.plan.schedule().inputs().iter();
    let ports = ports.filter(|port| port.visibility == Visibility::Private);
    let wires = ports.flat_map(|port| inputs.port(&port.name).unwrap_or_default());
    wires.filter_map(EncryptedWire::here).cloned().collect()
}

/// What decryption makes of results.
pub struct Decrypted {
    /// The values of all slots, port by port.
    pub values: Vec<PortValues>,
    /// log2 of the largest noise found; decryption works below -1. Negative infinity if nothing was
    /// encrypted.
    pub noise: f64,
}

/// Decrypts the results of a batch.
pub fn decrypt<D: Device>(
    session: &Session<D>,
    key: &SecretKey<D>,
    results: &Outputs<D>,
) -> Result<Decrypted, CliError> {
    let encrypted: Vec<&Ciphertext<D>> = results
        .iter()
        .flatten()
        .filter_map(|value| match value {
            OutputValue::Encrypted(ciphertext) => Some(ciphertext),
            OutputValue::Clear(_) => None,
        })
        .collect();
    let context = &session.context;
    let noise = encrypted.par_iter().map(|ciphertext| {
        // Against what was decrypted: right unless the noise went beyond one half.
        let plaintext = context.decrypt(key, ciphertext)?;
        context.measure_noise(key, ciphertext, &plaintext)
    });
    let noise = noise.try_reduce(|| f64::NEG_INFINITY, |a, b| Ok::<_, FvError>(a.max(b)))?;
    let plan = &session.plan;
    let values = decrypt_outputs(plan.schedule(), &plan.encoding(context), results, |ciphertext| {
        context.decrypt(key, ciphertext)
    });
    Ok(Decrypted {
        values: values?,
        noise,
    })
}
