//! How parameters, keys and ciphertexts are written. `docs/formats.md` is the specification.
//!
//! * [`FrameWriter`], [`FrameReader`]: the frame around every payload, streamed, with a checksum.
//! * [`Put`], [`Take`]: numbers, bytes and text in a payload, little-endian.
//! * [`pack`]: residues and ternary coefficients in as few bits as they need.
//! * [`write_atomically`], [`write_in_parts`], [`open`]: files that are whole or not there; secret ones mode 0600.
//!
//! Nothing read is trusted: lengths are checked against what the parameters allow, memory grows only as
//! bytes arrive, every residue is compared with its modulus, and the checksum must be right before
//! anything is returned.

mod error;
mod file;
mod frame;
pub mod pack;
mod parameters;
mod values;

pub use error::FormatError;
pub use file::{Access, Parts, Unfinished, open, write_atomically, write_in_parts};
pub use frame::{FrameKind, FrameReader, FrameWriter, HEADER_BYTES, Header, OLDEST, OVERHEAD_BYTES, VERSION};
pub use parameters::MAX_PARAMETERS_BYTES;
pub(crate) use parameters::encode_definition;
pub use values::{Put, Take, expect_end};

#[cfg(test)]
mod tests;
