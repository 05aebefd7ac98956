//! Writing batches to tables.

use std::io::Write;

use crate::batch::same;
use crate::{Batch, RecordsError, Schema, TableFormat, TextRow, TextValue, value};

/// Writes the records of batches one after another.
///
/// It calls `write_all` of its output once for each record. For files, give it a [`std::io::BufWriter`].
pub struct TableWriter<W> {
    out: W,
    format: TableFormat,
    schema: Schema,
    /// The columns that go before those of the schema.
    carried: Vec<String>,
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
    pub fn new(out: W, format: TableFormat, schema: Schema) -> Result<Self, RecordsError> {
        Self::behind(out, format, schema, &[])
    }

    /// Starts a table whose first columns are those of another one, by these names: [`TableWriter::write_behind`].
    ///
    /// # Errors
    /// [`RecordsError::NoNames`] for raw binary; [`RecordsError::BadCarried`] for a name that another column has, or that
    /// cannot be on a line; [`RecordsError::Io`].
    pub fn behind(
        mut out: W,
        format: TableFormat,
        schema: Schema,
        carried: &[String],
    ) -> Result<Self, RecordsError> {
        check_carried(format, &schema, carried)?;
        let own = schema.columns().iter().map(|column| &*column.port().name);
        let names: Vec<&str> = carried.iter().map(String::as_str).chain(own).collect();
        if let Some(separator) = format.separator() {
            write_header(&mut out, separator, &names)?;
        }
        let keys = names.iter().enumerate().map(|(index, name)| {
            let name = serde_json::Value::from(*name);
            format!("{}{name}:", if index == 0 { '{' } else { ',' })
        });
        Ok(Self {
            out,
            format,
            carried: carried.to_vec(),
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
        self.write_behind(batch, &[])
    }

    /// Appends the records of a batch, each behind a row of the other table; no rows are needed if there are no such
    /// columns.
    ///
    /// # Errors
    /// As [`TableWriter::write`]; [`RecordsError::WrongShape`] also if there are not as many rows;
    /// [`RecordsError::BadCarried`] for a value of several lines, which only JSON can have.
    pub fn write_behind(&mut self, batch: &Batch, rows: &[TextRow]) -> Result<(), RecordsError> {
        batch.check(&self.schema)?;
        let expected = if self.carried.is_empty() { 0 } else { batch.records };
        same("it", "rows of other columns", expected, rows.len())?;
        for record in 0..batch.records {
            batch.pack(&self.schema, record, &mut self.packed);
            if self.format == TableFormat::Binary {
                self.out.write_all(&self.packed)?;
                continue;
            }
            let carried = rows.get(record).map_or(&[][..], |row| &row.values);
            same(
                "a row",
                "values of other columns",
                self.carried.len(),
                carried.len(),
            )?;
            self.line.clear();
            self.put_carried(carried)?;
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

    /// Begins the empty line with the values of other columns.
    fn put_carried(&mut self, values: &[TextValue]) -> Result<(), RecordsError> {
        let separator = self.format.separator();
        for (value, (key, name)) in values.iter().zip(self.keys.iter().zip(&self.carried)) {
            let Some(separator) = separator else {
                self.line.push_str(key);
                value.write_json(&mut self.line);
                continue;
            };
            if !value.write_csv(separator, &mut self.line) {
                return Err(RecordsError::BadCarried {
                    column: name.clone(),
                    problem: "one of its values is of several lines, which only json can have",
                });
            }
            self.line.push(separator);
        }
        Ok(())
    }

    /// Appends the packed record to the line as text, and ends it.
    fn put_line(&mut self) {
        let line = &mut self.line;
        let separator = self.format.separator();
        let keys = self.keys.iter().skip(self.carried.len());
        for (index, (column, key)) in self.schema.columns().iter().zip(keys).enumerate() {
            let (column_type, width) = (column.column_type(), column.width());
            let packed = &self.packed[column.bytes()];
            let Some(separator) = separator else {
                line.push_str(key);
                value::write_json(column_type, width, packed, line);
                continue;
            };
            // No value has a separator or a quotation mark in it.
            if index > 0 {
                line.push(separator);
            }
            value::write_csv(column_type, width, packed, line);
        }
        line.push_str(if separator.is_some() { "\n" } else { "}\n" });
    }
}

/// Refuses columns that cannot be told from others, or not be written.
fn check_carried(format: TableFormat, schema: &Schema, carried: &[String]) -> Result<(), RecordsError> {
    if format == TableFormat::Binary && !carried.is_empty() {
        return Err(RecordsError::NoNames);
    }
    for (index, name) in carried.iter().enumerate() {
        let problem = if schema.position(name).is_some() {
            "a result has the same name"
        } else if carried.iter().take(index).any(|before| before == name) {
            "it is named twice"
        } else if name.contains(char::is_control) {
            "its name has control characters"
        } else {
            continue;
        };
        return Err(RecordsError::BadCarried {
            column: name.clone(),
            problem,
        });
    }
    Ok(())
}

/// Writes the names of the columns, in quotation marks where they need them.
fn write_header(out: impl Write, separator: char, names: &[&str]) -> Result<(), RecordsError> {
    let mut header = csv::WriterBuilder::new()
        .delimiter(separator as u8)
        .from_writer(out);
    header.write_record(names).map_err(std::io::Error::from)?;
    header.flush()?;
    Ok(())
}
