//! The narrowest types of the columns of a table.

use std::io::BufRead;

use crate::csv_rows::Splitter;
use crate::error::excerpt;
use crate::json_rows::members;
use crate::lines::Lines;
use crate::{ReadOptions, RecordsError, TableFormat};

/// Columns of which types are looked for.
const MOST_COLUMNS: usize = 4096;

/// The values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Values {
    /// `true` and `false`.
    Bools,
    /// Whole numbers from 0 on, which have so many bits, 1 to 128.
    Unsigned(usize),
    /// Whole numbers, which have so many bits in two's complement, 1 to 128.
    Signed(usize),
    /// So many bytes as hexadecimal digits.
    Hex(usize),
    /// Anything else, such as names.
    Other,
}

/// Finds the narrowest type that holds all values of each column of a table in CSV, TSV or JSON, in the order of the
/// columns' first appearance. Words of digits alone are numbers, whatever they mean.
///
/// # Errors
/// [`RecordsError::EmptyTable`] if there is no row, and those of reading a table's rows; [`RecordsError::NoTypes`] for raw
/// binary, and for too many columns.
pub fn narrowest(
    input: impl BufRead,
    format: TableFormat,
    options: ReadOptions,
) -> Result<Vec<(String, Values)>, RecordsError> {
    let mut columns = Columns::default();
    match format {
        TableFormat::Csv => columns.separated(Lines::new(input, options.line_limit, 1), ',')?,
        TableFormat::Tsv => columns.separated(Lines::new(input, options.line_limit, 1), '\t')?,
        TableFormat::Json => columns.objects(Lines::new(input, options.line_limit, 0))?,
        TableFormat::Binary => {
            return Err(RecordsError::NoTypes {
                problem: "raw binary does not say what its columns are".to_owned(),
            });
        }
    }
    let found = columns.0.into_iter();
    let found: Option<Vec<_>> = found
        .map(|column| Some((column.name, column.seen?.values())))
        .collect();
    found
        .filter(|columns| !columns.is_empty())
        .ok_or(RecordsError::EmptyTable)
}

#[derive(Default)]
struct Columns(Vec<ColumnSoFar>);

struct ColumnSoFar {
    name: String,
    /// None before the first value.
    seen: Option<Seen>,
}

/// What holds of all values so far.
#[derive(Clone, Copy)]
struct Seen {
    bools: bool,
    /// The smallest and the largest of numbers.
    numbers: Option<(i128, u128)>,
    hex: Option<usize>,
}

impl Columns {
    fn separated<R: BufRead>(&mut self, lines: Lines<R>, separator: char) -> Result<(), RecordsError> {
        let mut lines = lines.with_separator(separator);
        let mut splitter = Splitter::new(separator);
        let Some(header) = lines.next()? else {
            return Err(RecordsError::EmptyTable);
        };
        splitter.split(&header)?;
        for field in 0..splitter.len() {
            self.place(splitter.field(field).trim())?;
        }
        let columns = splitter.len();
        while let Some(line) = lines.next()? {
            let at = line.at;
            splitter.split(&line)?;
            if splitter.len() != columns {
                return Err(RecordsError::WrongCount {
                    at,
                    expected: columns,
                    found: splitter.len(),
                });
            }
            for (field, column) in self.0.iter_mut().enumerate() {
                column.see(splitter.field(field).trim(), true);
            }
        }
        Ok(())
    }

    fn objects<R: BufRead>(&mut self, mut lines: Lines<R>) -> Result<(), RecordsError> {
        while let Some(line) = lines.next()? {
            for (name, raw) in members(&line)? {
                let place = self.place(&name)?;
                let text: Option<String> = raw
                    .starts_with('"')
                    .then(|| serde_json::from_str(raw).ok())
                    .flatten();
                if let Some(column) = self.0.get_mut(place) {
                    column.see(text.as_deref().unwrap_or(raw), text.is_none());
                }
            }
        }
        Ok(())
    }

    /// The place of a column, a new one if it is new.
    fn place(&mut self, name: &str) -> Result<usize, RecordsError> {
        if let Some(place) = self.0.iter().position(|column| column.name == name) {
            return Ok(place);
        }
        if self.0.len() == MOST_COLUMNS {
            return Err(RecordsError::NoTypes {
                problem: format!("more than {MOST_COLUMNS} columns, with {}", excerpt(name)),
            });
        }
        self.0.push(ColumnSoFar {
            name: name.to_owned(),
            seen: None,
        });
        Ok(self.0.len() - 1)
    }
}

