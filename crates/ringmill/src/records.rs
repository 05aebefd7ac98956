use std::path::Path;

use ringmill_records::{Batch, PortShape, Schema, TableFormat, TableWriter};

use crate::Error;
use crate::table::{blame, schema};

/// Records that were decrypted, for the output ports of a circuit.
#[derive(Clone)]
pub struct Records {
    pub(crate) schema: Schema,
    pub(crate) batches: Vec<Batch>,
}

impl std::fmt::Debug for Records {
    /// Records were secrets: only how many there are.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} records", self.len())
    }
}

impl Records {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.batches.iter().map(|batch| batch.records).sum()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Their columns.
    #[must_use]
    pub const fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Their values, batch by batch.
    #[must_use]
    pub fn batches(&self) -> &[Batch] {
        &self.batches
    }

    /// Sets types of columns, each `NAME=TYPE`, as [`Table::with_types`](crate::Table::with_types).
    ///
    /// # Errors
    /// [`ErrorKind::Usage`](crate::ErrorKind::Usage) if there is no such column, or the type does not fit it.
    pub fn with_types(self, types: &[impl AsRef<str>]) -> Result<Self, Error> {
        let ports: Vec<PortShape> = self
            .schema
            .columns()
            .iter()
            .map(|column| column.port().clone())
            .collect();
        let columns = self.schema.columns().iter();
        let usual = columns.map(|column| format!("{}={}", column.port().name, column.column_type()));
        let schema = schema(&ports, &usual.collect::<Vec<_>>(), types)?;
        Ok(Self { schema, ..self })
    }

    /// Writes them as a table.
    ///
    /// # Errors
    /// [`ErrorKind::Io`](crate::ErrorKind::Io).
    pub fn to_bytes(&self, format: TableFormat) -> Result<Vec<u8>, Error> {
        let written = || {
            let mut writer = TableWriter::new(Vec::new(), format, self.schema.clone())?;
            for batch in &self.batches {
                writer.write(batch)?;
            }
            writer.finish()
        };
        written().map_err(|error| blame(Path::new("the results"), error))
    }

    fn to_text(&self, format: TableFormat) -> Result<String, Error> {
        let text = String::from_utf8(self.to_bytes(format)?);
        text.map_err(|error| Error::data(Path::new("the results"), error.to_string()))
    }

    /// Writes them with commas under a line of names.
    ///
    /// # Errors
    /// As [`Records::to_bytes`].
    pub fn to_csv(&self) -> Result<String, Error> {
        self.to_text(TableFormat::Csv)
    }

    /// Writes them as JSON objects, one a line.
    ///
    /// # Errors
    /// As [`Records::to_bytes`].
    pub fn to_json_lines(&self) -> Result<String, Error> {
        self.to_text(TableFormat::Json)
    }
}
