use ringmill_arith::ArithError;
use ringmill_format::FormatError;
use ringmill_ring::RingError;
use thiserror::Error;

/// The errors of this family.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum KaratsubaError {
    /// No set has this name.
    #[error("there is no set {name:?}; known: {known}")]
    UnknownSet {
        /// The name asked for.
        name: String,
        /// All names.
        known: String,
    },
    /// A representation cannot hold what it has to.
    #[error("{what} needs {needed} bits where {most} are exact: take fewer or shorter coefficients")]
    Overflow {
        /// What does not fit.
        what: &'static str,
        /// Bits that it needs.
        needed: u32,
        /// Bits that there are.
        most: u32,
    },
    /// A polynomial or a list of them has the wrong length.
    #[error("{what}: expected {expected}, got {got}")]
    WrongLength {
        /// What is counted.
        what: &'static str,
        /// The count needed.
        expected: usize,
        /// The count given.
        got: usize,
    },
    /// Two objects were made with different parameters.
    #[error("{what} was made with other parameters: use the set it was made with")]
    ParameterMismatch {
        /// What does not fit.
        what: &'static str,
    },
    /// The ring refused; after decryption, [`RingError::NotABit`] says that the key is wrong.
    #[error(transparent)]
    Ring(#[from] RingError),
    /// Primes, kernels or randomness failed.
    #[error(transparent)]
    Arith(#[from] ArithError),
    /// A file is not what it should be.
    #[error(transparent)]
    Format(#[from] FormatError),
}

/// Checks a length.
pub(super) fn expect_len(what: &'static str, expected: usize, got: usize) -> Result<(), KaratsubaError> {
    if expected == got {
        return Ok(());
    }
    Err(KaratsubaError::WrongLength { what, expected, got })
}
