//! Places in a table.

use std::fmt;

/// A row of a table. Rows of data and lines count from 1. Blank lines are not rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// The header of CSV.
    Header {
        /// Line of the file.
        line: u64,
    },
    /// A row of data in CSV or JSON.
    Row {
        /// Row of data.
        row: u64,
        /// Line of the file.
        line: u64,
    },
    /// A record in raw binary.
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
