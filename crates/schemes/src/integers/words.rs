//! Long numbers as words of 64 bits, the lowest first, and as [`BigUint`]s.

use num_bigint::BigUint;
use ringmill_arith::sampling::Stream;
use ringmill_arith::secret::Secret;

/// The number of these words.
pub(super) fn number(words: &[u64]) -> BigUint {
    let halves = words.iter().flat_map(|&w| [w as u32, (w >> 32) as u32]);
    BigUint::new(halves.collect())
}

/// The words of a number, `count` of them; what does not fit is left out.
pub(super) fn words(number: &BigUint, count: usize) -> Vec<u64> {
    let mut words = number.to_u64_digits();
    words.resize(count, 0);
    words
}

/// A uniform number of at most the given number of bits: whole words of the stream, the last one cut.
pub(super) fn uniform_words(stream: &mut Stream, bits: u32) -> Secret<Vec<u64>> {
    let mut words = Secret::zeros(bits.div_ceil(64) as usize);
    stream.fill_words(&mut words);
    if let Some(last) = words.last_mut() {
        *last &= u64::MAX >> (64 * bits.div_ceil(64) - bits);
    }
    words
}

/// As [`uniform_words`], as a number. (`num-bigint` does not wipe what it frees.)
pub(super) fn uniform(stream: &mut Stream, bits: u32) -> BigUint {
    number(&uniform_words(stream, bits))
}

/// Adds `words` to `sum` from its word `start` on. The caller knows that the sum fits: words beyond its end are zeros.
pub(super) fn add_at(sum: &mut [u64], start: usize, words: &[u64]) {
    let (_, tail) = sum.split_at_mut(start);
    let mut carry = false;
    for (i, place) in tail.iter_mut().enumerate() {
        let word = words.get(i).copied().unwrap_or_default();
        if i >= words.len() && !carry {
            return;
        }
        let (partial, first) = place.overflowing_add(word);
        let (total, second) = partial.overflowing_add(carry.into());
        (*place, carry) = (total, first || second);
    }
}

/// Adds `a * b` to `sum`, which has room for it.
pub(super) fn add_product(sum: &mut [u64], a: &[u64], b: &[u64]) {
    for (start, &factor) in b.iter().enumerate() {
        let mut carry = 0_u128;
        for (i, place) in sum.iter_mut().enumerate().skip(start) {
            let word = a.get(i - start).copied().unwrap_or_default();
            if i - start >= a.len() && carry == 0 {
                break;
            }
            carry += u128::from(word) * u128::from(factor) + u128::from(*place);
            *place = carry as u64;
            carry >>= 64;
        }
    }
}
