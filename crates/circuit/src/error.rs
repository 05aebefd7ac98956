//! The errors of circuits and of the data given to them.

use thiserror::Error;

use crate::{AggregateKind, MAX_ROW_BYTES, MapEntry, PortSize, Wire, WireType};

/// Formats ports in order, for people.
fn sizes(ports: &[PortSize]) -> String {
    if ports.is_empty() {
        return "none".to_owned();
    }
    let sizes: Vec<String> = ports.iter().map(ToString::to_string).collect();
    sizes.join(", ")
}

/// The reason why a list of gates and ports is not a circuit.
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
    /// Not one aggregate for each output port.
    #[error("{aggregates} aggregates for {ports} output ports; each port needs one")]
    Aggregates {
        /// The number of output ports.
        ports: usize,
        /// The number of aggregates.
        aggregates: usize,
    },
    /// An aggregate of values that it cannot take.
    #[error(
        "{kind} cannot be taken of the output {port:?}, which is {wires} wires of the kind {wire_type}: {}",
        if kind.takes_bits() { "it takes a single bit" } else { "it takes numbers, which are bits" }
    )]
    AggregateKind {
        /// The port's name.
        port: String,
        /// The aggregate.
        kind: AggregateKind,
        /// The number of the port's wires.
        wires: usize,
        /// The kind of each.
        wire_type: WireType,
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
    /// A bitwise operation got words of different widths.
    #[error("words of {left} and {right} bits cannot be combined bit by bit")]
    WidthMismatch {
        /// The number of bits in the first word.
        left: usize,
        /// The number of bits in the second word.
        right: usize,
    },
    /// The circuit does not have the named input port.
    #[error("there is no input port {port:?}; there are {}", known.join(", "))]
    NoSuchInput {
        /// The name.
        port: String,
        /// The names of all input ports.
        known: Vec<String>,
    },
    /// A circuit that becomes a part of another one gets too few or too many wires.
    #[error("input port {port:?} of the part takes {expected} wires, but {found} were given")]
    PartInputs {
        /// The name of the port.
        port: String,
        /// The number of its wires.
        expected: usize,
        /// The number of wires given.
        found: usize,
    },
    /// The results of a circuit do not match the inputs of the circuit after it.
    #[error(
        "the results of the first circuit are not the private inputs of the second: the first gives {}; the second takes {}. There must be as many ports, in order, each of the same width; make the others of the second public, or have narrower results widened by zeros (--widen)",
        sizes(gives),
        sizes(takes)
    )]
    PortsDiffer {
        /// The output ports of the first circuit.
        gives: Vec<PortSize>,
        /// The private input ports of the second.
        takes: Vec<PortSize>,
    },
    /// The results of a circuit have fewer bytes than the circuit after it takes.
    #[error(
        "the first circuit gives {found} bytes a record, the private inputs of the second take {expected}; take a first circuit with longer results, or make inputs of the second public"
    )]
    ShortResults {
        /// The number of bytes that the second circuit takes.
        expected: usize,
        /// The number of bytes that the first gives.
        found: usize,
    },
    /// A port between two circuits has rows of several bytes.
    #[error(
        "port {port:?} has rows of {bytes} bytes; circuits can be joined through bits and single bytes only"
    )]
    JoinedRows {
        /// The name of the port.
        port: String,
        /// The number of bytes in a row.
        bytes: usize,
    },
    /// A gate reads a wire of a kind that it cannot take.
    #[error("gate of wire {gate} takes a {expected}, but {operand} is a {found}")]
    OperandKind {
        /// The wire that the gate defines.
        gate: Wire,
        /// The wire that it reads.
        operand: Wire,
        /// The kind that it takes there.
        expected: WireType,
        /// The kind of the wire.
        found: WireType,
    },
    /// An output port lists a wire of another kind than its own.
    #[error("output port {port:?} is for wires that are each a {expected}, but {wire} is a {found}")]
    PortKind {
        /// The port's name.
        port: String,
        /// The wire it lists.
        wire: Wire,
        /// The kind that the port declares.
        expected: WireType,
        /// The kind of the wire.
        found: WireType,
    },
    /// A row is empty or too long.
    #[error("a row of {bytes} bytes; rows have from 1 to {MAX_ROW_BYTES}")]
    RowLength {
        /// The number of its bytes.
        bytes: usize,
    },
    /// A gate refers to an entry beyond the end of a table.
    #[error("gate of wire {gate} refers to an entry that the table of {table} does not have")]
    MissingEntry {
        /// The wire that the gate defines.
        gate: Wire,
        /// The table.
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
    /// A map does not lead from the operand's kind to the result's kind.
    #[error(
        "gate of wire {gate} maps {operand}, a {}, to a {} by a map from {} bytes to {}",
        kinds.0, kinds.1, map.0, map.1
    )]
    MapKind {
        /// The wire that the gate defines.
        gate: Wire,
        /// The wire that it reads.
        operand: Wire,
        /// The numbers of bytes that the map takes and gives.
        map: (usize, usize),
        /// The kind of the operand, and the declared kind of the gate's result.
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
    /// A term of a map lies outside its rows, or squares more than seven times.
    #[error(
        "a map from {from} bytes to {to} has no place for a term from byte {} squared {} times to byte {}",
        entry.source, entry.frobenius, entry.target
    )]
    MapEntry {
        /// The term.
        entry: MapEntry,
        /// The number of bytes that the map takes.
        from: usize,
        /// The number of bytes that it gives.
        to: usize,
    },
    /// Two maps cannot be added or composed.
    #[error(
        "a map from {} bytes to {} and one from {} to {} cannot be combined",
        left.0, left.1, right.0, right.1
    )]
    MapShape {
        /// The numbers of bytes that the first map takes and gives.
        left: (usize, usize),
        /// The numbers of bytes that the second map, or the one to be applied before it, takes and gives.
        right: (usize, usize),
    },
    /// A lookup table has more entries than its index can name.
    #[error("a table of {entries} entries needs an index wider than {index_bits} bits")]
    TableTooLong {
        /// The number of entries of the table.
        entries: usize,
        /// The number of bits of the index.
        index_bits: usize,
    },
    /// An entry of a table differs in width from the first one.
    #[error("entry {entry} of the table has {found} bits where entry 0 has {expected}")]
    TableEntryWidth {
        /// The entry's number, from 0.
        entry: usize,
        /// The number of bits of entry 0.
        expected: usize,
        /// The number of bits of this entry.
        found: usize,
    },
}

