//! Numbers as words of 59 bits, the least significant first, as the machine's memories hold them.

use num_bigint::BigUint;

/// The bits of a word.
pub const WORD: u32 = 59;

const MASK: u64 = (1 << WORD) - 1;

/// The lower word of a sum.
pub(super) const fn low(sum: u128) -> u64 {
    sum as u64 & MASK
}

/// A number in this many words; what does not fit is cut off.
pub(super) fn to_words(number: &BigUint, count: usize) -> Vec<u64> {
    let mut rest = number.clone();
    let modulus = BigUint::from(1_u64 << WORD);
    (0..count)
        .map(|_| {
            let word = (&rest % &modulus).iter_u64_digits().next().unwrap_or(0);
            rest >>= WORD;
            word
        })
        .collect()
}

/// The words of lhs - rhs modulo the power of 2 that lhs has room for, and the last borrow. A shorter rhs goes on
/// with 0.
pub(super) fn subtract(lhs: &[u64], rhs: &[u64]) -> (Vec<u64>, bool) {
    let mut borrow = 0;
    let difference = (0..lhs.len())
        .map(|k| {
            let word = i128::from(lhs[k]) - i128::from(rhs.get(k).copied().unwrap_or(0)) - borrow;
            borrow = i128::from(word < 0);
            low(word as u128)
        })
        .collect();
    (difference, borrow != 0)
}
