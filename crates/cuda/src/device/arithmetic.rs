use ringmill_arith::Modulus;

/// How kernels compute with residues; all give the same bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    /// With fused multiplications of doubles (`kernels/doubles.cuh`): fastest where cards have many units for
    /// doubles, as those for data centres have.
    Doubles,
    /// With integers of 64 bits (`kernels/words.cuh`).
    Words,
    /// Magnitudes instead of residues (`emulator/bounds.hpp`), to prove that doubles are exact.
    #[cfg(feature = "emulator")]
    Bounds,
}

impl Arithmetic {
    /// Bits that primes can have.
    pub const MAX_BITS: u32 = 50;

    /// The end of its kernels' names.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Doubles => "doubles",
            Self::Words => "words",
            #[cfg(feature = "emulator")]
            Self::Bounds => "bounds",
        }
    }

    /// Words of a factor in a table.
    pub(super) const fn factor_words(self) -> usize {
        match self {
            Self::Words => 2,
            _ => 1,
        }
    }

    /// Appends a fixed factor, a residue modulo q, to a table.
    pub(super) fn encode(self, q: &Modulus, w: u64, table: &mut Vec<u64>) {
        match self {
            Self::Words => table.extend([w, q.shoup(w)]),
            _ => table.push((q.center(w) as f64).to_bits()),
        }
    }
}
