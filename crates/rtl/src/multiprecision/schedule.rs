use super::{Shape, WORD};
use crate::Pipeline;

/// The cycles of a pipeline, counted by the description in `docs/machines/multiprecision.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schedule {
    shape: Shape,
}

impl Schedule {
    const PIPELINE: Pipeline = Pipeline::Deep;

    /// The cycles of a reduction modulo a prime: two products of 31 bits, a difference, two corrections.
    const REDUCTION: u64 = 2 * Self::PIPELINE.product(Shape::PRIME + 1) + 3;

    /// The cycles from a residue's arrival to its slot: tables, product, reduction.
    const ARRIVAL: u64 = 1 + Self::PIPELINE.product(Shape::PRIME) + Self::REDUCTION;

    /// The cycles of a sum's reduction modulo a prime: tables, fold (product and sum), reduction, sign.
    const FOLD: u64 = 1 + 2 + Self::REDUCTION + 1;

    /// The cycles from a division's last product to its last word: memories, product by three of half the length with
    /// a sum before and two behind, sum.
    const DIVISION: u64 = 1 + (1 + Self::PIPELINE.product(WORD + 1) + 2) + 1;

    /// Makes the schedule of a shape.
    #[must_use]
    pub const fn new(shape: Shape) -> Self {
        Self { shape }
    }

    /// The cycles of a lift's sum of products: a slot each, for every word.
    #[must_use]
    pub const fn lift_sum(&self) -> u64 {
        (self.shape.lift_slots() * self.shape.lift_words()) as u64
    }

    /// The cycles of a lift's new residues: a slot each, for every new prime.
    #[must_use]
    pub const fn lift_residues(&self) -> u64 {
        (self.shape.lift_slots() * (self.shape.total() - self.shape.base())) as u64
    }

    /// The cycles of a scale's sum of products.
    #[must_use]
    pub const fn scale_sum(&self) -> u64 {
        (self.shape.scale_slots() * self.shape.scale_words()) as u64
    }

    /// The cycles of the reduction modulo Q: a pass for each bit in excess, one to compare with Q / 2, one to hand
    /// on; a cycle between passes decides which words count.
    #[must_use]
    pub const fn scale_reduction(&self) -> u64 {
        (self.shape.excess_bits() as u64 + 2) * (self.shape.scale_words() as u64 + 1)
    }

    /// The cycles of a division: the products of its columns, and one for each column without any.
    #[must_use]
    pub fn division(&self, scale: bool) -> u64 {
        self.division_from(scale, 0)
    }

    /// The cycles of a division's columns from one on.
    fn division_from(&self, scale: bool, from: usize) -> u64 {
        let shape = self.shape;
        let (dividend, reciprocal, fraction, results) = if scale {
            let results = shape.quotient_words() / 2;
            (
                shape.scale_words(),
                shape.scale_reciprocal(),
                shape.scale_fraction(),
                results,
            )
        } else {
            (
                shape.lift_words(),
                shape.lift_reciprocal(),
                shape.lift_fraction(),
                1,
            )
        };
        let products = |column: usize| {
            let pairs = (0..dividend.div_ceil(2)).filter(|&i| i <= column && column - i < reciprocal);
            pairs.count().max(1) as u64
        };
        (from..fraction + results).map(products).sum()
    }

    /// The cycles of the passes of the reduction modulo q: less 2 q, less q, compared with q / 2, handed on.
    #[must_use]
    pub const fn scale_centre(&self) -> u64 {
        4 * (self.shape.modulus_words() as u64 + 1)
    }

    /// The cycles of the residues of a scaled coefficient: two half words each, for every round.
    #[must_use]
    pub const fn scale_residues(&self) -> u64 {
        2 * (self.shape.modulus_words() * self.shape.residue_rounds()) as u64
    }

    /// The cycles from a step's last product to its word: memories, product, sum, and the cores of an arm, whose words
    /// meet in one more sum.
    const fn sum_latency(&self) -> u64 {
        1 + Self::PIPELINE.product(WORD) + 1 + self.shape.cores() as u64 / 2
    }

    /// The cycles from a division's result to the last word less a multiple of q: two products of 64 bits.
    const fn barrett(&self) -> u64 {
        2 * Self::PIPELINE.product(64) + self.shape.modulus_words() as u64 + 2
    }

    /// The cycles from the end of a lift's sum to the first step that needs its quotient: one to begin the division,
    /// two to write the quotient's pieces, two to begin a phase.
    fn lift_gap(&self) -> u64 {
        self.sum_latency() + self.division(false) + Self::DIVISION + 4
    }

    /// The cycles between two lifts in a full pipeline: the next sum waits for the division, beside which the cores
    /// make residues.
    #[must_use]
    pub fn lift_interval(&self) -> u64 {
        self.lift_sum() + self.lift_residues().max(self.lift_gap())
    }

    /// The cycles between two scales in a full pipeline: the longest stage. The stages with one buffer have it empty
    /// before words come again.
    #[must_use]
    pub fn scale_interval(&self) -> u64 {
        let words = self.shape.modulus_words() as u64;
        let quotient = self.division_from(true, self.shape.scale_fraction() + 1) + self.barrett();
        [
            self.scale_sum(),
            self.scale_reduction(),
            self.division(true),
            quotient,
            self.scale_centre(),
            words + self.scale_residues(),
        ]
        .into_iter()
        .fold(0, u64::max)
    }

    /// The cycles of so many lifts, at least one, from the first residue's arrival to the last one that leaves.
    #[must_use]
    pub fn lifts(&self, count: u64) -> u64 {
        let first = self.shape.base() as u64 + Self::ARRIVAL + self.lift_sum() + self.lift_gap();
        first + (count - 1) * self.lift_interval() + self.lift_residues() + self.sum_latency() + Self::FOLD
    }

    /// The cycles of so many scales, at least one, from the first residue's arrival to the last one that leaves.
    #[must_use]
    pub fn scales(&self, count: u64) -> u64 {
        let sum = self.shape.total() as u64 + Self::ARRIVAL + self.scale_sum() + self.sum_latency();
        let reduction = self.scale_reduction() + 1;
        let division = 1 + self.division(true) + Self::DIVISION;
        let centre = self.barrett() + self.scale_centre() + 1;
        // A product, its sum, and the sums of a round one after another.
        let last_unit = (self.shape.base() - 1) % Shape::RESIDUE_UNITS;
        let residues = self.scale_residues() + Self::PIPELINE.product(Shape::PRIME) + 3 + last_unit as u64;
        sum + reduction + division + centre + residues + Self::FOLD + (count - 1) * self.scale_interval()
    }
}
