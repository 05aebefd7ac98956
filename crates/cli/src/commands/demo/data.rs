use ringmill::circuit::aes::Aes;
use ringmill::circuit::simon::Simon64;
use ringmill::circuit::{Circuit, Visibility};
use ringmill::circuits::{self, NamedCircuit};
use ringmill::files::read_bytes;
use ringmill::{Error, Seed, Table, TableReader};
use ringmill_arith::sampling::Stream;
use zeroize::Zeroizing;

use crate::arguments::{DemoArguments, DemoCipher};
use crate::error::CliError;

/// The largest input: beyond, an evaluation would take days.
const MOST_INPUT: u64 = 128 << 20;

/// Bytes of the keys of both ciphers.
const KEY_BYTES: usize = 16;

/// The blocks that are decrypted, or encrypted with fewer rounds, and the cipher's key.
pub struct Data {
    pub cipher: DemoCipher,
    /// Those of an encryption with fewer rounds.
    #[cfg(feature = "rtl")]
    rounds: Option<usize>,
    /// What the circuit takes: whole blocks.
    input: Vec<u8>,
    /// What it gives.
    output: Vec<u8>,
    key: Zeroizing<[u8; KEY_BYTES]>,
}

impl Data {
    /// What the arguments say.
    pub fn new(arguments: &DemoArguments, seed: &Seed) -> Result<Self, CliError> {
        let cipher = arguments.cipher;
        let block = block_bytes(cipher);
        match &arguments.input {
            None => Self::random(cipher, arguments.blocks as usize, seed),
            Some(path) => {
                let mut plain = read_bytes(path, MOST_INPUT)?.to_vec();
                if plain.is_empty() {
                    let problem = "the file is empty; there is nothing to work on";
                    return Err(CliError::data(path, problem));
                }
                plain.resize(plain.len().next_multiple_of(block), 0);
                Self::of(cipher, plain, seed)
            }
        }
    }

    /// So many random blocks.
    pub fn random(cipher: DemoCipher, blocks: usize, seed: &Seed) -> Result<Self, CliError> {
        let length = blocks * block_bytes(cipher);
        Self::of(
            cipher,
            random_bytes(&seed.derive("demo plaintext", 0), length),
            seed,
        )
    }

    fn of(cipher: DemoCipher, plain: Vec<u8>, seed: &Seed) -> Result<Self, CliError> {
        let key = random_key(seed);
        let input = encrypted(cipher, &key, &plain)?;
        Ok(Self {
            cipher,
            #[cfg(feature = "rtl")]
            rounds: None,
            input,
            output: plain,
            key,
        })
    }

    /// So many random blocks, for the first rounds of SIMON.
    #[cfg(feature = "rtl")]
    pub fn simon_rounds(rounds: usize, blocks: usize, seed: &Seed) -> Self {
        let key = random_key(seed);
        let cipher = Simon64::from_key_bytes(*key);
        let input = random_bytes(&seed.derive("demo plaintext", 0), 8 * blocks);
        let words = |block: &[u8; 8]| {
            let block = u64::from_le_bytes(*block);
            let (x, y) = cipher.encrypt_rounds(rounds, ((block >> 32) as u32, block as u32));
            (u64::from(x) << 32 | u64::from(y)).to_le_bytes()
        };
        Self {
            cipher: DemoCipher::Simon,
            rounds: Some(rounds),
            output: input.as_chunks().0.iter().flat_map(words).collect(),
            input,
            key,
        }
    }

    /// The circuit, on bytes.
    pub fn circuit(&self) -> Result<NamedCircuit, Error> {
        match self.cipher {
            DemoCipher::Simon => circuits::by_name("simon-decrypt-nibbles"),
            DemoCipher::Aes => circuits::by_name("aes-128-decrypt"),
        }
    }

    /// The circuit for the core, whose figures are of SIMON on bits, as paper 1 has it.
    #[cfg(feature = "rtl")]
    pub fn core_circuit(&self) -> Result<NamedCircuit, Error> {
        match (self.cipher, self.rounds) {
            (_, Some(rounds)) => circuits::simon_rounds(rounds),
            (DemoCipher::Simon, None) => circuits::by_name("simon-decrypt"),
            (DemoCipher::Aes, None) => self.circuit(),
        }
    }

    pub fn blocks(&self) -> usize {
        self.output.len() / block_bytes(self.cipher)
    }

    /// Blocks of the result that are as they should be.
    pub fn correct(&self, found: &[u8]) -> usize {
        let block = block_bytes(self.cipher);
        let pairs = self.output.chunks_exact(block).zip(found.chunks_exact(block));
        pairs.filter(|(a, b)| a == b).count()
    }

    /// The cipher's key.
    pub fn key(&self) -> &[u8] {
        &*self.key
    }

    /// The public inputs of the circuit, batch by batch.
    pub fn public(&self, circuit: &Circuit, records: usize) -> Result<TableReader, Error> {
        Table::binary(&*self.input).read(circuit, Visibility::Public, records)
    }
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
            result.map_err(|error| CliError::wrong_result(error.to_string()))
        }
    }
}

fn random_key(seed: &Seed) -> Zeroizing<[u8; KEY_BYTES]> {
    let mut key = Zeroizing::new([0; KEY_BYTES]);
    key.copy_from_slice(&random_bytes(&seed.derive("demo cipher key", 0), KEY_BYTES));
    key
}

fn random_bytes(seed: &Seed, length: usize) -> Vec<u8> {
    let mut words = vec![0; length.div_ceil(8)];
    Stream::new(seed).fill_words(&mut words);
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    bytes.take(length).collect()
}
