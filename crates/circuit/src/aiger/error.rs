//! The errors of AIGER files.

use std::io;

use thiserror::Error;

use crate::{BitNameError, CircuitError};

/// The reason why a file is not a circuit in the AIGER format. Lines are counted from 1.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AigerError {
    /// The file could not be read.
    #[error("the circuit file: {0}")]
    Io(#[from] io::Error),
    /// The file is too long.
    #[error(
        "the file is longer than {} bytes; is this a circuit?",
        crate::text::MAX_TEXT_BYTES
    )]
    TooLong,
    /// The file begins with something else.
    #[error("the file begins with {found:?} where aag or aig should stand; is this an AIGER file?")]
    NotAiger {
        /// The first word.
        found: String,
    },
    /// A line that should be text is none.
    #[error("line {line} is not UTF-8 text; is a text file begun with aig, or is this no AIGER file?")]
    NotText {
        /// The line.
        line: usize,
    },
    /// The header has too few or too many numbers.
    #[error(
        "the header holds {found} numbers behind aag or aig; M I L O A are five, and B C J F of version 1.9 \
         may follow"
    )]
    HeaderLength {
        /// The number of numbers.
        found: usize,
    },
    /// Something else stands where a number should.
    #[error("line {line}: {found:?} is not a number below 2^32; write it in decimal digits")]
    NotANumber {
        /// The line.
        line: usize,
        /// The text that stands there.
        found: String,
    },
    /// The file has latches.
    #[error(
        "the file has {latches} latches, but a circuit has no memory; write the function without registers, \
         or unroll its clock cycles"
    )]
    Latches {
        /// Their number.
        latches: u32,
    },
    /// The file has properties for a model checker.
    #[error(
        "the file has {properties} properties to be proven (B, C, J and F of the header), which a circuit has \
         not; remove assertions and assumptions from the design, or make outputs of them"
    )]
    Properties {
        /// Their number.
        properties: u64,
    },
    /// There are more inputs than this crate accepts.
    #[error("the header declares {inputs} inputs; at most {limit} are accepted, so split the circuit")]
    TooManyInputs {
        /// The declared number.
        inputs: u32,
        /// [`MAX_INPUT_BITS`](crate::bristol::MAX_INPUT_BITS).
        limit: u64,
    },
    /// There are more ANDs than this crate accepts.
    #[error("the header declares {ands} ANDs; at most {limit} are accepted, so split the circuit")]
    TooManyAnds {
        /// The declared number.
        ands: u32,
        /// [`MAX_ANDS`](super::MAX_ANDS).
        limit: u32,
    },
    /// There are no outputs.
    #[error("the header declares no outputs; a circuit needs one at least")]
    NoOutputs,
    /// The greatest variable contradicts the other counts.
    #[error(
        "the header declares {declared} variables, but inputs and ANDs are {found}; the first number is their \
         sum in a binary file, and not less in a text"
    )]
    VariableCount {
        /// The declared greatest variable.
        declared: u32,
        /// The number of inputs and ANDs.
        found: u64,
    },
    /// The file ends too early.
    #[error("the file ends before {wanted} {number} of the {declared} declared; is it cut off?")]
    Ends {
        /// `input`, `output` or `AND`.
        wanted: &'static str,
        /// The number of the missing one, from 1.
        number: u32,
        /// The declared number.
        declared: u32,
    },
    /// A line has too few or too many numbers.
    #[error("line {line} holds {found} numbers where {wanted} takes {expected}; do the header's counts fit?")]
    LineLength {
        /// The line.
        line: usize,
        /// What the line should be.
        wanted: &'static str,
        /// The number of numbers that it must hold.
        expected: usize,
        /// The number of numbers that it holds.
        found: usize,
    },
    /// A literal belongs to no variable of the file.
    #[error(
        "line {line} has the literal {literal}, but the header's greatest variable makes it {limit} at most"
    )]
    LiteralOutOfRange {
        /// The line.
        line: usize,
        /// The literal.
        literal: u32,
        /// The greatest literal.
        limit: u32,
    },
    /// A line defines a constant or a complement.
    #[error(
        "line {line} defines the literal {literal}; define an even one from 2 on, and read its complement"
    )]
    NotAVariable {
        /// The line.
        line: usize,
        /// The literal.
        literal: u32,
    },
    /// A variable is defined twice.
    #[error("line {line} defines the literal {literal}, which a line before it defines; take a fresh one")]
    DefinedTwice {
        /// The line.
        line: usize,
        /// The literal.
        literal: u32,
    },
    /// A literal is read whose variable is nowhere defined.
    #[error("line {line} reads the literal {literal}, whose variable is neither an input nor an AND")]
    Undefined {
        /// The line.
        line: usize,
        /// The literal.
        literal: u32,
    },
    /// An AND reads itself, be it through others.
    #[error("line {line}: this AND depends on itself; a circuit has no loops, so break this one")]
    Cycle {
        /// The line.
        line: usize,
    },
    /// The operands of an AND of a binary file are impossible.
    #[error(
        "AND {number}: its operands are not below itself, the greater one first; is the binary part damaged?"
    )]
    BadDifference {
        /// The number of the AND, from 1.
        number: u32,
    },
    /// A line behind the ANDs is no symbol.
    #[error(
        "{found:?} follows the ANDs, where a symbol such as i0 or o0 and its name, or a c before comments should \
         stand; do the header's counts fit?"
    )]
    NotASymbol {
        /// The line.
        found: String,
    },
    /// A symbol names an input or output that does not exist, or one that has a name.
    #[error(
        "the symbol {symbol} names no input or output that is without a name; number them from 0, each once"
    )]
    SymbolPlace {
        /// The symbol, without its name.
        symbol: String,
    },
    /// Some inputs, or some outputs, have names and others have none.
    #[error("{direction} {number} has no symbol, but others have; give all of them names, or none")]
    SomeNamed {
        /// `input` or `output`.
        direction: &'static str,
        /// The number of one without a name, from 0.
        number: usize,
    },
    /// The names make no ports.
    #[error(transparent)]
    BitNames(#[from] BitNameError),
    /// The circuit is too large.
    #[error(transparent)]
    Circuit(#[from] CircuitError),
}
