//! The output of commands: tables for people, JSON for programs.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;

use ringmill::files::is_standard;
pub use ringmill::units::{bytes, seconds};
use serde::Serialize;

use crate::error::CliError;

/// Rows of a name and a value under headings.
#[derive(Debug, Default)]
pub struct Table {
    rows: Vec<(Option<String>, String)>,
}

impl Table {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn heading(&mut self, text: &str) {
        self.rows.push((None, text.to_owned()));
    }

    pub fn row(&mut self, name: &str, value: impl Into<String>) {
        self.rows.push((Some(name.to_owned()), value.into()));
    }

    pub fn to_text(&self) -> String {
        let names = self.rows.iter().filter_map(|(name, _)| name.as_ref());
        let width = names.map(|name| name.chars().count()).max().unwrap_or(0);
        let mut text = String::new();
        for (i, (name, value)) in self.rows.iter().enumerate() {
            // Writing to a string cannot fail.
            let _ = match name {
                None if i == 0 => writeln!(text, "{value}"),
                None => writeln!(text, "\n{value}"),
                Some(name) => writeln!(text, "  {name:width$}  {value}"),
            };
        }
        text
    }
}

/// How the rows of a table are printed that are not all known when the first one is.
#[derive(Debug)]
pub struct Layout {
    /// Names of the columns, and the least width of each.
    pub columns: &'static [(&'static str, usize)],
    /// The columns that are aligned right; the others are aligned left.
    pub numbers: Range<usize>,
}

impl Layout {
    /// The names of the columns, as a line.
    pub fn header(&self) -> String {
        let names: Vec<String> = self.columns.iter().map(|(name, _)| (*name).to_owned()).collect();
        self.row(&names)
    }

    /// A row, as a line. A cell that is too long moves those after it.
    pub fn row(&self, cells: &[String]) -> String {
        let widths = self
            .columns
            .iter()
            .map(|(name, least)| name.chars().count().max(*least));
        aligned(cells, &widths.collect::<Vec<_>>(), &self.numbers)
    }
}

/// Columns under a header; those in `numbers` are aligned right, the others left.
pub fn columns(header: &[&str], numbers: Range<usize>, rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        let longest = cells.map(|cell| cell.chars().count()).max().unwrap_or(0);
        header
            .get(column)
            .map_or(0, |name| name.chars().count())
            .max(longest)
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let header: Vec<String> = header.iter().map(|name| (*name).to_owned()).collect();
    let rows = std::iter::once(&header).chain(rows);
    rows.map(|row| aligned(row, &widths, &numbers)).collect()
}

/// Cells as a line, each at least as wide as its column.
fn aligned(cells: &[String], widths: &[usize], numbers: &Range<usize>) -> String {
    let cells = cells.iter().zip(widths).enumerate().map(|(i, (cell, &width))| {
        if numbers.contains(&i) {
            format!("{cell:>width$}")
        } else {
            format!("{cell:width$}")
        }
    });
    let line = cells.collect::<Vec<_>>().join("  ");
    format!("{}\n", line.trim_end())
}

/// Prints to standard output. That nobody reads on is no error.
pub fn print(text: &str) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(CliError::io("standard output".as_ref(), error))
        }
        _ => Ok(()),
    }
}

/// Prints the text, or the object if JSON is asked for.
pub fn print_either(
    json: bool,
    object: &impl Serialize,
    text: impl FnOnce() -> String,
) -> Result<(), CliError> {
    if json {
        return print(&format!("{}\n", serde_json::to_string_pretty(object)?));
    }
    print(&text())
}

/// As [`print_either`], but to standard error if standard output is where the result went.
pub fn print_beside(
    output: &Path,
    json: bool,
    object: &impl Serialize,
    text: impl FnOnce() -> String,
) -> Result<(), CliError> {
    if !is_standard(output) {
        return print_either(json, object, text);
    }
    if json {
        eprintln!("{}", serde_json::to_string_pretty(object)?);
    } else {
        eprint!("{}", text());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_aligned() {
        let mut table = Table::new();
        table.heading("one");
        table.row("a", "1");
        table.heading("two");
        table.row("long", "2");
        assert_eq!(table.to_text(), "one\n  a     1\n\ntwo\n  long  2\n");
        let rows = [vec!["x".to_owned(), "10".to_owned()]];
        assert_eq!(columns(&["name", "n"], 1..2, &rows), "name   n\nx     10\n");
        let layout = Layout {
            columns: &[("name", 6), ("n", 1), ("", 0)],
            numbers: 1..2,
        };
        assert_eq!(layout.header(), "name    n\n");
        let cells = ["x", "10", "y"].map(str::to_owned);
        assert_eq!(layout.row(&cells), "x       10  y\n");
    }
}
