#![doc = include_str!("../README.md")]
//!
//! # Contents
//!
//! Input ports are read from a table, output ports are written to one.
//!
//! * [`Schema`]: the columns, from [`PortShape`]s and overrides `NAME=TYPE`; [`ColumnType`] says how a
//!   value is written.
//! * [`TableFormat`]: CSV, TSV, JSON with one object a line, or raw binary.
//! * [`BatchReader`]: an iterator over [`Batch`]es of at most as many records as a ciphertext has slots.
//! * [`TableWriter`]: batches back to a table, perhaps behind columns of another one.
//! * [`KeyOrder`]: a list of keys that the rows of a table are put into the order of.
//! * [`TextReader`]: columns of a table as they are written, whatever they mean.
//! * [`narrowest`]: the types that the values of a table need.
//!
//! Tables are streamed: no more of one is in memory than a batch and a line, and lines are bounded. What
//! is in a table is not trusted; a [`RecordsError`] names the row, the line and the column.
//!
//! ```
//! use std::num::NonZeroUsize;
//!
//! use ringmill_records::{BatchReader, PortShape, ReadOptions, Schema, TableFormat, TableWriter};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let ports = [PortShape::bits("age", 7), PortShape::bits("change", 16), PortShape::rows("key", 2, 1)];
//! let schema = Schema::new(&ports, &["change=i16"])?;
//! let table = "key,age,change\n00ff,41,-3\nC0DE,7,12\n";
//!
//! let slots = NonZeroUsize::new(2048).ok_or("slots")?;
//! let mut writer = TableWriter::new(Vec::new(), TableFormat::Json, schema.clone())?;
//! for batch in BatchReader::new(table.as_bytes(), TableFormat::Csv, schema, slots, ReadOptions::default())? {
//!     writer.write(&batch?)?;
//! }
//! assert_eq!(
//!     String::from_utf8(writer.finish()?)?,
//!     "{\"age\":41,\"change\":-3,\"key\":\"00ff\"}\n{\"age\":7,\"change\":12,\"key\":\"c0de\"}\n"
//! );
//! # Ok(())
//! # }
//! ```

mod batch;
mod binary_rows;
mod column_type;
mod csv_rows;
mod error;
mod extra;
mod format;
mod json_rows;
mod lines;
mod narrowest;
mod order;
mod place;
mod reader;
mod schema;
mod shape;
mod text_rows;
mod value;
mod writer;

pub use batch::{Batch, Column};
pub use column_type::ColumnType;
pub use error::RecordsError;
pub use extra::ColumnNames;
pub use format::TableFormat;
pub use narrowest::{Values, narrowest};
pub use order::KeyOrder;
pub use place::Place;
pub use reader::{BatchReader, ReadOptions};
pub use schema::{Schema, SchemaColumn};
pub use shape::PortShape;
pub use text_rows::{TextReader, TextRow, TextValue};
pub use writer::TableWriter;
