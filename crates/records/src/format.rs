//! The formats of tables.

use std::fmt;
use std::str::FromStr;

use crate::RecordsError;

/// How a table is written; `docs/records.md` specifies the formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TableFormat {
    /// `csv`: comma-separated values below a header.
    Csv,
    /// `json`: one JSON object a line.
    Json,
    /// `binary`: records of a fixed number of bytes, one after the other.
    Binary,
}

impl fmt::Display for TableFormat {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Csv => "csv",
            Self::Json => "json",
            Self::Binary => "binary",
        })
    }
}

impl FromStr for TableFormat {
    type Err = RecordsError;

    fn from_str(name: &str) -> Result<Self, RecordsError> {
        match name {
            "csv" => Ok(Self::Csv),
            "json" => Ok(Self::Json),
            "binary" => Ok(Self::Binary),
            _ => Err(RecordsError::UnknownFormat {
                found: name.to_owned(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for (format, name) in [
            (TableFormat::Csv, "csv"),
            (TableFormat::Json, "json"),
            (TableFormat::Binary, "binary"),
        ] {
            assert_eq!(format.to_string(), name);
            assert_eq!(name.parse::<TableFormat>().unwrap(), format);
        }
        let error = "xml".parse::<TableFormat>().unwrap_err().to_string();
        assert_eq!(error, "there is no table format \"xml\"; use csv, json or binary");
    }
}
