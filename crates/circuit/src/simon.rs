//! The block cipher SIMON-64/128, in software and as circuits.
//!
//! Beaulieu, Shors, Smith, Treatman-Clark, Weeks and Wingers, "The SIMON and
//! SPECK families of lightweight block ciphers", 2013: blocks of two 32-bit
//! words, keys of four, 44 rounds, constant sequence z3. One AND per state bit
//! and round makes it a natural cipher to evaluate under encryption.
//!
//! The 2013 paper gives words, not bytes. Bytes here are little-endian throughout: a block `(x, y)` is the
//! number `x << 32 | y` and a key `k3 k2 k1 k0` is the number `k3 << 96 | ... | k0`, lowest byte first. The
//! paper's plaintext `656b696c 20646e75` is then the text `und like`, and its key is the bytes
//! `00 01 02 03 08 09 0a 0b 10 11 12 13 18 19 1a 1b`.

mod circuits;
mod nibbles;

use std::fmt;

use zeroize::Zeroizing;

pub use circuits::{decrypt_circuit, encrypt_circuit, reduced_circuit};
pub use nibbles::{decryption_nibbles, encryption_nibbles, nibble_decrypt_circuit, nibble_encrypt_circuit};

/// The number of rounds of SIMON-64/128.
pub const ROUNDS: usize = 44;

/// The number of words in a key, and of words that the key schedule looks back.
const KEY_WORDS: usize = 4;

/// The sequence z3 as printed: the most significant of 62 bits is z3's first.
const Z3: u64 = 0b11_0110_1110_1011_0001_1001_0111_1000_0001_0010_0010_1001_1100_1101_0000_1111;

/// The constant of step `step` of the key schedule, the step that makes round key `step + 4` from round key
/// `step`: `c = 2^32 - 4` with z3's bit added.
fn schedule_constant(step: usize) -> u32 {
    let z_bit = (Z3 >> (61 - step % 62)) & 1;
    0xffff_fffc ^ u32::from(z_bit == 1)
}

/// The part of a schedule step that is a sum of rotations, `(I + S^-1)(S^-3 near + far)`, with `near` the
/// round key after the middle one and `far` the one before it.
fn schedule_mix(near: u32, far: u32) -> u32 {
    let sum = near.rotate_right(3) ^ far;
    sum ^ sum.rotate_right(1)
}

/// The round function's nonlinear part, `(S^1 x)(S^8 x) + S^2 x`.
fn round_function(x: u32) -> u32 {
    (x.rotate_left(1) & x.rotate_left(8)) ^ x.rotate_left(2)
}

/// SIMON-64/128 under one key, in the clear.
///
/// This is a reference for testing circuits and a tool for the key's owner. It branches on no secret and
/// looks up no table. The round keys are overwritten when dropped.
#[derive(Clone, PartialEq, Eq)]
pub struct Simon64 {
    round_keys: Zeroizing<[u32; ROUNDS]>,
}

impl Simon64 {
    /// Expands a key given as words `[k0, k1, k2, k3]`. The paper prints them in the opposite order, `k3`
    /// first.
    #[must_use]
    pub fn new(key: [u32; KEY_WORDS]) -> Self {
        let mut round_keys = Zeroizing::new([0; ROUNDS]);
        let mut window = key;
        for (step, round_key) in round_keys.iter_mut().enumerate() {
            let [oldest, second, third, newest] = window;
            *round_key = oldest;
            let next = schedule_constant(step) ^ oldest ^ schedule_mix(newest, second);
            window = [second, third, newest, next];
        }
        Self { round_keys }
    }

    /// Expands a key given as 16 bytes, `k0` first, each word little-endian.
    #[must_use]
    pub fn from_key_bytes(key: [u8; 4 * KEY_WORDS]) -> Self {
        let key = u128::from_le_bytes(key);
        Self::new([0, 32, 64, 96].map(|shift| low_word(key >> shift)))
    }

    /// The round keys `k0` to `k43` in the order of encryption.
    #[must_use]
    pub fn round_keys(&self) -> &[u32; ROUNDS] {
        &self.round_keys
    }

