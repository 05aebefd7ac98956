use super::DIGIT;
use crate::RtlError;

/// The sizes of the numbers of c = e + 2 sum_i x_i b_i modulo x_0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sizes {
    gamma: u32,
    alpha: u32,
    terms: u32,
    correction: u32,
}

impl Sizes {
    /// Sizes in bits: gamma of x_0 and of the numbers chi_i that a seed stands for, alpha of the factors b_i, and of the
    /// corrections delta_i, where x_i = chi_i - delta_i; and the number of terms, tau.
    ///
    /// # Errors
    /// [`RtlError::BadComba`] unless gamma is a multiple of the 512 bits of a ChaCha20 block, alpha and correction are below
    /// gamma, and there are 1 to 65,535 terms.
    pub const fn new(gamma: u32, alpha: u32, terms: usize, correction: u32) -> Result<Self, RtlError> {
        let need = if gamma == 0 || !gamma.is_multiple_of(512) {
            "gamma to be whole blocks of 512 bits"
        } else if alpha == 0 || correction == 0 || alpha + 64 > gamma || correction + 64 > gamma {
            "factors and corrections of at least one bit, and shorter than gamma by 64 bits"
        } else if terms == 0 || terms > 0xffff {
            "1 to 65,535 terms"
        } else {
            let terms = terms as u32;
            return Ok(Self {
                gamma,
                alpha,
                terms,
                correction,
            });
        };
        Err(RtlError::BadComba { need })
    }

    /// The bits of the modulus.
    #[must_use]
    pub const fn gamma(&self) -> u32 {
        self.gamma
    }

    /// The bits of a factor.
    #[must_use]
    pub const fn alpha(&self) -> u32 {
        self.alpha
    }

    /// The bits of a correction.
    #[must_use]
    pub const fn correction(&self) -> u32 {
        self.correction
    }

    /// The number of terms.
    #[must_use]
    pub const fn terms(&self) -> usize {
        self.terms as usize
    }

    /// The words of 64 bits of the modulus.
    #[must_use]
    pub const fn words(&self) -> usize {
        self.gamma as usize / 64
    }

    /// The words of a factor.
    #[must_use]
    pub const fn factor_words(&self) -> usize {
        self.alpha.div_ceil(64) as usize
    }

    /// The words of a correction.
    #[must_use]
    pub const fn correction_words(&self) -> usize {
        self.correction.div_ceil(64) as usize
    }

    /// The digits of the modulus.
    pub(super) const fn digits(&self) -> usize {
        (self.gamma / DIGIT) as usize
    }

    /// Bits that the sum may have beyond gamma: those of a factor, the doubling, the number of terms, and e.
    pub(super) const fn excess_bits(&self) -> u32 {
        self.alpha + 2 + self.terms.next_power_of_two().trailing_zeros()
    }
}
