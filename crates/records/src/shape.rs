//! A circuit's port, as far as a table must know it.

/// The name and the size of a port. Its wires all hold bits, or all hold rows of the same number of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortShape {
    /// The name of the port and of its column.
    pub name: String,
    /// The number of wires, at least one.
    pub wires: usize,
    /// The bytes of a wire's row, at least one; `None` if the wires hold bits.
    pub bytes_per_wire: Option<usize>,
}

impl PortShape {
    /// A port of `wires` bits, least significant first.
    #[must_use]
    pub fn bits(name: impl Into<String>, wires: usize) -> Self {
        Self {
            name: name.into(),
            wires,
            bytes_per_wire: None,
        }
    }

    /// A port of `wires` rows of `bytes` bytes each.
    #[must_use]
    pub fn rows(name: impl Into<String>, wires: usize, bytes: usize) -> Self {
        Self {
            name: name.into(),
            wires,
            bytes_per_wire: Some(bytes),
        }
    }

    /// The bits of one record's value, 8 for each byte of rows; `None` if the number overflows.
    #[must_use]
    pub fn width(&self) -> Option<usize> {
        match self.bytes_per_wire {
            None => Some(self.wires),
            Some(bytes) => self.wires.checked_mul(bytes)?.checked_mul(8),
        }
    }
}
