//! Tables of records: the first byte chooses format and batch size, the rest is the table. Whatever is
//! read is written in every format and read back the same.
#![no_main]

use std::num::NonZeroUsize;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use ringmill_records::{
    Batch, BatchReader, PortShape, ReadOptions, RecordsError, Schema, TableFormat, TableWriter,
};

/// A column of each type; short names, which a fuzzer finds.
static SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
    let ports = [
        PortShape::bits("a", 1),
        PortShape::bits("b", 9),
        PortShape::bits("c", 128),
        PortShape::bits("d", 3),
        PortShape::bits("e", 12),
        PortShape::rows("f", 2, 1),
    ];
    Schema::new(&ports, &["c=i128", "d=bools", "e=hex"]).expect("a schema")
});

const FORMATS: [TableFormat; 4] = [TableFormat::Csv, TableFormat::Tsv, TableFormat::Json, TableFormat::Binary];

fn read(
    table: &[u8],
    format: TableFormat,
    slots: NonZeroUsize,
    options: ReadOptions,
) -> Result<Vec<Batch>, RecordsError> {
    BatchReader::new(table, format, SCHEMA.clone(), slots, options)?.collect()
}

fuzz_target!(|data: &[u8]| {
    let Some((&choice, table)) = data.split_first() else {
        return;
    };
    let format = FORMATS[usize::from(choice) % FORMATS.len()];
    let slots = NonZeroUsize::MIN.saturating_add(usize::from(choice) / 6);
    let options = ReadOptions {
        ignore_extra: choice % 2 == 1,
        line_limit: 1000,
    };
    let Ok(batches) = read(table, format, slots, options) else {
        return;
    };
    for format in FORMATS {
        let mut writer = TableWriter::new(Vec::new(), format, SCHEMA.clone()).expect("memory");
        for batch in &batches {
            writer.write(batch).expect("a batch of the schema");
        }
        let written = writer.finish().expect("memory");
        let back = read(&written, format, slots, ReadOptions::default()).expect("a table");
        assert_eq!(back, batches);
    }
});
