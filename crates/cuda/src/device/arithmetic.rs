use ringmill_arith::Modulus;

use crate::gpu::GpuError;

/// The environment variable that chooses the arithmetic of GPUs.
const VARIABLE: &str = "RINGMILL_CUDA_ARITHMETIC";

/// The way in which kernels compute with residues; all ways give the same bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    /// Fused multiplications of doubles (`kernels/doubles.cuh`): fastest on GPUs with many units for
    /// doubles, such as those for data centres.
    Doubles,
    /// Integers of 64 bits (`kernels/words.cuh`).
    Words,
    /// Magnitudes instead of residues (`emulator/bounds.hpp`), to prove that doubles are exact.
    #[cfg(feature = "emulator")]
    Bounds,
}

impl Arithmetic {
    /// The most bits that a prime can have.
    pub const MAX_BITS: u32 = 50;

    /// The faster arithmetic for GPUs of this compute capability: doubles if there are at least half as many
    /// units for them as for integers of 32 bits.
    #[must_use]
    pub const fn of_capability(capability: (u32, u32)) -> Self {
        match capability {
            (8..=10, 0) => Self::Doubles,
            _ => Self::Words,
        }
    }

    /// The arithmetic that `RINGMILL_CUDA_ARITHMETIC` asks for, or else that of the GPU's compute
    /// capability.
    ///
    /// # Errors
    /// [`GpuError::NoArithmetic`] if the variable has another value.
    pub fn from_environment(capability: (u32, u32)) -> Result<Self, GpuError> {
        Self::by_name(&std::env::var(VARIABLE).unwrap_or_default(), capability)
    }

    fn by_name(name: &str, capability: (u32, u32)) -> Result<Self, GpuError> {
        match name {
            "" | "auto" => Ok(Self::of_capability(capability)),
            "doubles" => Ok(Self::Doubles),
            "words" => Ok(Self::Words),
            other => Err(GpuError::NoArithmetic(other.to_owned())),
        }
    }

    /// The suffix of its kernels' names.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Doubles => "doubles",
            Self::Words => "words",
            #[cfg(feature = "emulator")]
            Self::Bounds => "bounds",
        }
    }

    /// The number of words of a factor in a table.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gpus_have_their_arithmetic() {
        use Arithmetic::{Doubles, Words};
        // A100, RTX 3090, RTX 4090, H100, B200, RTX 5090.
        let capabilities = [(8, 0), (8, 6), (8, 9), (9, 0), (10, 0), (12, 0)];
        let expected = [Doubles, Words, Words, Doubles, Doubles, Words];
        assert_eq!(capabilities.map(Arithmetic::of_capability), expected);
        assert_eq!(Arithmetic::by_name("words", (9, 0)), Ok(Words));
        assert_eq!(Arithmetic::by_name("doubles", (8, 9)), Ok(Doubles));
        assert_eq!(Arithmetic::by_name("auto", (8, 9)), Ok(Words));
        let refusal = Arithmetic::by_name("floats", (9, 0)).unwrap_err();
        assert!(refusal.to_string().contains("floats"), "{refusal}");
    }
}
