//! Tables of records: read for the ports of a circuit, and written from them.
//!
//! A table has a column for each port, named as the port; `docs/records.md` specifies types and formats.

use std::io::Read;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ringmill_circuit::{Circuit, Visibility, WireType};
use ringmill_engine::InputValues;
use ringmill_records::{
    BatchReader, KeyOrder, PortShape, ReadOptions, RecordsError, Schema, TableFormat, TextReader,
};
use zeroize::Zeroizing;

use crate::Error;
use crate::circuits::NamedCircuit;
use crate::columns::TextColumns;
use crate::files::{Content, Input, Meter};
use crate::observer::Observer;
use crate::values::values;

/// A table to be read: from a file or from memory. Nothing is read before it is used, and then batch by batch.
///
/// ```
/// use ringmill::Table;
///
/// let prices = Table::csv("item,price\n1,-3\n2,12\n").with_types(["price=i16"]);
/// let events = Table::open("events.jsonl").ignoring_extra(true);
/// ```
#[derive(Debug, Clone)]
pub struct Table {
    source: Source,
    format: Option<TableFormat>,
    types: Vec<String>,
    ignore_extra: bool,
    /// The column of keys, and the table with the order that they are to have.
    order: Option<(String, Box<Self>)>,
}

#[derive(Clone)]
enum Source {
    File(PathBuf),
    /// Text or bytes, and whom to blame for them.
    Memory(PathBuf, Zeroizing<Vec<u8>>),
    /// What is read once, until it is.
    Stream(PathBuf, Stream),
}

type Stream = Arc<Mutex<Option<Box<dyn Read + Send>>>>;

impl std::fmt::Debug for Source {
    /// Records may be secrets: only where they are and how large.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Memory(_, bytes) => write!(f, "{} bytes", bytes.len()),
            Self::Stream(path, _) => write!(f, "the stream of {}", path.display()),
        }
    }
}

impl Table {
    const fn of(source: Source, format: Option<TableFormat>) -> Self {
        Self {
            source,
            format,
            types: Vec::new(),
            ignore_extra: false,
            order: None,
        }
    }

    fn in_memory(bytes: Zeroizing<Vec<u8>>, format: TableFormat) -> Self {
        Self::of(Source::Memory(PathBuf::from("the table"), bytes), Some(format))
    }

    /// A table with commas, whose first line names the columns.
    #[must_use]
    pub fn csv(text: impl Into<String>) -> Self {
        Self::in_memory(Zeroizing::new(text.into().into_bytes()), TableFormat::Csv)
    }

    /// A table of JSON objects, one a line.
    #[must_use]
    pub fn json_lines(text: impl Into<String>) -> Self {
        Self::in_memory(Zeroizing::new(text.into().into_bytes()), TableFormat::Json)
    }

    /// A table of raw records: the ports one after the other, each in whole bytes, least significant first.
    #[must_use]
    pub fn binary(bytes: impl Into<Vec<u8>>) -> Self {
        Self::binary_secret(Zeroizing::new(bytes.into()))
    }

    /// The same, read as it is used, and once. `path` is the file to blame for what is wrong with it.
    #[must_use]
    pub fn binary_stream(path: impl Into<PathBuf>, records: impl Read + Send + 'static) -> Self {
        let stream: Stream = Arc::new(Mutex::new(Some(Box::new(records))));
        Self::of(Source::Stream(path.into(), stream), Some(TableFormat::Binary))
    }

    pub(crate) fn binary_secret(bytes: Zeroizing<Vec<u8>>) -> Self {
        Self::in_memory(bytes, TableFormat::Binary)
    }

    /// A table in a file, in the format that its name tells; `-` is standard input.
    #[must_use]
    pub fn open(path: impl Into<PathBuf>) -> Self {
        Self::of(Source::File(path.into()), None)
    }

    /// Has the table read in a format, whatever its file is called.
    #[must_use]
    pub fn with_format(mut self, format: Option<TableFormat>) -> Self {
        self.format = format.or(self.format);
        self
    }

