//! AES-128 on bits, with expanded keys (FIPS 197).
//!
//! The S-box goes through a tower of fields, as Canright and Boyar and Peralta do: a byte is a polynomial of
//! degree 1 over GF(2^4). Its inverse takes one product there for the norm (9 ANDs, depth 1), the norm's
//! inverse, and two products with that (18 ANDs, depth 1). Boyar and Peralta ("A small depth-16 circuit for
//! the AES S-box", 2012) reach AND depth 4 with 34 ANDs. Here the inverse in GF(2^4) has 6 ANDs at depth 2,
//! found by exhaustive search, which makes 33. All linear maps between the fields are computed while
//! building.

mod linear;
mod sbox;
mod tower;

use crate::{Builder, Circuit, CircuitError, Visibility, Word};
use tower::Tower;

/// The number of bytes in a block and in a round key.
const BYTES: usize = 16;

/// The number of rounds, each with a key; one more key comes before the first.
const ROUNDS: usize = 10;

/// AES-128 encryption: AND depth 40, 5280 ANDs.
///
/// | port | bits | contents |
/// |---|---|---|
/// | input `block`, public | 128 | plaintext |
/// | input `round_keys`, private | 1408 | the 11 round keys in the order of encryption |
/// | output `block` | 128 | ciphertext |
///
/// Bit `i` of a port is bit `i % 8` of byte `i / 8`, with the bytes in the order of FIPS 197. The key's
/// owner expands the key in the clear.
///
/// # Errors
///
/// Those of [`Builder::finish`] and of word operations; this function causes none of them.
pub fn encrypt_circuit() -> Result<Circuit, CircuitError> {
    let mut cipher = Cipher::new();
    cipher.add_round_key(0)?;
    for round in 1..=ROUNDS {
        cipher.substitute(sbox::forward)?;
        cipher.move_rows(|row, column| column + row);
        if round < ROUNDS {
            cipher.map_columns(mix)?;
        }
        cipher.add_round_key(round)?;
    }
    cipher.finish()
}

/// AES-128 decryption: AND depth 40, 5280 ANDs. The ports are as in [`encrypt_circuit`], with ciphertext in
/// and plaintext out; the round keys come in the order of encryption.
///
/// # Errors
///
/// The same as for [`encrypt_circuit`].
pub fn decrypt_circuit() -> Result<Circuit, CircuitError> {
    let mut cipher = Cipher::new();
    cipher.add_round_key(ROUNDS)?;
    for round in (0..ROUNDS).rev() {
        cipher.move_rows(|row, column| column + 4 - row);
        cipher.substitute(sbox::inverse)?;
        cipher.add_round_key(round)?;
        if round > 0 {
            cipher.map_columns(unmix)?;
        }
    }
    cipher.finish()
}

/// The state of the cipher, byte `row + 4 column` in row `row`.
struct Cipher {
    builder: Builder,
    tower: Tower,
    state: Vec<Word>,
    round_keys: Vec<Word>,
}

impl Cipher {
    fn new() -> Self {
        let mut builder = Builder::new();
        let block = builder.input("block", Visibility::Public, 8 * BYTES);
        let round_keys = builder.input("round_keys", Visibility::Private, 8 * BYTES * (ROUNDS + 1));
        Self {
            builder,
            tower: Tower::cheapest(),
            state: bytes(&block),
            round_keys: bytes(&round_keys),
        }
    }

    fn add_round_key(&mut self, round: usize) -> Result<(), CircuitError> {
        let key = self.round_keys.iter().skip(BYTES * round);
        for (byte, key) in self.state.iter_mut().zip(key) {
            *byte = self.builder.xor_words(byte, key)?;
        }
        Ok(())
    }

    fn substitute(
        &mut self,
        sbox: fn(&mut Builder, &Tower, &Word) -> Result<Word, CircuitError>,
    ) -> Result<(), CircuitError> {
        for byte in &mut self.state {
            *byte = sbox(&mut self.builder, &self.tower, byte)?;
        }
        Ok(())
    }

    /// Takes each byte from the column, modulo 4, that `from` gives for its row and column.
    fn move_rows(&mut self, from: fn(usize, usize) -> usize) {
        let source = |place: usize| place % 4 + 4 * (from(place % 4, place / 4) % 4);
        let moved = (0..BYTES).filter_map(|place| self.state.get(source(place)));
        self.state = moved.cloned().collect();
    }

    fn map_columns(
        &mut self,
        map: fn(&mut Builder, [Word; 4]) -> Result<[Word; 4], CircuitError>,
    ) -> Result<(), CircuitError> {
        for column in self.state.chunks_exact_mut(4) {
            if let [a, b, c, d] = column {
                let mixed = map(&mut self.builder, [a, b, c, d].map(|byte| byte.clone()))?;
                for (byte, mixed) in column.iter_mut().zip(mixed) {
                    *byte = mixed;
                }
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Circuit, CircuitError> {
        let wires = self.state.iter().flat_map(|byte| byte.wires());
        self.builder.output("block", &Word::new(wires.copied().collect()));
        self.builder.finish()
    }
}

/// Cuts a port into bytes.
fn bytes(word: &Word) -> Vec<Word> {
    let pieces = word.wires().chunks(8);
    pieces.map(|piece| Word::new(piece.to_vec())).collect()
}

/// The byte times `x` modulo `x^8 + x^4 + x^3 + x + 1`.
fn double(builder: &mut Builder, byte: &Word) -> Result<Word, CircuitError> {
    let zero = builder.constant(false);
    let top = byte.wires().last().copied().unwrap_or(zero);
    let reduction = (0..8).map(|bit| if [1, 3, 4].contains(&bit) { top } else { zero });
    builder.xor_words(&byte.rotate_left(1), &Word::new(reduction.collect()))
}

/// MixColumns: `2a + 3b + c + d` and so on around, as `a + sum + 2 (a + b)`.
fn mix(builder: &mut Builder, column: [Word; 4]) -> Result<[Word; 4], CircuitError> {
    let [a, b, c, d] = &column;
    let pairs = [(a, b), (b, c), (c, d), (d, a)];
    let left = builder.xor_words(a, b)?;
    let right = builder.xor_words(c, d)?;
    let sum = builder.xor_words(&left, &right)?;
    let mut mixed = column.clone();
    for ((byte, next), mixed) in pairs.into_iter().zip(&mut mixed) {
        let pair = builder.xor_words(byte, next)?;
        let doubled = double(builder, &pair)?;
        let rest = builder.xor_words(byte, &sum)?;
        *mixed = builder.xor_words(&doubled, &rest)?;
    }
    Ok(mixed)
}

/// The inverse of MixColumns, which is MixColumns after adding `4 (a + c)` to
/// `a` and `c`, and `4 (b + d)` to `b` and `d`.
fn unmix(builder: &mut Builder, column: [Word; 4]) -> Result<[Word; 4], CircuitError> {
    let [a, b, c, d] = &column;
    let mut quadruple = |left: &Word, right: &Word| {
        let sum = builder.xor_words(left, right)?;
        let doubled = double(builder, &sum)?;
        double(builder, &doubled)
    };
    let (even, odd) = (quadruple(a, c)?, quadruple(b, d)?);
    let column = [
        builder.xor_words(a, &even)?,
        builder.xor_words(b, &odd)?,
        builder.xor_words(c, &even)?,
        builder.xor_words(d, &odd)?,
    ];
    mix(builder, column)
}
