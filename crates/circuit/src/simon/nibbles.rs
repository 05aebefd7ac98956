//! SIMON-64/128 with four bits of a word in a byte.

use super::{ROUNDS, Simon64};
use crate::nibble::{self, BITS, embed};
use crate::{Builder, ByteMap, Circuit, CircuitError, RowMap, Visibility, Wire};

/// The number of nibbles in a word.
const NIBBLES: usize = 8;

/// The number of bytes in a word.
const BYTES: usize = 4;

/// A nibble for each residue modulo 8 of a word's bits.
type Word = [Wire; NIBBLES];

/// SIMON-64/128 encryption on [`nibble`]s: multiplicative depth 44, 352 products.
///
/// | port | bytes | contents |
/// |---|---|---|
/// | input `block`, public | 8 | plaintext |
/// | input `round_keys`, private | 352 | [`encryption_nibbles`] |
/// | output `block` | 8 | ciphertext |
///
/// Bytes of blocks are those of [`Simon64::encrypt_block`].
///
/// # The layout
///
/// Nibble `i` of a word has its bits `i`, `i + 8`, `i + 16` and `i + 24`. A rotation of the word by `r` takes nibble `i - r`
/// to the place of nibble `i`, and those that pass the end have their bits rotated too, which as bytes is a fourth power.
/// One product of bytes, four ANDs, takes the two nibbles at `i - 1` and `i - 8`, which is `i` with its bits rotated. If the
/// bits of nibble `i` are rotated `i` times to begin with, both factors are rotated alike, for all `i` but 0, and no nibble
/// but the last is needed as two factors.
///
/// A new half of the state, a sum of products and of what reads as nibbles, is rotated `i - 1` times. The map that
/// tidies it for the next products rotates it once more. The sums to come take it as it is, on the right, or rotated by
/// one automorphism, as `S^2 x`. Each nibble takes a product and one decomposition, of which the images of all maps are made.
///
/// # Errors
///
/// Those of [`Builder::finish`] and of operations on rows; this function causes none of them.
pub fn nibble_encrypt_circuit() -> Result<Circuit, CircuitError> {
    network(false)
}

/// SIMON-64/128 decryption on [`nibble`]s: multiplicative depth 44, 352 products.
///
/// Ports as in [`nibble_encrypt_circuit`], with the ciphertext as the input `block` and [`decryption_nibbles`] as the round
/// keys.
///
/// # Errors
///
/// The same as for [`nibble_encrypt_circuit`].
pub fn nibble_decrypt_circuit() -> Result<Circuit, CircuitError> {
    network(true)
}

/// The round keys for [`nibble_encrypt_circuit`], in the order of their use: 8 bytes each.
#[must_use]
pub fn encryption_nibbles(cipher: &Simon64) -> [[u8; NIBBLES]; ROUNDS] {
    cipher.round_keys().map(key_nibbles)
}

/// The round keys for [`nibble_decrypt_circuit`], in the order of their use: 8 bytes each.
#[must_use]
pub fn decryption_nibbles(cipher: &Simon64) -> [[u8; NIBBLES]; ROUNDS] {
    let mut keys = encryption_nibbles(cipher);
    keys.reverse();
    keys
}

fn key_nibbles(word: u32) -> [u8; NIBBLES] {
    std::array::from_fn(|i| {
        let places = 0..BITS;
        let bits = places.map(|place| (word >> (i + NIBBLES * place) & 1) as u8 * unit(raw_place(i, place)));
        bits.fold(0, |sum, bit| sum ^ bit)
    })
}

/// The bit of a sum at place `i` in which it has bit `i + 8 place` of a word.
const fn raw_place(i: usize, place: usize) -> usize {
    (place + i + BITS - 1) % BITS
}

/// A bit embedded alone.
const fn unit(place: usize) -> u8 {
    embed(1 << place)
}

/// The half of the state that a round multiplies.
struct Left {
    /// As sums take it: nibble i is rotated i - 1 times.
    raw: Word,
    /// Tidied, as products take it: nibble i is rotated i times.
    factors: Word,
    /// Nibble 7 tidied for the product with nibble 0: rotated 8 times, which is none.
    last: Wire,
    /// The word rotated by two bits, as sums take it.
    rotated: Word,
}

impl Left {
    /// Makes a sum ready for a round; embedded nibbles are tidy.
    fn new(builder: &mut Builder, raw: Word, is_tidy: bool) -> Result<Self, CircuitError> {
        let tidy = if is_tidy {
            ByteMap::IDENTITY
        } else {
            nibble::tidy()
        };
        let (mut factors, mut rotated) = (raw, raw);
        for (i, wire) in raw.into_iter().enumerate() {
            factors[i] = builder.bytewise(wire, nibble::rotate(1).after(tidy))?;
            // The nibble two places on is kept rotated two times more, modulo 4 also past the end, where bits are rotated once
            // more.
            let times = if i + 2 < NIBBLES { 2 } else { 3 };
            rotated[(i + 2) % NIBBLES] = builder.bytewise(wire, nibble::rotate(times))?;
        }
        Ok(Self {
            raw,
            factors,
            last: builder.bytewise(raw[NIBBLES - 1], nibble::rotate(2).after(tidy))?,
            rotated,
        })
    }
}

