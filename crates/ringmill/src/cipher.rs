//! Circuits that are block ciphers: how a cipher's key becomes their private inputs.

use ringmill_circuit::aes::{Aes, Block, KeySize, squares};
use ringmill_circuit::simon::{Simon64, decryption_nibbles, encryption_nibbles};
use zeroize::Zeroizing;

/// A circuit that is a block cipher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cipher {
    /// The bytes of its key.
    pub key_bytes: usize,
    /// The public port that takes the data.
    pub data: &'static str,
    /// Whether a port `counter` takes a counter for each block.
    pub counter: bool,
    /// The bytes of a block.
    pub block: usize,
    form: KeyForm,
}

/// The content of the private ports of a circuit, one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeyForm {
    /// The key.
    Key,
    /// The round keys of SIMON that are used first in decryption.
    SimonDecryption,
    /// The round keys of SIMON in nibbles.
    SimonNibbles { decrypt: bool },
    /// The round keys of AES.
    RoundKeys,
    /// The same and their squares.
    RoundKeysSquared,
    /// The keys of the inverse cipher and their squares.
    DecryptionKeysSquared,
}

impl Cipher {
    /// SIMON-64/128 either way.
    pub(crate) fn simon(decrypt: bool) -> Self {
        Self {
            key_bytes: 16,
            data: "block",
            counter: false,
            block: 8,
            form: if decrypt {
                KeyForm::SimonDecryption
            } else {
                KeyForm::Key
            },
        }
    }

    /// SIMON-64/128 on nibbles, either way.
    pub(crate) fn simon_nibbles(decrypt: bool) -> Self {
        Self {
            form: KeyForm::SimonNibbles { decrypt },
            ..Self::simon(decrypt)
        }
    }

    /// AES on bits, either way.
    pub(crate) fn aes_bits() -> Self {
        Self::aes(KeySize::Bits128, KeyForm::RoundKeys)
    }

    /// AES encryption with a wire for each byte.
    pub(crate) fn aes_encrypt(size: KeySize) -> Self {
        Self::aes(size, KeyForm::RoundKeysSquared)
    }

    /// AES decryption, in both layouts.
    pub(crate) fn aes_decrypt(size: KeySize) -> Self {
        Self::aes(size, KeyForm::DecryptionKeysSquared)
    }

    /// AES encryption with a wire for all bytes.
    pub(crate) fn aes_encrypt_row(size: KeySize) -> Self {
        Self::aes(size, KeyForm::RoundKeys)
    }

    /// AES in counter mode.
    pub(crate) fn aes_ctr(size: KeySize) -> Self {
        Self {
            data: "data",
            counter: true,
            ..Self::aes(size, KeyForm::RoundKeysSquared)
        }
    }

    fn aes(size: KeySize, form: KeyForm) -> Self {
        Self {
            key_bytes: size.bytes(),
            data: "block",
            counter: false,
            block: 16,
            form,
        }
    }

    /// The private inputs of a record for a key of [`Cipher::key_bytes`]: the bytes of all private ports
    /// in order, as in a binary table.
    ///
    /// # Errors
    /// The length that is needed, if the key has another.
    pub fn private_bytes(&self, key: &[u8]) -> Result<Zeroizing<Vec<u8>>, String> {
        if key.len() != self.key_bytes {
            return Err(wrong_length(self.key_bytes, key));
        }
        let bytes = match self.form {
            KeyForm::Key => Zeroizing::new(key.to_vec()),
            KeyForm::SimonDecryption => {
                let key = <[u8; 16]>::try_from(key).map_err(|_| wrong_length(self.key_bytes, key))?;
                let words = Simon64::from_key_bytes(key)
                    .decryption_key()
                    .map(u32::to_le_bytes);
                Zeroizing::new(words.as_flattened().to_vec())
            }
            KeyForm::SimonNibbles { decrypt } => {
                let key = <[u8; 16]>::try_from(key).map_err(|_| wrong_length(self.key_bytes, key))?;
                let cipher = Simon64::from_key_bytes(key);
                let nibbles = if decrypt {
                    decryption_nibbles
                } else {
                    encryption_nibbles
                };
                Zeroizing::new(Zeroizing::new(nibbles(&cipher)).as_flattened().to_vec())
            }
            KeyForm::RoundKeys => concat(&[expand(key)?.round_keys()]),
            KeyForm::RoundKeysSquared => {
                let aes = expand(key)?;
                let squares = Zeroizing::new(squares(aes.round_keys()));
                concat(&[aes.round_keys(), &squares])
            }
            KeyForm::DecryptionKeysSquared => {
                let keys = Zeroizing::new(expand(key)?.decryption_keys());
                let squares = Zeroizing::new(squares(&keys));
                concat(&[&keys, &squares])
            }
        };
        Ok(bytes)
    }
}

fn expand(key: &[u8]) -> Result<Aes, String> {
    Aes::new(key).map_err(|error| error.to_string())
}

fn wrong_length(expected: usize, key: &[u8]) -> String {
    format!("a key of {} bytes where {expected} are needed", key.len())
}

fn concat(blocks: &[&[Block]]) -> Zeroizing<Vec<u8>> {
    let bytes = blocks.iter().map(|blocks| blocks.as_flattened().len()).sum();
    let mut all = Zeroizing::new(Vec::with_capacity(bytes));
    for blocks in blocks {
        all.extend_from_slice(blocks.as_flattened());
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_another_length_are_refused() {
        let ciphers = [
            Cipher::simon(false),
            Cipher::simon(true),
            Cipher::simon_nibbles(false),
            Cipher::aes_bits(),
            Cipher::aes_encrypt(KeySize::Bits192),
            Cipher::aes_decrypt(KeySize::Bits256),
            Cipher::aes_encrypt_row(KeySize::Bits128),
        ];
        for cipher in ciphers {
            let right = cipher.key_bytes;
            assert!(cipher.private_bytes(&vec![1; right]).is_ok());
            for wrong in [0, right - 1, right + 1, right + 2, right + 8] {
                let error = cipher.private_bytes(&vec![1; wrong]).unwrap_err();
                assert_eq!(error, format!("a key of {wrong} bytes where {right} are needed"));
            }
        }
    }

    #[test]
    fn circuits_on_nibbles_take_the_cipher_key() {
        let key: [u8; 16] = std::array::from_fn(|i| 11 * i as u8 + 3);
        let block = *b"und like";
        let encrypted = Simon64::from_key_bytes(key).encrypt_block(block);
        for (name, from, to) in [
            ("simon-encrypt-nibbles", block, encrypted),
            ("simon-decrypt-nibbles", encrypted, block),
        ] {
            let circuit = crate::circuits::by_name(name).unwrap();
            let keys = circuit.cipher().unwrap().private_bytes(&key).unwrap();
            let inputs = [from.to_vec(), keys.to_vec()];
            let results = circuit.circuit().evaluate_record_bytes(&inputs).unwrap();
            assert_eq!(results, [to.to_vec()], "{name}");
        }
    }
}
