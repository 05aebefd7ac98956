//! Tables of records. The first byte chooses batch size and what may be in excess; the rest is the table. What is read
//! is written in every format, and read back the same.

use std::num::NonZeroUsize;
use std::sync::LazyLock;

use ringmill_records::{
    Batch, BatchReader, KeyOrder, PortShape, ReadOptions, RecordsError, Schema, TableFormat, TableWriter,
};

use crate::{Reader, Target, Verdict, refused};

/// A column of each type, with short names.
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

const FORMATS: [TableFormat; 4] = [
    TableFormat::Csv,
    TableFormat::Tsv,
    TableFormat::Json,
    TableFormat::Binary,
];

pub static TARGET: Target = Target {
    name: "tables",
    readers: &[
        Reader {
            name: "csv",
            read: |input| table(input, TableFormat::Csv),
            seeds: || seeds(TableFormat::Csv),
        },
        Reader {
            name: "tsv",
            read: |input| table(input, TableFormat::Tsv),
            seeds: || seeds(TableFormat::Tsv),
        },
        Reader {
            name: "json",
            read: |input| table(input, TableFormat::Json),
            seeds: || seeds(TableFormat::Json),
        },
        Reader {
            name: "binary",
            read: |input| table(input, TableFormat::Binary),
            seeds: || seeds(TableFormat::Binary),
        },
    ],
    words: &[
        "a,b,c,d,e,f\n",
        "a\tb\tc\td\te\tf\n",
        "{\"a\":",
        "\"b\":",
        "\"c\":",
        "\"d\":",
        "\"e\":",
        "\"f\":",
        "true",
        "false",
        "null",
        "{",
        "}",
        "[",
        "]",
        ",",
        "\t",
        "\n",
        "\r\n",
        "\"",
        "-",
        "-170141183460469231731687303715884105728",
        "511",
        "512",
        "0x",
        "\u{feff}",
        "\\u0000",
    ],
    longest: 2000,
    memory: 1 << 18,
};

fn read(
    table: &[u8],
    format: TableFormat,
    slots: NonZeroUsize,
    options: ReadOptions,
) -> Result<Vec<Batch>, RecordsError> {
    BatchReader::new(table, format, SCHEMA.clone(), slots, options)?.collect()
}

fn table(input: &[u8], format: TableFormat) -> Verdict {
    let (choice, table) = input.split_first().ok_or("nothing")?;
    let slots = NonZeroUsize::MIN.saturating_add(usize::from(*choice) / 6);
    let options = ReadOptions {
        ignore_extra: choice % 2 == 1,
        line_limit: 1000,
    };
    let batches = read(table, format, slots, options).map_err(refused)?;
    for format in FORMATS {
        let back = read(&written(&batches, format), format, slots, ReadOptions::default());
        assert_eq!(back.expect("a table"), batches);
    }
    // In the order of its own keys, a table is as it was.
    if let Ok(order) = KeyOrder::read(table, format, "c", options.line_limit) {
        let ordered = BatchReader::in_order(table, format, SCHEMA.clone(), slots, options, &order);
        let ordered = ordered.and_then(Iterator::collect::<Result<Vec<Batch>, _>>);
        assert_eq!(ordered.expect("a table"), batches);
    }
    Ok(())
}

fn written(batches: &[Batch], format: TableFormat) -> Vec<u8> {
    let mut writer = TableWriter::new(Vec::new(), format, SCHEMA.clone()).expect("memory");
    for batch in batches {
        writer.write(batch).expect("a batch of the schema");
    }
    writer.finish().expect("memory")
}

/// Two records in a batch and one more, and an empty table.
fn seeds(format: TableFormat) -> Vec<Vec<u8>> {
    let text = "a,b,c,d,e,f\n1,511,-5,101,bc0a,0102\n0,0,170141183460469231731687303715884105727,000,0000,ff00\n1,7,0,111,ff0f,0000\n";
    let slots = NonZeroUsize::MIN.saturating_add(1);
    let batches = read(text.as_bytes(), TableFormat::Csv, slots, ReadOptions::default()).expect("a table");
    [&batches[..], &[]]
        .map(|batches| [vec![6], written(batches, format)].concat())
        .to_vec()
}
