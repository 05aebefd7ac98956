#![doc = include_str!("../README.md")]

mod error;
mod file;
mod frame;
mod kind;
pub mod pack;
mod reader;
mod values;

pub use error::FormatError;
pub use file::{Access, Parts, Unfinished, open, remove_temporaries, write_atomically, write_in_parts};
pub use frame::{FrameReader, FrameWriter, HEADER_BYTES, Header, OLDEST, OVERHEAD_BYTES, VERSION};
pub use kind::FrameKind;
pub use reader::WipingReader;
pub use values::{Put, Take, expect_end};

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
