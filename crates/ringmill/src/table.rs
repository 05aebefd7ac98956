//! Tables of records: read for the ports of a circuit, and written from them.
//!
//! A table has a column for each port, named as the port; `docs/records.md` specifies types and formats.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use ringmill_arith::secret;
use ringmill_circuit::{Circuit, PortValues, Visibility, WireType};
use ringmill_engine::InputValues;
use ringmill_records::{
    Batch, BatchReader, Column, PortShape, ReadOptions, RecordsError, Schema, TableFormat,
};
use zeroize::Zeroizing;

use crate::Error;
use crate::circuits::NamedCircuit;
use crate::files::{Content, Input, Meter};

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
}

#[derive(Clone)]
enum Source {
    File(PathBuf),
    /// Text or bytes, and whom to blame for them.
    Memory(PathBuf, Zeroizing<Vec<u8>>),
}

impl std::fmt::Debug for Source {
    /// Records may be secrets: only where they are and how large.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Memory(_, bytes) => write!(f, "{} bytes", bytes.len()),
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

    /// Whether to skip columns that belong to no port.
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
            Source::File(path) | Source::Memory(path, _) => path,
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
        let options = ReadOptions {
            ignore_extra: self.ignore_extra,
            ..ReadOptions::default()
        };
        let format = format_of(path, self.format)?;
        let input = match &self.source {
            Source::File(path) => Input::open(path)?,
            Source::Memory(_, bytes) => Input::of_bytes(bytes.clone()),
        };
        let meter = input.meter();
        let records = NonZeroUsize::new(records).unwrap_or(NonZeroUsize::MIN);
        let reader = BatchReader::new(input, format, schema, records, options);
        Ok(TableReader {
            path: path.to_path_buf(),
            reader: reader.map_err(|error| blame(path, error))?,
            meter,
        })
    }
}

/// A table that is being read: of each batch the number of its records, and their values by port.
pub struct TableReader {
    path: PathBuf,
    reader: BatchReader<Input>,
    meter: Meter,
}

impl TableReader {
    /// How much is read.
    pub(crate) fn meter(&self) -> Meter {
        self.meter.clone()
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

/// The columns for the output ports.
pub(crate) fn output_schema(circuit: &NamedCircuit, types: &[impl AsRef<str>]) -> Result<Schema, Error> {
    let ports = circuit.circuit().outputs().iter();
    let shapes: Vec<PortShape> = ports
        .map(|port| shape(&port.name, port.kind, port.wires.len()))
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

/// The values of a batch by port.
pub(crate) fn values(schema: &Schema, batch: Batch) -> InputValues {
    let names = schema.columns().iter().map(|column| column.port().name.clone());
    names
        .zip(batch.columns.into_iter().filter_map(port_values))
        .collect()
}

fn port_values(column: Column) -> Option<PortValues> {
    match column {
        Column::Bits(lanes) => Some(PortValues::Bits(lanes)),
        Column::Rows(rows) => Some(PortValues::Rows(rows)),
        // The kinds of columns may grow; circuits have none of them yet.
        _ => None,
    }
}

/// Values of private inputs, overwritten when dropped. (The text that they were read from, and what a batch left behind
/// while it grew, are not: tables are large, and their owner keeps them in a file beside.)
#[derive(Default)]
pub(crate) struct SecretValues(pub InputValues);

impl Drop for SecretValues {
    fn drop(&mut self) {
        for values in self.0.values_mut() {
            match values {
                PortValues::Bits(lanes) => lanes.iter_mut().for_each(|lane| secret::wipe(lane)),
                PortValues::Rows(rows) => rows.iter_mut().for_each(|row| secret::wipe(row)),
            }
        }
    }
}

/// Repeats the values of one record for `records` records.
pub(crate) fn repeated(values: &InputValues, records: usize) -> InputValues {
    let repeat = |values: &PortValues| match values {
        PortValues::Bits(lanes) => {
            let lane = |lane: &Vec<u64>| {
                if lane.first().is_some_and(|word| word & 1 == 1) {
                    vec![u64::MAX; records.div_ceil(64)]
                } else {
                    vec![0; records.div_ceil(64)]
                }
            };
            PortValues::Bits(lanes.iter().map(lane).collect())
        }
        PortValues::Rows(rows) => PortValues::Rows(rows.iter().map(|row| row.repeat(records)).collect()),
    };
    values
        .iter()
        .map(|(name, values)| (name.clone(), repeat(values)))
        .collect()
}

/// The first records of all slots as a batch of a table of these columns.
pub(crate) fn batch(schema: &Schema, records: usize, values: Vec<PortValues>) -> Batch {
    let columns = schema
        .columns()
        .iter()
        .zip(values)
        .map(|(column, values)| match values {
            PortValues::Bits(lanes) => {
                let cut = |mut lane: Vec<u64>| {
                    lane.truncate(records.div_ceil(64));
                    lane
                };
                Column::Bits(lanes.into_iter().map(cut).collect())
            }
            PortValues::Rows(rows) => {
                let bytes = records * column.port().bytes_per_wire.unwrap_or(1);
                let cut = |mut row: Vec<u8>| {
                    row.truncate(bytes);
                    row
                };
                Column::Rows(rows.into_iter().map(cut).collect())
            }
        });
    Batch {
        records,
        columns: columns.collect(),
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

    #[test]
    fn one_record_for_all_and_back() {
        let values = InputValues::from([
            ("a".to_owned(), PortValues::Bits(vec![vec![1], vec![0]])),
            ("b".to_owned(), PortValues::Rows(vec![vec![5, 6]])),
        ]);
        let all = repeated(&values, 70);
        assert_eq!(all["a"], PortValues::Bits(vec![vec![u64::MAX; 2], vec![0; 2]]));
        let schema = schema(
            &[PortShape::bits("a", 2), PortShape::rows("b", 1, 2)],
            &[] as &[&str],
        )
        .unwrap();
        let batch = batch(&schema, 3, all.into_values().collect());
        assert_eq!(batch.columns[0], Column::Bits(vec![vec![u64::MAX], vec![0]]));
        assert_eq!(batch.columns[1], Column::Rows(vec![vec![5, 6, 5, 6, 5, 6]]));
    }
}
