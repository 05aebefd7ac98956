use std::fmt;

use crate::Side;

/// How products of ciphertexts are computed. Ciphertexts are the same in both forms, and so is everything else.
///
/// A ciphertext holds its message in the most significant bits of the phase (MSB), as BFV has it. Multiplied by t
/// modulo q, the same ciphertext holds the message in the least significant bits (LSB), as BGV has it; so a plan may
/// use either product and files need not say which.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProductForm {
    /// The product of FV, also called BFV: one operand is lifted to a larger modulus, the other is scaled and lifted, and
    /// the product is divided by a part of that modulus. The noise grows by a fixed number of bits, at any modulus.
    Bfv,
    /// The product of BGV: it is pointwise, and noise is multiplied by noise. It wants a modulus switch before nearly
    /// every product.
    Bgv,
}

impl ProductForm {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Bgv, Self::Bfv];

    /// The sides of a product for which its factors are made ready.
    #[must_use]
    pub fn sides(self) -> [Side; 2] {
        match self {
            Self::Bfv => Side::DIFFERENT,
            Self::Bgv => Side::ALIKE,
        }
    }
}

impl fmt::Display for ProductForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bfv => "BFV form",
            Self::Bgv => "BGV form",
        })
    }
}
