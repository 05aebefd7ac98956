//! Tables of records in files, and the values of a circuit's ports.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use ringmill_circuit::{Circuit, PortValues, Visibility, WireType};
use ringmill_engine::InputValues;
use ringmill_records::{
    Batch, BatchReader, Column, PortShape, ReadOptions, RecordsError, Schema, TableFormat,
};

use crate::arguments::TableChoice;
use crate::error::CliError;
use crate::files::Content;
use crate::input::{Input, Meter};

/// A table that is being read, batch by batch.
pub struct Table {
    path: PathBuf,
    reader: BatchReader<Input>,
    meter: Meter,
}

impl Table {
    /// Opens a table to be read in batches of so many records; - is standard input.
    pub fn open(path: &Path, choice: &TableChoice, schema: Schema, records: usize) -> Result<Self, CliError> {
        let options = ReadOptions {
            ignore_extra: choice.ignore_extra,
            ..ReadOptions::default()
        };
        let format = format_of(path, choice.format)?;
        Self::new(path, Input::open(path)?, (format, schema), records, options)
    }

    /// Opens raw data, whatever the file is called; - is standard input.
    pub fn open_binary(path: &Path, schema: Schema, records: usize) -> Result<Self, CliError> {
        Self::binary(path, Input::open(path)?, schema, records)
    }

    /// Raw records that are there; `path` is blamed for them.
    pub fn of_bytes(path: &Path, bytes: &[u8], schema: Schema, records: usize) -> Result<Self, CliError> {
        Self::binary(path, Input::of_bytes(bytes.to_vec()), schema, records)
    }

    fn binary(path: &Path, input: Input, schema: Schema, records: usize) -> Result<Self, CliError> {
        let what = (TableFormat::Binary, schema);
        Self::new(path, input, what, records, ReadOptions::default())
    }

    fn new(
        path: &Path,
        input: Input,
        (format, schema): (TableFormat, Schema),
        records: usize,
        options: ReadOptions,
    ) -> Result<Self, CliError> {
        let meter = input.meter();
        let records = NonZeroUsize::new(records).unwrap_or(NonZeroUsize::MIN);
        let reader = BatchReader::new(input, format, schema, records, options);
        Ok(Self {
            path: path.to_path_buf(),
            reader: reader.map_err(|error| blame(path, error))?,
            meter,
        })
    }

    /// The columns.
    pub fn schema(&self) -> &Schema {
        self.reader.schema()
    }

    /// How much is read.
    pub fn meter(&self) -> Meter {
        self.meter.clone()
    }
}

impl Iterator for Table {
    type Item = Result<Batch, CliError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.reader.next()?;
        Some(batch.map_err(|error| blame(&self.path, error)))
    }
}

/// The columns for the input ports of a visibility.
pub fn input_schema(circuit: &Circuit, visibility: Visibility, types: &[String]) -> Result<Schema, CliError> {
    let ports = circuit.inputs().iter();
    let ports = ports.filter(|port| port.visibility == visibility);
    let shapes: Vec<PortShape> = ports
        .map(|port| shape(&port.name, port.kind, port.wires.len()))
        .collect();
    schema(&shapes, types)
}

/// The columns for the output ports.
pub fn output_schema(circuit: &Circuit, types: &[String]) -> Result<Schema, CliError> {
    let ports = circuit.outputs().iter();
    let shapes: Vec<PortShape> = ports
        .map(|port| shape(&port.name, port.kind, port.wires.len()))
        .collect();
    schema(&shapes, types)
}

/// Columns of these types.
pub fn schema(shapes: &[PortShape], types: &[String]) -> Result<Schema, CliError> {
    Schema::new(shapes, types).map_err(|error| CliError::Usage(error.to_string()))
}

/// A port as a column.
pub fn shape(name: &str, kind: WireType, wires: usize) -> PortShape {
    match kind {
        WireType::Bit => PortShape::bits(name, wires),
        WireType::Row(bytes) => PortShape::rows(name, wires, bytes),
    }
}

/// The format given, or that of the file's name if it is known. Nothing is guessed: text that is read as raw records
/// would be records too.
pub fn format_of(path: &Path, given: Option<TableFormat>) -> Result<TableFormat, CliError> {
    let extension = path.extension().and_then(|extension| extension.to_str());
    let known = given.or_else(|| TableFormat::of_extension(extension?));
    known.ok_or_else(|| {
        CliError::Usage(format!(
            "the name {:?} does not tell the format of the table; give --format csv, tsv, json or binary, or a name that \
             ends in .csv, .tsv, .json, .jsonl, .ndjson or .bin",
            path.display().to_string()
        ))
    })
}

/// Whether a terminal can show a table.
pub fn content(format: TableFormat) -> Content {
    match format {
        TableFormat::Binary => Content::Binary,
        _ => Content::Text,
    }
}

/// What `path` and an error in its table make.
pub fn blame(path: &Path, error: RecordsError) -> CliError {
    match error {
        RecordsError::Io(error) => CliError::io(path, error),
        error => CliError::data(path, error.to_string()),
    }
}

/// The values of a batch by port.
pub fn values(schema: &Schema, batch: Batch) -> InputValues {
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

/// The values of one record for so many.
pub fn repeated(values: InputValues, records: usize) -> InputValues {
    let repeat = |values| match values {
        PortValues::Bits(lanes) => {
            let lane = |lane: &Vec<u64>| match lane.first().is_some_and(|word| word & 1 == 1) {
                true => vec![u64::MAX; records.div_ceil(64)],
                false => vec![0; records.div_ceil(64)],
            };
            PortValues::Bits(lanes.iter().map(lane).collect())
        }
        PortValues::Rows(rows) => PortValues::Rows(rows.iter().map(|row| row.repeat(records)).collect()),
    };
    values
        .into_iter()
        .map(|(name, values)| (name, repeat(values)))
        .collect()
}

/// The first records of all slots as a batch of a table of these columns.
pub fn batch(schema: &Schema, records: usize, values: Vec<PortValues>) -> Batch {
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
            assert_eq!(error.exit_code(), 2);
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
        let all = repeated(values, 70);
        assert_eq!(all["a"], PortValues::Bits(vec![vec![u64::MAX; 2], vec![0; 2]]));
        let schema = schema(&[PortShape::bits("a", 2), PortShape::rows("b", 1, 2)], &[]).unwrap();
        let batch = batch(&schema, 3, all.into_values().collect());
        assert_eq!(batch.columns[0], Column::Bits(vec![vec![u64::MAX], vec![0]]));
        assert_eq!(batch.columns[1], Column::Rows(vec![vec![5, 6, 5, 6, 5, 6]]));
    }
}
