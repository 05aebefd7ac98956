//! Uniform, ternary, sign and discrete Gaussian sampling from a ChaCha20 stream.
//!
//! Everything here is a function of a [`Seed`] alone. The same seed gives the same numbers on every machine and with
//! every kernel, and however a caller cuts its requests at the boundaries that the functions name. [`uniform`] and
//! [`Seed::derive`] are part of the file format, because files hold public polynomials as their seeds: whoever changes
//! one of them changes the format. Golden numbers in the tests guard all of it.
//!
//! [`ternary`], [`signs`] and [`Gaussian`] make secrets. They have no branch, index or memory access that depends on
//! what they sample, except for the rare event that [`Gaussian`] describes.

mod gaussian;
mod stream;

pub use gaussian::Gaussian;
pub use stream::{Seed, Stream};

use crate::Modulus;
use crate::secret::Secret;

/// Words drawn at once: 4 KiB, small beside the first-level cache and large beside the cost of a
/// call of the cipher.
const BLOCK: usize = 512;

/// Coefficients made from one pair of words by [`ternary`].
const TRITS: usize = 16;

/// Groups of coefficients that [`ternary`] makes at once; a block has a multiple of them.
const TOGETHER: usize = 4;

/// Uniform residues modulo `q`.
///
/// # Specification
/// This is part of the file format. Let w0, w1, ... be the words that the stream gives from its
/// present position (see [`Stream::fill_words`]) and b = [`Modulus::bits`] of `q`. The candidates are
/// ci = wi mod 2^b, in order; those with ci < q are the output, in order: the first goes to `out[0]`.
/// No word beyond the one that fills the last place is drawn, so that two calls give what one call
/// on the joined output gives. An empty output draws nothing.
///
/// The running time depends on how many candidates were rejected, which is independent of those
/// that were accepted: it tells nothing about the output.
pub fn uniform(stream: &mut Stream, q: &Modulus, out: &mut [u64]) {
    let mask = u64::MAX >> (64 - q.bits());
    let mut done = 0;
    while done < out.len() {
        // Asking only for what is missing draws no word too many. What is accepted never gets
        // ahead of what is read, so the candidates are sieved in place.
        let end = out.len().min(done + BLOCK);
        let candidates = &mut out[done..end];
        stream.fill_words(candidates);
        let mut kept = 0;
        for read in 0..candidates.len() {
            let candidate = candidates[read] & mask;
            candidates[kept] = candidate;
            kept += usize::from(candidate < q.value());
        }
        done += kept;
    }
}

/// Uniform coefficients in {-1, 0, 1}, in constant time.
///
/// Sixteen coefficients come from two words of the stream, the first being the high one of a number
/// X < 2^128: they are the first sixteen digits after the point of X / 2^128 in base three, less one,
/// the most significant first. A last group of fewer coefficients draws its two words too, so only a
/// cut at a multiple of 16 leaves the output the same.
///
/// The sixteen digits of a group are floor(X 3^16 / 2^128); no value of that has a probability more
/// than 2^-128 from 3^-16, so the statistical distance from uniform is below 3^16 2^-129 < 2^-103
/// for a group and below 2^-89 for 2^18 coefficients.
pub fn ternary(stream: &mut Stream, out: &mut [i8]) {
    let mut words = Secret::new([0_u64; BLOCK]);
    for block in out.chunks_mut(BLOCK / 2 * TRITS) {
        let used = 2 * block.len().div_ceil(TRITS);
        stream.fill_words(&mut words[..used]);
        let (pairs, _) = words.as_chunks::<2>();
        for (pairs, groups) in pairs.as_chunks().0.iter().zip(block.chunks_mut(TOGETHER * TRITS)) {
            let trits = Secret::new(trits(pairs));
            groups.copy_from_slice(&trits.as_flattened()[..groups.len()]);
        }
    }
}

