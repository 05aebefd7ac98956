use ringmill_circuit::aes::Aes;
use ringmill_circuit::simon::Simon64;
use ringmill_circuit::{Circuit, PortValues, WireType};
use ringmill_engine::{InputValues, lower};

use crate::arguments::DemoCipher;
use crate::error::CliError;
use ringmill::circuits::by_name;

/// SIMON-64/128 of its designers' test vector: key, plaintext, ciphertext, as bytes of little-endian words.
const SIMON_KEY: [u8; 16] = [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27];
const SIMON_BLOCKS: [u64; 2] = [0x656b_696c_2064_6e75, 0x44c8_fc20_b9df_a07a];

/// AES-128 of FIPS 197, appendix C.1: key, plaintext, ciphertext.
const AES_KEY: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
const AES_BLOCKS: [u128; 2] = [
    0x0011_2233_4455_6677_8899_aabb_ccdd_eeff,
    0x69c4_e0d8_6a7b_0430_d8cd_b780_70b4_c55a,
];

/// Encryption of public blocks under a key that the evaluator does not see, on bits: the block of the published
/// test vector first, and others made from it.
pub struct Cipher {
    /// Its name.
    pub name: &'static str,
    /// The circuit.
    pub circuit: Circuit,
    key: (&'static str, Vec<u8>),
    blocks: Vec<Vec<u8>>,
    expected: Vec<Vec<u8>>,
}

impl Cipher {
    /// A cipher on a number of blocks.
    pub fn new(cipher: DemoCipher, blocks: usize) -> Result<Self, CliError> {
        let numbers = 0..blocks as u64;
        let numbers = numbers.map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        match cipher {
            DemoCipher::Simon => {
                let simon = Simon64::from_key_bytes(SIMON_KEY);
                let plain = numbers.map(|number| (SIMON_BLOCKS[0] ^ number).to_le_bytes());
                let (blocks, expected): (Vec<_>, Vec<_>) = plain
                    .map(|block| (block.to_vec(), simon.encrypt_block(block).to_vec()))
                    .unzip();
                let vector = SIMON_BLOCKS[1].to_le_bytes().to_vec();
                let key = ("key", SIMON_KEY.to_vec());
                Self::checked(("SIMON-64/128", "simon-encrypt"), key, blocks, expected, vector)
            }
            DemoCipher::Aes => {
                let aes = Aes::new(&AES_KEY).map_err(|error| CliError::wrong_result(error.to_string()))?;
                let plain = numbers.map(|number| (AES_BLOCKS[0] ^ u128::from(number)).to_be_bytes());
                let (blocks, expected): (Vec<_>, Vec<_>) = plain
                    .map(|block| (block.to_vec(), aes.encrypt_block(block).to_vec()))
                    .unzip();
                let vector = AES_BLOCKS[1].to_be_bytes().to_vec();
                let key = ("round_keys", aes.round_keys().concat());
                Self::checked(("AES-128", "aes128-encrypt"), key, blocks, expected, vector)
            }
        }
    }

    /// Sees that the first block is the published one: then what is expected of the others is right too.
    fn checked(
        (name, circuit): (&'static str, &str),
        key: (&'static str, Vec<u8>),
        blocks: Vec<Vec<u8>>,
        expected: Vec<Vec<u8>>,
        vector: Vec<u8>,
    ) -> Result<Self, CliError> {
        if expected.first() != Some(&vector) {
            return Err(CliError::wrong_result(format!(
                "{name}: the published test vector comes out wrong"
            )));
        }
        Ok(Self {
            name,
            circuit: by_name(circuit)?.circuit().clone(),
            key,
            blocks,
            expected,
        })
    }

    /// Products on the longest path, those of public values not counted.
    pub fn depth(&self) -> Result<usize, CliError> {
        Ok(lower(&self.circuit)?.depth() as usize)
    }

    /// The key's bits, the same for all records.
    pub fn private(&self) -> InputValues {
        let (port, key) = &self.key;
        let values = lanes(8 * key.len(), self.blocks.len(), |_, wire| bit(key, wire));
        InputValues::from([((*port).to_owned(), values)])
    }

    /// The blocks' bits.
    pub fn public(&self) -> InputValues {
        let width = 8 * self.blocks.first().map_or(0, Vec::len);
        let values = lanes(width, self.blocks.len(), |record, wire| {
            bit(&self.blocks[record], wire)
        });
        InputValues::from([("block".to_owned(), values)])
    }

    /// Blocks of a result that are as they should be.
    pub fn correct(&self, found: &[PortValues]) -> usize {
        let Some(found) = found.first() else {
            return 0;
        };
        let expected = self.expected.iter().enumerate();
        expected
            .filter(|(record, block)| found.record_bytes(WireType::Bit, *record) == **block)
            .count()
    }
}

fn bit(bytes: &[u8], i: usize) -> bool {
    bytes[i / 8] >> (i % 8) & 1 == 1
}

/// The bits of every record, wire by wire.
fn lanes(width: usize, records: usize, bit: impl Fn(usize, usize) -> bool) -> PortValues {
    let lane = |wire| {
        let mut words = vec![0; records.div_ceil(64)];
        for record in 0..records {
            words[record / 64] |= u64::from(bit(record, wire)) << (record % 64);
        }
        words
    };
    PortValues::Bits((0..width).map(lane).collect())
}
