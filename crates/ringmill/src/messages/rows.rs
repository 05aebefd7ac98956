//! Rows of numbers in text: a line each, as CSV or as JSON arrays.

use std::io::{self, BufRead, Read, Write};
use std::path::{Path, PathBuf};

use ringmill_records::TableFormat;

use crate::Error;
use crate::files::{Input, Meter};
use crate::table::format_of;

/// Bytes of a line beyond which no number of the row's can be reached, for each number.
const LINE_BYTES: u64 = 64;

/// The byte order mark, which some programs put in front of text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// How a row is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowFormat {
    /// Numbers with commas between them.
    Csv,
    /// Numbers with tabs between them.
    Tsv,
    /// The same in brackets.
    Json,
}

impl RowFormat {
    /// The format given, or that of the file's name if it is known.
    pub fn of(path: &Path, given: Option<TableFormat>) -> Result<Self, Error> {
        match format_of(path, given)? {
            TableFormat::Csv => Ok(Self::Csv),
            TableFormat::Tsv => Ok(Self::Tsv),
            TableFormat::Json => Ok(Self::Json),
            _ => Err(Error::Usage(format!(
                "{}: messages are not read or written as binary; give --format csv, tsv or json",
                path.display()
            ))),
        }
    }

    /// Writes a row.
    pub fn write(self, out: &mut dyn Write, row: &[u64]) -> io::Result<()> {
        let numbers: Vec<String> = row.iter().map(u64::to_string).collect();
        match self {
            Self::Csv => writeln!(out, "{}", numbers.join(",")),
            Self::Tsv => writeln!(out, "{}", numbers.join("\t")),
            Self::Json => writeln!(out, "[{}]", numbers.join(",")),
        }
    }

    /// The numbers of a line, or what is wrong with it.
    fn parse(self, line: &str) -> Result<Vec<u64>, String> {
        let split = |separator| {
            let numbers = line.split(separator).enumerate();
            numbers.map(|(i, text)| parse(i, text)).collect()
        };
        match self {
            Self::Csv => split(','),
            Self::Tsv => split('\t'),
            Self::Json => serde_json::from_str(line).map_err(|_| {
                "not an array of integers, as [1,2,3]; negative ones are none of them".to_owned()
            }),
        }
    }
}

fn parse(index: usize, text: &str) -> Result<u64, String> {
    let text = text.trim();
    text.parse()
        .map_err(|_| format!("number {} is not an integer from 0 on", index + 1))
}

/// Rows that are being read: 1 to n numbers below t each.
pub(crate) struct NumberRows {
    path: PathBuf,
    input: Input,
    format: RowFormat,
    /// The most numbers in a row.
    most: usize,
    /// The bound below which all numbers are.
    t: u64,
    line: u64,
}

impl NumberRows {
    /// Opens a file of rows of at most `most` numbers below `t`; - is standard input.
    pub fn open(path: &Path, format: Option<TableFormat>, (most, t): (usize, u64)) -> Result<Self, Error> {
        Self::of_input(path, Input::open(path)?, format, (most, t))
    }

    /// The same of an input that is open; the path names it in errors.
    pub fn of_input(
        path: &Path,
        input: Input,
        format: Option<TableFormat>,
        (most, t): (usize, u64),
    ) -> Result<Self, Error> {
        Ok(Self {
            path: path.to_path_buf(),
            input,
            format: RowFormat::of(path, format)?,
            most,
            t,
            line: 0,
        })
    }

    /// How much is read.
    pub fn meter(&self) -> Meter {
        self.input.meter()
    }

    /// Reads the next rows, at most `count`; none at the end of the file.
    pub fn take(&mut self, count: usize) -> Result<Vec<Vec<u64>>, Error> {
        let mut rows = Vec::new();
        while rows.len() < count
            && let Some(row) = self.next()?
        {
            rows.push(row);
        }
        Ok(rows)
    }

