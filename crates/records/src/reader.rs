//! Reading tables, batch by batch.

use std::io::BufRead;
use std::num::NonZeroUsize;

use zeroize::Zeroizing;

use crate::binary_rows::BinaryRows;
use crate::csv_rows::CsvRows;
use crate::json_rows::JsonRows;
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
    /// Batches handed out.
    batches: u64,
    finished: bool,
}

enum RecordSource<R> {
    Csv(Box<CsvRows<R>>),
    Json(JsonRows<R>),
    Binary(BinaryRows<R>),
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
            batches: 0,
            finished: false,
        })
    }

    /// The columns.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Up to as many records as there are slots.
    fn next_batch(&mut self) -> Result<Option<Batch>, RecordsError> {
        let mut batch = Batch::empty(&self.schema);
        while batch.records < self.slots {
            let found = match &mut self.rows {
                RecordSource::Csv(rows) => rows.next(&self.schema, &mut self.packed),
                RecordSource::Json(rows) => rows.next(&self.schema, &mut self.packed),
                RecordSource::Binary(rows) => rows.next(&self.schema, &mut self.packed),
            };
            if !found? {
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
