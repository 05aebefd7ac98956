//! Lines and numbers of a circuit file.

use super::BristolError;

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

    /// Reads one word of the line as a number. Only digits are accepted, not the sign that the standard
    /// library accepts.
    pub(super) fn number(self, word: &str) -> Result<u32, BristolError> {
        let digits = word.bytes().all(|byte| byte.is_ascii_digit());
        let number = word.parse().ok().filter(|_| digits);
        number.ok_or_else(|| BristolError::NotANumber {
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

/// At most the first few characters of a word, so that an error about a binary file stays readable.
pub(super) fn shortened(word: &str) -> String {
    word.chars().take(24).collect()
}

/// Decodes bytes as text.
pub(super) fn decode(bytes: &[u8]) -> Result<&str, BristolError> {
    std::str::from_utf8(bytes).map_err(|error| {
        let before = bytes.iter().take(error.valid_up_to());
        let line = 1 + before.filter(|byte| **byte == b'\n').count();
        BristolError::NotText { line }
    })
}
