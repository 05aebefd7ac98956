//! Lines and numbers of a circuit file.

use super::BristolError;
use crate::text::{number, shortened};

/// A line that is not blank, with its number from 1.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    pub(super) number: usize,
    pub(super) text: &'a str,
}

impl<'a> Line<'a> {
    /// The words of the line.
    pub(super) fn words(self) -> impl Iterator<Item = &'a str> {
        self.text.split_ascii_whitespace()
    }

    /// The line's words as numbers.
    pub(super) fn numbers(self) -> Result<Vec<u32>, BristolError> {
        self.words().map(|word| self.number(word)).collect()
    }

    /// Whether all words are numbers, even if they are too large.
    pub(super) fn is_numeric(self) -> bool {
        self.words()
            .all(|word| word.bytes().all(|byte| byte.is_ascii_digit()))
    }

    /// Reads one word of the line as a number.
    pub(super) fn number(self, word: &str) -> Result<u32, BristolError> {
        number(word).ok_or_else(|| BristolError::NotANumber {
            line: self.number,
            found: shortened(word),
        })
    }
}

/// The lines of a text that are not blank.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let numbered = text.lines().zip(1..);
    let all = numbered.map(|(text, number)| Line { number, text });
    all.filter(|line| !line.text.trim_ascii().is_empty())
}
