//! Columns of tables that are no ports: they go along to the results as they are.

use std::path::{Path, PathBuf};

use ringmill_device::Device;
use ringmill_records::{RecordsError, TextReader, TextRow};

use crate::Error;
use crate::batches::Batches;
use crate::files::Input;
use crate::table::{Table, blame};

/// Columns of a table that are being read as text.
pub(crate) struct TextColumns {
    path: PathBuf,
    rows: TextReader<Input>,
    /// Rows that were read.
    read: u64,
}

impl TextColumns {
    pub fn new(path: &Path, rows: TextReader<Input>) -> Self {
        Self {
            path: path.to_path_buf(),
            rows,
            read: 0,
        }
    }

    /// Where they are from.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The next rows; fewer than `count` at the end of the table.
    pub fn take(&mut self, count: usize) -> Result<Vec<TextRow>, Error> {
        let mut taken = Vec::new();
        for row in self.rows.by_ref().take(count) {
            taken.push(row.map_err(|error| blame(&self.path, error))?);
        }
        self.read += taken.len() as u64;
        Ok(taken)
    }

    /// Reads to the end; the number of all rows.
    pub fn count(&mut self) -> Result<u64, Error> {
        while !self.take(1)?.is_empty() {}
        Ok(self.read)
    }
}

/// Columns of another table that go before the results, if there are any.
pub(crate) struct Carried<'a>(Option<(TextColumns, &'a [String])>);

impl<'a> Carried<'a> {
    pub fn open(carried: Option<&'a (Table, Vec<String>)>) -> Result<Self, Error> {
        let carried = carried.filter(|(_, columns)| !columns.is_empty());
        let open = |(table, columns): &'a (Table, Vec<String>)| {
            Ok::<_, Error>((table.read_text(columns)?, columns.as_slice()))
        };
        Ok(Self(carried.map(open).transpose()?))
    }

    pub fn names(&self) -> &'a [String] {
        self.0.as_ref().map_or(&[], |(_, names)| names)
    }

    /// The rows for the records of the batch of results that was read last.
    pub fn rows(
        &mut self,
        records: usize,
        results: &mut Batches<'_, impl Device>,
    ) -> Result<Vec<TextRow>, Error> {
        let Some((table, _)) = &mut self.0 else {
            return Ok(Vec::new());
        };
        let rows = table.take(records)?;
        if rows.len() == records {
            return Ok(rows);
        }
        // The rest is read only to say how many there are.
        let (found, mut all) = (table.count()?, results.records());
        while let Some((head, _)) = results.next()? {
            all += head.records;
        }
        Err(other_number(table.path(), found, results.path(), all))
    }

    /// Sees that all rows were used.
    pub fn finish(&mut self, results: &Path, records: u64) -> Result<(), Error> {
        let Some((table, _)) = &mut self.0 else {
            return Ok(());
        };
        match table.count()? {
            found if found == records => Ok(()),
            found => Err(other_number(table.path(), found, results, records)),
        }
    }
}

fn other_number(table: &Path, found: u64, results: &Path, records: u64) -> Error {
    let results = results.display();
    Error::data(
        table,
        format!(
            "{found} rows, but {results} has {records} results; there must be a row for each, in the same order"
        ),
    )
}

/// What is wrong with columns that are to go before the results.
pub(crate) fn carried_error(error: &RecordsError) -> Error {
    Error::Usage(format!("--carry: {error}"))
}
