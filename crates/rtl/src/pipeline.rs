use std::fmt;

/// The depth of a machine's arithmetic (`pipeline_e` of `hdl/common/ringmill_pkg.sv`).
///
/// The latencies here are counted register by register, by the description in `hdl/README.md`, and not taken from the
/// SystemVerilog.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Pipeline {
    /// Few registers, as in the papers: sums and corrections share a cycle with a product.
    Shallow,
    /// A cycle for every product and every sum, for DSP slices of 25 x 18 bits.
    Deep,
    /// The same for slices of 18 x 18 bits.
    Narrow,
}

impl fmt::Display for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Shallow => "shallow",
            Self::Deep => "deep",
            Self::Narrow => "narrow",
        })
    }
}

impl Pipeline {
    /// The value of the modules' parameter.
    #[must_use]
    pub const fn value(self) -> u32 {
        match self {
            Self::Shallow => 0,
            Self::Deep => 1,
            Self::Narrow => 2,
        }
    }

    /// Cycles of the sum and the difference of two residues.
    #[must_use]
    pub const fn sums(self) -> u64 {
        match self {
            Self::Shallow => 0,
            Self::Deep | Self::Narrow => 2,
        }
    }

    /// Cycles of the product of two words: operands, partial products, and a sum for each digit of 16 (to 32 bits) or 17
    /// bits.
    pub(crate) const fn product(self, width: u32) -> u64 {
        match self {
            Self::Shallow => 2,
            Self::Deep | Self::Narrow => {
                let digit = if width <= 32 { 16 } else { 17 };
                2 + width.div_ceil(digit) as u64
            }
        }
    }

    /// Cycles of a Montgomery reduction by steps of `word` bits. A deep step has a product and a sum, one sum more where
    /// the upper part of the modulus is longer than a slice's operand; a correction ends the last one.
    const fn reduction(self, width: u32, word: u32) -> u64 {
        let steps = width.div_ceil(word) as u64;
        let operand = match self {
            Self::Shallow => return steps,
            Self::Deep => 25,
            Self::Narrow => 18,
        };
        let sums = if width - word + 1 > operand { 3 } else { 2 };
        steps * sums + 1
    }

    /// Cycles of a product of residues with its reduction.
    #[must_use]
    pub const fn multiplication(self, width: u32, word: u32) -> u64 {
        self.product(width) + self.reduction(width, word)
    }

    /// Cycles of a butterfly unit for words of `width` bits and primes that are 1 modulo 2^`word`, of fewer than `width`
    /// bits: sums, product, reduction and, if it combines, sums and a choice behind the product.
    #[must_use]
    pub const fn butterfly(self, width: u32, word: u32, combines: bool) -> u64 {
        let behind = if combines { self.sums() + 1 } else { 0 };
        self.sums() + self.multiplication(width, word) + behind
    }

    /// Cycles of a lane of the core's conversion unit: its memory and that memory's register, product, reduction, and
    /// three for the sum.
    #[must_use]
    pub const fn conversion_lane(self, width: u32, word: u32) -> u64 {
        2 + self.product(width) + self.reduction(width, word) + 3
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latencies_are_those_of_the_documents() {
        let of = |pipeline: Pipeline, width, word, combines| pipeline.butterfly(width, word, combines);
        assert_eq!(of(Pipeline::Shallow, 32, 11, false), 5);
        assert_eq!(of(Pipeline::Shallow, 32, 7, false), 7);
        assert_eq!(of(Pipeline::Deep, 32, 11, false), 13);
        assert_eq!(of(Pipeline::Narrow, 32, 11, false), 16);
        assert_eq!(of(Pipeline::Deep, 32, 11, true), 16);
        assert_eq!(of(Pipeline::Deep, 32, 17, true), 14);
        assert_eq!(of(Pipeline::Deep, 50, 17, true), 20);
        assert_eq!(Pipeline::Deep.conversion_lane(50, 17), 20);
    }
}
