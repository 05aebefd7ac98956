//! The columns of a table.

use std::collections::HashSet;
use std::ops::Range;

use crate::{ColumnType, PortShape, RecordsError};

/// The columns of a table, in the order of the circuit's ports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schema {
    columns: Vec<SchemaColumn>,
    record_bytes: usize,
}

/// One column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaColumn {
    port: PortShape,
    width: usize,
    column_type: ColumnType,
    bytes: Range<usize>,
}

impl SchemaColumn {
    /// The name and the size of the port. The column has the port's name.
    #[must_use]
    pub fn port(&self) -> &PortShape {
        &self.port
    }

    /// The type of the column: how a table writes its values.
    #[must_use]
    pub fn column_type(&self) -> ColumnType {
        self.column_type
    }

    /// The bits of a value, at least one.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Which bytes of a packed record hold the value, lowest byte first.
    pub(crate) fn bytes(&self) -> Range<usize> {
        self.bytes.clone()
    }
}

impl Schema {
    /// Makes the columns of `ports`. Each override is `NAME=TYPE` and gives the column of that name a type other than
    /// its port's default. The default is `bool` for a single bit, `u<w>` for w = 2 to 128 bits, and `hex` for more bits
    /// and for rows of bytes.
    ///
    /// # Errors
    /// * [`RecordsError::NoPorts`], [`RecordsError::BadPort`], [`RecordsError::DuplicatePort`]: the ports
    ///   cannot be columns of a table.
    /// * [`RecordsError::BadOverride`], [`RecordsError::UnknownOverride`],
    ///   [`RecordsError::OverriddenTwice`], [`RecordsError::UnknownType`]: an override is wrong.
    pub fn new(ports: &[PortShape], overrides: &[impl AsRef<str>]) -> Result<Self, RecordsError> {
        if ports.is_empty() {
            return Err(RecordsError::NoPorts);
        }
        let mut schema = Self {
            columns: Vec::with_capacity(ports.len()),
            record_bytes: 0,
        };
        for port in ports {
            schema.push(port)?;
        }
        let mut overridden = HashSet::new();
        for text in overrides {
            let column = schema.override_type(text.as_ref())?;
            if !overridden.insert(column) {
                return Err(RecordsError::OverriddenTwice {
                    column: schema.columns[column].port.name.clone(),
                });
            }
        }
        Ok(schema)
    }

    /// The columns, in the order of the ports.
    #[must_use]
    pub fn columns(&self) -> &[SchemaColumn] {
        &self.columns
    }

    /// The bytes of a record in raw binary, at least one.
    #[must_use]
    pub fn record_bytes(&self) -> usize {
        self.record_bytes
    }

    /// The number of the column of that name.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.port.name == name)
    }

    /// The names of all columns, for people.
    pub(crate) fn names(&self) -> String {
        let names: Vec<&str> = self
            .columns
            .iter()
            .map(|column| column.port.name.as_str())
            .collect();
        names.join(", ")
    }

    /// Appends the column of a port.
    fn push(&mut self, port: &PortShape) -> Result<(), RecordsError> {
        let bad = |problem| RecordsError::BadPort {
            port: port.name.clone(),
            problem,
        };
        // Others could not be told apart in a header, or not be on one line.
        if port.name.is_empty() || port.name.trim() != port.name || port.name.contains(char::is_control) {
            return Err(bad(
                "its name is empty, begins or ends with a space, or has control characters",
            ));
        }
        if self.position(&port.name).is_some() {
            return Err(RecordsError::DuplicatePort {
                port: port.name.clone(),
            });
        }
        let width = port.width().ok_or_else(|| bad("it is too wide"))?;
        if width == 0 {
            return Err(bad("its values have no bits"));
        }
        let start = self.record_bytes;
        let end = start
            .checked_add(width.div_ceil(8))
            .ok_or_else(|| bad("it is too wide"))?;
        self.record_bytes = end;
        self.columns.push(SchemaColumn {
            port: port.clone(),
            width,
            column_type: ColumnType::preset(width, port.bytes_per_wire.is_some()),
            bytes: start..end,
        });
        Ok(())
    }

    /// Changes a column's type as `NAME=TYPE` says; the number of that column.
    fn override_type(&mut self, text: &str) -> Result<usize, RecordsError> {
        // A name may have an equals sign; a type has none.
        let Some((name, type_name)) = text.rsplit_once('=') else {
            return Err(RecordsError::BadOverride {
                text: text.to_owned(),
            });
        };
        let Some(index) = self.position(name) else {
            return Err(RecordsError::UnknownOverride {
                column: name.to_owned(),
                known: self.names(),
            });
        };
        let column = &mut self.columns[index];
        let allowed = ColumnType::allowed(column.width);
        let Some(found) = allowed.iter().find(|known| known.to_string() == type_name) else {
            let allowed: Vec<String> = allowed.iter().map(ToString::to_string).collect();
            return Err(RecordsError::UnknownType {
                column: name.to_owned(),
                found: type_name.to_owned(),
                width: column.width,
                allowed: allowed.join(", "),
            });
        };
        column.column_type = *found;
        Ok(index)
    }
}
