//! Two tables whose records belong together.

use std::path::PathBuf;

use ringmill_engine::InputValues;

use crate::Error;
use crate::table::TableReader;
use crate::values::repeated;

/// Values of some records by port, and how many records there are.
type Records = (usize, InputValues);

/// Two tables that are read in batches of one size: record i of both belongs together, or the single record of one to all
/// of the other.
pub(crate) struct SideBySide {
    sides: [Side; 2],
    begun: bool,
}

/// A table beside another one.
pub(crate) struct Side {
    pub path: PathBuf,
    pub reader: TableReader,
    /// Its only record, if that stands for all.
    single: Option<InputValues>,
}

impl SideBySide {
    pub fn new(first: (PathBuf, TableReader), second: (PathBuf, TableReader)) -> Self {
        Self {
            sides: [Side::new(first), Side::new(second)],
            begun: false,
        }
    }

    /// The next batch, of the ports of both.
    ///
    /// # Errors
    /// As reading a table; [`ErrorKind::BadFile`](crate::ErrorKind::BadFile) for different numbers of records.
    pub fn next(&mut self) -> Result<Option<Records>, Error> {
        let [first, second] = &mut self.sides;
        let (mut a, mut b) = (first.read()?, second.read()?);
        if !std::mem::replace(&mut self.begun, true) {
            // Batches are full, but for the last: a first one of a single record is all.
            first.keep_single(&mut a, b.as_ref());
            second.keep_single(&mut b, a.as_ref());
        }
        let a = first.or_repeated(a, b.as_ref());
        let b = second.or_repeated(b, a.as_ref());
        match (a, b) {
            (None, None) => Ok(None),
            (Some((records, mut values)), Some((others, more))) if records == others => {
                values.extend(more);
                Ok(Some((records, values)))
            }
            (a, b) => {
                let fewer = a.map_or(0, |(records, _)| records) < b.map_or(0, |(records, _)| records);
                let [fewer, more] = if fewer { [first, second] } else { [second, first] };
                let problem = format!(
                    "fewer records than in {}; there must be one for each, or a single one that stands for all",
                    more.path.display()
                );
                Err(Error::data(&fewer.path, problem))
            }
        }
    }
}

impl Side {
    pub fn new((path, reader): (PathBuf, TableReader)) -> Self {
        Self {
            path,
            reader,
            single: None,
        }
    }

    /// The next batch beside one of the other table, which may be the first.
    ///
    /// # Errors
    /// As reading a table.
    pub fn next_beside(&mut self, other: &Records, is_first: bool) -> Result<Option<Records>, Error> {
        let mut own = self.read()?;
        if is_first {
            self.keep_single(&mut own, Some(other));
        }
        Ok(self.or_repeated(own, Some(other)))
    }

    fn read(&mut self) -> Result<Option<Records>, Error> {
        self.reader.next().transpose()
    }

    /// Keeps a single record beside several.
    fn keep_single(&mut self, own: &mut Option<Records>, other: Option<&Records>) {
        if let (Some((1, _)), Some((2.., _))) = (&*own, other) {
            self.single = own.take().map(|(_, values)| values);
        }
    }

    fn or_repeated(&self, own: Option<Records>, other: Option<&Records>) -> Option<Records> {
        match (&self.single, other) {
            (Some(single), Some((records, _))) => Some((*records, repeated(single, *records))),
            _ => own,
        }
    }
}
