use super::image::Layout;
use super::{DIGIT, Sizes, WORD_DIGITS};
use crate::RtlError;

/// Paper 5's low-area design, which has one unit that multiplies blocks of w bits, or its parallel one, with several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape {
    sizes: Sizes,
    digits: usize,
    units: usize,
}

impl Shape {
    /// Bits that all numbers lie up in memory, so that the modulus has no digit in the lowest place of a block and the
    /// quotient that is too small by one is found (`docs/machines/comba.md`).
    pub(super) const SHIFT: u32 = 16;

    /// A machine with units for blocks of so many bits, the paper's w.
    ///
    /// # Errors
    /// [`RtlError::BadComba`] unless a block is 64 k bits, holds a factor and 19 bits and the terms' number beyond, and a
    /// number has at most 65,535 blocks; with 1 to 64 units.
    pub const fn new(sizes: Sizes, block_bits: u32, units: usize) -> Result<Self, RtlError> {
        let need = if block_bits == 0 || !block_bits.is_multiple_of(64) {
            "blocks of whole words of 64 bits"
        } else if sizes.excess_bits() + Self::SHIFT + 1 > block_bits {
            "blocks longer than a factor by 19 bits and those of the number of terms"
        } else if (sizes.gamma() + Self::SHIFT + 1).div_ceil(block_bits) > 0xffff {
            "at most 65,535 blocks in a number"
        } else if units == 0 || units > 64 {
            "1 to 64 units"
        } else {
            let digits = (block_bits / DIGIT) as usize;
            return Ok(Self { sizes, digits, units });
        };
        Err(RtlError::BadComba { need })
    }

    /// The sizes of the numbers.
    #[must_use]
    pub const fn sizes(&self) -> Sizes {
        self.sizes
    }

    /// The digits of a block, and the multipliers of a unit.
    #[must_use]
    pub const fn digits(&self) -> usize {
        self.digits
    }

    /// The units.
    #[must_use]
    pub const fn units(&self) -> usize {
        self.units
    }

    /// The multipliers of 16 bits.
    #[must_use]
    pub const fn multipliers(&self) -> usize {
        self.units * self.digits
    }

    /// The bits of a block.
    pub(super) const fn block_bits(&self) -> u32 {
        self.digits as u32 * DIGIT
    }

    /// The words of a block.
    pub(super) const fn block_words(&self) -> usize {
        self.digits / WORD_DIGITS
    }

    /// The blocks of an element and of the modulus, which is 16 bits up and has a bit above.
    #[must_use]
    pub const fn blocks(&self) -> usize {
        (self.sizes.gamma() + Self::SHIFT + 1).div_ceil(self.block_bits()) as usize
    }

    /// The bits that the noise may have, with its sign.
    pub(super) const fn noise_bits(&self) -> u32 {
        self.block_bits() + 64 - Self::SHIFT
    }

    /// The module and its parameters, as builds name them.
    #[must_use]
    pub fn machine(&self) -> String {
        format!("comba_machine Digits={} Units={}", self.digits, self.units)
    }

    /// The cycles of a product of two blocks: the paper's 2 ceil(w / 16) + 2 (section VI).
    #[must_use]
    pub const fn product_cycles(&self) -> u64 {
        2 * self.digits as u64 + 2
    }

    /// The products of blocks of the sum: tau ceil(|x_i| / w).
    #[must_use]
    pub const fn sum_products(&self) -> u64 {
        (self.sizes.terms() * self.blocks()) as u64
    }

    /// The cycles of an encryption: the sum, the quotient, the product, and the differences.
    #[must_use]
    pub fn cycles(&self) -> u64 {
        let (blocks, words) = (self.blocks(), self.block_words() as u64);
        let differences = 10 * blocks as u64 * words + 2;
        self.step(self.sizes.terms(), blocks) + self.step(1, 1) + self.step(1, blocks) + differences
    }

    /// The cycles of a sum of products for all blocks, in groups of as many as there are units.
    fn step(&self, terms: usize, blocks: usize) -> u64 {
        let (full, rest) = (blocks / self.units, blocks % self.units);
        let last = if rest == 0 { 0 } else { self.group(terms, rest) };
        full as u64 * self.group(terms, self.units) + last
    }

    /// The cycles of a group: a term's blocks are read while those of the one before are multiplied. Then the units are
    /// emptied, one digit a cycle, through all of them and a block above.
    fn group(&self, terms: usize, blocks: usize) -> u64 {
        let load = 2 * (self.block_words() * (blocks + 1)) as u64;
        let product = self.product_cycles();
        let drain = (blocks as u64 + 1) * self.digits as u64;
        load + load.max(product) * (terms as u64 - 1) + product + drain + 13
    }

    /// The bytes of memory that an encryption takes.
    #[must_use]
    pub const fn memory_bytes(&self) -> u64 {
        8 * Layout::new(self).words as u64
    }

    /// The bytes that the host moves for an encryption with elements that are in memory: factors, noise and the ciphertext.
    #[must_use]
    pub const fn link_bytes(&self) -> u64 {
        let factors = self.sizes.terms() * self.block_words();
        8 * (factors + self.block_words() + 1 + self.sizes.words()) as u64
    }
}