    fn next(&mut self) -> Result<Option<Vec<u64>>, Error> {
        let limit = LINE_BYTES * (self.most as u64 + 1);
        let mut line = Vec::new();
        let read = (&mut self.input).take(limit).read_until(b'\n', &mut line);
        let read = read.map_err(|error| Error::io(&self.path, error))? as u64;
        if read == 0 {
            return Ok(None);
        }
        self.line += 1;
        if self.line == 1 && line.starts_with(BYTE_ORDER_MARK) {
            line.drain(..BYTE_ORDER_MARK.len());
        }
        let row = if read == limit && line.last() != Some(&b'\n') {
            Err(format!("longer than a message of {} numbers can be", self.most))
        } else {
            self.row(&line)
        };
        row.map(Some)
            .map_err(|problem| Error::data(&self.path, format!("line {}: {problem}", self.line)))
    }

    fn row(&self, line: &[u8]) -> Result<Vec<u64>, String> {
        let line = std::str::from_utf8(line)
            .map_err(|_| "not text".to_owned())?
            .trim_matches(|c: char| c.is_whitespace() && c != '\t');
        if line.is_empty() {
            return Err("empty; a message has at least one number".to_owned());
        }
        let row = self.format.parse(line)?;
        if row.is_empty() {
            return Err("empty; a message has at least one number".to_owned());
        }
        if row.len() > self.most {
            return Err(format!(
                "{} numbers, but a message with these parameters has at most {}",
                row.len(),
                self.most
            ));
        }
        match row.iter().position(|&x| x >= self.t) {
            Some(index) => Err(format!(
                "number {} is too large: messages with these parameters are integers from 0 to {}",
                index + 1,
                self.t - 1
            )),
            None => Ok(row),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(format: RowFormat, text: &str) -> Result<Vec<Vec<u64>>, String> {
        let mut rows = NumberRows {
            path: PathBuf::from("in"),
            input: Input::of_bytes(text.to_owned().into_bytes().into()),
            format,
            most: 3,
            t: 10,
            line: 0,
        };
        rows.take(100).map_err(|error| error.to_string())
    }

    #[test]
    fn rows_are_read() {
        let expected = Ok(vec![vec![1, 2, 3], vec![0], vec![9, 9]]);
        assert_eq!(rows(RowFormat::Csv, "1,2,3\n0\r\n 9 , 9"), expected);
        assert_eq!(rows(RowFormat::Json, "[1,2,3]\n [0]\r\n[9, 9]\n"), expected);
        assert_eq!(rows(RowFormat::Tsv, "\u{feff}1\t2\t3\n0\r\n 9 \t 9"), expected);
        assert_eq!(rows(RowFormat::Csv, ""), Ok(vec![]));
    }

    #[test]
    fn bad_rows_are_refused_by_line() {
        let long = "1".repeat(300);
        for (text, problem) in [
            ("1\n2,x\n", "in: line 2: number 2 is not an integer"),
            ("-1\n", "line 1: number 1 is not"),
            ("1,\n", "line 1: number 2 is not"),
            ("1\n\n2\n", "line 2: empty"),
            (
                "1\n5,10\n",
                "line 2: number 2 is too large: messages with these parameters are integers from 0 to 9",
            ),
            (
                "1,2,3,4\n",
                "line 1: 4 numbers, but a message with these parameters has at most 3",
            ),
            ("99999999999999999999\n", "line 1: number 1"),
            (&long, "line 1: longer than a message of 3 numbers"),
        ] {
            let error = rows(RowFormat::Csv, text).unwrap_err();
            assert!(error.contains(problem), "{error}");
        }
        for (text, problem) in [
            ("[1]\n[]\n", "line 2: empty"),
            ("[1,-2]", "line 1: not an array of integers"),
            ("{}", "line 1: not an array of integers"),
            ("[1.5]", "line 1: not an array of integers"),
            ("[10]", "line 1: number 1 is too large"),
        ] {
            let error = rows(RowFormat::Json, text).unwrap_err();
            assert!(error.contains(problem), "{error}");
        }
    }
}
