//! The errors of circuits in text form.

use std::io;

use thiserror::Error;

use crate::{CircuitError, Wire};

/// The reason why a text is not a circuit, or why one could not be read or written. Lines are counted
/// from 1.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BristolError {
    /// The text could not be read, or the circuit could not be written.
    #[error("the circuit file: {0}")]
    Io(#[from] io::Error),
    /// The circuit has rows, but the format has only bits.
    #[error(
        "{wire} is computed from rows of bytes, which this format does not have; write the circuit on bits"
    )]
    Rows {
        /// The first wire that is a row, or a bit computed by a linear map.
        wire: Wire,
    },
    /// The text is too long.
    #[error(
        "the text is longer than {} bytes; is this a circuit file?",
        super::MAX_TEXT_BYTES
    )]
    TooLong,
    /// The file holds bytes that are not text.
    #[error("line {line} is not UTF-8 text; is this a circuit file?")]
    NotText {
        /// The line.
        line: usize,
    },
    /// The text ends inside the header.
    #[error("the text ends before the header's line of {wanted}; is the file cut off?")]
    HeaderEnds {
        /// The expected content of the missing line.
        wanted: &'static str,
    },
    /// Something else stands where a number should.
    #[error("line {line}: {found:?} is not a number below 2^32; write it in decimal digits")]
    NotANumber {
        /// The line.
        line: usize,
        /// The text that stands there.
        found: String,
    },
    /// A header line has the wrong number of numbers.
    #[error("line {line} needs {expected} numbers but holds {found}; mend the count or the list")]
    HeaderLength {
        /// The line.
        line: usize,
        /// The number of numbers that it must hold.
        expected: u64,
        /// The number of numbers that it holds.
        found: usize,
    },
    /// A value is declared to have no bits.
    #[error("line {line} declares a value of 0 bits; leave it out")]
    EmptyValue {
        /// The line.
        line: usize,
    },
    /// There are no output values.
    #[error("line {line} declares no outputs; a circuit needs one at least")]
    NoOutputs {
        /// The line.
        line: usize,
    },
    /// The inputs are wider than this crate accepts.
    #[error("line {line} declares {bits} input bits; at most {limit} are accepted, so split the circuit")]
    TooManyInputs {
        /// The line.
        line: usize,
        /// The declared number of bits.
        bits: u64,
        /// [`MAX_INPUT_BITS`](super::MAX_INPUT_BITS).
        limit: u64,
    },
    /// The text has fewer lines than gates are declared.
    #[error(
        "line {line} declares {declared} gates but {found} follow; mend the count, or is the file cut off?"
    )]
    MissingGates {
        /// The line of the declaration.
        line: usize,
        /// The declared number of gates.
        declared: u32,
        /// The number of lines that follow the header.
        found: usize,
    },
    /// Something stands after the last gate declared.
    #[error(
        "line {line}: {found:?} follows the last of the {declared} gates declared; mend the count or remove it"
    )]
    TrailingText {
        /// The line.
        line: usize,
        /// The first word on it.
        found: String,
        /// The declared number of gates.
        declared: u32,
    },
    /// The declared number of wires is not the number of wires written.
    #[error("line {line} declares {declared} wires, but inputs and gates make {found}; declare that many")]
    WireCount {
        /// The line of the declaration.
        line: usize,
        /// The declared number of wires.
        declared: u32,
        /// The number of wires of the inputs and of the gates.
        found: u64,
    },
    /// The outputs are wider than all wires together.
    #[error("line {line} declares {outputs} output bits, but there are {wires} wires; mend one of them")]
    TooManyOutputs {
        /// The line.
        line: usize,
        /// The declared number of output bits.
        outputs: u64,
        /// The declared number of wires.
        wires: u32,
    },
    /// A gate's line has no known operation at its end.
    #[error("line {line} ends in {found:?} where XOR, AND, INV, EQ, EQW or MAND should stand")]
    UnknownOperation {
        /// The line.
        line: usize,
        /// The text that stands there.
        found: String,
    },
    /// A gate reads or writes a number of wires that its operation does not allow.
    #[error(
        "line {line}: {operation} cannot have {reads} inputs and {writes} outputs; \
         AND and XOR have 2 and 1, INV, EQ and EQW 1 and 1, MAND 2n and n"
    )]
    GateShape {
        /// The line.
        line: usize,
        /// The operation.
        operation: String,
        /// The number of inputs announced.
        reads: u32,
        /// The number of outputs announced.
        writes: u32,
    },
    /// A gate lists more or fewer wires than it announces.
    #[error("line {line} announces {announced} wires but lists {found}; mend the counts or the list")]
    GateLength {
        /// The line.
        line: usize,
        /// The number of inputs and outputs announced.
        announced: u64,
        /// The number of wires listed.
        found: usize,
    },
    /// A gate names a wire that is not among those declared.
    #[error("line {line} names wire {wire}, but wires go from 0 to {wires} less one")]
    WireOutOfRange {
        /// The line.
        line: usize,
        /// The wire.
        wire: u32,
        /// The declared number of wires.
        wires: u32,
    },
    /// A gate reads a wire that no line before it writes.
    #[error("line {line} reads wire {wire}, which is written nowhere before; put its gate first")]
    ForwardReference {
        /// The line.
        line: usize,
        /// The wire.
        wire: u32,
    },
    /// A gate writes an input wire or one that an earlier gate writes.
    #[error("line {line} writes wire {wire}, which is an input or written before; take a fresh wire")]
    WrittenTwice {
        /// The line.
        line: usize,
        /// The wire.
        wire: u32,
    },
    /// An EQ gate gets something other than a bit.
    #[error("line {line}: EQ takes the constant 0 or 1, not {found}; EQW copies a wire")]
    NotABit {
        /// The line.
        line: usize,
        /// The number that stands there.
        found: u32,
    },
    /// The number of names differs from the circuit's number of values.
    #[error("names are given for {named} {direction} values, but the circuit has {found}")]
    PortCount {
        /// `input` or `output`.
        direction: &'static str,
        /// The number of names given.
        named: usize,
        /// The number of values that the circuit has.
        found: usize,
    },
    /// The names given for the values do not make valid ports.
    #[error(transparent)]
    Circuit(#[from] CircuitError),
}
