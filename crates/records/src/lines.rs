//! Lines of bounded length, with their numbers.

use std::io::{BufRead, Read};

use crate::{Place, RecordsError};

/// The byte order mark that some programs put in front of a table.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The lines of a table that are not blank.
pub(crate) struct Lines<R> {
    input: R,
    buffer: Vec<u8>,
    limit: usize,
    /// Lines read, blank or not.
    number: u64,
    /// Lines handed out.
    rows: u64,
    /// Of which the first so many are no data.
    headers: u64,
    /// White space that makes a line more than blank.
    separator: Option<char>,
}

/// One line, without its end.
pub(crate) struct Line<'a> {
    pub(crate) text: &'a str,
    pub(crate) at: Place,
}

impl<R: BufRead> Lines<R> {
    /// The lines of `input`, each of at most `limit` bytes, the first `headers` of which are no data.
    pub(crate) fn new(input: R, limit: usize, headers: u64) -> Self {
        Self {
            input,
            buffer: Vec::new(),
            limit,
            number: 0,
            rows: 0,
            headers,
            separator: None,
        }
    }

    /// Takes lines of these alone for empty values, not for blank lines.
    pub(crate) fn with_separator(self, separator: char) -> Self {
        let separator = Some(separator);
        Self { separator, ..self }
    }

    /// The next line that is not blank.
    pub(crate) fn next(&mut self) -> Result<Option<Line<'_>>, RecordsError> {
        self.rows += 1;
        loop {
            self.number += 1;
            if !self.fill()? {
                return Ok(None);
            }
            if !self.is_blank() {
                break;
            }
        }
        let at = self.place();
        match std::str::from_utf8(&self.buffer) {
            Ok(text) => Ok(Some(Line { text, at })),
            Err(error) => Err(RecordsError::NotUtf8 {
                at,
                byte: error.valid_up_to() + 1,
            }),
        }
    }

    fn is_blank(&self) -> bool {
        let separator = self.separator.map(|separator| separator as u8);
        let blank = |byte: &u8| byte.is_ascii_whitespace() && Some(*byte) != separator;
        self.buffer.iter().all(blank)
    }

    /// The line that was read last, or could not be.
    fn place(&self) -> Place {
        let line = self.number;
        match self.rows.checked_sub(self.headers) {
            None | Some(0) => Place::Header { line },
            Some(row) => Place::Row { row, line },
        }
    }

    /// Reads a line without its end into the buffer; `false` at the end of the table.
    fn fill(&mut self) -> Result<bool, RecordsError> {
        self.buffer.clear();
        // Two more for the end of the line.
        let most = (self.limit as u64).saturating_add(2);
        let mut input = (&mut self.input).take(most);
        if input.read_until(b'\n', &mut self.buffer)? == 0 {
            return Ok(false);
        }
        let line = self.buffer.strip_suffix(b"\n").unwrap_or(&self.buffer);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.len() > self.limit {
            return Err(RecordsError::LineTooLong {
                at: self.place(),
                limit: self.limit,
            });
        }
        self.buffer.truncate(line.len());
        if self.number == 1 && self.buffer.starts_with(BYTE_ORDER_MARK) {
            self.buffer.drain(..BYTE_ORDER_MARK.len());
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(input: &[u8], limit: usize) -> Vec<(String, String)> {
        let mut lines = Lines::new(input, limit, 1);
        let mut all = Vec::new();
        loop {
            match lines.next() {
                Ok(Some(line)) => all.push((line.text.to_owned(), line.at.to_string())),
                Ok(None) => return all,
                Err(error) => {
                    all.push((String::new(), error.to_string()));
                    return all;
                }
            }
        }
    }

    fn owned(lines: &[(&str, &str)]) -> Vec<(String, String)> {
        lines
            .iter()
            .map(|(text, at)| ((*text).to_owned(), (*at).to_owned()))
            .collect()
    }

    #[test]
    fn ends_blanks_and_numbers() {
        let expected = [
            ("a,b", "the header (line 1)"),
            ("1", "row 1 (line 4)"),
            ("2", "row 2 (line 5)"),
        ];
        assert_eq!(
            all("\u{feff}a,b\r\n\n \t\r\n1\n2".as_bytes(), 6),
            owned(&expected)
        );
        assert_eq!(all(b"", 5), []);
        assert_eq!(all(b"\n\n", 5), []);
    }

    #[test]
    fn bounds_are_exact() {
        for end in ["", "\n", "\r\n"] {
            let table = format!("h\n12345{end}");
            assert_eq!(all(table.as_bytes(), 5).len(), 2);
            let problem = &all(table.as_bytes(), 4)[1].1;
            assert!(
                problem.starts_with("row 1 (line 2) is longer than 4 bytes"),
                "{problem}"
            );
        }
        let problem = &all(b"h\n\nab\xffc\n", 9)[1].1;
        assert!(
            problem.starts_with("row 1 (line 3) is not UTF-8 at byte 3"),
            "{problem}"
        );
    }
}
