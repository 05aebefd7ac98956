//! The faults of schemas and tables.

use thiserror::Error;

use crate::Place;

/// Characters of a value that an error repeats.
const EXCERPT: usize = 60;

/// The beginning of a value, short enough for a message.
pub(crate) fn excerpt(text: &str) -> String {
    match text.char_indices().nth(EXCERPT) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}...", &text[..end]),
    }
}

/// Why columns cannot be made of ports, or a table cannot be read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecordsError {
    /// The caller asks for a table without columns.
    #[error("the circuit has no ports of this direction, so there is no table of them")]
    NoPorts,
    /// A port cannot be a column.
    #[error("port {port:?} cannot be a column: {problem}")]
    BadPort {
        /// Name of the port.
        port: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// Two ports have the same name.
    #[error("two ports are named {port:?}, so their columns could not be told apart")]
    DuplicatePort {
        /// The name.
        port: String,
    },
    /// An override is not `NAME=TYPE`.
    #[error("{text:?} gives no column a type; write NAME=TYPE, for instance age=u8")]
    BadOverride {
        /// The override.
        text: String,
    },
    /// An override names a column that does not exist.
    #[error("there is no column {column:?} to give a type to; the columns are {known}")]
    UnknownOverride {
        /// Name in the override.
        column: String,
        /// The names of the columns.
        known: String,
    },
    /// Two overrides name the same column.
    #[error("column {column:?} is given a type twice; leave one")]
    OverriddenTwice {
        /// Name of the column.
        column: String,
    },
    /// An override names a type that does not suit the column.
    #[error("column {column:?} of {width} bits cannot have the type {found:?}; use one of {allowed}")]
    UnknownType {
        /// Name of the column.
        column: String,
        /// Type in the override.
        found: String,
        /// Bits of the column's values.
        width: usize,
        /// The types that it can have.
        allowed: String,
    },
    /// There is no such format of tables.
    #[error("there is no table format {found:?}; use csv, tsv, json or binary")]
    UnknownFormat {
        /// The name given.
        found: String,
    },
    /// A table has no records.
    #[error("the table is empty: there must be at least one record")]
    EmptyTable,
    /// A table does not tell the types of its columns.
    #[error("the types of the columns cannot be found: {problem}")]
    NoTypes {
        /// Why not.
        problem: String,
    },
    /// A column is missing.
    #[error("{at} has no column {column:?}; the columns are {known}{beside}")]
    MissingColumn {
        /// The header, or in JSON the row.
        at: Place,
        /// Name of the column.
        column: String,
        /// The names of the columns.
        known: String,
        /// What there is beside them, for people: one of them may be meant.
        beside: String,
    },
    /// There is no column of a name that was asked for.
    #[error("{at} has no column {column:?}; it has {found}")]
    NoSuchColumn {
        /// The header, or in JSON the row.
        at: Place,
        /// Name of the column.
        column: String,
        /// The names of the columns that there are.
        found: String,
    },
    /// Raw binary has no columns to ask for by name.
    #[error("a binary table has no names of columns; give one of csv, tsv or json")]
    NoNames,
    /// A column of another table cannot be put before the columns of a table.
    #[error("column {column:?} cannot be put before the results: {problem}")]
    BadCarried {
        /// Name of the column.
        column: String,
        /// The reason.
        problem: &'static str,
    },
    /// A key occurs twice.
    #[error("{at} has the key {key:?} again, which {first} has already; each key must occur once")]
    DuplicateKey {
        /// The row.
        at: Place,
        /// The row before it.
        first: Place,
        /// Beginning of the key.
        key: String,
    },
    /// A row has a key that is not in the list of keys.
    #[error("{at} has the key {key:?}, which is not in the list of keys")]
    UnknownKey {
        /// The row.
        at: Place,
        /// Beginning of the key.
        key: String,
    },
    /// The list of keys has a key that no row has.
    #[error("{at} of the list of keys has the key {key:?}, which is not in the table")]
    MissingKey {
        /// The row of the list.
        at: Place,
        /// Beginning of the key.
        key: String,
    },
    /// A column belongs to no port.
    #[error(
        "{at} has a column {column:?} that belongs to no port; the columns are {known}. \
         Remove it, or ask for extra columns to be ignored"
    )]
    UnknownColumn {
        /// The header, or in JSON the row.
        at: Place,
        /// Beginning of the name.
        column: String,
        /// The names of the columns.
        known: String,
    },
    /// A column occurs twice.
    #[error("{at} has two columns {column:?}; leave one")]
    DuplicateColumn {
        /// The header, or in JSON the row.
        at: Place,
        /// Name of the column.
        column: String,
    },
    /// A row has more or fewer values than the header has names.
    #[error("{at} has {found} values where the header has {expected} columns")]
    WrongCount {
        /// The row.
        at: Place,
        /// Columns of the header.
        expected: usize,
        /// Values of the row.
        found: usize,
    },
    /// A value is not of its column's type. Values are secrets, so none is repeated.
    #[error("{at}, column {column:?}: the value cannot be used; it must be {allowed}")]
    BadValue {
        /// The row.
        at: Place,
        /// Name of the column.
        column: String,
        /// What can be used.
        allowed: String,
    },
    /// A line of CSV leaves a quotation mark open.
    #[error("{at} has an opening quotation mark without a closing one on the same line")]
    OpenQuote {
        /// The row.
        at: Place,
    },
    /// A line is not a JSON object.
    #[error("{at} is no JSON object: {problem}, byte {byte} of the line")]
    BadJson {
        /// The row.
        at: Place,
        /// What is wrong.
        problem: String,
        /// Where in the line, from 1.
        byte: usize,
    },
    /// A line begins an array.
    #[error(
        "{at} begins a JSON array; write each object on a line of its own, without brackets around them and commas \
         between them: jq -c '.[]' does that"
    )]
    JsonArray {
        /// The row.
        at: Place,
    },
    /// A line is not UTF-8.
    #[error("{at} is not UTF-8 at byte {byte} of the line; convert the table to UTF-8")]
    NotUtf8 {
        /// The row.
        at: Place,
        /// Where in the line, from 1.
        byte: usize,
    },
    /// A line is longer than the limit.
    #[error("{at} is longer than {limit} bytes; is it a table of lines? If so, raise the limit")]
    LineTooLong {
        /// The row.
        at: Place,
        /// Bytes that a line may have.
        limit: usize,
    },
    /// Raw binary ends within a record.
    #[error("{at} has {found} bytes, then the table ends; each record has {expected} bytes")]
    PartialRecord {
        /// The record.
        at: Place,
        /// Bytes of a record.
        expected: usize,
        /// Bytes that are there.
        found: usize,
    },
    /// The batch to write does not have the schema's shape.
    #[error("the batch does not suit the table: {subject} has {found} {unit} instead of {expected}")]
    WrongShape {
        /// The batch, or one of its columns.
        subject: String,
        /// What is counted.
        unit: &'static str,
        /// How many there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// A column of the batch to write has bits where the port has rows of bytes, or vice versa.
    #[error("the batch does not suit the table: column {column:?} mixes up bits and rows of bytes")]
    WrongKind {
        /// Name of the column.
        column: String,
    },
    /// Reading or writing failed.
    #[error("the table could not be read or written: {0}")]
    Io(#[from] std::io::Error),
}
