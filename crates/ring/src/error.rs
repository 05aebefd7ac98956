use ringmill_arith::ArithError;
use thiserror::Error;

/// What can go wrong in this crate.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RingError {
    /// No ring of this kind and dimension is offered.
    #[error("dimension {n} is not among those offered: {offered:?}")]
    BadDimension {
        /// The dimension asked for.
        n: usize,
        /// The dimensions there are.
        offered: &'static [usize],
    },
    /// A polynomial has the wrong number of coefficients.
    #[error("expected {expected} coefficients, got {got}")]
    WrongLength {
        /// Coefficients needed.
        expected: usize,
        /// Coefficients given.
        got: usize,
    },
    /// A factor of products was prepared by another transform.
    #[error(
        "the factor was prepared for dimension {n} modulo {modulus}, or for another kernel: prepare it again"
    )]
    ForeignFactor {
        /// Its dimension.
        n: usize,
        /// Its prime.
        modulus: u64,
    },
    /// More bits than slots.
    #[error("{got} bits do not fit {slots} slots")]
    TooManyBits {
        /// Bits given.
        got: usize,
        /// Slots of the ring.
        slots: usize,
    },
    /// More bytes than slots.
    #[error("{got} bytes do not fit {slots} slots")]
    TooManyBytes {
        /// Bytes given.
        got: usize,
        /// Slots of the ring.
        slots: usize,
    },
    /// A slot's value is not in GF(2^8).
    #[error("slot {slot} holds no byte: the element was not computed from bytes, or is wrong")]
    NotAByte {
        /// The first such slot.
        slot: usize,
    },
    /// Slots are not arranged in rows of this length.
    #[error("rows have 1, 2, 4, 8 or 16 bytes, not {0}")]
    BadRowLength(usize),
    /// A linear map of rows names a position that they do not have.
    #[error("no position {position} in rows of {length} bytes, counted from 0")]
    NoSuchPosition {
        /// The position named.
        position: usize,
        /// Bytes of a row.
        length: usize,
    },
    /// No cyclotomic ring of this conductor is offered.
    #[error("conductor {m}: an odd number from 3 to 131072 is needed")]
    BadConductor {
        /// The conductor asked for.
        m: u64,
    },
    /// A ring does not split modulo 2.
    #[error("Phi_{m} is irreducible modulo 2 and has no slots: choose a conductor with several factors")]
    NoSlots {
        /// The ring's conductor.
        m: u64,
    },
    /// A slot's value is not in GF(2).
    #[error("slot {slot} holds no bit: the element was not computed from bits, or is wrong")]
    NotABit {
        /// The first such slot.
        slot: usize,
    },
    /// An automorphism needs a unit modulo the conductor d.
    #[error("{exponent} is not invertible modulo {d}")]
    NotAUnit {
        /// The exponent given.
        exponent: u64,
        /// The ring's conductor.
        d: u64,
    },
    /// A prime or a kernel was refused.
    #[error(transparent)]
    Arith(#[from] ArithError),
}
