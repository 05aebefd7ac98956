use std::cmp::Ordering;
use std::ops::{Add, Mul, Sub};

/// An integer modulo 2^192, lowest word first: a coefficient with room for a whole product's sums, of either sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wide(pub [u64; 3]);

impl Wide {
    /// The lowest bits.
    #[must_use]
    pub const fn low(self, bits: u32) -> Self {
        let Self([a, b, c]) = self;
        match bits {
            0..64 => Self([a & ((1 << bits) - 1), 0, 0]),
            64..128 => Self([a, b & ((1 << (bits - 64)) - 1), 0]),
            128..192 => Self([a, b, c & ((1 << (bits - 128)) - 1)]),
            _ => self,
        }
    }

    /// The number of bits from the lowest to the highest that is set.
    #[must_use]
    pub const fn bits(self) -> u32 {
        let Self([a, b, c]) = self;
        if c != 0 {
            192 - c.leading_zeros()
        } else if b != 0 {
            128 - b.leading_zeros()
        } else {
            64 - a.leading_zeros()
        }
    }

    /// `width` bits, at most 32, from a place on.
    #[must_use]
    pub fn chunk(self, place: u32, width: u32) -> u64 {
        let (word, shift) = (place as usize / 64, place % 64);
        let at = |i: usize| u128::from(self.0.get(i).copied().unwrap_or(0));
        let both = at(word) | at(word + 1) << 64;
        (both >> shift) as u64 & ((1 << width) - 1)
    }

    /// With a chunk of at most 32 bits added at a place where there is nothing yet.
    #[must_use]
    pub fn with_chunk(mut self, place: u32, chunk: u64) -> Self {
        let (word, both) = (place as usize / 64, u128::from(chunk) << (place % 64));
        for (i, part) in [both as u64, (both >> 64) as u64].into_iter().enumerate() {
            if let Some(word) = self.0.get_mut(word + i) {
                *word |= part;
            }
        }
        self
    }
}

impl Ord for Wide {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.iter().rev().cmp(other.0.iter().rev())
    }
}

impl PartialOrd for Wide {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Add for Wide {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let (mut sum, mut carry) = (self, false);
        for (word, addend) in sum.0.iter_mut().zip(other.0) {
            let (partial, first) = word.overflowing_add(addend);
            let (total, second) = partial.overflowing_add(carry.into());
            (*word, carry) = (total, first || second);
        }
        sum
    }
}

impl Sub for Wide {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        let (mut difference, mut borrow) = (self, false);
        for (word, less) in difference.0.iter_mut().zip(other.0) {
            let (partial, first) = word.overflowing_sub(less);
            let (total, second) = partial.overflowing_sub(borrow.into());
            (*word, borrow) = (total, first || second);
        }
        difference
    }
}

impl Mul<u32> for Wide {
    type Output = Self;

    fn mul(self, factor: u32) -> Self {
        let (mut product, mut carry) = (self, 0_u128);
        for word in &mut product.0 {
            carry += u128::from(*word) * u128::from(factor);
            *word = carry as u64;
            carry >>= 64;
        }
        product
    }
}
