use super::WORD;
use crate::RtlError;

/// The sizes of a pipeline: l primes of q, L primes of Q, all of 30 bits, and the multiply-accumulate cores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape {
    base: usize,
    total: usize,
    cores: usize,
}

impl Shape {
    /// The bits of a prime.
    pub const PRIME: u32 = 30;

    /// The units of the reduction to residues modulo the primes of q.
    pub const RESIDUE_UNITS: usize = 4;

    /// The paper's: 41 primes of q, 43 more, 8 cores.
    pub const PAPER: Self = Self {
        base: 41,
        total: 84,
        cores: 8,
    };

    /// Makes the shape of a pipeline for l primes of q and L of Q with this number of cores.
    ///
    /// # Errors
    /// [`RtlError::BadMultiprecision`] unless 2 l < L <= 2 l + 2, 2 <= l <= 64, and the cores are even, 2 to 16.
    pub const fn new(base: usize, total: usize, cores: usize) -> Result<Self, RtlError> {
        let need = if base < 2 || base > 64 {
            "2 to 64 primes of q"
        } else if total <= 2 * base || total > 2 * base + 2 {
            "one or two primes of Q more than twice those of q: a quotient of at most 64 bits"
        } else if cores < 2 || cores > 16 || !cores.is_multiple_of(2) {
            "2 to 16 cores in two arms of the same length"
        } else {
            return Ok(Self { base, total, cores });
        };
        Err(RtlError::BadMultiprecision { need })
    }

    /// l: the number of primes of q.
    #[must_use]
    pub const fn base(&self) -> usize {
        self.base
    }

    /// L: the number of primes of Q; the first l are those of q.
    #[must_use]
    pub const fn total(&self) -> usize {
        self.total
    }

    /// The number of multiply-accumulate cores.
    #[must_use]
    pub const fn cores(&self) -> usize {
        self.cores
    }

    /// The bits that q fits into.
    #[must_use]
    pub const fn modulus_bits(&self) -> u32 {
        Self::PRIME * self.base as u32
    }

    /// The words of a number below 4 q, which the reduction modulo q works on.
    #[must_use]
    pub const fn modulus_words(&self) -> usize {
        words(self.modulus_bits() + 2)
    }

    /// The bits of a lift's sum of products, which is below l 2^30 q.
    #[must_use]
    pub const fn lift_bits(&self) -> u32 {
        self.modulus_bits() + Self::PRIME + log2(self.base)
    }

    /// The words of a lift's sum of products.
    #[must_use]
    pub const fn lift_words(&self) -> usize {
        words(self.lift_bits())
    }

    /// The times that a scale's sum of products must be halved to be below Q: it is below L Q.
    #[must_use]
    pub const fn excess_bits(&self) -> u32 {
        log2(self.total)
    }

    /// The words of a scale's sum of products.
    #[must_use]
    pub const fn scale_words(&self) -> usize {
        words(Self::PRIME * self.total as u32 + self.excess_bits())
    }

    /// The words of the rounded quotient of a scale, at most Q / q.
    #[must_use]
    pub const fn quotient_words(&self) -> usize {
        2 * long_words(Self::PRIME * (self.total - self.base) as u32)
    }

    /// The long words of fraction of the lift's reciprocal: bits of the dividend, of q, and one.
    #[must_use]
    pub const fn lift_fraction(&self) -> usize {
        long_words(self.lift_bits() + self.modulus_bits() + 1)
    }

    /// The long words of fraction of the scale's reciprocal.
    #[must_use]
    pub const fn scale_fraction(&self) -> usize {
        long_words(Self::PRIME * self.total as u32 + self.modulus_bits() + 1)
    }

    /// The long words of the lift's reciprocal, ceil(2^(118 fraction) / q) with q >= 2^(30 l - 3).
    #[must_use]
    pub const fn lift_reciprocal(&self) -> usize {
        long_words(2 * WORD * self.lift_fraction() as u32 + 4 - self.modulus_bits())
    }

    /// The long words of the scale's reciprocal, ceil(2^(118 fraction + 1) / q).
    #[must_use]
    pub const fn scale_reciprocal(&self) -> usize {
        long_words(2 * WORD * self.scale_fraction() as u32 + 5 - self.modulus_bits())
    }

    /// The slots of a core in a lift: residues, and two pieces of the quotient.
    #[must_use]
    pub const fn lift_slots(&self) -> usize {
        (self.base + 2).div_ceil(self.cores)
    }

    /// The slots of a core in a scale.
    #[must_use]
    pub const fn scale_slots(&self) -> usize {
        self.total.div_ceil(self.cores)
    }

    /// The rounds of the reduction to residues: a prime for each unit in each.
    #[must_use]
    pub const fn residue_rounds(&self) -> usize {
        self.base.div_ceil(Self::RESIDUE_UNITS)
    }
}

/// ceil(log2) of a count.
const fn log2(count: usize) -> u32 {
    count.next_power_of_two().trailing_zeros()
}

/// The words that bits need.
const fn words(bits: u32) -> usize {
    bits.div_ceil(WORD) as usize
}

/// The long words, of 118 bits, that bits need.
const fn long_words(bits: u32) -> usize {
    bits.div_ceil(2 * WORD) as usize
}
