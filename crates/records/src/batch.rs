//! The values of many records, port by port.

use ringmill_circuit::PortLanes;

use crate::{RecordsError, Schema, SchemaColumn};

/// Records that go together, one in each slot of a ciphertext.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// The number of records.
    pub records: usize,
    /// One entry for each port, in the order of the schema's columns.
    pub columns: Vec<Column>,
}

/// The values of one port for all records of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Column {
    /// A port of bits, as [`Circuit::evaluate`](ringmill_circuit::Circuit::evaluate) takes it: record r of
    /// bit `bit` is bit r % 64 of `lanes[bit][r / 64]`, and the bits above the last record are 0.
    Bits(PortLanes),
    /// A port of rows of k bytes: `rows[wire]` has k bytes for each record, one record after another.
    Rows(Vec<Vec<u8>>),
}

impl Batch {
    /// No records.
    pub(crate) fn empty(schema: &Schema) -> Self {
        let columns = schema.columns().iter().map(|column| {
            let port = column.port();
            match port.bytes_per_wire {
                None => Column::Bits(vec![Vec::new(); port.wires]),
                Some(_) => Column::Rows(vec![Vec::new(); port.wires]),
            }
        });
        Self {
            records: 0,
            columns: columns.collect(),
        }
    }

    /// Appends a packed record of [`Schema::record_bytes`].
    pub(crate) fn push(&mut self, schema: &Schema, packed: &[u8]) {
        for (column, values) in schema.columns().iter().zip(&mut self.columns) {
            let packed = &packed[column.bytes()];
            match values {
                Column::Bits(lanes) => push_bits(lanes, self.records, packed),
                Column::Rows(rows) => {
                    let size = column.port().bytes_per_wire.unwrap_or(1);
                    for (row, bytes) in rows.iter_mut().zip(packed.chunks_exact(size)) {
                        row.extend_from_slice(bytes);
                    }
                }
            }
        }
        self.records += 1;
    }

    /// Packs a record below `self.records` of a batch of the schema's shape into
    /// [`Schema::record_bytes`].
    pub(crate) fn pack(&self, schema: &Schema, record: usize, packed: &mut [u8]) {
        for (column, values) in schema.columns().iter().zip(&self.columns) {
            let packed = &mut packed[column.bytes()];
            match values {
                Column::Bits(lanes) => pack_bits(lanes, record, packed),
                Column::Rows(rows) => {
                    let size = column.port().bytes_per_wire.unwrap_or(1);
                    for (row, bytes) in rows.iter().zip(packed.chunks_exact_mut(size)) {
                        bytes.copy_from_slice(&row[record * size..][..size]);
                    }
                }
            }
        }
    }

    /// Checks that every column has the port's wires and kind, and values for all records.
    ///
    /// # Errors
    /// [`RecordsError::WrongShape`], [`RecordsError::WrongKind`].
    pub(crate) fn check(&self, schema: &Schema) -> Result<(), RecordsError> {
        same("it", "columns", schema.columns().len(), self.columns.len())?;
        for (column, values) in schema.columns().iter().zip(&self.columns) {
            self.check_column(column, values)?;
        }
        Ok(())
    }

    fn check_column(&self, column: &SchemaColumn, values: &Column) -> Result<(), RecordsError> {
        let port = column.port();
        let subject = format!("column {:?}", port.name);
        match (values, port.bytes_per_wire) {
            (Column::Bits(lanes), None) => {
                same(&subject, "wires", port.wires, lanes.len())?;
                let words = self.records.div_ceil(64);
                lanes
                    .iter()
                    .try_for_each(|lane| same(&subject, "words of 64 records", words, lane.len()))
            }
            (Column::Rows(rows), Some(size)) => {
                same(&subject, "wires", port.wires, rows.len())?;
                let bytes = self.records.saturating_mul(size);
                rows.iter()
                    .try_for_each(|row| same(&subject, "bytes in a wire", bytes, row.len()))
            }
            (Column::Bits(_), Some(_)) | (Column::Rows(_), None) => Err(RecordsError::WrongKind {
                column: port.name.clone(),
            }),
        }
    }
}

/// Compares two numbers of `unit`.
pub(crate) fn same(
    subject: &str,
    unit: &'static str,
    expected: usize,
    found: usize,
) -> Result<(), RecordsError> {
    if expected == found {
        return Ok(());
    }
    Err(RecordsError::WrongShape {
        subject: subject.to_owned(),
        unit,
        expected,
        found,
    })
}

fn push_bits(lanes: &mut PortLanes, record: usize, packed: &[u8]) {
    for (bit, lane) in lanes.iter_mut().enumerate() {
        if record.is_multiple_of(64) {
            lane.push(0);
        }
        lane[record / 64] |= u64::from(packed[bit / 8] >> (bit % 8) & 1) << (record % 64);
    }
}

fn pack_bits(lanes: &PortLanes, record: usize, packed: &mut [u8]) {
    packed.fill(0);
    for (bit, lane) in lanes.iter().enumerate() {
        packed[bit / 8] |= ((lane[record / 64] >> (record % 64) & 1) as u8) << (bit % 8);
    }
}
