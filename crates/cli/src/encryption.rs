//! Records to ciphertexts and back.

use std::sync::Arc;

use rayon::prelude::*;
use ringmill_arith::sampling::Seed;
use ringmill_circuit::{PortValues, Visibility};
use ringmill_device::CpuDevice;
use ringmill_engine::{
    EncryptedInputs, InputKey, OutputValue, PublicInputs, decrypt_outputs, encrypt_inputs,
};
use ringmill_fv::{FvError, PublicKey, SecretKey};

use crate::batches::{CpuCiphertext, Outputs};
use crate::error::CliError;
use crate::session::Session;

/// A key to encrypt with.
#[derive(Clone, Copy)]
pub enum Encryptor<'a> {
    /// Anybody's.
    Public(&'a PublicKey<CpuDevice>),
    /// Its owner's: ciphertexts take half the space, and have less noise.
    Secret(&'a SecretKey<CpuDevice>),
}

impl Encryptor<'_> {
    /// Refuses the public key for a plan that counts on the little noise of the other.
    pub fn check(self, session: &Session) -> Result<(), CliError> {
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

/// Encrypts the private inputs of a batch.
pub fn encrypt(
    session: &Session,
    key: Encryptor<'_>,
    values: &PublicInputs,
    seed: &Seed,
) -> Result<EncryptedInputs<CpuDevice>, CliError> {
    let context = &session.context;
    Ok(encrypt_inputs(
        &session.plan,
        context,
        values,
        seed,
        |plaintext, level, seed| match key {
            Encryptor::Public(key) => context.encrypt(key, plaintext, level, seed),
            Encryptor::Secret(key) => context.encrypt_with_secret(key, plaintext, level, seed),
        },
    )?)
}

/// The ciphertexts of all private ports in order.
pub fn ciphertexts(session: &Session, inputs: &EncryptedInputs<CpuDevice>) -> Vec<Arc<CpuCiphertext>> {
    let ports = session.plan.inputs().iter();
    let ports = ports.filter(|port| port.visibility == Visibility::Private);
    let wires = ports.flat_map(|port| inputs.port(&port.name).unwrap_or_default());
    wires.cloned().collect()
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
pub fn decrypt(
    session: &Session,
    key: &SecretKey<CpuDevice>,
    results: &Outputs,
) -> Result<Decrypted, CliError> {
    let encrypted: Vec<&CpuCiphertext> = results
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
    Ok(Decrypted {
        values: decrypt_outputs(&session.plan, context, key, results)?,
        noise,
    })
}
