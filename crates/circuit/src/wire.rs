//! The index of a value in a circuit.

use std::fmt;

/// A bit or row of bytes in a circuit, named by the index of the gate that defines it.
///
/// Gate `i` of a [`Circuit`](crate::Circuit) defines wire `i`. A wire has a meaning only together with its
/// circuit or builder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Wire(u32);

impl Wire {
    /// The wire that gate number `index` defines, counted from 0.
    #[must_use]
    pub const fn new(index: u32) -> Self {
        Self(index)
    }

    /// The number of the gate that defines this wire, for indexing per-wire tables.
    #[must_use]
    pub const fn index(self) -> usize {
        // This is lossless wherever the standard library runs with pointers of at least 32 bits.
        self.0 as usize
    }

    /// This wire's entry in a table with one entry per wire, or the default value if the table is too short.
    /// In a validated circuit it never is.
    pub(crate) fn of<T: Copy + Default>(self, table: &[T]) -> T {
        table.get(self.index()).copied().unwrap_or_default()
    }
}

impl fmt::Display for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "w{}", self.0)
    }
}
