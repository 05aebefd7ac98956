//! Records of a fixed number of bytes, one after another.

use std::io::{ErrorKind, Read};

use crate::{ColumnType, Place, RecordsError, Schema, value};

/// The records of a table in raw binary.
pub(crate) struct BinaryRows<R> {
    input: R,
    /// Records read.
    records: u64,
}

impl<R: Read> BinaryRows<R> {
    /// The records of `input`.
    pub(crate) fn new(input: R) -> Self {
        Self { input, records: 0 }
    }

    /// Reads the next record; where it is, or nothing if there is none.
    pub(crate) fn next(&mut self, schema: &Schema, packed: &mut [u8]) -> Result<Option<Place>, RecordsError> {
        self.records += 1;
        let at = Place::Record { record: self.records };
        let found = self.fill(packed)?;
        if found == 0 {
            return Ok(None);
        }
        if found < packed.len() {
            return Err(RecordsError::PartialRecord {
                at,
                expected: packed.len(),
                found,
            });
        }
        for column in schema.columns() {
            let packed = &packed[column.bytes()];
            if !value::fits(column.width(), packed) {
                return Err(RecordsError::BadValue {
                    at,
                    column: column.port().name.clone(),
                    allowed: value::allowed(ColumnType::Hex, column.width()),
                });
            }
        }
        Ok(Some(at))
    }

    /// Reads until `buffer` is full or the input ends; the number of bytes.
    fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, RecordsError> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.input.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(bytes) => filled += bytes,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(filled)
    }
}
