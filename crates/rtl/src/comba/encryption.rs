use std::fmt;

use num_bigint::BigUint;
use ringmill_arith::sampling::{Seed, Stream};

use super::Sizes;
use super::numbers::number;
use crate::RtlError;

/// The numbers of an encryption, in words of 64 bits, the lowest first.
///
/// Element i is x_i = chi_i - delta_i; chi_i is words i gamma / 64 to (i + 1) gamma / 64 - 1 of the seed's stream.
#[derive(Clone, Copy)]
pub struct Encryption<'a> {
    /// The seed of the chi_i.
    pub seed: &'a Seed,
    /// x_0, which has exactly gamma bits.
    pub modulus: &'a [u64],
    /// The delta_i, one after the other.
    pub corrections: &'a [u64],
    /// The b_i, one after the other. Secret.
    pub factors: &'a [u64],
    /// e, in two's complement. Secret.
    pub noise: &'a [u64],
}

impl fmt::Debug for Encryption<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Encryption(..)")
    }
}

impl Encryption<'_> {
    /// Checks that the numbers have their sizes, the noise at most so many bits with its sign, and that neither an element
    /// nor the sum is negative.
    pub(super) fn check(&self, sizes: Sizes, noise_bits: u32) -> Result<(), RtlError> {
        let lengths = [
            (self.modulus, sizes.words()),
            (self.corrections, sizes.terms() * sizes.correction_words()),
            (self.factors, sizes.terms() * sizes.factor_words()),
        ];
        for (words, expected) in lengths {
            let got = words.len();
            if got != expected {
                return Err(RtlError::WrongLength { expected, got });
            }
        }
        let fits = |words: &[u64], bits: u32| {
            words
                .last()
                .is_some_and(|&last| bits.is_multiple_of(64) || last >> (bits % 64) == 0)
        };
        let mut elements = self.corrections.chunks(sizes.correction_words()).enumerate();
        let mut factors = self.factors.chunks(sizes.factor_words());
        let need = if self.modulus.last().is_none_or(|last| last >> 63 == 0) {
            "a modulus of exactly gamma bits"
        } else if !factors.all(|factor| fits(factor, sizes.alpha())) {
            "factors of at most alpha bits"
        } else if !elements.all(|(i, delta)| fits(delta, sizes.correction()) && self.is_large(sizes, i)) {
            "corrections of their size, and elements that are greater"
        } else if signed_bits(self.noise) > noise_bits.min(sizes.gamma() - 64) {
            "noise that fits its place and is shorter than the elements"
        } else if self.noise.last().is_some_and(|last| last >> 63 != 0)
            && self.factors.iter().all(|&word| word == 0)
        {
            "a sum that is not negative"
        } else {
            return Ok(());
        };
        Err(RtlError::BadComba { need })
    }

    /// Whether chi_i is at least 2^(gamma - 63), and so x_i is 2^(gamma - 64) and more.
    fn is_large(&self, sizes: Sizes, i: usize) -> bool {
        let mut top = [0];
        let words = sizes.words() as u64;
        Stream::at(self.seed, (i as u64 + 1) * words - 1).fill_words(&mut top);
        top > [1]
    }

    /// x_i, of an encryption that was checked.
    pub(super) fn element(&self, sizes: Sizes, i: usize) -> BigUint {
        let (words, correction) = (sizes.words(), sizes.correction_words());
        let mut chi = vec![0; words];
        Stream::at(self.seed, (i * words) as u64).fill_words(&mut chi);
        number(&chi) - number(&self.corrections[i * correction..][..correction])
    }

    /// b_i.
    pub(super) fn factor(&self, sizes: Sizes, i: usize) -> BigUint {
        let words = sizes.factor_words();
        number(&self.factors[i * words..][..words])
    }
}

/// The bits that a number in two's complement needs, with its sign.
fn signed_bits(words: &[u64]) -> u32 {
    let sign = words
        .last()
        .map_or(0, |last| if last >> 63 != 0 { u64::MAX } else { 0 });
    let used = words.iter().rposition(|&word| word != sign);
    used.map_or(1, |top| {
        64 * top as u32 + 65 - (words[top] ^ sign).leading_zeros()
    })
}
