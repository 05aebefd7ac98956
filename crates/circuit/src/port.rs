//! Named groups of wires at the edge of a circuit.

use std::fmt;

use crate::{Wire, WireType};

/// Who knows the values of an input port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Visibility {
    /// The evaluator sees the values in the clear.
    Public,
    /// The evaluator sees the values only in encrypted form.
    Private,
}

/// A named group of input bits or rows, supplied together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputPort {
    /// Unique among the circuit's input ports.
    pub name: String,
    /// Whether the evaluator knows the values.
    pub visibility: Visibility,
    /// What every wire of the port carries.
    pub kind: WireType,
    /// One [`Gate::Input`](crate::Gate::Input) wire per bit, least significant
    /// bit first, or per row; at least one. No wire is listed twice in a circuit.
    pub wires: Vec<Wire>,
}

/// A named group of result bits or rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputPort {
    /// Unique among the circuit's output ports (an input port may share it).
    pub name: String,
    /// What every wire of the port carries.
    pub kind: WireType,
    /// One wire per bit, least significant bit first, or per row; at least one.
    /// Any wire of the kind may serve, also an input's, and also several times.
    pub wires: Vec<Wire>,
}

/// What a port is called and how large it is, for errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortSize {
    /// The port's name.
    pub name: String,
    /// What every wire of the port carries.
    pub kind: WireType,
    /// Number of wires.
    pub wires: usize,
}

impl PortSize {
    pub(crate) fn new(name: &str, kind: WireType, wires: usize) -> Self {
        Self {
            name: name.to_owned(),
            kind,
            wires,
        }
    }

    /// Bits of a record's value, 8 for each byte of rows.
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
