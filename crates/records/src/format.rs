//! The formats of tables.

use std::fmt;
use std::str::FromStr;

use crate::RecordsError;

/// The format of a table; `docs/records.md` specifies the formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TableFormat {
    /// `csv`: comma-separated values below a header.
    Csv,
    /// `tsv`: the same, with tabs between the values.
    Tsv,
    /// `json`: one JSON object on each line.
    Json,
    /// `binary`: records of a fixed number of bytes, one after another.
    Binary,
}

impl TableFormat {
    /// The format of files with this extension: `csv`; `tsv`; `json`, `jsonl` or `ndjson`; `bin`, in either case.
    /// `None` for any other: a wrong guess could read text as raw binary.
    #[must_use]
    pub fn of_extension(extension: &str) -> Option<Self> {
        match extension.to_ascii_lowercase().as_str() {
            "csv" => Some(Self::Csv),
            "tsv" => Some(Self::Tsv),
            "json" | "jsonl" | "ndjson" => Some(Self::Json),
            "bin" => Some(Self::Binary),
            _ => None,
        }
    }

    /// What is between two values of a row of text that has a header.
    pub(crate) fn separator(self) -> Option<char> {
        match self {
            Self::Csv => Some(','),
            Self::Tsv => Some('\t'),
            Self::Json | Self::Binary => None,
        }
    }
}

impl fmt::Display for TableFormat {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Csv => "csv",
            Self::Tsv => "tsv",
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
            "tsv" => Ok(Self::Tsv),
            "json" | "jsonl" => Ok(Self::Json),
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
            (TableFormat::Tsv, "tsv"),
            (TableFormat::Json, "json"),
            (TableFormat::Binary, "binary"),
        ] {
            assert_eq!(format.to_string(), name);
            assert_eq!(name.parse::<TableFormat>().unwrap(), format);
        }
        let error = "xml".parse::<TableFormat>().unwrap_err().to_string();
        assert_eq!(
            error,
            "there is no table format \"xml\"; use csv, tsv, json or binary"
        );
    }

    #[test]
    fn only_known_extensions_have_a_format() {
        for (extension, format) in [
            ("csv", Some(TableFormat::Csv)),
            ("CSV", Some(TableFormat::Csv)),
            ("Tsv", Some(TableFormat::Tsv)),
            ("jsonl", Some(TableFormat::Json)),
            ("NDJSON", Some(TableFormat::Json)),
            ("json", Some(TableFormat::Json)),
            ("bin", Some(TableFormat::Binary)),
            ("txt", None),
            ("bak", None),
            ("", None),
        ] {
            assert_eq!(TableFormat::of_extension(extension), format, "{extension}");
        }
    }
}
