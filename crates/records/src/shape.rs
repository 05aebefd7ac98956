//! What a table must know of a circuit's port.

/// Name and size of a port: its wires all hold bits, or all hold rows of equally many bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortShape {
    /// The port's name, which is its column's.
    pub name: String,
    /// Number of wires, at least one.
    pub wires: usize,
    /// Bytes of a wire's row, at least one; `None` if the wires hold bits.
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

    /// Bits of one record's value, 8 for each byte of rows; `None` if they cannot be counted.
    #[must_use]
    pub fn width(&self) -> Option<usize> {
        match self.bytes_per_wire {
            None => Some(self.wires),
            Some(bytes) => self.wires.checked_mul(bytes)?.checked_mul(8),
        }
    }
}