/// The coefficients of some groups, side by side, as vector units want it.
///
/// D = floor(X 3^16 / 2^128) has all sixteen digits. As a fraction F / 2^62 with F = D floor(2^62 / 3^16) + 2^36, which
/// lies between D / 3^16 and (D + 1) / 3^16, it gives them up one by one, the most significant first, on
/// multiplication by three. Eight of them make a word.
fn trits(pairs: &[[u64; 2]; TOGETHER]) -> [[i8; TRITS]; TOGETHER] {
    const POWER: u64 = 3_u64.pow(TRITS as u32);
    const ONE: u64 = 1 << 62;
    let mut fractions = pairs.map(|[high, low]| {
        let carry = (u128::from(low) * u128::from(POWER)) >> 64;
        let digits = (u128::from(high) * u128::from(POWER) + carry) >> 64;
        digits as u64 * (ONE / POWER) + (1 << 36)
    });
    let mut words = [[0_u64; TOGETHER]; 2];
    for words in &mut words {
        for _ in 0..TRITS / 2 {
            for (fraction, word) in fractions.iter_mut().zip(&mut *words) {
                let product = 3 * *fraction;
                *word = (*word << 8) | (product / ONE);
                *fraction = product % ONE;
            }
        }
    }
    let mut trits = [[0; TRITS]; TOGETHER];
    for (i, group) in trits.iter_mut().enumerate() {
        let digits = words.map(|words| words[i].to_be_bytes());
        for (trit, digit) in group.iter_mut().zip(digits.as_flattened()) {
            *trit = *digit as i8 - 1;
        }
    }
    trits
}

