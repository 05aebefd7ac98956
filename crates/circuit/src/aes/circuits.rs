//! AES with a wire for each byte of a block.

use super::layer::{Affine, Direction};
use super::{BLOCK_BYTES, KeySize};
use crate::{Builder, Circuit, CircuitError, RowMap, Visibility, Wire};

/// AES encryption of a block: multiplicative depth 3 per round, 4 products per byte and round.
///
/// | port | bytes | contents |
/// |---|---|---|
/// | input `block`, public | 16 | plaintext |
/// | input `round_keys`, private | 16 (rounds + 1) | [`Aes::round_keys`](super::Aes::round_keys), one after the other |
/// | input `round_keys_squared`, private | 16 rounds | their [`squares`](super::squares) |
/// | output `block` | 16 | ciphertext |
///
/// # Few key switches
///
/// An inversion takes `x` and `x^2`. Its result goes through the S-box's affine map, ShiftRows (mere wiring)
/// and MixColumns, which together are one sum of linear maps of four bytes; so is the square of the result.
/// Both sums, and those for the three other bytes of the column, consist of the same Frobenius powers of the
/// same four bytes. If the square of the round key is supplied, squaring needs no other key switch.
///
/// Gates come column by column, so that an executor can drop four inverses for every four that it computes.
///
/// # Errors
///
/// Those of [`Builder::finish`] and of operations on rows; this function causes none of them.
pub fn encrypt_circuit(size: KeySize) -> Result<Circuit, CircuitError> {
    block_circuit(Direction::Encrypt, size)
}

/// AES decryption of a block: multiplicative depth 3 per round, 4 products per byte and round.
///
/// | port | bytes | contents |
/// |---|---|---|
/// | input `block`, public | 16 | ciphertext |
/// | input `round_keys`, private | 16 (rounds + 1) | [`Aes::decryption_keys`](super::Aes::decryption_keys), one after the other |
/// | input `round_keys_squared`, private | 16 rounds | their [`squares`](super::squares) |
/// | output `block` | 16 | plaintext |
///
/// This is the equivalent inverse cipher (FIPS 197, section 5.3.5). In a further step, the inverse affine
/// map is combined with the linear maps before it. [`encrypt_circuit`] explains the use of squares and the
/// order of gates.
///
/// # Errors
///
/// The same as for [`encrypt_circuit`].
pub fn decrypt_circuit(size: KeySize) -> Result<Circuit, CircuitError> {
    block_circuit(Direction::Decrypt, size)
}

/// AES in counter mode on a block, for encryption and decryption alike: the data plus the encryption of its
/// counter.
///
/// | port | bytes | contents |
/// |---|---|---|
/// | input `counter`, public | 16 | the block's own of the [`counters`](super::counters) |
/// | input `data`, public | 16 | plaintext or ciphertext |
/// | input `round_keys`, private | 16 (rounds + 1) | [`Aes::round_keys`](super::Aes::round_keys), one after the other |
/// | input `round_keys_squared`, private | 16 rounds | their [`squares`](super::squares) |
/// | output `data` | 16 | ciphertext or plaintext |
///
/// Everything else is as in [`encrypt_circuit`].
///
/// # Errors
///
/// The same as for [`encrypt_circuit`].
pub fn ctr_circuit(size: KeySize) -> Result<Circuit, CircuitError> {
    let mut builder = Builder::new();
    let counter = builder.input_rows("counter", Visibility::Public, BLOCK_BYTES, 1);
    let data = builder.input_rows("data", Visibility::Public, BLOCK_BYTES, 1);
    let mask = cipher(&mut builder, Direction::Encrypt, size, &counter)?;
    let sums = data.iter().zip(mask).map(|(data, mask)| builder.xor(*data, mask));
    let sums: Vec<Wire> = sums.collect();
    builder.output_rows("data", &sums);
    builder.finish()
}

fn block_circuit(direction: Direction, size: KeySize) -> Result<Circuit, CircuitError> {
    let mut builder = Builder::new();
    let block = builder.input_rows("block", Visibility::Public, BLOCK_BYTES, 1);
    let result = cipher(&mut builder, direction, size, &block)?;
    builder.output_rows("block", &result);
    builder.finish()
}

/// Declares the ports for the key and puts 16 bytes through the cipher.
fn cipher(
    builder: &mut Builder,
    direction: Direction,
    size: KeySize,
    block: &[Wire],
) -> Result<Vec<Wire>, CircuitError> {
    let rounds = size.rounds();
    let keys = builder.input_rows("round_keys", Visibility::Private, BLOCK_BYTES * (rounds + 1), 1);
    let squares = builder.input_rows("round_keys_squared", Visibility::Private, BLOCK_BYTES * rounds, 1);
    let (round_keys, last_key) = keys.split_at(BLOCK_BYTES * rounds);
    let round_keys = round_keys.chunks(BLOCK_BYTES).zip(squares.chunks(BLOCK_BYTES));

    let mut inverses = block.to_vec();
    for (round, (keys, squares)) in round_keys.enumerate() {
        let mut next = Vec::with_capacity(BLOCK_BYTES);
        for (target, (key, square)) in keys.iter().zip(squares).enumerate() {
            let terms = match round {
                0 => vec![(target, direction.into_inversion())],
                _ => terms_between(direction, target),
            };
            let byte = sum(builder, &inverses, &terms, *key)?;
            let squared: Vec<Term> = terms
                .iter()
                .map(|(source, term)| (*source, term.squared()))
                .collect();
            let squared = sum(builder, &inverses, &squared, *square)?;
            next.push(builder.inverse_with_square(byte, squared)?);
        }
        inverses = next;
    }
    let mut result = Vec::with_capacity(BLOCK_BYTES);
    for (target, key) in last_key.iter().enumerate() {
        let terms = [(direction.shift_source(target), direction.out_of_inversion())];
        result.push(sum(builder, &inverses, &terms, *key)?);
    }
    Ok(result)
}

/// A byte of the state and the map applied to it.
type Term = (usize, Affine);

/// The value that is inverted at `target`, as a sum over bytes that were inverted in the round before.
fn terms_between(direction: Direction, target: usize) -> Vec<Term> {
    let sources = direction.mix_sources(target).into_iter();
    sources
        .map(|(source, factor)| (direction.shift_source(source), direction.between(factor)))
        .collect()
}

/// The sum of maps of bytes of the state, of the constant that they share, and of a byte of a key.
fn sum(builder: &mut Builder, state: &[Wire], terms: &[Term], key: Wire) -> Result<Wire, CircuitError> {
    let mut maps = Vec::with_capacity(terms.len());
    for (source, Affine { map, .. }) in terms {
        maps.push((state[*source], RowMap::bytewise(1, *map)?));
    }
    let mapped = builder.linear(&maps)?;
    let constant = terms.first().map_or(0, |(_, term)| term.constant);
    let constant = builder.row_constant(&[constant]);
    let constant = builder.xor(mapped, constant);
    Ok(builder.xor(constant, key))
}
