//! Writing batches to tables.

use std::io::Write;

use crate::{Batch, RecordsError, Schema, TableFormat, value};

/// Writes the records of batches one after another.
///
/// It calls `write_all` of its output once for each record. For files, give it a [`std::io::BufWriter`].
pub struct TableWriter<W> {
    out: W,
    format: TableFormat,
    schema: Schema,
    /// For each column of JSON, what comes before the value.
    keys: Vec<String>,
    /// One packed record.
    packed: Vec<u8>,
    line: String,
}

impl<W: Write> TableWriter<W> {
    /// Starts a table. Writes the header of CSV and TSV.
    ///
    /// # Errors
    /// [`RecordsError::Io`].
    pub fn new(mut out: W, format: TableFormat, schema: Schema) -> Result<Self, RecordsError> {
        if let Some(separator) = format.separator() {
            write_header(&mut out, separator, &schema)?;
        }
        let keys = schema.columns().iter().enumerate().map(|(index, column)| {
            let name = serde_json::Value::from(column.port().name.as_str());
            format!("{}{name}:", if index == 0 { '{' } else { ',' })
        });
        Ok(Self {
            out,
            format,
            keys: keys.collect(),
            packed: vec![0; schema.record_bytes()],
            line: String::new(),
            schema,
        })
    }

    /// Appends the records of a batch.
    ///
    /// # Errors
    /// [`RecordsError::WrongShape`], [`RecordsError::WrongKind`] if the batch does not have the schema's ports; then
    /// nothing of it is written. [`RecordsError::Io`].
    pub fn write(&mut self, batch: &Batch) -> Result<(), RecordsError> {
        batch.check(&self.schema)?;
        for record in 0..batch.records {
            batch.pack(&self.schema, record, &mut self.packed);
            if self.format == TableFormat::Binary {
                self.out.write_all(&self.packed)?;
                continue;
            }
            self.line.clear();
            self.put_line();
            self.out.write_all(self.line.as_bytes())?;
        }
        Ok(())
    }

    /// Flushes the output and returns it.
    ///
    /// # Errors
    /// [`RecordsError::Io`].
    pub fn finish(mut self) -> Result<W, RecordsError> {
        self.out.flush()?;
        Ok(self.out)
    }

    /// Appends the packed record to the empty line as text.
    fn put_line(&mut self) {
        let line = &mut self.line;
        let separator = self.format.separator();
        for (column, key) in self.schema.columns().iter().zip(&self.keys) {
            let (column_type, width) = (column.column_type(), column.width());
            let packed = &self.packed[column.bytes()];
            let Some(separator) = separator else {
                line.push_str(key);
                value::write_json(column_type, width, packed, line);
                continue;
            };
            // No value has a separator or a quotation mark in it.
            if !line.is_empty() {
                line.push(separator);
            }
            value::write_csv(column_type, width, packed, line);
        }
        line.push_str(if separator.is_some() { "\n" } else { "}\n" });
    }
}

/// Writes the names of the columns, in quotation marks where they need them.
fn write_header(out: impl Write, separator: char, schema: &Schema) -> Result<(), RecordsError> {
    let mut header = csv::WriterBuilder::new()
        .delimiter(separator as u8)
        .from_writer(out);
    let names = schema.columns().iter().map(|column| &column.port().name);
    header.write_record(names).map_err(std::io::Error::from)?;
    header.flush()?;
    Ok(())
}
