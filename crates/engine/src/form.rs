use std::fmt;

/// How products of ciphertexts are computed. Ciphertexts are the same in both, and so is all the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// FV: the message is read in the high bits. Factors are lifted to a larger modulus, and their product
    /// is scaled down again. The noise grows by a fixed number of bits, at any modulus.
    High,
    /// The message is read in the low bits of t c: the product is pointwise, and the noise is multiplied
    /// by itself. It wants a modulus switch before nearly every product.
    Low,
}

impl Form {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Low, Self::High];
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::High => "high bits",
            Self::Low => "low bits",
        })
    }
}
