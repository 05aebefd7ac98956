use num_bigint::BigUint;

use super::super::Shape as Sizes;
use super::{Beat, Wide};
use crate::RtlError;

/// The machine for a modulus: its sizes and cycles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    modulus: Wide,
    bits: u32,
}

impl Shape {
    /// The coefficients of a polynomial.
    pub const N: usize = Sizes::N;

    /// The recursions.
    pub const LEVELS: u32 = 9;

    /// The leaves, 3^9, of five coefficients.
    pub const LEAVES: usize = 19683;

    /// The coefficients of a leaf.
    pub const LEAF: usize = 5;

    /// The bits of an error, with its sign.
    pub const ERROR_BITS: u32 = 8;

    /// The beats of a job: bits, then errors.
    pub const JOB_BEATS: usize = (Self::N + Self::N * Self::ERROR_BITS as usize) / 128;

    /// The bits of a coefficient of the key in memory: six chunks of 24, which hold a sum of 2^9 residues.
    pub const KEY_BITS: u32 = 6 * 24;

    /// The beats of a leaf of the key.
    pub(super) const LEAF_BEATS: usize = (Self::LEAF * Self::KEY_BITS as usize).div_ceil(128);

    /// The beats of the key.
    pub const KEY_BEATS: usize = Self::LEAVES * Self::LEAF_BEATS;

    /// The multipliers of leaves.
    const MULTIPLIERS: u64 = 4;

    pub(super) const LONG: usize = 641;

    /// The machine for a modulus.
    ///
    /// # Errors
    /// [`RtlError::BadKaratsuba`] for less than 2 or more than 135 bits.
    pub const fn new(modulus: Wide) -> Result<Self, RtlError> {
        let bits = modulus.bits();
        if bits < 2 || bits + Self::LEVELS > Self::KEY_BITS {
            return Err(RtlError::BadKaratsuba {
                need: "a modulus of 2 to 135 bits",
            });
        }
        Ok(Self { modulus, bits })
    }

    /// The modulus.
    #[must_use]
    pub const fn modulus(&self) -> Wide {
        self.modulus
    }

    /// Its bits.
    #[must_use]
    pub const fn modulus_bits(&self) -> u32 {
        self.bits
    }

    /// The bits of a coefficient after the recursions.
    pub(super) const fn result_bits(&self) -> u32 {
        self.bits + Self::LEVELS + 6
    }

    /// The beats of a result.
    #[must_use]
    pub const fn result_beats(&self) -> usize {
        (Self::N * self.bits as usize).div_ceil(128)
    }

    /// The results of beats of whole jobs.
    pub(super) const fn jobs(beats: &[Beat]) -> Result<usize, RtlError> {
        if beats.len().is_multiple_of(Self::JOB_BEATS) {
            return Ok(beats.len() / Self::JOB_BEATS);
        }
        Err(RtlError::WrongLength {
            expected: beats.len().next_multiple_of(Self::JOB_BEATS),
            got: beats.len(),
        })
    }

    /// 2^(bits + 17) / q rounded down, at most 2^18: what the machine estimates quotients with.
    #[must_use]
    pub fn reciprocal(&self) -> u64 {
        let modulus = super::model::integer(self.modulus);
        let quotient = (BigUint::from(1_u32) << (self.bits + 17)) / modulus;
        quotient.iter_u64_digits().next().unwrap_or(0)
    }

    /// The module and its parameters, as builds name them.
    #[must_use]
    pub fn machine(&self) -> String {
        format!(
            "karatsuba_resident Levels={} Long={} ModulusWidth={}",
            Self::LEVELS,
            Self::LONG,
            self.bits
        )
    }

    /// The cycles of a leaf in a multiplier.
    const fn leaf_cycles() -> u64 {
        Self::LEAF as u64
    }

    /// The rounds of four leaves.
    const fn rounds() -> u64 {
        (Self::LEAVES as u64).div_ceil(Self::MULTIPLIERS)
    }

    /// The cycles from the first beat of jobs, with the key there, to the last beat of their results, if the host gives and
    /// takes a beat in each cycle: a job comes, its leaves go through sums, products and recursions, and its coefficients
    /// leave while the last recursion still works; the next job's leaves follow after a pause of a round.
    #[must_use]
    pub const fn cycles(&self, jobs: u64) -> u64 {
        let leaves = Self::rounds() * Self::leaf_cycles();
        let again = jobs.saturating_sub(1) * (leaves + Self::leaf_cycles());
        let levels = Self::LEVELS as u64;
        let (start, sums, products, joins) = (2, levels, 3, 4 * levels);
        let fold = (Self::LONG + Self::LEAF) as u64 + 8;
        Self::JOB_BEATS as u64
            + start
            + leaves
            + again
            + sums
            + products
            + joins
            + fold
            + self.result_cycles()
    }

    /// The cycles of a result on the link: coefficients come one a cycle, beats leave one a cycle.
    const fn result_cycles(&self) -> u64 {
        let beats = self.result_beats() as u64;
        if beats > Self::N as u64 {
            beats
        } else {
            Self::N as u64
        }
    }
}
