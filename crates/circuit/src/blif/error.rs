//! The errors of BLIF files.

use std::io;

use thiserror::Error;

use crate::{BitNameError, CircuitError};

/// The reason why a text is not a circuit in BLIF. Lines are counted from 1.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BlifError {
    /// The text could not be read.
    #[error("the circuit file: {0}")]
    Io(#[from] io::Error),
    /// The text is too long.
    #[error(
        "the text is longer than {} bytes; is this a circuit?",
        crate::text::MAX_TEXT_BYTES
    )]
    TooLong,
    /// The file holds bytes that are not text.
    #[error("line {line} is not UTF-8 text; is this a BLIF file?")]
    NotText {
        /// The line.
        line: usize,
    },
    /// The text has no model.
    #[error("the text has no .model; is this a BLIF file?")]
    NoModel,
    /// Something stands before the first model.
    #[error("line {line}: {found:?} stands where .model should; is this a BLIF file?")]
    NotAModel {
        /// The line.
        line: usize,
        /// The first word of the line.
        found: String,
    },
    /// A model has no name, or that of another one.
    #[error("line {line}: a .model needs a name of its own")]
    ModelName {
        /// The line.
        line: usize,
    },
    /// A keyword is not known.
    #[error(
        "line {line}: {found} is not known; .model, .inputs, .outputs, .names, .subckt and .end make a circuit"
    )]
    Unknown {
        /// The line.
        line: usize,
        /// The keyword.
        found: String,
    },
    /// The model has memory.
    #[error(
        "line {line}: {found} is memory, and a circuit has none; write the function without registers, or unroll \
         its clock cycles"
    )]
    Memory {
        /// The line.
        line: usize,
        /// The keyword.
        found: String,
    },
    /// A cell of a library, whose function is elsewhere.
    #[error(
        "line {line}: {found} is a cell of a library, whose function the file does not say; write tables instead \
         (in Yosys write_blif without -gates, in ABC unmap before write_blif)"
    )]
    Library {
        /// The line.
        line: usize,
        /// The keyword.
        found: String,
    },
    /// Don't-cares of the environment.
    #[error(
        "line {line}: .exdc lets the tool choose values, and a circuit has one value for each input; remove it"
    )]
    DontCares {
        /// The line.
        line: usize,
    },
    /// A table has no output.
    #[error("line {line}: .names needs the table's inputs and its output; name the output at least")]
    NoTableOutput {
        /// The line.
        line: usize,
    },
    /// A row stands outside of a table.
    #[error("line {line}: {found:?} belongs to no table; rows follow .names")]
    RowOutside {
        /// The line.
        line: usize,
        /// The first word of the line.
        found: String,
    },
    /// A row does not fit its table.
    #[error(
        "line {line}: a row of this table is {inputs} of 0, 1 and -, a space if there are any, and 0 or 1"
    )]
    Row {
        /// The line.
        line: usize,
        /// The number of the table's inputs.
        inputs: usize,
    },
    /// The rows of a table end in 0 and in 1.
    #[error(
        "line {line}: rows of one table end all in 1 or all in 0; what they do not list has the other value"
    )]
    MixedRows {
        /// The line.
        line: usize,
    },
    /// A signal has two sources.
    #[error("line {line}: {signal:?} has a value already, as an input or from a table; take another name")]
    DefinedTwice {
        /// The line.
        line: usize,
        /// The signal.
        signal: String,
    },
    /// A signal that an output depends on has no source.
    #[error("{signal:?} of the model {model:?} is needed, but is neither an input nor the output of a table")]
    Undefined {
        /// The signal.
        signal: String,
        /// The model.
        model: String,
    },
    /// A signal depends on itself.
    #[error("{signal:?} of the model {model:?} depends on itself; a circuit has no loops, so break this one")]
    Cycle {
        /// The signal.
        signal: String,
        /// The model.
        model: String,
    },
    /// The circuit has no outputs.
    #[error("the model {model:?} has no .outputs; a circuit needs one at least")]
    NoOutputs {
        /// The model.
        model: String,
    },
    /// A copy of a model that the file does not have.
    #[error("line {line}: the file has no model {model:?}; flatten the design, or write all of its models")]
    NoSuchModel {
        /// The line.
        line: usize,
        /// The name.
        model: String,
    },
    /// A connection of a copy is none.
    #[error(
        "line {line}: {found:?} does not connect a port of {model:?}; write port=signal, for each port once"
    )]
    Connection {
        /// The line.
        line: usize,
        /// The model.
        model: String,
        /// The text that stands there.
        found: String,
    },
    /// An input of a copy is not connected.
    #[error("line {line}: the input {port:?} of {model:?} is not connected; add {port}=signal")]
    Unconnected {
        /// The line.
        line: usize,
        /// The model.
        model: String,
        /// The input.
        port: String,
    },
    /// A model holds a copy of itself.
    #[error("line {line}: the model {model:?} holds a copy of itself, be it in others; break this loop")]
    Recursive {
        /// The line.
        line: usize,
        /// The model.
        model: String,
    },
    /// Copies of models make the circuit too large.
    #[error(
        "copies of models make more than {} bytes of text; is that meant? Flatten the design in the synthesis \
         tool, or split it",
        super::MAX_COPIED_BYTES
    )]
    TooManyCopies,
    /// The names make no ports.
    #[error(transparent)]
    BitNames(#[from] BitNameError),
    /// The circuit is too large.
    #[error(transparent)]
    Circuit(#[from] CircuitError),
}
