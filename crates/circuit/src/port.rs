//! Named groups of wires at the edge of a circuit.

use crate::Wire;

/// Who knows the bits of an input port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Visibility {
    /// The evaluator sees the bits in the clear.
    Public,
    /// The evaluator sees the bits only in encrypted form.
    Private,
}

/// A named group of input bits, supplied together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputPort {
    /// Unique among the circuit's input ports.
    pub name: String,
    /// Whether the evaluator knows the bits.
    pub visibility: Visibility,
    /// One [`Gate::Input`](crate::Gate::Input) wire per bit, least significant
    /// bit first, at least one. No wire is listed twice in a circuit.
    pub wires: Vec<Wire>,
}

/// A named group of result bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputPort {
    /// Unique among the circuit's output ports (an input port may share it).
    pub name: String,
    /// One wire per bit, least significant bit first, at least one. Any wire
    /// may serve, also an input's, and also several times.
    pub wires: Vec<Wire>,
}
