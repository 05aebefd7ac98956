//! Random tables of random types, through all formats and back.

use proptest::collection::vec;
use proptest::prelude::*;
use ringmill_records::{Batch, Column, PortShape, Schema, TableFormat};

use crate::common::{read, write};

/// A port that need not be unique, and the type of its column, without the width of integers.
fn port() -> impl Strategy<Value = (PortShape, Option<&'static str>)> {
    let bits = prop_oneof![1..=9_usize, 50..=70_usize, 120..=140_usize];
    let shape = prop_oneof![
        bits.prop_map(|wires| PortShape::bits("", wires)),
        (1..=4_usize, 1..=5_usize).prop_map(|(wires, bytes)| PortShape::rows("", wires, bytes)),
    ];
    let types = ["bool", "u", "i", "hex", "bools"];
    (
        shape,
        proptest::option::of(proptest::sample::select(types.to_vec())),
    )
}

fn schema() -> impl Strategy<Value = Schema> {
    vec((port(), "[a-z\", =é]{0,3}"), 1..5).prop_map(|ports| {
        let named = ports.iter().enumerate().map(|(index, ((shape, _), name))| {
            let name = format!("{index}{name}{index}");
            PortShape {
                name,
                ..shape.clone()
            }
        });
        let named: Vec<PortShape> = named.collect();
        let mut overrides = Vec::new();
        for (port, ((_, wanted), _)) in named.iter().zip(&ports) {
            let width = port.width().unwrap();
            match *wanted {
                None => {}
                Some("bool") if width > 1 => {}
                Some("u" | "i") if width > 128 => {}
                Some(letter @ ("u" | "i")) => overrides.push(format!("{}={letter}{width}", port.name)),
                Some(name) => overrides.push(format!("{}={name}", port.name)),
            }
        }
        Schema::new(&named, &overrides).unwrap()
    })
}

/// The batches of a table of random values, all but the last of `per_batch` records.
fn batches(schema: &Schema, records: usize, per_batch: usize, seed: u64) -> Vec<Batch> {
    // Weyl's sequence, mixed: values need not be better than different.
    let mut state = seed;
    let mut random = move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        (state ^ state >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
    };
    let mut batch = |records: usize| {
        let last = !0_u64 >> (records.wrapping_neg() % 64);
        let columns = schema.columns().iter().map(|column| {
            let port = column.port();
            match port.bytes_per_wire {
                None => {
                    let words = records.div_ceil(64);
                    let mask = |word| if word + 1 == words { last } else { !0 };
                    let mut lane = || (0..words).map(|word| random() & mask(word)).collect();
                    Column::Bits((0..port.wires).map(|_| lane()).collect())
                }
                Some(size) => {
                    let mut row = || (0..records * size).map(|_| (random() >> 56) as u8).collect();
                    Column::Rows((0..port.wires).map(|_| row()).collect())
                }
            }
        });
        Batch {
            records,
            columns: columns.collect(),
        }
    };
    (0..records)
        .step_by(per_batch)
        .map(|start| batch(per_batch.min(records - start)))
        .collect()
}

proptest! {
    #[test]
    fn every_format_is_read_as_it_was_written(
        schema in schema(),
        records in 1..200_usize,
        per_batch in 1..150_usize,
        seed: u64,
    ) {
        let batches = batches(&schema, records, per_batch, seed);
        let mut tables = Vec::new();
        for format in [TableFormat::Csv, TableFormat::Tsv, TableFormat::Json, TableFormat::Binary] {
            let table = write(&batches, format, &schema);
            prop_assert_eq!(&read(&table, format, &schema, per_batch).unwrap(), &batches);
            tables.push(table);
        }
        prop_assert_eq!(tables[3].len(), records * schema.record_bytes());
    }

    /// JSON lines are JSON to a parser that knows nothing of columns.
    #[test]
    fn json_is_json(schema in schema(), seed: u64) {
        let table = write(&batches(&schema, 3, 3, seed), TableFormat::Json, &schema);
        for line in std::str::from_utf8(&table).unwrap().lines() {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            let object = value.as_object().unwrap();
            prop_assert_eq!(object.len(), schema.columns().len());
            for column in schema.columns() {
                prop_assert!(object.contains_key(&column.port().name));
            }
        }
    }

    /// CSV is CSV to a parser that knows nothing of columns.
    #[test]
    fn csv_is_csv(schema in schema(), seed: u64) {
        let table = write(&batches(&schema, 3, 3, seed), TableFormat::Csv, &schema);
        let mut reader = csv::Reader::from_reader(table.as_slice());
        let names: Vec<&str> = schema.columns().iter().map(|column| column.port().name.as_str()).collect();
        prop_assert_eq!(reader.headers().unwrap(), &names);
        prop_assert_eq!(reader.records().map(Result::unwrap).count(), 3);
    }

    /// A table that was damaged is refused or means something that is written back the same.
    #[test]
    fn nothing_read_is_lost(
        schema in schema(),
        seed: u64,
        damage in vec((any::<u16>(), any::<u8>()), 0..3),
    ) {
        let batches = batches(&schema, 3, 7, seed);
        for format in [TableFormat::Csv, TableFormat::Tsv, TableFormat::Json, TableFormat::Binary] {
            let mut table = write(&batches, format, &schema);
            for (at, byte) in &damage {
                let at = usize::from(*at) % table.len();
                table[at] = *byte;
            }
            if let Ok(found) = read(&table, format, &schema, 7) {
                let written = write(&found, format, &schema);
                prop_assert_eq!(read(&written, format, &schema, 7).unwrap(), found);
            }
        }
    }
}
