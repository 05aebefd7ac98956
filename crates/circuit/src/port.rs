//! Named groups of wires at the edge of a circuit.

use std::fmt;

use crate::{Wire, WireType};

/// The parties that know the values of an input port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Visibility {
    /// The evaluator sees the values in the clear.
    Public,
    /// The evaluator sees the values only in encrypted form.
    Private,
}

/// A named group of input bits or rows that are supplied together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputPort {
    /// The name, unique among the circuit's input ports.
    pub name: String,
    /// Whether the evaluator knows the values.
    pub visibility: Visibility,
    /// The kind of every wire of the port.
    pub kind: WireType,
    /// The [`Gate::Input`](crate::Gate::Input) wires: one per bit, least significant bit first, or one per
    /// row; at least one. No wire is listed twice in a circuit.
    pub wires: Vec<Wire>,
}

/// A named group of result bits or rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputPort {
    /// The name, unique among the circuit's output ports (an input port may share it).
    pub name: String,
    /// The kind of every wire of the port.
    pub kind: WireType,
    /// One wire per bit, least significant bit first, or one per row; at least one. Any wire of the kind may
    /// serve, even an input's, and even several times.
    pub wires: Vec<Wire>,
}

/// The name and size of a port, for errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortSize {
    /// The port's name.
    pub name: String,
    /// The kind of every wire of the port.
    pub kind: WireType,
    /// The number of wires.
    pub wires: usize,
}

impl PortSize {
    /// A port of so many wires.
    #[must_use]
    pub fn new(name: &str, kind: WireType, wires: usize) -> Self {
        Self {
            name: name.to_owned(),
            kind,
            wires,
        }
    }

    /// The number of bits of a record's value, 8 for each byte of rows.
    #[must_use]
    pub fn bits(&self) -> usize {
        match self.kind {
            WireType::Bit => self.wires,
            WireType::Row(bytes) => 8 * bytes * self.wires,
        }
    }
}

impl fmt::Display for PortSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} ", self.name, self.bits())?;
        f.write_str(if self.bits() == 1 { "bit" } else { "bits" })
    }
}
