//! AES with one wire for all 16 bytes of a block.

use super::layer::{Affine, Direction};
use super::{BLOCK_BYTES, KeySize};
use crate::{Builder, ByteMap, Circuit, CircuitError, RowMap, Visibility, Wire};

/// AES encryption of a block: multiplicative depth 3 per round, 4 products of rows per round.
///
/// | port | rows of 16 bytes | contents |
/// |---|---|---|
/// | input `block`, public | 1 | plaintext |
/// | input `round_keys`, private | rounds + 1 | [`Aes::round_keys`](super::Aes::round_keys) |
/// | output `block` | 1 | ciphertext |
///
/// Between two inversions there are two sums of linear maps. The first is the S-box's affine map, made of
/// eight Frobenius powers in place; the second is ShiftRows and MixColumns together, made of 13 cyclic
/// rotations without powers. One sum for both would need each power of each rotation. Squaring costs one
/// more key switch, which is less than making the square from the rotations.
///
/// # Errors
///
/// Those of [`Builder::finish`] and of operations on rows; this function causes none of them.
pub fn row_encrypt_circuit(size: KeySize) -> Result<Circuit, CircuitError> {
    let direction = Direction::Encrypt;
    let mut builder = Builder::new();
    let block = builder.input_rows("block", Visibility::Public, 1, BLOCK_BYTES);
    let keys = builder.input_rows("round_keys", Visibility::Private, size.rounds() + 1, BLOCK_BYTES);
    let mix = mix_map(direction)?;

    let mut state = block[0];
    for (round, key) in keys.iter().enumerate() {
        if round > 0 {
            let inverse = builder.inverse(state)?;
            state = apply(&mut builder, inverse, &direction.out_of_inversion())?;
            let map = if round == size.rounds() {
                shift_map(direction)?
            } else {
                mix.clone()
            };
            state = builder.linear(&[(state, map)])?;
        }
        state = builder.xor(state, *key);
    }
    builder.output_rows("block", &[state]);
    builder.finish()
}

/// AES decryption of a block: multiplicative depth 3 per round, 4 products of rows per round.
///
/// | port | rows of 16 bytes | contents |
/// |---|---|---|
/// | input `block`, public | 1 | ciphertext |
/// | input `round_keys`, private | rounds + 1 | [`Aes::decryption_keys`](super::Aes::decryption_keys) |
/// | input `round_keys_squared`, private | rounds | their [`squares`](super::squares) |
/// | output `block` | 1 | plaintext |
///
/// Between two inversions, the maps of [`row_encrypt_circuit`] come in the opposite order: rotations first,
/// then powers in place. The latter also give the square of the result.
///
/// # Errors
///
/// The same as for [`row_encrypt_circuit`].
pub fn row_decrypt_circuit(size: KeySize) -> Result<Circuit, CircuitError> {
    let (direction, rounds) = (Direction::Decrypt, size.rounds());
    let mut builder = Builder::new();
    let block = builder.input_rows("block", Visibility::Public, 1, BLOCK_BYTES);
    let keys = builder.input_rows("round_keys", Visibility::Private, rounds + 1, BLOCK_BYTES);
    let squares = builder.input_rows("round_keys_squared", Visibility::Private, rounds, BLOCK_BYTES);
    let mix = mix_map(direction)?;

    let mut state = block[0];
    for (round, (key, square)) in keys.iter().zip(&squares).enumerate() {
        if round > 0 {
            state = builder.linear(&[(state, mix.clone())])?;
        }
        let term = direction.into_inversion();
        let row = apply(&mut builder, state, &term)?;
        let row = builder.xor(row, *key);
        let squared = apply(&mut builder, state, &term.squared())?;
        let squared = builder.xor(squared, *square);
        state = builder.inverse_with_square(row, squared)?;
    }
    state = builder.linear(&[(state, shift_map(direction)?)])?;
    state = builder.xor(state, keys[rounds]);
    builder.output_rows("block", &[state]);
    builder.finish()
}

/// Applies the same map to every byte and adds its constant.
fn apply(builder: &mut Builder, row: Wire, term: &Affine) -> Result<Wire, CircuitError> {
    let mapped = builder.bytewise(row, term.map)?;
    let constant = builder.row_constant(&[term.constant; BLOCK_BYTES]);
    Ok(builder.xor(mapped, constant))
}

/// ShiftRows or its inverse.
fn shift_map(direction: Direction) -> Result<RowMap, CircuitError> {
    let sources: Vec<usize> = (0..BLOCK_BYTES)
        .map(|target| direction.shift_source(target))
        .collect();
    RowMap::permutation(BLOCK_BYTES, &sources, ByteMap::IDENTITY)
}

/// ShiftRows and MixColumns, or the inverses of both, in this order.
fn mix_map(direction: Direction) -> Result<RowMap, CircuitError> {
    let blocks = (0..BLOCK_BYTES).flat_map(|target| {
        let sources = direction.mix_sources(target).into_iter();
        sources.map(move |(source, factor)| (target, source, ByteMap::multiple(factor)))
    });
    RowMap::from_blocks(BLOCK_BYTES, BLOCK_BYTES, blocks)?.after(&shift_map(direction)?)
}
