//! Where in a table something is.

use std::fmt;

/// A row of a table. Rows of data and lines are counted from 1; blank lines are no rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// The header of CSV.
    Header {
        /// Line of the file.
        line: u64,
    },
    /// A row of data of CSV or JSON.
    Row {
        /// Row of data.
        row: u64,
        /// Line of the file.
        line: u64,
    },
    /// A record of raw binary.
    Record {
        /// Its number.
        record: u64,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header { line } => write!(out, "the header (line {line})"),
            Self::Row { row, line } => write!(out, "row {row} (line {line})"),
            Self::Record { record } => write!(out, "record {record}"),
        }
    }
}
