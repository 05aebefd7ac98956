//! Reading tables, batch by batch.

use std::io::BufRead;
use std::num::NonZeroUsize;

use zeroize::Zeroizing;

use crate::binary_rows::BinaryRows;
use crate::csv_rows::CsvRows;
use crate::extra::ColumnNames;
use crate::json_rows::JsonRows;
use crate::order::{KeyOrder, Ordered};
use crate::{Batch, RecordsError, Schema, TableFormat};

/// What the reader accepts in a table besides the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadOptions {
    /// Whether the reader skips columns that belong to no port; otherwise they are an error.
    pub ignore_extra: bool,
    /// The most bytes that a line of text may have, without its end.
    pub line_limit: usize,
}

impl Default for ReadOptions {
    /// No extra columns, and lines of at most 1 MiB.
    fn default() -> Self {
        Self {
            ignore_extra: false,
            line_limit: 1 << 20,
        }
    }
}

/// An iterator over the records of a table. Each batch has as many records as there are slots; the last may have fewer.
/// No batch is empty. The iterator ends after an error. It does not return the records of a batch in which a row is
/// wrong.
pub struct BatchReader<R> {
    schema: Schema,
    rows: RecordSource<R>,
    slots: usize,
    /// One packed record, which may be a key.
    packed: Zeroizing<Vec<u8>>,
    /// The columns that belong to no port, of a table that was read before.
    extra: Option<ColumnNames>,
    /// Batches handed out.
    batches: u64,
    finished: bool,
}

enum RecordSource<R> {
    Csv(Box<CsvRows<R>>),
    Json(JsonRows<R>),
    Binary(BinaryRows<R>),
    /// Packed records in the order of their keys.
    Ordered(std::vec::IntoIter<Zeroizing<Vec<u8>>>),
}

impl<R: BufRead> RecordSource<R> {
    /// Packs the next record; `false` if there is none.
    fn next(&mut self, schema: &Schema, packed: &mut [u8]) -> Result<bool, RecordsError> {
        let at = match self {
            Self::Csv(rows) => rows.next(schema, packed)?,
            Self::Json(rows) => rows.next(schema, packed)?,
            Self::Binary(rows) => rows.next(schema, packed)?,
            Self::Ordered(rows) => {
                let row = rows.next();
                row.iter().for_each(|row| packed.copy_from_slice(row));
                return Ok(row.is_some());
            }
        };
        Ok(at.is_some())
    }

    /// The columns that belong to no port, as far as they were read.
    fn extra(&self) -> ColumnNames {
        match self {
            Self::Csv(rows) => rows.extra.clone(),
            Self::Json(rows) => rows.extra.clone().unwrap_or_default(),
            Self::Binary(_) | Self::Ordered(_) => ColumnNames::default(),
        }
    }
}

impl<R: BufRead> BatchReader<R> {
    /// Starts to read a table. Reads the header of CSV and TSV.
    ///
    /// # Errors
    /// [`RecordsError::EmptyTable`], [`RecordsError::MissingColumn`], [`RecordsError::UnknownColumn`],
    /// [`RecordsError::DuplicateColumn`], [`RecordsError::OpenQuote`], [`RecordsError::NotUtf8`],
    /// [`RecordsError::LineTooLong`] for the header, [`RecordsError::Io`].
    pub fn new(
        input: R,
        format: TableFormat,
        schema: Schema,
        slots: NonZeroUsize,
        options: ReadOptions,
    ) -> Result<Self, RecordsError> {
        let ReadOptions {
            ignore_extra,
            line_limit,
        } = options;
        let rows = match format {
            TableFormat::Csv | TableFormat::Tsv => {
                let separator = format.separator().unwrap_or(',');
                let rows = CsvRows::open(input, separator, &schema, ignore_extra, line_limit)?;
                RecordSource::Csv(Box::new(rows))
            }
            TableFormat::Json => RecordSource::Json(JsonRows::new(input, ignore_extra, line_limit)),
            TableFormat::Binary => RecordSource::Binary(BinaryRows::new(input)),
        };
        Ok(Self {
            packed: Zeroizing::new(vec![0; schema.record_bytes()]),
            schema,
            rows,
            slots: slots.get(),
            extra: None,
            batches: 0,
            finished: false,
        })
    }

    /// Reads a table with a column of keys, and puts its rows into the order of a list of keys. Reads all of the table,
    /// which is then in memory, as packed records that are overwritten when they are dropped.
    ///
    /// # Errors
    /// Those of [`BatchReader::new`] and of rows; [`RecordsError::NoNames`] for raw binary;
    /// [`RecordsError::NoSuchColumn`] if there is no column of keys; [`RecordsError::UnknownKey`],
    /// [`RecordsError::DuplicateKey`], [`RecordsError::MissingKey`].
    pub fn in_order(
        input: R,
        format: TableFormat,
        schema: Schema,
        slots: NonZeroUsize,
        options: ReadOptions,
        order: &KeyOrder,
    ) -> Result<Self, RecordsError> {
        let mut reader = Self::new(input, format, schema, slots, options)?;
        let mut ordered = Ordered::new(order);
        let (schema, packed) = (&reader.schema, &mut reader.packed);
        reader.rows = match reader.rows {
            RecordSource::Csv(mut rows) => {
                let key = rows.require(order.column())?;
                while let Some(at) = rows.next(schema, packed)? {
                    ordered.put(at, rows.field(key).trim(), packed)?;
                }
                reader.extra = Some(rows.extra.clone());
                RecordSource::Ordered(ordered.finish()?)
            }
            RecordSource::Json(rows) => {
                let mut rows = rows.with_key(order.column());
                while let Some(at) = rows.next(schema, packed)? {
                    ordered.put(at, rows.key(), packed)?;
                }
                reader.extra = rows.extra.clone();
                RecordSource::Ordered(ordered.finish()?)
            }
            RecordSource::Binary(_) | RecordSource::Ordered(_) => return Err(RecordsError::NoNames),
        };
        let key = |name: &str| name == order.column();
        reader.extra = reader.extra.map(|extra| extra.without(key));
        Ok(reader)
    }

    /// The columns that belong to no port and are skipped, as far as they are known: those of the header, or in JSON those
    /// of the first row, once it was read. A column of keys is none of them.
    #[must_use]
    pub fn extra_columns(&self) -> ColumnNames {
        self.extra.clone().unwrap_or_else(|| self.rows.extra())
    }

    /// The columns.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Up to as many records as there are slots.
    fn next_batch(&mut self) -> Result<Option<Batch>, RecordsError> {
        let mut batch = Batch::empty(&self.schema);
        while batch.records < self.slots {
            if !self.rows.next(&self.schema, &mut self.packed)? {
                self.finished = true;
                break;
            }
            batch.push(&self.schema, &self.packed);
        }
        match (batch.records, self.batches) {
            (0, 0) => Err(RecordsError::EmptyTable),
            (0, _) => Ok(None),
            _ => {
                self.batches += 1;
                Ok(Some(batch))
            }
        }
    }
}

impl<R: BufRead> Iterator for BatchReader<R> {
    type Item = Result<Batch, RecordsError>;

    /// The next batch. Errors are those of [`BatchReader::new`] for a row, [`RecordsError::EmptyTable`] if
    /// there is no row at all, and [`RecordsError::WrongCount`], [`RecordsError::BadValue`],
    /// [`RecordsError::BadJson`], [`RecordsError::PartialRecord`].
    fn next(&mut self) -> Option<Self::Item> {
        if self.finished {
            return None;
        }
        let batch = self.next_batch();
        self.finished |= batch.is_err();
        batch.transpose()
    }
}
