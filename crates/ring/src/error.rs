use ringmill_arith::ArithError;
use thiserror::Error;

/// What can go wrong in this crate.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RingError {
    /// No Fermat ring of this dimension is offered.
    #[error("dimension {0} is not a power of two from 2048 to 131072")]
    BadDimension(usize),
    /// A polynomial has the wrong number of coefficients.
    #[error("expected {expected} coefficients, got {got}")]
    WrongLength {
        /// Coefficients needed.
        expected: usize,
        /// Coefficients given.
        got: usize,
    },
    /// More slot values than slots.
    #[error("{got} bits do not fit {slots} slots")]
    TooManyBits {
        /// Bits given.
        got: usize,
        /// Slots of the ring.
        slots: usize,
    },
    /// An automorphism needs a unit modulo d.
    #[error("{exponent} is not invertible modulo {d}")]
    NotAUnit {
        /// The exponent given.
        exponent: u64,
        /// The ring's d.
        d: u64,
    },
    /// A prime or a kernel was refused.
    #[error(transparent)]
    Arith(#[from] ArithError),
}