    /// Sets types of columns, each `NAME=TYPE`: bool, u8, i8 and so on in the port's width, hex, bools.
    #[must_use]
    pub fn with_types(mut self, types: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.types = types.into_iter().map(Into::into).collect();
        self
    }

    /// Puts the rows into the order that a column of keys has in another table, a clear list that the owners of inputs
    /// share: `key` is the name of the column in both, and their other columns need not be the same. Both must have the
    /// same keys, each once. All of the table is then in memory.
    ///
    /// ```
    /// use ringmill::Table;
    ///
    /// let ids = Table::csv("id\nk2\nk1\n");
    /// let mine = Table::csv("id,income\nk1,100\nk2,200\n").in_order("id", ids);
    /// ```
    #[must_use]
    pub fn in_order(mut self, key: impl Into<String>, order: Self) -> Self {
        self.order = Some((key.into(), Box::new(order)));
        self
    }

    /// Whether to say nothing of columns that belong to no port. They are skipped in any case.
    #[must_use]
    pub const fn ignoring_extra(mut self, ignore: bool) -> Self {
        self.ignore_extra = ignore;
        self
    }

    /// Blames a file for what is wrong with a table in memory.
    #[must_use]
    pub fn blaming(mut self, path: &Path) -> Self {
        if let Source::Memory(blamed, _) = &mut self.source {
            *blamed = path.to_path_buf();
        }
        self
    }

    /// Where it is from.
    pub(crate) fn path(&self) -> &Path {
        match &self.source {
            Source::File(path) | Source::Memory(path, _) | Source::Stream(path, _) => path,
        }
    }

    /// Begins to read it for the input ports of a visibility, in batches of at most `records` records.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`](crate::ErrorKind::Usage) for types that do not fit and a format that is not known;
    /// [`ErrorKind::BadFile`](crate::ErrorKind::BadFile) if columns are missing; [`ErrorKind::Io`](crate::ErrorKind::Io).
    pub fn read(
        &self,
        circuit: &Circuit,
        visibility: Visibility,
        records: usize,
    ) -> Result<TableReader, Error> {
        self.read_ports(&shapes(circuit, visibility), &[], records)
    }

    /// The same for a circuit whose ports may have types of their own.
    pub(crate) fn read_inputs(
        &self,
        circuit: &NamedCircuit,
        visibility: Visibility,
        records: usize,
    ) -> Result<TableReader, Error> {
        self.read_ports(
            &shapes(circuit.circuit(), visibility),
            &circuit.input_types(),
            records,
        )
    }

    /// Begins to read it for these ports, in batches of at most `records` records. `usual` has types for columns of which
    /// nothing is said, as NAME=TYPE; others than these ports' are skipped.
    pub(crate) fn read_ports(
        &self,
        ports: &[PortShape],
        usual: &[String],
        records: usize,
    ) -> Result<TableReader, Error> {
        let (path, schema) = (self.path(), schema(ports, usual, &self.types)?);
        // What they are is told by `TableReader::note_extra`.
        let options = ReadOptions {
            ignore_extra: true,
            ..ReadOptions::default()
        };
        let order = self
            .order
            .as_ref()
            .map(|(key, list)| list.keys(key))
            .transpose()?;
        let (format, input) = self.begin()?;
        let meter = input.meter();
        let records = NonZeroUsize::new(records).unwrap_or(NonZeroUsize::MIN);
        let reader = match &order {
            None => BatchReader::new(input, format, schema, records, options),
            Some(order) => BatchReader::in_order(input, format, schema, records, options, order),
        };
        Ok(TableReader {
            path: path.to_path_buf(),
            reader: reader.map_err(|error| self.blame_order(error))?,
            meter,
            told: self.ignore_extra,
        })
    }

    fn begin(&self) -> Result<(TableFormat, Input), Error> {
        let format = format_of(self.path(), self.format)?;
        let input = match &self.source {
            Source::File(path) => Input::open(path)?,
            Source::Memory(_, bytes) => Input::of_bytes(bytes.clone()),
            Source::Stream(path, stream) => {
                let stream = stream.lock().unwrap_or_else(PoisonError::into_inner).take();
                Input::of_stream(stream.ok_or_else(|| {
                    Error::Usage(format!(
                        "{}: this table was read already, and a stream can be read once; open it again",
                        path.display()
                    ))
                })?)
            }
        };
        Ok((format, input))
    }

