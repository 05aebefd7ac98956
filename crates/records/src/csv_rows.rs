//! Rows of values that commas or tabs separate, below a header.

use std::borrow::Cow;
use std::io::BufRead;

use csv_core::{ReadRecordResult, ReaderBuilder, Terminator};

use crate::error::excerpt;
use crate::lines::{Line, Lines};
use crate::{Place, RecordsError, Schema, value};

/// The records of a table in CSV or TSV.
pub(crate) struct CsvRows<R> {
    lines: Lines<R>,
    splitter: Splitter,
    /// For each name of the header, the number of its column if it has one.
    targets: Vec<Option<usize>>,
}

impl<R: BufRead> CsvRows<R> {
    /// Reads the header of a table with this separator.
    pub(crate) fn open(
        input: R,
        separator: char,
        schema: &Schema,
        ignore_extra: bool,
        line_limit: usize,
    ) -> Result<Self, RecordsError> {
        let mut lines = Lines::new(input, line_limit, 1).with_separator(separator);
        let mut splitter = Splitter::new(separator);
        let Some(line) = lines.next()? else {
            return Err(RecordsError::EmptyTable);
        };
        let at = line.at;
        splitter.split(&line)?;
        let targets = targets(&splitter, schema, ignore_extra, at)?;
        Ok(Self {
            lines,
            splitter,
            targets,
        })
    }

    /// Packs the next record; `false` if there is none.
    pub(crate) fn next(&mut self, schema: &Schema, packed: &mut [u8]) -> Result<bool, RecordsError> {
        let Some(line) = self.lines.next()? else {
            return Ok(false);
        };
        let at = line.at;
        self.splitter.split(&line)?;
        if self.splitter.len() != self.targets.len() {
            return Err(RecordsError::WrongCount {
                at,
                expected: self.targets.len(),
                found: self.splitter.len(),
            });
        }
        for (field, target) in self.targets.iter().enumerate() {
            let Some(target) = *target else { continue };
            let column = &schema.columns()[target];
            let text = self.splitter.field(field);
            let packed = &mut packed[column.bytes()];
            let parsed = value::parse(text.trim(), column.column_type(), column.width(), packed);
            parsed.ok_or_else(|| RecordsError::BadValue {
                at,
                column: column.port().name.clone(),
                allowed: value::allowed(column.column_type(), column.width()),
            })?;
        }
        Ok(true)
    }
}

/// Which column each name of the header in `header` means.
fn targets(
    header: &Splitter,
    schema: &Schema,
    ignore_extra: bool,
    at: Place,
) -> Result<Vec<Option<usize>>, RecordsError> {
    let mut found = vec![false; schema.columns().len()];
    let mut targets = Vec::with_capacity(header.len());
    for field in 0..header.len() {
        let name = header.field(field);
        let target = schema.position(name.trim());
        match target {
            Some(index) if found[index] => {
                return Err(RecordsError::DuplicateColumn {
                    at,
                    column: schema.columns()[index].port().name.clone(),
                });
            }
            Some(index) => found[index] = true,
            None if ignore_extra => {}
            None => {
                return Err(RecordsError::UnknownColumn {
                    at,
                    column: excerpt(&name),
                    known: schema.names(),
                });
            }
        }
        targets.push(target);
    }
    match found.iter().position(|found| !found) {
        None => Ok(targets),
        Some(index) => Err(RecordsError::MissingColumn {
            at,
            column: schema.columns()[index].port().name.clone(),
            known: schema.names(),
        }),
    }
}

/// Splits a line at its separators and takes quotation marks away.
pub(crate) struct Splitter {
    parser: csv_core::Reader,
    /// The fields of the last line, one after the other.
    text: Vec<u8>,
    /// Where each field ends in `text`; only the first `fields` count.
    ends: Vec<usize>,
    fields: usize,
}

impl Splitter {
    pub(crate) fn new(separator: char) -> Self {
        Self {
            // A carriage return within a line is no end of it.
            parser: ReaderBuilder::new()
                .delimiter(separator as u8)
                .terminator(Terminator::Any(b'\n'))
                .build(),
            text: Vec::new(),
            ends: Vec::new(),
            fields: 0,
        }
    }

    /// Replaces the fields by those of `line`, which is not blank.
    pub(crate) fn split(&mut self, line: &Line<'_>) -> Result<(), RecordsError> {
        let bytes = line.text.as_bytes();
        // Room for all fields and, as the parser wants it, for one byte more.
        let room = bytes.len() + 1;
        if self.ends.len() < room {
            self.text.resize(room, 0);
            self.ends.resize(room, 0);
        }
        let (_, _, written, ended) = self.parser.read_record(bytes, &mut self.text, &mut self.ends);
        // The end of the line closes the record unless a quotation mark is open.
        let (result, ..) = self
            .parser
            .read_record(b"\n", &mut self.text[written..], &mut self.ends[ended..]);
        if result != ReadRecordResult::Record {
            return Err(RecordsError::OpenQuote { at: line.at });
        }
        self.fields = ended + 1;
        Ok(())
    }

    /// Number of fields.
    pub(crate) fn len(&self) -> usize {
        self.fields
    }

    /// A field of the last line, below `len`.
    pub(crate) fn field(&self, index: usize) -> Cow<'_, str> {
        let start = match index {
            0 => 0,
            _ => self.ends[index - 1],
        };
        // The line was text and was cut at ASCII characters: nothing is lost.
        String::from_utf8_lossy(&self.text[start..self.ends[index]])
    }
}