    /// The key words that [`decrypt_circuit`] takes, `[k40, k41, k42, k43]`.
    /// They determine the whole key and are as secret.
    #[must_use]
    pub fn decryption_key(&self) -> [u32; KEY_WORDS] {
        let [.., k40, k41, k42, k43] = *self.round_keys;
        [k40, k41, k42, k43]
    }

    /// Encrypts a block of words `(x, y)`, in the order the paper prints them.
    #[must_use]
    pub fn encrypt_words(&self, block: (u32, u32)) -> (u32, u32) {
        self.encrypt_rounds(ROUNDS, block)
    }

    /// The first rounds of the encryption of a block of words `(x, y)`, [`ROUNDS`] at most.
    #[must_use]
    pub fn encrypt_rounds(&self, rounds: usize, block: (u32, u32)) -> (u32, u32) {
        let keys = self.round_keys.iter().take(rounds);
        keys.fold(block, |(x, y), round_key| (y ^ round_function(x) ^ round_key, x))
    }

    /// Decrypts a block of words `(x, y)`, in the order the paper prints them.
    #[must_use]
    pub fn decrypt_words(&self, block: (u32, u32)) -> (u32, u32) {
        self.round_keys
            .iter()
            .rev()
            .fold(block, |(x, y), round_key| (y, x ^ round_function(y) ^ round_key))
    }

    /// Encrypts a block of bytes: bytes 0 to 3 are `y` and bytes 4 to 7 are
    /// `x`, both little-endian.
    #[must_use]
    pub fn encrypt_block(&self, block: [u8; 8]) -> [u8; 8] {
        words_to_bytes(self.encrypt_words(bytes_to_words(block)))
    }

    /// Decrypts a block of bytes in the order of
    /// [`encrypt_block`](Self::encrypt_block).
    #[must_use]
    pub fn decrypt_block(&self, block: [u8; 8]) -> [u8; 8] {
        words_to_bytes(self.decrypt_words(bytes_to_words(block)))
    }
}

impl fmt::Debug for Simon64 {
    /// Shows no key material.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Simon64").finish_non_exhaustive()
    }
}

/// The 32 lowest bits.
fn low_word(number: u128) -> u32 {
    let [a, b, c, d, ..] = number.to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

fn bytes_to_words(block: [u8; 8]) -> (u32, u32) {
    let number = u128::from(u64::from_le_bytes(block));
    (low_word(number >> 32), low_word(number))
}

fn words_to_bytes((x, y): (u32, u32)) -> [u8; 8] {
    (u64::from(x) << 32 | u64::from(y)).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn z3_is_the_sequence_of_the_paper() {
        let printed = "11011011101011000110010111100000010010001010011100110100001111";
        assert_eq!(printed.len(), 62);
        assert_eq!(format!("{Z3:062b}"), printed);
    }

    #[test]
    fn published_vector() {
        let cipher = Simon64::new([0x0302_0100, 0x0b0a_0908, 0x1312_1110, 0x1b1a_1918]);
        let plain = (0x656b_696c, 0x2064_6e75);
        let secret = (0x44c8_fc20, 0xb9df_a07a);
        assert_eq!(cipher.encrypt_words(plain), secret);
        assert_eq!(cipher.decrypt_words(secret), plain);
    }

    #[test]
    fn published_vector_as_bytes() {
        let cipher = Simon64::from_key_bytes([
            0x00, 0x01, 0x02, 0x03, 0x08, 0x09, 0x0a, 0x0b, 0x10, 0x11, 0x12, 0x13, 0x18, 0x19, 0x1a, 0x1b,
        ]);
        let secret = [0x7a, 0xa0, 0xdf, 0xb9, 0x20, 0xfc, 0xc8, 0x44];
        assert_eq!(cipher.encrypt_block(*b"und like"), secret);
        assert_eq!(cipher.decrypt_block(secret), *b"und like");
    }

    #[test]
    fn debug_output_hides_the_key() {
        let cipher = Simon64::new([7; 4]);
        assert_eq!(format!("{cipher:?}"), "Simon64 { .. }");
    }
}