    /// The same of a table beside that with the ports, for which there is no option that tells the format.
    fn begin_beside(&self) -> Result<(TableFormat, Input), Error> {
        self.begin().map_err(|error| match error {
            Error::Usage(_) => Error::Usage(format!(
                "the name {:?} does not tell the format of the table; give it a name that ends in .csv, .tsv, .json, \
                 .jsonl or .ndjson",
                self.path().display().to_string()
            )),
            error => error,
        })
    }

    /// The keys in a column.
    fn keys(&self, column: &str) -> Result<KeyOrder, Error> {
        let (format, input) = self.begin_beside()?;
        let keys = KeyOrder::read(input, format, column, ReadOptions::default().line_limit);
        keys.map_err(|error| blame(self.path(), error))
    }

    /// Names both tables where their keys differ.
    fn blame_order(&self, error: RecordsError) -> Error {
        let Some((_, list)) = &self.order else {
            return blame(self.path(), error);
        };
        let (table, list) = (self.path(), list.path());
        match error {
            RecordsError::UnknownKey { at, key } => Error::data(
                table,
                format!("{at} has the key {key:?}, which {} does not have", list.display()),
            ),
            RecordsError::MissingKey { at, key } => Error::data(
                list,
                format!(
                    "{at} has the key {key:?}, which {} does not have",
                    table.display()
                ),
            ),
            error => blame(table, error),
        }
    }

    /// Begins to read these columns as text, whatever ports there are.
    pub(crate) fn read_text(&self, columns: &[String]) -> Result<TextColumns, Error> {
        let (format, input) = self.begin_beside()?;
        let limit = ReadOptions::default().line_limit;
        let rows = TextReader::new(input, format, columns.to_vec(), limit);
        Ok(TextColumns::new(
            self.path(),
            rows.map_err(|error| blame(self.path(), error))?,
        ))
    }
}

/// A table that is being read: of each batch the number of its records, and their values by port.
pub struct TableReader {
    path: PathBuf,
    reader: BatchReader<Input>,
    meter: Meter,
    /// Whether nothing is to be told of extra columns, or all is.
    told: bool,
}

impl TableReader {
    /// How much is read.
    pub(crate) fn meter(&self) -> Meter {
        self.meter.clone()
    }

    /// Tells an observer once of the columns that belong to no port, as soon as they are known: for csv when the table is
    /// opened, for json when its first rows are read. `ports` and `skipped` say in the note which ports are meant, and
    /// that their values are not used.
    pub(crate) fn note_extra(&mut self, observer: &dyn Observer, ports: &str, skipped: &str) {
        let extra = self.reader.extra_columns();
        if self.told || extra.is_empty() {
            return;
        }
        self.told = true;
        let path = self.path.display();
        let (columns, belong, are) = if extra.len() == 1 {
            ("column", "belongs", "is")
        } else {
            ("columns", "belong", "are")
        };
        observer.note(&format!(
            "note: {path}: {columns} {extra} {belong} to no {ports} and {are} not {skipped}; --ignore-extra silences this"
        ));
    }
}

impl Iterator for TableReader {
    type Item = Result<(usize, InputValues), Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.reader.next()?;
        let batch = batch.map_err(|error| blame(&self.path, error));
        Some(batch.map(|batch| (batch.records, values(self.reader.schema(), batch))))
    }
}

fn shapes(circuit: &Circuit, visibility: Visibility) -> Vec<PortShape> {
    let ports = circuit.inputs().iter();
    let ports = ports.filter(|port| port.visibility == visibility);
    ports
        .map(|port| shape(&port.name, port.kind, port.wires.len()))
        .collect()
}

