//! SIMON-64/128 as Boolean circuits.

use super::{KEY_WORDS, ROUNDS, schedule_constant, schedule_mix};
use crate::{Builder, Circuit, CircuitError, Visibility, Word};

/// The number of bits in a word of the cipher.
const WORD_BITS: usize = 32;

/// SIMON-64/128 encryption: AND depth 44, 1408 ANDs.
///
/// | port | bits | contents |
/// |---|---|---|
/// | input `block`, public | 64 | plaintext: `y` in bits 0 to 31, `x` in bits 32 to 63 |
/// | input `key`, private | 128 | key words `k0` (lowest), `k1`, `k2`, `k3` |
/// | output `block` | 64 | ciphertext, laid out as the plaintext |
///
/// Bit `i` of a block is bit `i % 8` of byte `i / 8` in the byte order of [`Simon64`](super::Simon64).
/// Because the plaintext is public, so are the ANDs of the first round, and only 43 levels multiply private
/// bits.
///
/// Gates come round by round, with each round key just before the round that uses it, so an executor holds
/// only the state and four words of the key schedule. The schedule's constants never touch the encrypted
/// key: a round key is a sum of key bits plus a word known beforehand. The circuit computes the sum with
/// XORs alone. The builder computes the known word, which goes onto the state with one NOT per set bit.
///
/// # Errors
///
/// Those of [`Builder::finish`] and of word operations; this function causes none of them.
pub fn encrypt_circuit() -> Result<Circuit, CircuitError> {
    network(Direction::Encrypt, ROUNDS)
}

/// The first rounds of SIMON-64/128 encryption, as many as are asked for and [`ROUNDS`] at most: a small circuit of the
/// cipher's form, to try machines with. It is no cipher. Ports as in [`encrypt_circuit`]; 32 ANDs a round.
///
/// # Errors
///
/// The same as for [`encrypt_circuit`].
pub fn reduced_circuit(rounds: usize) -> Result<Circuit, CircuitError> {
    network(Direction::Encrypt, rounds.min(ROUNDS))
}

/// SIMON-64/128 decryption from the last round keys: AND depth 44, 1408 ANDs.
///
/// | port | bits | contents |
/// |---|---|---|
/// | input `block`, public | 64 | ciphertext: `y` in bits 0 to 31, `x` in bits 32 to 63 |
/// | input `key`, private | 128 | round keys `k40` (lowest), `k41`, `k42`, `k43` |
/// | output `block` | 64 | plaintext, laid out as the ciphertext |
///
/// The key's owner gets the four words in the clear from
/// [`Simon64::decryption_key`](super::Simon64::decryption_key) and then encrypts them for the evaluator. The
/// order of gates, the treatment of constants and the publicity are as in [`encrypt_circuit`].
///
/// # Why the last round keys
///
/// Decryption uses `k43` first. Deriving it from `k0` to `k3` costs no ANDs,
/// but under encryption with noise that adds up every step of
/// `k[i+4] = c + z_i + k[i] + (I + S^-1)(S^-3 k[i+3] + k[i+1])` sums five noisy
/// words, `k[i]` once, `k[i+3]` and `k[i+1]` twice each. The growth per step is
/// the largest root of `t^4 = 2 t^3 + 2 t + 1`, which is `1 + sqrt(2)`, about
/// 2.4: the first round key used would carry up to `2.4^40` times the noise of
/// a fresh one, and so would everything after it.
///
/// The recurrence can be solved for `k[i]` just as well, so that the schedule
/// runs backwards from four fresh words. The growth per step is the same, but
/// each round key is only as many steps old as rounds have passed (less three):
/// the first ones used are fresh, and later ones stay far below the noise of
/// the state that they are added to, which went through as many levels of ANDs.
///
/// # Errors
///
/// The same as for [`encrypt_circuit`].
pub fn decrypt_circuit() -> Result<Circuit, CircuitError> {
    network(Direction::Decrypt, ROUNDS)
}

#[derive(Clone, Copy)]
enum Direction {
    Encrypt,
    Decrypt,
}

/// A round key: a sum of key bits plus a word known while building.
struct RoundKey {
    sum: Word,
    known: u32,
}

/// The first rounds of the cipher in either direction. Decryption is the Feistel network of encryption with the halves
/// swapped at both ends and the round keys in reverse order.
fn network(direction: Direction, rounds: usize) -> Result<Circuit, CircuitError> {
    let mut builder = Builder::new();
    let block = builder.input("block", Visibility::Public, 2 * WORD_BITS);
    let key = builder.input("key", Visibility::Private, KEY_WORDS * WORD_BITS);

    let [low, high] = block.split();
    // The four round keys used last, in order of use; at first these are the given ones.
    let mut window = key.split().map(|sum| RoundKey { sum, known: 0 });
    let (mut left, mut right) = match direction {
        Direction::Encrypt => (high, low),
        Direction::Decrypt => {
            window.reverse();
            (low, high)
        }
    };
    for round_key in window.iter().take(rounds) {
        let next = feistel(&mut builder, &left, &right, round_key)?;
        (left, right) = (next, left);
    }
    for round in KEY_WORDS..rounds {
        let round_key = next_round_key(&mut builder, direction, round, &window)?;
        let next = feistel(&mut builder, &left, &right, &round_key)?;
        (left, right) = (next, left);
        let [_, second, third, newest] = window;
        window = [second, third, newest, round_key];
    }

    let (low, high) = match direction {
        Direction::Encrypt => (right, left),
        Direction::Decrypt => (left, right),
    };
    builder.output("block", &low.concat(&high));
    builder.finish()
}

/// The round key for `round`, from 4 on, given the four previous ones in order of use.
fn next_round_key(
    builder: &mut Builder,
    direction: Direction,
    round: usize,
    window: &[RoundKey; KEY_WORDS],
) -> Result<RoundKey, CircuitError> {
    let [oldest, second, _, newest] = window;
    // With i the smaller of the two indices four apart, k[i] + k[i+4] is the
    // constant of step i plus the mix of k[i+3] and k[i+1]. Encryption looks
    // for k[i+4] in round i + 4; decryption, whose round r uses k[43 - r],
    // looks for k[i] and meets the other keys in the opposite order.
    let (step, near, far) = match direction {
        Direction::Encrypt => (round - KEY_WORDS, newest, second),
        Direction::Decrypt => (ROUNDS - 1 - round, second, newest),
    };
    let mixed = near.sum.rotate_right(3);
    let mixed = builder.xor_words(&mixed, &far.sum)?;
    let mixed = builder.xor_words(&mixed, &mixed.rotate_right(1))?;
    Ok(RoundKey {
        sum: builder.xor_words(&oldest.sum, &mixed)?,
        known: schedule_constant(step) ^ oldest.known ^ schedule_mix(near.known, far.known),
    })
}

/// The new half that a round makes, `right + (S^1 left)(S^8 left) + S^2 left + key`.
fn feistel(builder: &mut Builder, left: &Word, right: &Word, key: &RoundKey) -> Result<Word, CircuitError> {
    // The key comes last, so that the first round keeps public bits public for as long as possible.
    let product = builder.and_words(&left.rotate_left(1), &left.rotate_left(8))?;
    let sum = builder.xor_words(&product, &left.rotate_left(2))?;
    let sum = builder.xor_words(&sum, right)?;
    let sum = builder.xor_words(&sum, &key.sum)?;
    let known = builder.constant_word((0..WORD_BITS).map(|bit| key.known >> bit & 1 == 1));
    builder.xor_words(&sum, &known)
}
