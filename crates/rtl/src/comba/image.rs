use std::fmt;
use std::ops::Range;

use num_bigint::BigUint;
use ringmill_arith::secret::Secret;

use super::encryption::Encryption;
use super::numbers::{number, put, put_signed, signed};
use super::{Shape, SystolicShape, WORD_DIGITS};
use crate::RtlError;

/// Where the numbers of an encryption lie in the memory of [`Shape`]'s machine, in words: `job_t` of `comba_pkg`.
pub(super) struct Layout {
    pub elements: usize,
    pub factors: usize,
    pub modulus: usize,
    pub reciprocal: usize,
    pub sum: usize,
    pub quotient: usize,
    pub product: usize,
    pub first: usize,
    pub second: usize,
    /// The words of an element and of the modulus.
    pub stride: usize,
    /// All words.
    pub words: usize,
}

impl Layout {
    pub const fn new(shape: &Shape) -> Self {
        let block = shape.block_words();
        let stride = shape.blocks() * block;
        let factors = shape.sizes().terms() * stride;
        let modulus = factors + shape.sizes().terms() * block;
        let reciprocal = modulus + stride;
        let sum = reciprocal + block;
        let quotient = sum + stride + block + 1;
        let product = quotient + 2 * block + 1;
        let first = product + stride + block + 1;
        let second = first + stride;
        Self {
            elements: 0,
            factors,
            modulus,
            reciprocal,
            sum,
            quotient,
            product,
            first,
            second,
            stride,
            words: second + stride,
        }
    }
}

/// The memory of a machine before an encryption, and then after it. Wiped when dropped.
pub struct Image {
    /// The words.
    pub(super) memory: Secret<Vec<u64>>,
    /// The job, from its lowest 32 bits up.
    #[cfg_attr(not(feature = "rtl"), allow(dead_code))] // the simulation alone reads it
    pub(super) job: Vec<u32>,
    first: Range<usize>,
    second: Range<usize>,
    shift: u32,
    residue_words: usize,
}

impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Image({} words)", self.memory.len())
    }
}

impl Image {
    /// What the host writes for [`Shape`]'s machine: all numbers are 16 bits up.
    ///
    /// # Errors
    /// [`RtlError::WrongLength`], [`RtlError::BadComba`] for numbers that do not fit.
    pub fn new(shape: &Shape, encryption: &Encryption<'_>) -> Result<Self, RtlError> {
        let sizes = shape.sizes();
        encryption.check(sizes, shape.noise_bits())?;
        let (layout, block) = (Layout::new(shape), shape.block_words());
        let mut memory = Secret::<Vec<u64>>::zeros(layout.words);
        for i in 0..sizes.terms() {
            let element = layout.elements + i * layout.stride;
            put(
                &encryption.element(sizes, i),
                &mut memory[element..][..layout.stride],
            );
            // Twice the factor, 16 bits up.
            let factor = encryption.factor(sizes, i) << (Shape::SHIFT + 1);
            put(&factor, &mut memory[layout.factors + i * block..][..block]);
        }
        let modulus = shifted_modulus(encryption);
        put(&modulus, &mut memory[layout.modulus..][..layout.stride]);
        put(
            &reciprocal(shape, &modulus),
            &mut memory[layout.reciprocal..][..block],
        );
        let noise = signed(encryption.noise) << Shape::SHIFT;
        put_signed(&noise, &mut memory[layout.sum..][..=block]);
        let result = |place: usize| place..place + layout.stride;
        let high = layout.sum + sizes.words();
        let job = [
            layout.second,
            layout.first,
            layout.product,
            layout.quotient,
            high,
            layout.sum,
            layout.reciprocal,
            layout.modulus,
            layout.factors,
            layout.elements,
            layout.stride,
            shape.blocks() | sizes.terms() << 16,
        ];
        Ok(Self {
            memory,
            job: job.map(|field| field as u32).into(),
            first: result(layout.first),
            second: result(layout.second),
            shift: Shape::SHIFT,
            residue_words: sizes.words(),
        })
    }