/// Uniform coefficients in {-1, 1}, in constant time.
///
/// Coefficient i is 1 - 2 b for the bit b of value 2^(i mod 64) in word floor(i / 64). A last group of
/// fewer than 64 coefficients draws its word too, so only a cut at a multiple of 64 leaves the output
/// the same.
pub fn signs(stream: &mut Stream, out: &mut [i8]) {
    let mut words = Secret::new([0_u64; BLOCK]);
    for block in out.chunks_mut(BLOCK * 64) {
        let used = block.len().div_ceil(64);
        stream.fill_words(&mut words[..used]);
        for (word, group) in words.iter().zip(block.chunks_mut(64)) {
            for (i, sign) in group.iter_mut().enumerate() {
                *sign = 1 - 2 * (word >> i & 1) as i8;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PRIMES: [u64; 6] = [3, 5, 65537, 838_848_001, 1_125_899_906_842_597, (1 << 61) - 1];

    // From a separate implementation of the specifications (Python, with its own ChaCha20); the seed
    // is 32 bytes of 1.
    const UNIFORM_50: [u64; 8] = [
        602_782_020_615_938,
        102_001_658_979_877,
        774_338_793_233_269,
        589_925_567_690_889,
        860_602_028_706_846,
        404_745_680_153_675,
        1_073_829_395_602_798,
        929_983_901_408_115,
    ];
    const UNIFORM_17: [u64; 8] = [26_149, 56_181, 52_254, 40_302, 11_075, 40_369, 22_850, 30_900];
    const TERNARY: [i8; 20] = [1, -1, 1, 1, -1, 0, 0, 0, -1, -1, 1, 0, 0, 0, 1, 0, 1, -1, 0, 0];
    const SIGNS: [i8; 20] = [
        1, -1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, 1, 1, -1, -1, -1, 1,
    ];

    fn stream(fill: u8) -> Stream {
        Stream::new(&Seed::from_bytes([fill; 32]))
    }

    /// The specification of [`uniform`], word by word.
    fn uniform_slowly(stream: &mut Stream, q: u64, count: usize) -> Vec<u64> {
        let mut power = 1;
        while power < q {
            power *= 2;
        }
        let mut out = Vec::new();
        while out.len() < count {
            let mut word = [0];
            stream.fill_words(&mut word);
            let candidate = word[0] % power;
            if candidate < q {
                out.push(candidate);
            }
        }
        out
    }

    /// Chi-square of counts against equal shares.
    fn chi_square(counts: &[u64]) -> f64 {
        let share = counts.iter().sum::<u64>() as f64 / counts.len() as f64;
        counts.iter().map(|&c| (c as f64 - share).powi(2) / share).sum()
    }

    #[test]
    fn golden_numbers() {
        let mut words = [0; 8];
        let q = Modulus::new(1_125_899_906_842_597).unwrap();
        uniform(&mut stream(1), &q, &mut words);
        assert_eq!(words, UNIFORM_50);
        uniform(&mut stream(1), &Modulus::new(65537).unwrap(), &mut words);
        assert_eq!(words, UNIFORM_17);
        let mut small = [0; 20];
        ternary(&mut stream(1), &mut small);
        assert_eq!(small, TERNARY);
        signs(&mut stream(1), &mut small);
        assert_eq!(small, SIGNS);
    }

    #[test]
    fn ternary_digits_are_those_of_the_wide_number() {
        let mut words = [0; 2];
        stream(3).fill_words(&mut words);
        let x = num_bigint::BigUint::from(u128::from(words[0]) << 64 | u128::from(words[1]));
        let mut out = [0; 16];
        ternary(&mut stream(3), &mut out);
        let value = out.iter().fold(0_u64, |v, &t| v * 3 + u64::from((t + 1) as u8));
        assert_eq!((x * 3_u64.pow(16)) >> 128_u32, value.into());
    }

    /// Thresholds: the chi-square of these fixed seeds would pass them by chance with a probability
    /// above 1 - 10^-6.
    #[test]
    fn uniform_fills_evenly() {
        let mut out = vec![0; 1 << 20];
        for (q, bins) in [(3, 3), (65537, 64), ((1 << 61) - 1, 64)] {
            let q = Modulus::new(q).unwrap();
            uniform(&mut stream(9), &q, &mut out);
            let mut counts = vec![0; bins];
            for &x in &out {
                assert!(x < q.value());
                counts[(u128::from(x) * bins as u128 / u128::from(q.value())) as usize] += 1;
            }
            // 2 and 63 degrees of freedom; 65537 into 64 bins is uneven by only 2^-10 of a share.
            let limit = if bins == 3 { 27.7 } else { 131.0 };
            assert!(chi_square(&counts) < limit, "{q:?} {counts:?}");
        }
    }

    #[test]
    fn ternary_and_signs_are_even_and_uncorrelated() {
        let mut out = vec![0_i8; 1 << 20];
        ternary(&mut stream(4), &mut out);
        // Neighbouring coefficients, so that a dependence inside a group would show.
        let mut counts = [0_u64; 9];
        for pair in out.chunks_exact(2) {
            counts[((pair[0] + 1) * 3 + pair[1] + 1) as usize] += 1;
        }
        assert!(chi_square(&counts) < 42.7, "{counts:?}"); // 8 degrees of freedom, 10^-6

        signs(&mut stream(5), &mut out);
        assert!(out.iter().all(|s| s.abs() == 1));
        let mut counts = [0_u64; 16];
        for group in out.chunks_exact(4) {
            let index = group.iter().fold(0, |v, &s| v * 2 + usize::from(s == 1));
            counts[index] += 1;
        }
        assert!(chi_square(&counts) < 56.5, "{counts:?}"); // 15 degrees of freedom, 10^-6
    }

    proptest! {
        #[test]
        fn uniform_keeps_to_its_specification(
            seed: [u8; 32],
            i in 0..PRIMES.len(),
            first in 0..1500_usize,
            second in 0..100_usize,
        ) {
            let q = Modulus::new(PRIMES[i]).unwrap();
            let seed = Seed::from_bytes(seed);
            let expected = uniform_slowly(&mut Stream::new(&seed), q.value(), first + second);
            let mut out = vec![0; first + second];
            let mut stream = Stream::new(&seed);
            uniform(&mut stream, &q, &mut out[..first]);
            uniform(&mut stream, &q, &mut out[first..]);
            prop_assert_eq!(out, expected);
        }

        #[test]
        fn prefixes_and_aligned_cuts_agree(len in 0..20_000_usize, cut in 0..20_000_usize) {
            let mut long = vec![0; 20_000];
            let mut short = vec![0; len];
            ternary(&mut stream(6), &mut long);
            ternary(&mut stream(6), &mut short);
            prop_assert_eq!(&short[..], &long[..len]);
            let mut pieces = stream(6);
            let (head, tail) = short.split_at_mut((cut / 16 * 16).min(len / 16 * 16));
            ternary(&mut pieces, head);
            ternary(&mut pieces, tail);
            prop_assert_eq!(&short[..], &long[..len]);

            signs(&mut stream(7), &mut long);
            let mut pieces = stream(7);
            let (head, tail) = short.split_at_mut((cut / 64 * 64).min(len / 64 * 64));
            signs(&mut pieces, head);
            signs(&mut pieces, tail);
            prop_assert_eq!(&short[..], &long[..len]);
        }
    }
}
