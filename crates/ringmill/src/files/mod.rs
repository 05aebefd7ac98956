//! Files: read whole or refused, written whole or not at all. A path of `-` means standard input or output.

mod directory;
mod input;
mod output;

pub(crate) use directory::write_directory;
pub use input::{Digest, Digesting, Input, Meter, is_standard};
pub use output::{Content, Counter, Output, ResumableOutput, read, read_bytes};
pub(crate) use output::{Sink, clean, read_digested};
pub use ringmill_format::remove_temporaries;