impl ColumnSoFar {
    /// Takes another value into account. A quoted value of JSON is no number.
    fn see(&mut self, text: &str, number: bool) {
        let bools = text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false");
        let numbers = number.then(|| number_range(text)).flatten();
        let digits = !text.is_empty()
            && text.len().is_multiple_of(2)
            && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let hex = digits.then_some(text.len() / 2);
        self.seen = Some(match self.seen {
            None => Seen { bools, numbers, hex },
            Some(seen) => Seen {
                bools: bools && seen.bools,
                numbers: numbers
                    .zip(seen.numbers)
                    .map(|(a, b)| (a.0.min(b.0), a.1.max(b.1))),
                hex: hex.filter(|length| seen.hex == Some(*length)),
            },
        });
    }
}

/// A number as the smallest and the largest so far.
fn number_range(text: &str) -> Option<(i128, u128)> {
    match text.parse::<i128>() {
        Ok(value) => Some((value, value.max(0).unsigned_abs())),
        Err(_) => text.parse::<u128>().ok().map(|value| (i128::MAX, value)),
    }
}

impl Seen {
    fn values(self) -> Values {
        let bits = |value: u128| (128 - value.leading_zeros()) as usize;
        match (self.bools, self.numbers, self.hex) {
            (true, ..) => Values::Bools,
            (_, Some((least, most)), _) if least >= 0 => Values::Unsigned(bits(most).max(1)),
            (_, Some((least, most)), _) => {
                let width = 1 + bits(most).max(bits(!least as u128));
                if width > 128 {
                    Values::Other
                } else {
                    Values::Signed(width)
                }
            }
            (_, None, Some(length)) => Values::Hex(length),
            (_, None, None) => Values::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, format: TableFormat) -> Vec<(String, Values)> {
        narrowest(text.as_bytes(), format, ReadOptions::default()).unwrap()
    }

    fn column(values: &[&str]) -> Values {
        let rows: String = values.iter().map(|value| format!("{value}\n")).collect();
        found(&format!("x\n{rows}"), TableFormat::Csv)[0].1
    }

    #[test]
    fn columns_get_the_narrowest_type() {
        assert_eq!(column(&["true", "False"]), Values::Bools);
        assert_eq!(column(&["0", "0"]), Values::Unsigned(1));
        assert_eq!(column(&["0", "255"]), Values::Unsigned(8));
        assert_eq!(column(&["256", "1"]), Values::Unsigned(9));
        assert_eq!(column(&["-1"]), Values::Signed(1));
        assert_eq!(column(&["-1", "1"]), Values::Signed(2));
        assert_eq!(column(&["-128", "127"]), Values::Signed(8));
        assert_eq!(column(&["-129", "127"]), Values::Signed(9));
        assert_eq!(column(&["-128", "128"]), Values::Signed(9));
        assert_eq!(column(&[&u128::MAX.to_string()]), Values::Unsigned(128));
        assert_eq!(column(&[&u128::MAX.to_string(), "-1"]), Values::Other);
        assert_eq!(column(&[&i128::MIN.to_string()]), Values::Signed(128));
        assert_eq!(column(&["00ff", "c0de"]), Values::Hex(2));
        assert_eq!(column(&["00ff", "c0d"]), Values::Other);
        assert_eq!(column(&["Ada", "12"]), Values::Other);
        assert_eq!(column(&["1.5"]), Values::Other);
    }

    #[test]
    fn rows_of_json_are_read() {
        let text = "{\"a\": 3, \"b\": true, \"c\": \"0a\", \"d\": \"7\"}\n{\"b\": false, \"a\": -4, \"d\": \"77\"}\n";
        let expected = [
            ("a", Values::Signed(3)),
            ("b", Values::Bools),
            ("c", Values::Hex(1)),
            ("d", Values::Other),
        ];
        let expected: Vec<_> = expected.map(|(name, values)| (name.to_owned(), values)).to_vec();
        assert_eq!(found(text, TableFormat::Json), expected);
    }

    #[test]
    fn tables_without_types_are_refused() {
        let refused =
            |text: &str, format| narrowest(text.as_bytes(), format, ReadOptions::default()).unwrap_err();
        assert!(matches!(refused("", TableFormat::Csv), RecordsError::EmptyTable));
        assert!(matches!(
            refused("a,b\n", TableFormat::Csv),
            RecordsError::EmptyTable
        ));
        assert!(matches!(refused("", TableFormat::Json), RecordsError::EmptyTable));
        assert!(matches!(
            refused("x", TableFormat::Binary),
            RecordsError::NoTypes { .. }
        ));
        assert!(matches!(
            refused("a,b\n1\n", TableFormat::Csv),
            RecordsError::WrongCount { .. }
        ));
        let wide: Vec<String> = (0..=MOST_COLUMNS).map(|index| index.to_string()).collect();
        assert!(matches!(
            refused(&wide.join(","), TableFormat::Csv),
            RecordsError::NoTypes { .. }
        ));
    }
}