/// The columns for the output ports, or for totals of them.
pub(crate) fn output_schema(circuit: &NamedCircuit, types: &[impl AsRef<str>]) -> Result<Schema, Error> {
    let totals = circuit
        .aggregates()
        .into_iter()
        .map(Some)
        .chain(std::iter::repeat(None));
    let ports = circuit.circuit().outputs().iter().zip(totals);
    let shapes: Vec<PortShape> = ports
        .map(|(port, total)| {
            let wires = port.wires.len();
            let wires = total.map_or(wires, |aggregate| aggregate.total_width(wires));
            shape(&port.name, port.kind, wires)
        })
        .collect();
    schema(&shapes, &circuit.output_types(), types)
}

/// The columns for all input ports.
pub(crate) fn input_schema(circuit: &NamedCircuit, types: &[impl AsRef<str>]) -> Result<Schema, Error> {
    let ports = circuit.circuit().inputs().iter();
    let shapes: Vec<PortShape> = ports
        .map(|port| shape(&port.name, port.kind, port.wires.len()))
        .collect();
    schema(&shapes, &circuit.input_types(), types)
}

/// Columns of these types. `usual` has types for columns of which nothing is said, of these ports or others.
pub(crate) fn schema(
    shapes: &[PortShape],
    usual: &[String],
    types: &[impl AsRef<str>],
) -> Result<Schema, Error> {
    let name = |text: &str| text.rsplit_once('=').map(|(name, _)| name.to_owned());
    let said: Vec<Option<String>> = types.iter().map(|text| name(text.as_ref())).collect();
    let usual = usual.iter().filter(|text| {
        let name = name(text);
        !said.contains(&name) && shapes.iter().any(|shape| Some(&shape.name) == name.as_ref())
    });
    let all: Vec<&str> = types
        .iter()
        .map(AsRef::as_ref)
        .chain(usual.map(String::as_str))
        .collect();
    Schema::new(shapes, &all).map_err(|error| Error::Usage(error.to_string()))
}

/// A port as a column.
pub(crate) fn shape(name: &str, kind: WireType, wires: usize) -> PortShape {
    match kind {
        WireType::Bit => PortShape::bits(name, wires),
        WireType::Row(bytes) => PortShape::rows(name, wires, bytes),
    }
}

/// The format given, or that of the file's name if it is known. Nothing is guessed: text that is read as raw records
/// would be records too.
///
/// # Errors
/// [`ErrorKind::Usage`](crate::ErrorKind::Usage) if the name does not tell.
pub fn format_of(path: &Path, given: Option<TableFormat>) -> Result<TableFormat, Error> {
    let extension = path.extension().and_then(|extension| extension.to_str());
    let known = given.or_else(|| TableFormat::of_extension(extension?));
    known.ok_or_else(|| {
        Error::Usage(format!(
            "the name {:?} does not tell the format of the table; give --format csv, tsv, json or binary, or a name that \
             ends in .csv, .tsv, .json, .jsonl, .ndjson or .bin",
            path.display().to_string()
        ))
    })
}

/// Whether a terminal can show a table.
#[must_use]
pub const fn content(format: TableFormat) -> Content {
    match format {
        TableFormat::Binary => Content::Binary,
        _ => Content::Text,
    }
}

/// Makes an error of `path` from an error in its table.
pub(crate) fn blame(path: &Path, error: RecordsError) -> Error {
    match error {
        RecordsError::Io(error) => Error::io(path, error),
        error => Error::data(path, error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_by_name() {
        let format = |name: &str| format_of(Path::new(name), None);
        for (name, known) in [
            ("a/b.csv", TableFormat::Csv),
            ("OK.CSV", TableFormat::Csv),
            ("b.tsv", TableFormat::Tsv),
            ("b.jsonl", TableFormat::Json),
            ("b.bin", TableFormat::Binary),
        ] {
            assert_eq!(format(name).unwrap(), known, "{name}");
        }
        for name in ["-", "b", "b.txt", "ok.csv.bak", ".csv"] {
            let error = format(name).unwrap_err();
            assert_eq!(error.kind(), crate::ErrorKind::Usage);
            let error = error.to_string();
            assert!(
                error.contains(&format!("{name:?}")) && error.contains("--format csv, tsv"),
                "{error}"
            );
        }
        assert_eq!(
            format_of(Path::new("b.csv"), Some(TableFormat::Json)).unwrap(),
            TableFormat::Json
        );
    }
}
