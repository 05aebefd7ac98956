//! What can be wrong with a circuit or with the data given to one.

use thiserror::Error;

use crate::Wire;

/// Why a list of gates and ports is not a circuit.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CircuitError {
    /// There are more gates than a 32-bit wire index can name.
    #[error("{count} gates are more than wire indices of 32 bits can name")]
    TooManyGates {
        /// The number of gates.
        count: usize,
    },
    /// A gate reads its own wire, a later one, or one that does not exist.
    #[error("gate of wire {gate} reads {operand}, which is not defined before it")]
    ForwardReference {
        /// The wire that the gate defines.
        gate: Wire,
        /// The wire that it reads.
        operand: Wire,
    },
    /// A port lists a wire that the circuit does not have.
    #[error("port {port:?} lists {wire}, but the circuit has {wires} wires")]
    WireOutOfRange {
        /// The port's name.
        port: String,
        /// The wire it lists.
        wire: Wire,
        /// The number of wires in the circuit.
        wires: usize,
    },
    /// An input port lists a wire that is not defined by an input gate.
    #[error("input port {port:?} lists {wire}, which is not an input gate")]
    NotAnInput {
        /// The port's name.
        port: String,
        /// The wire it lists.
        wire: Wire,
    },
    /// An input gate is listed more than once, in one port or in two.
    #[error("input port {port:?} lists {wire}, which an input port lists already")]
    InputListedTwice {
        /// The name of the port with the second listing.
        port: String,
        /// The wire.
        wire: Wire,
    },
    /// No input port lists this input gate.
    #[error("input gate {wire} belongs to no input port")]
    UnlistedInput {
        /// The wire that the input gate defines.
        wire: Wire,
    },
    /// There is no output port.
    #[error("the circuit has no outputs")]
    NoOutputs,
    /// A port has no wires.
    #[error("port {port:?} has no wires")]
    EmptyPort {
        /// The port's name.
        port: String,
    },
    /// Two input ports or two output ports have the same name.
    #[error("two ports of the same direction are named {port:?}")]
    DuplicatePortName {
        /// The name.
        port: String,
    },
    /// An operation bit by bit was asked for on words of different widths.
    #[error("words of {left} and {right} bits cannot be combined bit by bit")]
    WidthMismatch {
        /// Bits in the first word.
        left: usize,
        /// Bits in the second word.
        right: usize,
    },
    /// A table to look up in has more entries than its index can name.
    #[error("a table of {entries} entries needs an index wider than {index_bits} bits")]
    TableTooLong {
        /// Entries of the table.
        entries: usize,
        /// Bits of the index.
        index_bits: usize,
    },
    /// An entry of a table has not as many bits as the first one.
    #[error("entry {entry} of the table has {found} bits where entry 0 has {expected}")]
    TableEntryWidth {
        /// The entry's number, from 0.
        entry: usize,
        /// Bits of entry 0.
        expected: usize,
        /// Bits of this entry.
        found: usize,
    },
}

/// Why data does not fit the circuit that is to be evaluated on it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EvaluateError {
    /// There are not as many inputs as the circuit has input ports.
    #[error("the circuit has {expected} input ports, but data came for {found}")]
    PortCount {
        /// Input ports of the circuit.
        expected: usize,
        /// Inputs given.
        found: usize,
    },
    /// An input has not as many bits as its port.
    #[error("input port {port:?} has {expected} bits, but data came for {found}")]
    PortWidth {
        /// The port's name.
        port: String,
        /// Bits of the port.
        expected: usize,
        /// Bits given.
        found: usize,
    },
    /// The bits of the inputs do not all come for the same number of records.
    #[error("bit {bit} of input port {port:?} has {found} words of records instead of {expected}")]
    LaneLength {
        /// The port's name.
        port: String,
        /// The bit's number in the port, from 0.
        bit: usize,
        /// Words of 64 records in the first bit of the first port.
        expected: usize,
        /// Words of 64 records in this bit.
        found: usize,
    },
}
