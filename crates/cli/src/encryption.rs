//! Records to ciphertexts and back.

use rayon::prelude::*;
use ringmill_arith::sampling::Seed;
use ringmill_circuit::Visibility;
use ringmill_device::CpuDevice;
use ringmill_fv::{Ciphertext, PublicKey, SecretKey};
use zeroize::Zeroizing;

use crate::circuits::input_bits;
use crate::error::CliError;
use crate::records::{self, record_bytes};
use crate::session::{CpuContext, Session};

/// A ciphertext on the CPU.
pub type CpuCiphertext = Ciphertext<CpuDevice>;

/// A key to encrypt with.
pub enum Encryptor {
    Public(PublicKey<CpuDevice>),
    Secret(SecretKey<CpuDevice>),
}

/// Encrypts the private inputs of records: for each batch of as many records as there are slots, for
/// each private bit in the order of ports, a ciphertext at the level that the plan asks for. A single
/// record is put in every slot.
pub fn encrypt_records(
    session: &Session,
    key: &Encryptor,
    values: &[u8],
    seed: &Seed,
) -> Result<Vec<CpuCiphertext>, CliError> {
    let slots = session.plan.slots();
    let width = input_bits(&session.circuit, Visibility::Private);
    let private = session
        .plan
        .inputs()
        .iter()
        .filter(|port| port.visibility == Visibility::Private);
    let levels: Vec<usize> = private.flat_map(|port| port.levels()).copied().collect();
    let batches: Vec<&[u8]> = values.chunks(slots * record_bytes(width)).collect();
    let single = values.len() == record_bytes(width);
    let jobs: Vec<(usize, usize)> = (0..batches.len())
        .flat_map(|batch| (0..width).map(move |bit| (batch, bit)))
        .collect();
    let encrypt = |&(batch, bit): &(usize, usize)| {
        let mut column = records::column(batches[batch], width, bit);
        if single {
            column = Zeroizing::new(vec![column.first().copied().unwrap_or(false); slots]);
        }
        let seed = seed.derive("ciphertext", (batch * width + bit) as u64);
        encrypt_bits(
            &session.context,
            key,
            &column,
            levels.get(bit).copied().unwrap_or(1),
            &seed,
        )
    };
    jobs.par_iter().map(encrypt).collect()
}

fn encrypt_bits(
    context: &CpuContext,
    key: &Encryptor,
    bits: &[bool],
    level: usize,
    seed: &Seed,
) -> Result<CpuCiphertext, CliError> {
    let plaintext = context.encode(bits)?;
    Ok(match key {
        Encryptor::Public(key) => context.encrypt(key, &plaintext, level, seed)?,
        Encryptor::Secret(key) => context.encrypt_with_secret(key, &plaintext, level, seed)?,
    })
}

/// What decryption makes of results.
pub struct Decrypted {
    /// The records of all slots of all batches.
    pub bytes: Zeroizing<Vec<u8>>,
    /// log2 of the largest noise found; decryption works below -1.
    pub noise: f64,
}

/// Decrypts results: `width` ciphertexts for each batch.
pub fn decrypt_records(
    context: &CpuContext,
    key: &SecretKey<CpuDevice>,
    results: &[CpuCiphertext],
    width: usize,
) -> Result<Decrypted, CliError> {
    let columns: Vec<(Vec<bool>, f64)> = results
        .par_iter()
        .map(|result| {
            let plaintext = context.decrypt(key, result)?;
            // Against what was decrypted: right unless the noise went beyond one half.
            let noise = context.measure_noise(key, result, &plaintext)?;
            Ok((context.decode(&plaintext)?, noise))
        })
        .collect::<Result<_, CliError>>()?;
    let noise = columns
        .iter()
        .map(|column| column.1)
        .fold(f64::NEG_INFINITY, f64::max);
    let mut bytes = Zeroizing::new(Vec::new());
    let columns: Vec<Vec<bool>> = columns.into_iter().map(|column| column.0).collect();
    for batch in columns.chunks(width) {
        bytes.extend(records::from_columns(batch));
    }
    Ok(Decrypted { bytes, noise })
}