    /// What the host writes for the systolic machine: the numbers as streams of digits.
    ///
    /// # Errors
    /// As [`Image::new`].
    pub fn systolic(shape: &SystolicShape, encryption: &Encryption<'_>) -> Result<Self, RtlError> {
        let (sizes, taps, corrections) = (shape.sizes(), shape.taps(), shape.correction_digits());
        encryption.check(sizes, 16 * corrections as u32)?;
        let words = shape.stream_words();
        let (modulus, result) = (words, words + sizes.words() + 1);
        let mut memory = Secret::<Vec<u64>>::zeros(result + sizes.words() + 1);
        let mut digits = Digits::new(&mut memory[..words]);
        let sign = encryption
            .noise
            .last()
            .map_or(0, |last| if last >> 63 != 0 { u64::MAX } else { 0 });
        digits.push(encryption.noise, sign, corrections);
        let (each_factor, each_correction) = (sizes.factor_words(), sizes.correction_words());
        let terms = encryption
            .factors
            .chunks(each_factor)
            .zip(encryption.corrections.chunks(each_correction));
        for (factor, correction) in terms {
            digits.push(factor, 0, taps);
            digits.push(correction, 0, corrections);
        }
        // Rows of the last pass without a term have a factor of zero.
        digits.at = corrections + shape.passes() * shape.rows() * (taps + corrections);
        digits.push(
            &systolic_reciprocal(shape, encryption).to_u64_digits(),
            0,
            2 * taps,
        );
        memory[modulus..][..sizes.words()].copy_from_slice(encryption.modulus);
        let blocks = sizes.gamma() / 512;
        let mut job = vec![
            result as u32,
            modulus as u32,
            0,
            shape.rows() as u32 * blocks,
            blocks | (shape.passes() as u32) << 16,
        ];
        let seed = encryption.seed.as_bytes().chunks_exact(4);
        job.extend(seed.map(|bytes| {
            bytes
                .iter()
                .rev()
                .fold(0, |word, &byte| word << 8 | u32::from(byte))
        }));
        let result = result..result + sizes.words() + 1;
        Ok(Self {
            memory,
            job,
            first: result.clone(),
            second: result,
            shift: 0,
            residue_words: sizes.words(),
        })
    }

    /// The words of a residue.
    #[cfg_attr(not(feature = "rtl"), allow(dead_code))] // the simulation alone reads it
    pub(super) const fn words(&self) -> usize {
        self.residue_words
    }

    /// The residue, when a machine has run: the second difference or the first one.
    #[cfg_attr(not(feature = "rtl"), allow(dead_code))] // the simulation alone reads it
    pub(super) fn residue(&self, second: bool) -> BigUint {
        let place = if second { &self.second } else { &self.first };
        number(&self.memory[place.clone()]) >> self.shift
    }
}

/// x_0, 16 bits up.
pub(super) fn shifted_modulus(encryption: &Encryption<'_>) -> BigUint {
    number(encryption.modulus) << Shape::SHIFT
}

/// floor(2^(w + gamma) / (2^16 x_0)).
pub(super) fn reciprocal(shape: &Shape, modulus: &BigUint) -> BigUint {
    (BigUint::from(1_u32) << (shape.block_bits() + shape.sizes().gamma())) / modulus
}

/// floor(2^(gamma + 16 (cut - 4)) / x_0).
pub(super) fn systolic_reciprocal(shape: &SystolicShape, encryption: &Encryption<'_>) -> BigUint {
    let digits = shape.sizes().digits() - SystolicShape::GUARD_DIGITS + shape.cut_digits();
    (BigUint::from(1_u32) << (16 * digits)) / number(encryption.modulus)
}

/// Digits that are packed into words, the lowest first.
struct Digits<'a> {
    words: &'a mut [u64],
    at: usize,
}

impl<'a> Digits<'a> {
    const fn new(words: &'a mut [u64]) -> Self {
        Self { words, at: 0 }
    }

    /// The next `count` digits are those of a number, and of `above` beyond its words.
    fn push(&mut self, number: &[u64], above: u64, count: usize) {
        for i in 0..count {
            let word = number.get(i / WORD_DIGITS).unwrap_or(&above);
            let digit = (word >> (16 * (i % WORD_DIGITS))) & 0xffff;
            if let Some(word) = self.words.get_mut(self.at / WORD_DIGITS) {
                *word |= digit << (16 * (self.at % WORD_DIGITS));
            }
            self.at += 1;
        }
    }
}
