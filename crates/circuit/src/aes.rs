//! The block cipher AES with keys of 128, 192 and 256 bits, in software and as circuits.
//!
//! FIPS 197, "Advanced Encryption Standard"; the modes ECB and CTR of NIST SP 800-38A. Byte `4 c + r` of a
//! block is row `r` of column `c` of the cipher's state, and a byte is an element of GF(2^8) as
//! [`field`] has it.
//!
//! The circuits leave key expansion to the key's owner, who makes the round keys in the clear with [`Aes`]
//! and supplies them. There are two layouts. [`encrypt_circuit`], [`decrypt_circuit`] and [`ctr_circuit`]
//! have a wire for each byte of a block and suit many blocks at once. [`row_encrypt_circuit`] and
//! [`row_decrypt_circuit`] have one wire for all 16 bytes and suit a few blocks that are needed soon.

mod circuits;
mod layer;
mod modes;
mod row_circuits;

use std::fmt;

pub use circuits::{ctr_circuit, decrypt_circuit, encrypt_circuit};
use layer::Direction;
pub use modes::counters;
pub use row_circuits::{row_decrypt_circuit, row_encrypt_circuit};
use thiserror::Error;
use zeroize::Zeroizing;

use crate::field;

/// The number of bytes in a block and in a round key.
pub const BLOCK_BYTES: usize = 16;

/// A block or round key; byte `4 c + r` is row `r` of column `c`.
pub type Block = [u8; BLOCK_BYTES];

/// The number of bytes in a column of the state.
const COLUMN_BYTES: usize = 4;

/// The length of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeySize {
    /// 16 bytes, 10 rounds.
    Bits128,
    /// 24 bytes, 12 rounds.
    Bits192,
    /// 32 bytes, 14 rounds.
    Bits256,
}

impl KeySize {
    /// All lengths, shortest first.
    pub const ALL: [Self; 3] = [Self::Bits128, Self::Bits192, Self::Bits256];

    /// The number of bytes in a key.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::Bits128 => 16,
            Self::Bits192 => 24,
            Self::Bits256 => 32,
        }
    }

    /// The number of rounds of the cipher, one less than the number of round keys.
    #[must_use]
    pub const fn rounds(self) -> usize {
        self.bytes() / COLUMN_BYTES + 6
    }
}

/// The reason why AES cannot take some data.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AesError {
    /// The key has an impossible length.
    #[error("a key of {bytes} bytes; AES takes 16, 24 or 32")]
    KeyLength {
        /// The number of bytes given.
        bytes: usize,
    },
    /// The last block is partial, but ECB encrypts only whole blocks.
    #[error("{bytes} bytes are no whole number of blocks of {BLOCK_BYTES}; pad them first")]
    PartialBlock {
        /// The number of bytes given.
        bytes: usize,
    },
}

/// AES under one key, in the clear.
///
/// This is a tool for the key's owner and a reference for testing circuits, not a fast implementation. It
/// branches on no secret and looks up no table. The round keys are overwritten when dropped.
#[derive(Clone, PartialEq, Eq)]
pub struct Aes {
    size: KeySize,
    round_keys: Zeroizing<Vec<Block>>,
}

impl Aes {
    /// Expands a key of 16, 24 or 32 bytes (FIPS 197, section 5.2).
    ///
    /// # Errors
    /// [`AesError::KeyLength`] for any other length.
    pub fn new(key: &[u8]) -> Result<Self, AesError> {
        let size = KeySize::ALL.into_iter().find(|size| size.bytes() == key.len());
        let size = size.ok_or(AesError::KeyLength { bytes: key.len() })?;
        Ok(Self {
            size,
            round_keys: expand(key, size),
        })
    }

    /// The length of the key.
    #[must_use]
    pub fn size(&self) -> KeySize {
        self.size
    }

    /// The round keys in the order of encryption, one more than there are rounds. The encryption circuits
    /// take them as `round_keys`.
    #[must_use]
    pub fn round_keys(&self) -> &[Block] {
        &self.round_keys
    }

