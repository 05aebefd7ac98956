//! Numbers as words of 64 bits, the lowest first, and as big integers.

use num_bigint::{BigInt, BigUint, Sign};

/// The number of these words.
pub fn number(words: &[u64]) -> BigUint {
    BigUint::new(
        words
            .iter()
            .flat_map(|&word| [word as u32, (word >> 32) as u32])
            .collect(),
    )
}

/// The number of these words in two's complement.
pub fn signed(words: &[u64]) -> BigInt {
    let magnitude = BigInt::from_biguint(Sign::Plus, number(words));
    match words.last() {
        Some(last) if last >> 63 != 0 => magnitude - (BigInt::from(1) << (64 * words.len())),
        _ => magnitude,
    }
}

/// Writes a number's words and zeros above.
pub fn put(number: &BigUint, words: &mut [u64]) {
    words.fill(0);
    for (place, word) in words.iter_mut().zip(number.iter_u64_digits()) {
        *place = word;
    }
}

/// Writes a number in two's complement, extended to all words.
pub fn put_signed(number: &BigInt, words: &mut [u64]) {
    let bytes = number.to_signed_bytes_le();
    let extension = if number.sign() == Sign::Minus { u8::MAX } else { 0 };
    let mut bytes = bytes.into_iter().chain(std::iter::repeat(extension));
    for place in words {
        *place = bytes
            .by_ref()
            .take(8)
            .enumerate()
            .fold(0, |word, (i, byte)| word | u64::from(byte) << (8 * i));
    }
}

/// The words of a number that has as many at most.
pub fn words(number: &BigUint, count: usize) -> Vec<u64> {
    let mut words = vec![0; count];
    put(number, &mut words);
    words
}
