use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::{FrameKind, OLDEST};

/// The ways in which a file can be wrong.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FormatError {
    /// Reading or writing failed.
    #[error("reading or writing failed: {0}")]
    Io(#[source] io::Error),
    /// Opening, creating or replacing a file failed.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// The operating system's message.
        source: io::Error,
    },
    /// The first bytes are not those of a ringmill file.
    #[error("not a ringmill file: it does not start with RMFV")]
    BadMagic,
    /// Written by a version with another format.
    #[error(
        "format version {0}, which this program cannot read: {mend}",
        mend = if *.0 > OLDEST { "use a newer program" } else { "write the file again with this one" }
    )]
    BadVersion(u16),
    /// A kind of content that this version does not know.
    #[error("unknown kind of content {0}")]
    UnknownKind(u8),
    /// The wrong file was given.
    #[error("this is a file of {got} where one of {expected} is needed")]
    WrongKind {
        /// What it is.
        got: FrameKind,
        /// What was needed.
        expected: FrameKind,
    },
    /// A declared length beyond what there can be.
    #[error("{what} of declared length {length}, at most {most} possible: the file is damaged")]
    TooLong {
        /// What is so long.
        what: &'static str,
        /// The length.
        length: u64,
        /// The largest possible.
        most: u64,
    },
    /// The file ends too early.
    #[error("the file ends too early: it is cut off or damaged")]
    Truncated,
    /// Bytes are left when everything has been read.
    #[error("there are bytes after the end of {0}: the file is damaged")]
    Excess(&'static str),
    /// A writer wrote more or fewer bytes than it had declared.
    #[error("{written} bytes written to a payload declared as {declared}")]
    WrongLength {
        /// Bytes declared.
        declared: u64,
        /// Bytes written.
        written: u64,
    },
    /// The checksum is not that of the content.
    #[error("the checksum does not match: the file is damaged")]
    BadChecksum,
    /// A residue that is not below its modulus.
    #[error("residue {index} of limb {limb} is not below its modulus {modulus}: the data are damaged")]
    BadResidue {
        /// The limb.
        limb: usize,
        /// The coefficient.
        index: usize,
        /// The limb's modulus.
        modulus: u64,
    },
    /// A coefficient that is not -1, 0 or 1.
    #[error("a coefficient of a ternary polynomial is not -1, 0 or 1: the data are damaged")]
    BadTrit,
    /// Another field has a value that it cannot have.
    #[error("field {field}: {problem}")]
    BadValue {
        /// The field.
        field: &'static str,
        /// What is wrong.
        problem: String,
    },
}

impl From<io::Error> for FormatError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Self::Truncated,
            _ => Self::Io(error),
        }
    }
}
