//! Rows of JSON, one object on each line.

use std::fmt;
use std::io::BufRead;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::error::Category;
use serde_json::value::RawValue;

use crate::error::excerpt;
use crate::extra::ColumnNames;
use crate::lines::{Line, Lines};
use crate::text_rows::TextValue;
use crate::{ColumnType, Place, RecordsError, Schema, value};

/// The records of a table in JSON.
pub(crate) struct JsonRows<R> {
    lines: Lines<R>,
    ignore_extra: bool,
    /// Which columns the current row has.
    found: Vec<bool>,
    /// The columns of the first row that belong to no port.
    pub(crate) extra: Option<ColumnNames>,
    /// The column of a key, if there is one, and the key of the row that was read last.
    key: Option<(String, String)>,
}

impl<R: BufRead> JsonRows<R> {
    /// The objects of `input`.
    pub(crate) fn new(input: R, ignore_extra: bool, line_limit: usize) -> Self {
        Self {
            lines: Lines::new(input, line_limit, 0),
            ignore_extra,
            found: Vec::new(),
            extra: None,
            key: None,
        }
    }

    /// Asks for the values of a column as keys.
    pub(crate) fn with_key(self, column: &str) -> Self {
        let key = Some((column.to_owned(), String::new()));
        Self { key, ..self }
    }

    /// The key of the row that was read last.
    pub(crate) fn key(&self) -> &str {
        self.key.as_ref().map_or("", |(_, key)| key)
    }

    /// Packs the next record; where it is, or nothing if there is none.
    pub(crate) fn next(&mut self, schema: &Schema, packed: &mut [u8]) -> Result<Option<Place>, RecordsError> {
        let Some(line) = self.lines.next()? else {
            return Ok(None);
        };
        let at = line.at;
        let members = members(&line)?;
        if let Some((column, key)) = &mut self.key {
            *key = member(&members, column, at)?.text().into_owned();
        }
        self.found.clear();
        self.found.resize(schema.columns().len(), false);
        let mut extra = ColumnNames::default();
        for (name, raw) in &members {
            match schema.position(name) {
                None if self.ignore_extra => extra.push(name),
                None => {
                    return Err(RecordsError::UnknownColumn {
                        at,
                        column: excerpt(name),
                        known: schema.names(),
                    });
                }
                Some(index) if self.found[index] => {
                    return Err(RecordsError::DuplicateColumn {
                        at,
                        column: name.clone(),
                    });
                }
                Some(index) => {
                    self.found[index] = true;
                    pack(schema, index, raw, at, packed)?;
                }
            }
        }
        let beside = extra.beside();
        self.extra.get_or_insert(extra);
        match self.found.iter().position(|found| !found) {
            None => Ok(Some(at)),
            Some(index) => Err(RecordsError::MissingColumn {
                at,
                column: schema.columns()[index].port().name.clone(),
                known: schema.names(),
                beside,
            }),
        }
    }
}

/// The members of the object on a line, in their order.
pub(crate) fn members<'a>(line: &Line<'a>) -> Result<Vec<(String, &'a str)>, RecordsError> {
    if line.text.trim_start().starts_with('[') {
        return Err(RecordsError::JsonArray { at: line.at });
    }
    let members: Members<'a> = serde_json::from_str(line.text).map_err(|error| bad_json(&error, line.at))?;
    let members = members.0.into_iter();
    Ok(members.map(|(name, raw)| (name, raw.get())).collect())
}

/// The value of one column, whatever it means.
///
/// # Errors
/// [`RecordsError::NoSuchColumn`], [`RecordsError::DuplicateColumn`].
pub(crate) fn member(members: &[(String, &str)], column: &str, at: Place) -> Result<TextValue, RecordsError> {
    let mut found = members.iter().filter(|(name, _)| name == column);
    match (found.next(), found.next()) {
        (Some((_, raw)), None) => Ok(TextValue::json(raw)),
        (Some(_), Some(_)) => Err(RecordsError::DuplicateColumn {
            at,
            column: column.to_owned(),
        }),
        (None, _) => Err(RecordsError::NoSuchColumn {
            at,
            column: column.to_owned(),
            found: ColumnNames::of(members.iter().map(|(name, _)| &**name)).to_string(),
        }),
    }
}

/// Packs the value of one column, given as JSON.
fn pack(schema: &Schema, index: usize, raw: &str, at: Place, packed: &mut [u8]) -> Result<(), RecordsError> {
    let column = &schema.columns()[index];
    let packed = &mut packed[column.bytes()];
    text_of(raw, column.column_type())
        .and_then(|text| value::parse(&text, column.column_type(), column.width(), packed))
        .ok_or_else(|| RecordsError::BadValue {
            at,
            column: column.port().name.clone(),
            allowed: value::allowed(column.column_type(), column.width()),
        })
}

/// A value of JSON as it would be in CSV; `None` if it is not of a kind that the type allows.
fn text_of(raw: &str, column_type: ColumnType) -> Option<String> {
    let kind = raw.as_bytes().first()?;
    match (column_type, kind) {
        (ColumnType::Bool, b't' | b'f') => Some(raw.to_owned()),
        (ColumnType::Unsigned(_) | ColumnType::Signed(_), b'-' | b'0'..=b'9') => Some(raw.to_owned()),
        (ColumnType::Bools, b'[') => {
            let values: Vec<bool> = serde_json::from_str(raw).ok()?;
            Some(
                values
                    .iter()
                    .map(|value| if *value { '1' } else { '0' })
                    .collect(),
            )
        }
        (ColumnType::Bool, _) => None,
        (_, b'"') => serde_json::from_str(raw).ok(),
        _ => None,
    }
}

fn bad_json(error: &serde_json::Error, at: Place) -> RecordsError {
    // The message ends with a line number that is always 1. What is said of data would repeat them.
    let message = error.to_string();
    let problem = match error.classify() {
        Category::Data => "something else",
        _ => message.split(" at line ").next().unwrap_or(&message),
    };
    RecordsError::BadJson {
        at,
        problem: problem.to_owned(),
        byte: error.column(),
    }
}

/// The members of an object in their order, also where two have the same name.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Members(members))
    }
}
