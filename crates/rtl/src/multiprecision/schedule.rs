use super::Shape;

/// The cycles of a pipeline's stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schedule {
    shape: Shape,
}

impl Schedule {
    /// Makes the schedule of a shape.
    #[must_use]
    pub const fn new(shape: Shape) -> Self {
        Self { shape }
    }

    /// The cycles of a lift's sum of products: a slot each, for every word.
    #[must_use]
    pub const fn lift_sum(&self) -> usize {
        self.shape.lift_slots() * self.shape.lift_words()
    }

    /// The cycles of a lift's new residues: a slot each, for every new prime.
    #[must_use]
    pub const fn lift_residues(&self) -> usize {
        self.shape.lift_slots() * (self.shape.total() - self.shape.base())
    }

    /// The products of a lift's division, one a cycle.
    #[must_use]
    pub const fn lift_division(&self) -> usize {
        self.shape.lift_words().div_ceil(2) * self.shape.lift_reciprocal()
    }

    /// The cycles between two lifts in a full pipeline whose division is done while the cores make residues.
    #[must_use]
    pub const fn lift(&self) -> usize {
        self.lift_sum() + self.lift_residues()
    }

    /// The cycles of a scale's sum of products.
    #[must_use]
    pub const fn scale_sum(&self) -> usize {
        self.shape.scale_slots() * self.shape.scale_words()
    }

    /// The cycles of the reduction modulo Q: a pass for each bit in excess, one to compare with Q / 2, one to hand
    /// on; a cycle between passes decides which words count.
    #[must_use]
    pub const fn scale_reduction(&self) -> usize {
        (self.shape.excess_bits() as usize + 2) * (self.shape.scale_words() + 1)
    }

    /// The products of a scale's division, one a cycle.
    #[must_use]
    pub const fn scale_division(&self) -> usize {
        self.shape.scale_words().div_ceil(2) * self.shape.scale_reciprocal()
    }

    /// The cycles of the passes of the reduction modulo q: less 2 q, less q, compared with q / 2, handed on.
    #[must_use]
    pub const fn scale_centre(&self) -> usize {
        4 * (self.shape.modulus_words() + 1)
    }

    /// The cycles of the residues of a scaled coefficient: two half words each, for every round.
    #[must_use]
    pub const fn scale_residues(&self) -> usize {
        2 * self.shape.modulus_words() * self.shape.residue_rounds()
    }
}
