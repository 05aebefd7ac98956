//! Rows of values that commas or tabs separate, below a header.

use std::borrow::Cow;
use std::io::BufRead;

use csv_core::{ReadRecordResult, ReaderBuilder, Terminator};

use crate::error::excerpt;
use crate::extra::ColumnNames;
use crate::lines::{Line, Lines};
use crate::{Place, RecordsError, Schema, value};

/// The rows of a table in CSV or TSV, cut into fields.
pub(crate) struct CsvFields<R> {
    lines: Lines<R>,
    splitter: Splitter,
    /// The names in the header, and where it is.
    names: Vec<String>,
    header: Place,
}

impl<R: BufRead> CsvFields<R> {
    /// Reads the header of a table with this separator.
    pub(crate) fn open(input: R, separator: char, line_limit: usize) -> Result<Self, RecordsError> {
        let mut lines = Lines::new(input, line_limit, 1).with_separator(separator);
        let mut splitter = Splitter::new(separator);
        let Some(line) = lines.next()? else {
            return Err(RecordsError::EmptyTable);
        };
        let header = line.at;
        splitter.split(&line)?;
        let names = (0..splitter.len()).map(|field| splitter.field(field).trim().to_owned());
        Ok(Self {
            names: names.collect(),
            lines,
            splitter,
            header,
        })
    }

    /// Reads the next row; where it is, or nothing if there is none.
    pub(crate) fn next(&mut self) -> Result<Option<Place>, RecordsError> {
        let Some(line) = self.lines.next()? else {
            return Ok(None);
        };
        let at = line.at;
        self.splitter.split(&line)?;
        if self.splitter.len() != self.names.len() {
            return Err(RecordsError::WrongCount {
                at,
                expected: self.names.len(),
                found: self.splitter.len(),
            });
        }
        Ok(Some(at))
    }

    /// A field of the row that was read last.
    pub(crate) fn field(&self, index: usize) -> Cow<'_, str> {
        self.splitter.field(index)
    }

    /// Where the column of a name is.
    ///
    /// # Errors
    /// [`RecordsError::NoSuchColumn`], [`RecordsError::DuplicateColumn`].
    pub(crate) fn require(&self, column: &str) -> Result<usize, RecordsError> {
        let named = self.names.iter().enumerate();
        let mut found = named.filter(|(_, name)| *name == column);
        match (found.next(), found.next()) {
            (Some((index, _)), None) => Ok(index),
            (Some(_), Some(_)) => Err(RecordsError::DuplicateColumn {
                at: self.header,
                column: column.to_owned(),
            }),
            (None, _) => Err(RecordsError::NoSuchColumn {
                at: self.header,
                column: column.to_owned(),
                found: ColumnNames::of(self.names.iter().map(String::as_str)).to_string(),
            }),
        }
    }
}

/// The records of a table in CSV or TSV.
pub(crate) struct CsvRows<R> {
    fields: CsvFields<R>,
    /// For each name of the header, the number of its column if it has one.
    targets: Vec<Option<usize>>,
    /// The columns that belong to no port.
    pub(crate) extra: ColumnNames,
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
        let fields = CsvFields::open(input, separator, line_limit)?;
        let mut extra = ColumnNames::default();
        let targets = targets(&fields, schema, ignore_extra, &mut extra)?;
        Ok(Self {
            fields,
            targets,
            extra,
        })
    }

    /// Where the column of a key is.
    ///
    /// # Errors
    /// [`RecordsError::NoSuchColumn`], [`RecordsError::DuplicateColumn`].
    pub(crate) fn require(&self, column: &str) -> Result<usize, RecordsError> {
        self.fields.require(column)
    }

    /// A field of the row that was read last.
    pub(crate) fn field(&self, index: usize) -> Cow<'_, str> {
        self.fields.field(index)
    }

    /// Packs the next record; where it is, or nothing if there is none.
    pub(crate) fn next(&mut self, schema: &Schema, packed: &mut [u8]) -> Result<Option<Place>, RecordsError> {
        let Some(at) = self.fields.next()? else {
            return Ok(None);
        };
        for (field, target) in self.targets.iter().enumerate() {
            let Some(target) = *target else { continue };
            let column = &schema.columns()[target];
            let text = self.fields.field(field);
            let packed = &mut packed[column.bytes()];
            let parsed = value::parse(text.trim(), column.column_type(), column.width(), packed);
            parsed.ok_or_else(|| RecordsError::BadValue {
                at,
                column: column.port().name.clone(),
                allowed: value::allowed(column.column_type(), column.width()),
            })?;
        }
        Ok(Some(at))
    }
}

/// Which column each name of the header means; `extra` gets those that mean none.
fn targets<R: BufRead>(
    fields: &CsvFields<R>,
    schema: &Schema,
    ignore_extra: bool,
    extra: &mut ColumnNames,
) -> Result<Vec<Option<usize>>, RecordsError> {
    let at = fields.header;
    let mut found = vec![false; schema.columns().len()];
    let mut targets = Vec::with_capacity(fields.names.len());
    for name in &fields.names {
        let target = schema.position(name);
        match target {
            Some(index) if found[index] => {
                return Err(RecordsError::DuplicateColumn {
                    at,
                    column: schema.columns()[index].port().name.clone(),
                });
            }
            Some(index) => found[index] = true,
            None if ignore_extra => extra.push(name),
            None => {
                return Err(RecordsError::UnknownColumn {
                    at,
                    column: excerpt(name),
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
            beside: extra.beside(),
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
