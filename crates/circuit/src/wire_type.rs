//! The kinds of wires.

use std::fmt;

/// The most bytes in a row.
pub const MAX_ROW_BYTES: usize = 4096;

/// The kind of value that a wire carries in each record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WireType {
    /// An element of GF(2).
    #[default]
    Bit,
    /// A row of this many elements of GF(2^8), from 1 to [`MAX_ROW_BYTES`]. [`field`](crate::field) defines
    /// how bytes are such elements. A row of one is called a byte.
    Row(usize),
}

impl WireType {
    /// A row of one byte.
    pub const BYTE: Self = Self::Row(1);

    /// The number of places that the value of one record takes: 1 for a bit, the number of bytes for a row.
    #[must_use]
    pub const fn slots(self) -> usize {
        match self {
            Self::Bit => 1,
            Self::Row(bytes) => bytes,
        }
    }

    /// Whether this is [`WireType::Bit`].
    #[must_use]
    pub const fn is_bit(self) -> bool {
        matches!(self, Self::Bit)
    }

    /// Whether a row has from 1 to [`MAX_ROW_BYTES`] bytes; true for bits.
    pub(crate) const fn has_valid_size(self) -> bool {
        1 <= self.slots() && self.slots() <= MAX_ROW_BYTES
    }
}

impl fmt::Display for WireType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bit => write!(f, "bit"),
            Self::Row(bytes) => write!(f, "row of {bytes} bytes"),
        }
    }
}
