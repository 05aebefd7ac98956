//! Rows in the order of a list of keys.

use std::collections::HashMap;
use std::io::BufRead;

use zeroize::Zeroizing;

use crate::error::excerpt;
use crate::text_rows::TextReader;
use crate::{Place, RecordsError, TableFormat};

/// The keys of records in the order that they are to have: a column of a table. Keys are clear.
#[derive(Clone, Debug)]
pub struct KeyOrder {
    column: String,
    places: HashMap<String, usize>,
    keys: Vec<(String, Place)>,
}

impl KeyOrder {
    /// Reads the keys in a column of a table; its other columns are ignored.
    ///
    /// # Errors
    /// Those of [`TextReader`]; [`RecordsError::DuplicateKey`]; [`RecordsError::EmptyTable`] if there is no row.
    pub fn read(
        input: impl BufRead,
        format: TableFormat,
        column: &str,
        line_limit: usize,
    ) -> Result<Self, RecordsError> {
        let mut order = Self {
            column: column.to_owned(),
            places: HashMap::new(),
            keys: Vec::new(),
        };
        for row in TextReader::new(input, format, vec![column.to_owned()], line_limit)? {
            let row = row?;
            let key = row
                .values
                .first()
                .map_or(String::new(), |key| key.text().into_owned());
            if let Some(first) = order.places.insert(key.clone(), order.keys.len()) {
                let first = order.keys.get(first).map_or(row.at, |(_, at)| *at);
                return Err(duplicate(row.at, first, &key));
            }
            order.keys.push((key, row.at));
        }
        if order.keys.is_empty() {
            return Err(RecordsError::EmptyTable);
        }
        Ok(order)
    }

    /// The name of the column.
    #[must_use]
    pub fn column(&self) -> &str {
        &self.column
    }
}

fn duplicate(at: Place, first: Place, key: &str) -> RecordsError {
    RecordsError::DuplicateKey {
        at,
        first,
        key: excerpt(key),
    }
}

/// Packed records that are put into the order of keys; overwritten when dropped.
pub(crate) struct Ordered<'a> {
    order: &'a KeyOrder,
    rows: Vec<Option<(Place, Zeroizing<Vec<u8>>)>>,
}

impl<'a> Ordered<'a> {
    pub(crate) fn new(order: &'a KeyOrder) -> Self {
        let rows = order.keys.iter().map(|_| None).collect();
        Self { order, rows }
    }

    /// Puts a record into its place.
    ///
    /// # Errors
    /// [`RecordsError::UnknownKey`], [`RecordsError::DuplicateKey`].
    pub(crate) fn put(&mut self, at: Place, key: &str, packed: &[u8]) -> Result<(), RecordsError> {
        let place = self
            .order
            .places
            .get(key)
            .and_then(|place| self.rows.get_mut(*place));
        match place {
            None => Err(RecordsError::UnknownKey {
                at,
                key: excerpt(key),
            }),
            Some(Some((first, _))) => Err(duplicate(at, *first, key)),
            Some(place) => {
                *place = Some((at, Zeroizing::new(packed.to_vec())));
                Ok(())
            }
        }
    }

    /// All records in order.
    ///
    /// # Errors
    /// [`RecordsError::MissingKey`].
    pub(crate) fn finish(self) -> Result<std::vec::IntoIter<Zeroizing<Vec<u8>>>, RecordsError> {
        let rows = self.rows.into_iter().zip(&self.order.keys);
        let rows = rows.map(|(row, (key, at))| match row {
            Some((_, packed)) => Ok(packed),
            None => Err(RecordsError::MissingKey {
                at: *at,
                key: excerpt(key),
            }),
        });
        Ok(rows.collect::<Result<Vec<_>, _>>()?.into_iter())
    }
}
