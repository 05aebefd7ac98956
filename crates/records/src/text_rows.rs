//! Columns of a table as they are written, whatever they mean.

use std::borrow::Cow;
use std::io::BufRead;

use crate::csv_rows::CsvFields;
use crate::json_rows::{member, members};
use crate::lines::Lines;
use crate::{Place, RecordsError, TableFormat};

/// A value as a table has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextValue(Text);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Text {
    /// Without quotation marks and the spaces around it.
    Plain(String),
    /// As JSON.
    Json(String),
}

impl TextValue {
    /// A value of CSV.
    pub fn plain(text: impl Into<String>) -> Self {
        Self(Text::Plain(text.into()))
    }

    /// A value of JSON, as it is written there.
    pub(crate) fn json(raw: &str) -> Self {
        Self(Text::Json(raw.to_owned()))
    }

    /// The text: that of a value of JSON if it is one, nothing for its `null`, and its JSON if it is anything else.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        match &self.0 {
            Text::Plain(text) => Cow::Borrowed(text),
            Text::Json(raw) if raw.starts_with('"') => {
                Cow::Owned(serde_json::from_str(raw).unwrap_or_default())
            }
            Text::Json(raw) if raw == "null" => Cow::Borrowed(""),
            Text::Json(raw) => Cow::Borrowed(raw),
        }
    }

    /// Appends it as JSON: as it was, or a text.
    pub(crate) fn write_json(&self, line: &mut String) {
        match &self.0 {
            Text::Json(raw) => line.push_str(raw),
            Text::Plain(text) => line.push_str(&serde_json::Value::from(text.as_str()).to_string()),
        }
    }

    /// Appends it to a row with this separator, in quotation marks if need be; `false` if it is of several lines.
    pub(crate) fn write_csv(&self, separator: char, line: &mut String) -> bool {
        let text = self.text();
        if text.contains(['\n', '\r']) {
            return false;
        }
        if text.contains([separator, '"']) || text.trim() != text {
            line.push('"');
            line.push_str(&text.replace('"', "\"\""));
            line.push('"');
        } else {
            line.push_str(&text);
        }
        true
    }
}

/// A row of some columns, in the order in which they were asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextRow {
    /// Where it is.
    pub at: Place,
    /// Its values.
    pub values: Vec<TextValue>,
}

/// An iterator over the rows of some columns of a table with names, as text; it ends after an error.
pub struct TextReader<R> {
    rows: Rows<R>,
    columns: Vec<String>,
    finished: bool,
}

enum Rows<R> {
    /// And where in a row each column is.
    Csv(Box<CsvFields<R>>, Vec<usize>),
    Json(Lines<R>),
}

impl<R: BufRead> TextReader<R> {
    /// Starts to read these columns of a table. Reads the header of CSV and TSV.
    ///
    /// # Errors
    /// [`RecordsError::NoNames`] for raw binary; [`RecordsError::EmptyTable`], [`RecordsError::NoSuchColumn`],
    /// [`RecordsError::DuplicateColumn`], [`RecordsError::OpenQuote`], [`RecordsError::NotUtf8`],
    /// [`RecordsError::LineTooLong`] for the header, [`RecordsError::Io`].
    pub fn new(
        input: R,
        format: TableFormat,
        columns: Vec<String>,
        line_limit: usize,
    ) -> Result<Self, RecordsError> {
        let rows = match (format.separator(), format) {
            (Some(separator), _) => {
                let fields = CsvFields::open(input, separator, line_limit)?;
                let places = columns.iter().map(|column| fields.require(column));
                let places = places.collect::<Result<_, _>>()?;
                Rows::Csv(Box::new(fields), places)
            }
            (None, TableFormat::Json) => Rows::Json(Lines::new(input, line_limit, 0)),
            (None, _) => return Err(RecordsError::NoNames),
        };
        Ok(Self {
            rows,
            columns,
            finished: false,
        })
    }

    fn row(&mut self) -> Result<Option<TextRow>, RecordsError> {
        match &mut self.rows {
            Rows::Csv(fields, places) => {
                let Some(at) = fields.next()? else {
                    return Ok(None);
                };
                let values = places
                    .iter()
                    .map(|place| TextValue::plain(fields.field(*place).trim()));
                let values = values.collect();
                Ok(Some(TextRow { at, values }))
            }
            Rows::Json(lines) => {
                let Some(line) = lines.next()? else {
                    return Ok(None);
                };
                let at = line.at;
                let members = members(&line)?;
                let columns = self.columns.iter();
                let values = columns.map(|column| member(&members, column, at));
                let values = values.collect::<Result<_, _>>()?;
                Ok(Some(TextRow { at, values }))
            }
        }
    }
}

impl<R: BufRead> Iterator for TextReader<R> {
    type Item = Result<TextRow, RecordsError>;

    /// The next row. Errors are those of [`TextReader::new`] for a row, [`RecordsError::WrongCount`] and
    /// [`RecordsError::BadJson`].
    fn next(&mut self) -> Option<Self::Item> {
        if self.finished {
            return None;
        }
        let row = self.row();
        self.finished = !matches!(row, Ok(Some(_)));
        row.transpose()
    }
}
