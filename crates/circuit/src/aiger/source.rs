//! The bytes of a file that are still to be read.

use super::AigerError;
use crate::text::{number, shortened};

/// A file from where it has been read to.
pub(super) struct Source<'a> {
    rest: &'a [u8],
    /// The number of lines read.
    lines: usize,
}

/// A line of text, with its number from 1.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    pub(super) number: usize,
    pub(super) text: &'a str,
}

impl<'a> Source<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self {
            rest: bytes,
            lines: 0,
        }
    }

    /// The next line, without its end; `None` at the end of the file.
    pub(super) fn line(&mut self) -> Result<Option<Line<'a>>, AigerError> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let length = self.rest.iter().position(|byte| *byte == b'\n');
        let (line, rest) = self.rest.split_at(length.unwrap_or(self.rest.len()));
        self.rest = rest.get(1..).unwrap_or_default();
        self.lines += 1;
        let text = std::str::from_utf8(line).map_err(|_| AigerError::NotText { line: self.lines })?;
        Ok(Some(Line {
            number: self.lines,
            text: text.trim_end_matches('\r'),
        }))
    }

    /// The next number of the binary part: seven bits in each byte, the lowest first, and the eighth set in all
    /// but the last. `None` if it is cut off or too large.
    pub(super) fn difference(&mut self) -> Option<u32> {
        let mut difference = 0;
        for place in 0.. {
            let (byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            let bits = u64::from(byte & 0x7f)
                .checked_shl(7 * place)
                .filter(|_| place < 5)?;
            difference |= bits;
            if byte & 0x80 == 0 {
                break;
            }
        }
        u32::try_from(difference).ok()
    }
}

impl Line<'_> {
    /// The numbers of the line.
    pub(super) fn numbers(self) -> impl Iterator<Item = Result<u32, AigerError>> {
        let words = self.text.split_ascii_whitespace();
        words.map(move |word| {
            number(word).ok_or_else(|| AigerError::NotANumber {
                line: self.number,
                found: shortened(word),
            })
        })
    }

    /// The numbers of a line that must hold `N`, as `wanted` does.
    pub(super) fn exactly<const N: usize>(self, wanted: &'static str) -> Result<[u32; N], AigerError> {
        let numbers: Vec<u32> = self.numbers().collect::<Result<_, _>>()?;
        let found = numbers.len();
        numbers.try_into().map_err(|_| AigerError::LineLength {
            line: self.number,
            wanted,
            expected: N,
            found,
        })
    }
}