    /// The round keys that the decryption circuits take as `round_keys`, in the order of use. They determine
    /// the key and are as secret as it is.
    ///
    /// The circuits add a round key to the input of an inversion, after the inverse of MixColumns and of the
    /// S-box's affine map. So the last round key goes through the latter map, those in between go through
    /// both, and the first stays as it is.
    #[must_use]
    pub fn decryption_keys(&self) -> Vec<Block> {
        let last = self.size.rounds();
        let keys = self.round_keys.iter().rev().enumerate();
        keys.map(|(index, key)| match index {
            0 => key.map(layer::inverse_affine),
            index if index == last => *key,
            _ => Direction::Decrypt.mix(*key).map(layer::inverse_affine),
        })
        .collect()
    }

    /// Encrypts a block.
    #[must_use]
    pub fn encrypt_block(&self, block: Block) -> Block {
        let (mut state, last) = (block, self.size.rounds());
        for (index, key) in self.round_keys.iter().enumerate() {
            if index > 0 {
                state = Direction::Encrypt.shift(state.map(substitute));
            }
            if 0 < index && index < last {
                state = Direction::Encrypt.mix(state);
            }
            state = add(state, *key);
        }
        state
    }

    /// Decrypts a block.
    #[must_use]
    pub fn decrypt_block(&self, block: Block) -> Block {
        let (mut state, last) = (block, self.size.rounds());
        for (index, key) in self.round_keys.iter().enumerate().rev() {
            state = add(state, *key);
            if 0 < index && index < last {
                state = Direction::Decrypt.mix(state);
            }
            if index > 0 {
                state = Direction::Decrypt.shift(state).map(substitute_back);
            }
        }
        state
    }
}

impl fmt::Debug for Aes {
    /// Shows no key material.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Aes")
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}

/// The squares of all round keys but the last. Circuits take them as `round_keys_squared` beside the same
/// keys as `round_keys`.
#[must_use]
pub fn squares(round_keys: &[Block]) -> Vec<Block> {
    let squared = round_keys.split_last().map(|(_, keys)| keys).unwrap_or_default();
    let square = |key: &Block| key.map(|byte| field::frobenius(byte, 1));
    squared.iter().map(square).collect()
}

/// The S-box.
fn substitute(byte: u8) -> u8 {
    layer::affine(field::inverse(byte)) ^ layer::CONSTANT
}

/// The inverse of the S-box.
fn substitute_back(byte: u8) -> u8 {
    field::inverse(layer::inverse_affine(byte ^ layer::CONSTANT))
}

/// The sum of two blocks.
fn add(left: Block, right: Block) -> Block {
    let mut sum = left;
    sum.iter_mut().zip(right).for_each(|(sum, byte)| *sum ^= byte);
    sum
}

/// The key schedule; each word is a column.
fn expand(key: &[u8], size: KeySize) -> Zeroizing<Vec<Block>> {
    type Column = [u8; COLUMN_BYTES];
    let key_columns = size.bytes() / COLUMN_BYTES;
    let (given, _) = key.as_chunks::<COLUMN_BYTES>();
    let count = (size.rounds() + 1) * COLUMN_BYTES;
    let mut columns: Zeroizing<Vec<Column>> = Zeroizing::new(Vec::with_capacity(count));
    columns.extend_from_slice(given);
    let mut round_constant = 1;
    for index in key_columns..count {
        let column = |back: usize| columns.get(index - back).copied().unwrap_or_default();
        let mut next = column(1);
        if index % key_columns == 0 {
            next.rotate_left(1);
            next = next.map(substitute);
            next[0] ^= round_constant;
            round_constant = field::multiply(round_constant, 2);
        } else if key_columns > 6 && index % key_columns == 4 {
            next = next.map(substitute);
        }
        let old = column(key_columns);
        next.iter_mut().zip(old).for_each(|(next, old)| *next ^= old);
        columns.push(next);
    }
    let (blocks, _) = columns.as_flattened().as_chunks();
    Zeroizing::new(blocks.to_vec())
}
