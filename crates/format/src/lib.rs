#![doc = include_str!("../README.md")]

mod error;
mod file;
mod frame;
mod journal;
mod kind;
pub mod pack;
mod reader;
mod temporary;
mod values;

pub use error::FormatError;
pub use file::{Access, Existing, Prepared, open, prepare, sync_directory, write_atomically};
pub use frame::{FrameReader, FrameWriter, HEADER_BYTES, Header, OLDEST, OVERHEAD_BYTES, VERSION};
pub use journal::Journal;
pub use kind::FrameKind;
pub use reader::WipingReader;
pub use temporary::{remove_stale, remove_temporaries};
pub use values::{Put, Take, expect_end};

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
