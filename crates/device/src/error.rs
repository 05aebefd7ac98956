use ringmill_arith::ArithError;
use ringmill_ring::{Domain, RingError};
use thiserror::Error;

/// The errors of devices.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// Words were given in the wrong number.
    #[error("expected {expected} words, got {got}")]
    WrongLength {
        /// Words needed.
        expected: usize,
        /// Words given.
        got: usize,
    },
    /// A word is not a canonical residue.
    #[error("word {index} of the limb modulo {modulus} is {word}, not below the modulus")]
    OutOfRange {
        /// The limb's prime.
        modulus: u64,
        /// Position in the limb.
        index: usize,
        /// The offending word.
        word: u64,
    },
    /// The operands are over different bases.
    #[error("operands are over different bases ({left} and {right} limbs)")]
    BasisMismatch {
        /// Limbs of the first operand.
        left: usize,
        /// Limbs of the second operand.
        right: usize,
    },
    /// An operand is in the wrong domain.
    #[error("the operation needs a polynomial in {0:?} domain")]
    WrongDomain(Domain),
    /// The caller asks for a limb that the polynomial does not have.
    #[error("the polynomial has no limb modulo {0}")]
    MissingLimb(u64),
    /// The number of limbs to keep leaves nothing to drop, or nothing to keep.
    #[error("cannot keep {keep} of {limbs} limbs")]
    BadLimbCount {
        /// Limbs to keep.
        keep: usize,
        /// Limbs that the polynomial has.
        limbs: usize,
    },
    /// The operation was given no operands.
    #[error("the operation needs at least one operand")]
    NoOperands,
    /// A key has fewer digits than the polynomial.
    #[error("the switching key has {got} digits, {needed} are needed")]
    ShortKey {
        /// Digits of the polynomial.
        needed: usize,
        /// Digits of the key.
        got: usize,
    },
    /// The digits do not belong to the polynomial with which they are used.
    #[error("{got} digits were given, the polynomial has {needed}: decompose one over the same basis")]
    WrongDigits {
        /// Digits of the polynomial.
        needed: usize,
        /// Digits given.
        got: usize,
    },
    /// No device makes digits of this size.
    #[error("digits of {0} bits are not supported: 2 to 1024 are")]
    BadDigits(usize),
    /// The device cannot do this, and nothing else did it in its place.
    #[error("{device} cannot do this: it needs {need}")]
    Unsupported {
        /// The device's name.
        device: String,
        /// What it needs, and what it was given.
        need: String,
    },
    /// The device failed.
    #[error("{device} failed: {problem}")]
    Failed {
        /// The device's name.
        device: String,
        /// What happened.
        problem: String,
    },
    /// The ring layer refused.
    #[error(transparent)]
    Ring(#[from] RingError),
    /// The arithmetic layer refused.
    #[error(transparent)]
    Arith(#[from] ArithError),
}