/// The reason why data does not fit the circuit that is to be evaluated.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EvaluateError {
    /// The number of inputs differs from the number of input ports.
    #[error("the circuit has {expected} input ports, but data came for {found}")]
    PortCount {
        /// The number of input ports of the circuit.
        expected: usize,
        /// The number of inputs given.
        found: usize,
    },
    /// The number of bits or rows of an input differs from that of its port.
    #[error("input port {port:?} has {expected} wires, but data came for {found}")]
    PortWidth {
        /// The port's name.
        port: String,
        /// The number of wires of the port.
        expected: usize,
        /// The number of wires with data.
        found: usize,
    },
    /// The bits of the inputs are for different numbers of records.
    #[error("bit {bit} of input port {port:?} has {found} words of records instead of {expected}")]
    LaneLength {
        /// The port's name.
        port: String,
        /// The bit's number in the port, from 0.
        bit: usize,
        /// The number of words of 64 records that the first port's data makes up.
        expected: usize,
        /// The number of words of 64 records in this bit.
        found: usize,
    },
    /// A port of rows got bits, or a port of bits got rows.
    #[error("each wire of input port {port:?} is a {expected}; data came for the other kind")]
    PortKind {
        /// The port's name.
        port: String,
        /// The kind of its wires.
        expected: WireType,
    },
    /// The rows of the inputs are not all for the same whole number of records.
    #[error("wire {wire} of input port {port:?} has {found} bytes instead of {expected}")]
    RowBytes {
        /// The port's name.
        port: String,
        /// The wire's number in the port, from 0.
        wire: usize,
        /// The number of bytes of all its records.
        expected: usize,
        /// The number of bytes given.
        found: usize,
    },
    /// A record given as bytes has not the number of bytes that its port takes.
    #[error("a record of input port {port:?} has {expected} bytes, but {found} were given")]
    RecordBytes {
        /// The port's name.
        port: String,
        /// The number of bytes of a record.
        expected: usize,
        /// The number of bytes given.
        found: usize,
    },
}
