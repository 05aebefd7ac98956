//! Reading the bytes, lines and numbers of circuit files.

use std::io::{self, Read};

/// The most input bits of a file that may declare them without listing them. Gates take space in a file, but
/// such input bits do not; this limit keeps a short file from asking for all memory.
pub const MAX_INPUT_BITS: u64 = 1 << 20;

/// The most bytes of a circuit file: some ten million gates. A file without an end is refused too.
pub const MAX_TEXT_BYTES: u64 = 1 << 28;

/// Reads a file to its end; `None` if it has more than [`MAX_TEXT_BYTES`].
pub(crate) fn read_all(file: impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    file.take(MAX_TEXT_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(Some(bytes).filter(|bytes| bytes.len() as u64 <= MAX_TEXT_BYTES))
}

/// Decodes bytes as text, or returns the line, from 1, that is none.
pub(crate) fn decode(bytes: &[u8]) -> Result<&str, usize> {
    std::str::from_utf8(bytes).map_err(|error| {
        let before = bytes.iter().take(error.valid_up_to());
        1 + before.filter(|byte| **byte == b'\n').count()
    })
}

/// Reads a word as a number. Only digits are accepted, not the sign that the standard library accepts.
pub(crate) fn number(word: &str) -> Option<u32> {
    let digits = word.bytes().all(|byte| byte.is_ascii_digit());
    word.parse().ok().filter(|_| digits)
}

/// At most the first few characters of a word, so that an error about a binary file stays readable.
pub(crate) fn shortened(word: &str) -> String {
    word.chars().take(24).collect()
}
