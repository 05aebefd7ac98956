//! What can be wrong with a circuit or with the data given to one.

use thiserror::Error;

use crate::{MAX_ROW_BYTES, MapEntry, PortSize, Wire, WireType};

/// Ports in order, for people.
fn sizes(ports: &[PortSize]) -> String {
    if ports.is_empty() {
        return "none".to_owned();
    }
    let sizes: Vec<String> = ports.iter().map(ToString::to_string).collect();
    sizes.join(", ")
}

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
    /// An input port was named that the circuit does not have.
    #[error("there is no input port {port:?}; there are {}", known.join(", "))]
    NoSuchInput {
        /// The name.
        port: String,
        /// The names of all input ports.
        known: Vec<String>,
    },
    /// A circuit that becomes a part of another one got too few or too many wires.
    #[error("input port {port:?} of the part takes {expected} wires, but {found} were given")]
    PartInputs {
        /// Name of the port.
        port: String,
        /// Its wires.
        expected: usize,
        /// Wires given.
        found: usize,
    },
    /// The results of a circuit are not what the circuit after it takes.
    #[error(
        "the results of the first circuit are not the private inputs of the second: the first gives {}; the second takes {}. There must be as many ports, in order, each of the same width; make the others of the second public, or change the ports of one",
        sizes(gives),
        sizes(takes)
    )]
    PortsDiffer {
        /// The output ports of the first circuit.
        gives: Vec<PortSize>,
        /// The private input ports of the second.
        takes: Vec<PortSize>,
    },
    /// The results of a circuit are less than the circuit after it takes.
    #[error(
        "the first circuit gives {found} bytes a record, the private inputs of the second take {expected}; take a first circuit with longer results, or make inputs of the second public"
    )]
    ShortResults {
        /// Bytes that the second circuit takes.
        expected: usize,
        /// Bytes that the first gives.
        found: usize,
    },
    /// A port between two circuits has rows of several bytes.
    #[error(
        "port {port:?} has rows of {bytes} bytes; circuits can be joined through bits and single bytes only"
    )]
    JoinedRows {
        /// Name of the port.
        port: String,
        /// Bytes of a row.
        bytes: usize,
    },
    /// A gate reads a wire of a kind that it cannot take.
    #[error("gate of wire {gate} takes a {expected}, but {operand} is a {found}")]
    OperandKind {
        /// The wire that the gate defines.
        gate: Wire,
        /// The wire that it reads.
        operand: Wire,
        /// What it takes there.
        expected: WireType,
        /// What the wire is.
        found: WireType,
    },
    /// An output port lists a wire of another kind than its own.
    #[error("output port {port:?} is for wires that are each a {expected}, but {wire} is a {found}")]
    PortKind {
        /// The port's name.
        port: String,
        /// The wire it lists.
        wire: Wire,
        /// What the port declares.
        expected: WireType,
        /// What the wire is.
        found: WireType,
    },
    /// A row is empty or too long.
    #[error("a row of {bytes} bytes; rows have from 1 to {MAX_ROW_BYTES}")]
    RowLength {
        /// Its bytes.
        bytes: usize,
    },
    /// A gate refers beyond the end of a table.
    #[error("gate of wire {gate} refers to an entry that the table of {table} does not have")]
    MissingEntry {
        /// The wire that the gate defines.
        gate: Wire,
        /// Which table.
        table: &'static str,
    },
    /// A sum of linear maps has no terms.
    #[error("gate of wire {gate} is a sum without terms; write a constant instead")]
    EmptySum {
        /// The wire that the gate defines.
        gate: Wire,
    },
    /// A sum of linear maps reads a wire twice.
    #[error("gate of wire {gate} sums two maps of {operand}; add them up to one map")]
    RepeatedOperand {
        /// The wire that the gate defines.
        gate: Wire,
        /// The wire that it reads.
        operand: Wire,
    },
    /// A map does not lead from the operand's kind to the result's.
    #[error(
        "gate of wire {gate} maps {operand}, a {}, to a {} by a map from {} bytes to {}",
        kinds.0, kinds.1, map.0, map.1
    )]
    MapKind {
        /// The wire that the gate defines.
        gate: Wire,
        /// The wire that it reads.
        operand: Wire,
        /// Bytes that the map takes and gives.
        map: (usize, usize),
        /// What the operand is, and what the gate's result is declared to be.
        kinds: (WireType, WireType),
    },
    /// A sum of linear maps is declared to be a bit, but can have other values.
    #[error("gate of wire {gate} is declared a bit, but its map of {operand} gives other bytes than 0 and 1")]
    NotABit {
        /// The wire that the gate defines.
        gate: Wire,
        /// The wire that it reads.
        operand: Wire,
    },
    /// A term of a map lies outside of its rows, or squares more than seven times.
    #[error(
        "a map from {from} bytes to {to} has no place for a term from byte {} squared {} times to byte {}",
        entry.source, entry.frobenius, entry.target
    )]
    MapEntry {
        /// The term.
        entry: MapEntry,
        /// Bytes that the map takes.
        from: usize,
        /// Bytes that it gives.
        to: usize,
    },
    /// Two maps cannot be added or applied one after the other.
    #[error(
        "a map from {} bytes to {} and one from {} to {} cannot be combined",
        left.0, left.1, right.0, right.1
    )]
    MapShape {
        /// Bytes that the first map takes and gives.
        left: (usize, usize),
        /// Bytes that the second one, or the one to be applied before it, takes and gives.
        right: (usize, usize),
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
    /// An input has not as many bits or rows as its port.
    #[error("input port {port:?} has {expected} wires, but data came for {found}")]
    PortWidth {
        /// The port's name.
        port: String,
        /// Wires of the port.
        expected: usize,
        /// Wires with data.
        found: usize,
    },
    /// The bits of the inputs do not all come for the number of records.
    #[error("bit {bit} of input port {port:?} has {found} words of records instead of {expected}")]
    LaneLength {
        /// The port's name.
        port: String,
        /// The bit's number in the port, from 0.
        bit: usize,
        /// Words of 64 records that the first port's data comes to.
        expected: usize,
        /// Words of 64 records in this bit.
        found: usize,
    },
    /// Bits came for a port of rows, or rows for a port of bits.
    #[error("each wire of input port {port:?} is a {expected}; data came for the other kind")]
    PortKind {
        /// The port's name.
        port: String,
        /// What its wires are.
        expected: WireType,
    },
    /// The rows of the inputs do not all come for the same whole number of records.
    #[error("wire {wire} of input port {port:?} has {found} bytes instead of {expected}")]
    RowBytes {
        /// The port's name.
        port: String,
        /// The wire's number in the port, from 0.
        wire: usize,
        /// Bytes of all its records.
        expected: usize,
        /// Bytes given.
        found: usize,
    },
    /// A record given as bytes has not as many as its port takes.
    #[error("a record of input port {port:?} has {expected} bytes, but {found} were given")]
    RecordBytes {
        /// The port's name.
        port: String,
        /// Bytes of a record.
        expected: usize,
        /// Bytes given.
        found: usize,
    },
}
