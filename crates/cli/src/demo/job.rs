use std::path::Path;

use ringmill_arith::sampling::{Seed, Stream};
use ringmill_circuit::Visibility;
use ringmill_circuit::aes::Aes;
use ringmill_circuit::simon::Simon64;
use ringmill_device::Device;
use ringmill_engine::InputValues;
use ringmill_records::{Batch, Schema};
use zeroize::Zeroizing;

use crate::arguments::{DemoArguments, DemoCipher};
use crate::error::CliError;
use crate::files;
use crate::session::Session;
use crate::tables::{self, Table, input_schema, repeated};

/// The largest input: beyond, an evaluation would take days.
const MOST_INPUT: u64 = 128 << 20;

/// Bytes of the keys of both ciphers.
const KEY_BYTES: usize = 16;

/// What is decrypted, and with what.
pub struct Job {
    pub cipher: DemoCipher,
    /// Whole blocks.
    plain: Vec<u8>,
    /// The same encrypted with the cipher.
    encrypted: Vec<u8>,
    key: Zeroizing<[u8; KEY_BYTES]>,
}

impl Job {
    pub fn new(arguments: &DemoArguments, seed: &Seed) -> Result<Self, CliError> {
        let cipher = arguments.cipher;
        let block = block_bytes(cipher);
        let plain = match &arguments.input {
            None => {
                let length = arguments.blocks as usize * block;
                random_bytes(&seed.derive("demo plaintext", 0), length)
            }
            Some(path) => {
                let mut plain = files::read_bytes(path, MOST_INPUT)?.to_vec();
                if plain.is_empty() {
                    let problem = "the file is empty; there is nothing to work on";
                    return Err(CliError::data(path, problem));
                }
                plain.resize(plain.len().next_multiple_of(block), 0);
                plain
            }
        };
        let mut key = Zeroizing::new([0; KEY_BYTES]);
        key.copy_from_slice(&random_bytes(&seed.derive("demo cipher key", 0), KEY_BYTES));
        let encrypted = encrypted(cipher, &key, &plain)?;
        Ok(Self {
            cipher,
            plain,
            encrypted,
            key,
        })
    }

    /// The name of the circuit that decrypts.
    pub fn circuit(&self) -> &'static str {
        match self.cipher {
            DemoCipher::Simon => "simon-decrypt",
            DemoCipher::Aes => "aes-128-decrypt",
        }
    }

    pub fn blocks(&self) -> usize {
        self.plain.len() / block_bytes(self.cipher)
    }

    /// Blocks of the result that are as they should be.
    pub fn correct(&self, found: &[u8]) -> usize {
        let block = block_bytes(self.cipher);
        let pairs = self.plain.chunks_exact(block).zip(found.chunks_exact(block));
        pairs.filter(|(a, b)| a == b).count()
    }

    /// The private inputs, the same for all records.
    pub fn private(&self, session: &Session<impl Device>) -> Result<InputValues, CliError> {
        let bytes = match session.named.cipher {
            Some(cipher) => cipher.private_bytes(self.key.as_slice()),
            None => Err("no cipher".to_owned()),
        };
        let bytes = bytes.map_err(CliError::WrongResult)?;
        let schema = input_schema(session.circuit(), Visibility::Private, &[])?;
        let mut table = table(&bytes, schema.clone(), 1)?;
        let batch = table.next().transpose()?;
        let values = batch
            .map(|batch| tables::values(&schema, batch))
            .unwrap_or_default();
        Ok(repeated(values, session.plan.records()))
    }

    /// The columns of the public inputs.
    pub fn schema(&self, session: &Session<impl Device>) -> Result<Schema, CliError> {
        input_schema(session.circuit(), Visibility::Public, &[])
    }

    /// The public inputs, batch by batch.
    pub fn public(
        &self,
        session: &Session<impl Device>,
    ) -> Result<impl Iterator<Item = Result<Batch, CliError>>, CliError> {
        table(&self.encrypted, self.schema(session)?, session.plan.records())
    }
}

/// Records in memory as a table.
fn table(bytes: &[u8], schema: Schema, records: usize) -> Result<Table, CliError> {
    Table::of_bytes(Path::new("the demonstration's data"), bytes, schema, records)
}

fn block_bytes(cipher: DemoCipher) -> usize {
    match cipher {
        DemoCipher::Simon => 8,
        DemoCipher::Aes => 16,
    }
}

fn encrypted(cipher: DemoCipher, key: &[u8; KEY_BYTES], plain: &[u8]) -> Result<Vec<u8>, CliError> {
    match cipher {
        DemoCipher::Simon => {
            let cipher = Simon64::from_key_bytes(*key);
            let (blocks, _) = plain.as_chunks::<8>();
            Ok(blocks
                .iter()
                .flat_map(|block| cipher.encrypt_block(*block))
                .collect())
        }
        DemoCipher::Aes => {
            let result = Aes::new(key).and_then(|aes| aes.encrypt_ecb(plain));
            result.map_err(|error| CliError::WrongResult(error.to_string()))
        }
    }
}

fn random_bytes(seed: &Seed, length: usize) -> Vec<u8> {
    let mut words = vec![0; length.div_ceil(8)];
    Stream::new(seed).fill_words(&mut words);
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    bytes.take(length).collect()
}
