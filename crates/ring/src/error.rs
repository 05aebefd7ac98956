use ringmill_arith::ArithError;
use thiserror::Error;

/// The errors of this crate.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RingError {
    /// This crate offers no ring of this kind and dimension.
    #[error("dimension {n} is not among those offered: {offered:?}")]
    BadDimension {
        /// The requested dimension.
        n: usize,
        /// The dimensions that are offered.
        offered: &'static [usize],
    },
    /// A polynomial has the wrong number of coefficients.
    #[error("expected {expected} coefficients, got {got}")]
    WrongLength {
        /// The number of coefficients needed.
        expected: usize,
        /// The number of coefficients given.
        got: usize,
    },
    /// Another transform prepared this fixed factor of products.
    #[error(
        "the factor was prepared for dimension {n} modulo {modulus}, or for another kernel: prepare it again"
    )]
    ForeignFactor {
        /// The dimension for which it was prepared.
        n: usize,
        /// The prime for which it was prepared.
        modulus: u64,
    },
    /// There are more bits than slots.
    #[error("{got} bits do not fit {slots} slots")]
    TooManyBits {
        /// The number of bits given.
        got: usize,
        /// The number of slots of the ring.
        slots: usize,
    },
    /// There are more bytes than slots.
    #[error("{got} bytes do not fit {slots} slots")]
    TooManyBytes {
        /// The number of bytes given.
        got: usize,
        /// The number of slots of the ring.
        slots: usize,
    },
    /// A slot's value is not in GF(2^8).
    #[error("slot {slot} holds no byte: the element was not computed from bytes, or is wrong")]
    NotAByte {
        /// The first such slot.
        slot: usize,
    },
    /// Slots cannot be arranged in rows of this length.
    #[error("rows have 1, 2, 4, 8 or 16 bytes, not {0}")]
    BadRowLength(usize),
    /// A linear map of rows names a position beyond the end of a row.
    #[error("no position {position} in rows of {length} bytes, counted from 0")]
    NoSuchPosition {
        /// The position that the map names.
        position: usize,
        /// The number of bytes in a row.
        length: usize,
    },
    /// This crate offers no cyclotomic ring of this conductor.
    #[error("conductor {m}: an odd number from 3 to 131072 is needed")]
    BadConductor {
        /// The requested conductor.
        m: u64,
    },
    /// The ring does not split modulo 2.
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
    /// The exponent of an automorphism is not a unit modulo the conductor d.
    #[error("{exponent} is not invertible modulo {d}")]
    NotAUnit {
        /// The given exponent.
        exponent: u64,
        /// The ring's conductor.
        d: u64,
    },
    /// The prime or the kernel was refused.
    #[error(transparent)]
    Arith(#[from] ArithError),
}