fn network(decrypt: bool) -> Result<Circuit, CircuitError> {
    let mut builder = Builder::new();
    let block = builder.input_rows("block", Visibility::Public, 2 * BYTES, 1);
    let keys = builder.input_rows("round_keys", Visibility::Private, ROUNDS * NIBBLES, 1);
    let (low, high) = block.split_at(BYTES);
    let (left, right) = if decrypt { (low, high) } else { (high, low) };
    let (mut left, mut right) = (embedded(&mut builder, left)?, embedded(&mut builder, right)?);
    let mut factors = left;
    for (round, key) in keys.chunks_exact(NIBBLES).enumerate() {
        // Products of public bytes are tidied in the clear, so that the sums of the first round are embedded too.
        let half = Left::new(&mut builder, left, round < 2)?;
        let next = feistel(&mut builder, &half, &right, key, round == 0)?;
        (left, right, factors) = (next, half.raw, half.factors);
    }
    let reader = nibble::reader();
    let last = |i: usize, place: usize| ByteMap::bit(raw_place(i, place)).after(reader);
    let last = bytes(&mut builder, &left, last)?;
    let before = bytes(&mut builder, &factors, |i, place| nibble::bit((place + i) % BITS))?;
    let (low, high) = if decrypt { (last, before) } else { (before, last) };
    builder.output_rows("block", &[low, high].concat());
    builder.finish()
}

/// A word of public bytes as sums take it, embedded.
fn embedded(builder: &mut Builder, bytes: &[Wire]) -> Result<Word, CircuitError> {
    let mut word = [bytes[0]; NIBBLES];
    for (i, wire) in word.iter_mut().enumerate() {
        let mut terms = Vec::with_capacity(BYTES);
        for (place, byte) in bytes.iter().enumerate() {
            let bit = ByteMap::multiple(unit(raw_place(i, place))).after(ByteMap::bit(i));
            terms.push((*byte, RowMap::bytewise(1, bit)?));
        }
        *wire = builder.linear(&terms)?;
    }
    Ok(word)
}

/// The bytes of a word, given the map that reads the bit `i + 8 place` from nibble `i`.
fn bytes(
    builder: &mut Builder,
    word: &Word,
    bit: impl Fn(usize, usize) -> ByteMap,
) -> Result<[Wire; BYTES], CircuitError> {
    let mut bytes = [word[0]; BYTES];
    for (place, byte) in bytes.iter_mut().enumerate() {
        let mut terms = Vec::with_capacity(NIBBLES);
        for (i, nibble) in word.iter().enumerate() {
            let bit = ByteMap::multiple(1 << i).after(bit(i, place));
            terms.push((*nibble, RowMap::bytewise(1, bit)?));
        }
        *byte = builder.linear(&terms)?;
    }
    Ok(bytes)
}

/// The new half that a round makes, `right + (S^1 left)(S^8 left) + S^2 left + key`, as sums take it.
fn feistel(
    builder: &mut Builder,
    left: &Left,
    right: &Word,
    key: &[Wire],
    is_public: bool,
) -> Result<Word, CircuitError> {
    let mut word = *right;
    for (i, wire) in word.iter_mut().enumerate() {
        let mut product = match i {
            0 => builder.and(left.last, left.factors[0]),
            _ => builder.and(left.factors[i - 1], left.factors[i]),
        };
        if is_public {
            product = builder.bytewise(product, nibble::tidy())?;
        }
        let sum = builder.xor(product, left.rotated[i]);
        let sum = builder.xor(sum, *wire);
        *wire = builder.xor(sum, key[i]);
    }
    Ok(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_circuits_are_the_cipher() {
        let mut bytes = (0..).map(|i: u32| (i.wrapping_mul(0x9e37_79b9) >> 24) as u8);
        let mut next = || bytes.next().unwrap();
        for _ in 0..5 {
            let cipher = Simon64::from_key_bytes(std::array::from_fn(|_| next()));
            let block: [u8; 8] = std::array::from_fn(|_| next());
            let encrypted = cipher.encrypt_block(block);
            for (circuit, keys, from, to) in [
                (
                    nibble_encrypt_circuit(),
                    encryption_nibbles(&cipher),
                    block,
                    encrypted,
                ),
                (
                    nibble_decrypt_circuit(),
                    decryption_nibbles(&cipher),
                    encrypted,
                    block,
                ),
            ] {
                let inputs = [from.to_vec(), keys.as_flattened().to_vec()];
                let results = circuit.unwrap().evaluate_record_bytes(&inputs).unwrap();
                assert_eq!(results, [to.to_vec()]);
            }
        }
    }

    #[test]
    fn sizes_of_the_circuits() {
        for circuit in [nibble_encrypt_circuit(), nibble_decrypt_circuit()] {
            let circuit = circuit.unwrap();
            let analysis = crate::Analysis::new(&circuit);
            assert_eq!((circuit.and_depth(), circuit.and_count()), (44, 352));
            assert_eq!(
                (analysis.private_and_depth(), analysis.private_and_count()),
                (43, 344)
            );
        }
    }
}
