//! Tables read and written in one call.

use std::num::NonZeroUsize;

use ringmill_records::{
    Batch, BatchReader, PortShape, ReadOptions, RecordsError, Schema, TableFormat, TableWriter,
};

pub fn slots(slots: usize) -> NonZeroUsize {
    NonZeroUsize::new(slots).unwrap()
}

pub fn schema(ports: &[PortShape], overrides: &[&str]) -> Schema {
    Schema::new(ports, overrides).unwrap()
}

pub fn read(
    table: impl AsRef<[u8]>,
    format: TableFormat,
    schema: &Schema,
    per_batch: usize,
) -> Result<Vec<Batch>, RecordsError> {
    let options = ReadOptions::default();
    BatchReader::new(table.as_ref(), format, schema.clone(), slots(per_batch), options)?.collect()
}

pub fn write(batches: &[Batch], format: TableFormat, schema: &Schema) -> Vec<u8> {
    let mut writer = TableWriter::new(Vec::new(), format, schema.clone()).unwrap();
    for batch in batches {
        writer.write(batch).unwrap();
    }
    writer.finish().unwrap()
}

/// The message with which a table is refused.
pub fn refusal(table: impl AsRef<[u8]>, format: TableFormat, schema: &Schema) -> String {
    read(table, format, schema, 4).unwrap_err().to_string()
}
