//! Tables written by hand: what they mean, and what is written back.

use ringmill_records::{
    Batch, BatchReader, Column, PortShape, ReadOptions, Schema, TableFormat, TableWriter,
};

use crate::common::{read, refusal, schema, slots, write};

/// One column of each type.
fn mixed() -> Schema {
    let ports = [
        PortShape::bits("flag", 1),
        PortShape::bits("count", 9),
        PortShape::bits("delta", 4),
        PortShape::bits("big", 100),
        PortShape::bits("blob", 12),
        PortShape::bits("mask", 3),
        PortShape::rows("block", 2, 2),
    ];
    schema(&ports, &["delta=i4", "blob=hex", "mask=bools"])
}

const CSV: &str = "flag,count,delta,big,blob,mask,block
true,257,-8,1208925819614629174706177,ab0c,100,00010203
false,5,7,3,0100,011,a0b1c2d3
";

const JSON: &str = r#"{"flag":true,"count":257,"delta":-8,"big":"1208925819614629174706177","blob":"ab0c","mask":[true,false,false],"block":"00010203"}
{"flag":false,"count":5,"delta":7,"big":"3","blob":"0100","mask":[false,true,true],"block":"a0b1c2d3"}
"#;

/// Both records; 2^80 + 1 is 1208925819614629174706177.
const BINARY: [[u8; 24]; 2] = [
    [
        1, 1, 1, 8, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0xab, 0x0c, 1, 0, 1, 2, 3,
    ],
    [
        0, 5, 0, 7, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 6, 0xa0, 0xb1, 0xc2, 0xd3,
    ],
];

#[test]
fn values_are_where_ports_expect_them() {
    let batches = read(CSV, TableFormat::Csv, &mixed(), 64).unwrap();
    let [Batch { records: 2, columns }] = batches.as_slice() else {
        panic!("{batches:?}");
    };
    let bits = |bits: &[u64]| Column::Bits(bits.iter().map(|bit| vec![*bit]).collect());
    // Record 0 is bit 0 of a lane, record 1 is bit 1.
    assert_eq!(columns[0], bits(&[1]));
    assert_eq!(columns[1], bits(&[3, 0, 2, 0, 0, 0, 0, 0, 1]));
    assert_eq!(columns[2], bits(&[2, 2, 2, 1]));
    let mut big = [0; 100];
    (big[0], big[1], big[80]) = (3, 2, 1);
    assert_eq!(columns[3], bits(&big));
    assert_eq!(columns[4], bits(&[3, 1, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1]));
    assert_eq!(columns[5], bits(&[1, 2, 2]));
    let rows = vec![vec![0, 1, 0xa0, 0xb1], vec![2, 3, 0xc2, 0xd3]];
    assert_eq!(columns[6], Column::Rows(rows));
}

#[test]
fn all_formats_mean_the_same() {
    let schema = mixed();
    assert_eq!(schema.record_bytes(), 24);
    let batches = read(CSV, TableFormat::Csv, &schema, 64).unwrap();
    for (table, format) in [
        (CSV.as_bytes(), TableFormat::Csv),
        (JSON.as_bytes(), TableFormat::Json),
        (BINARY.as_flattened(), TableFormat::Binary),
    ] {
        assert_eq!(read(table, format, &schema, 64).unwrap(), batches, "{format}");
        assert_eq!(write(&batches, format, &schema), table, "{format}");
    }
}

/// The example of `docs/records.md`.
#[test]
fn the_documented_example() {
    let ports = [
        PortShape::bits("age", 7),
        PortShape::bits("change", 16),
        PortShape::bits("member", 1),
        PortShape::rows("key", 2, 1),
    ];
    let schema = schema(&ports, &["change=i16"]);
    let csv = "key,age,change,member\n00ff,41,-3,true\nc0de,7,12,false\n";
    let batches = read(csv, TableFormat::Csv, &schema, 64).unwrap();
    let json = "{\"age\":41,\"change\":-3,\"member\":true,\"key\":\"00ff\"}
{\"age\":7,\"change\":12,\"member\":false,\"key\":\"c0de\"}
";
    let binary = b"\x29\xfd\xff\x01\x00\xff\x07\x0c\x00\x00\xc0\xde";
    assert_eq!(write(&batches, TableFormat::Json, &schema), json.as_bytes());
    assert_eq!(write(&batches, TableFormat::Binary, &schema), binary);
    assert_eq!(
        refusal(
            "key,age,change,member\n00ff,41,-3,1\n\n00ff,130,-3,1\n",
            TableFormat::Csv,
            &schema
        ),
        "row 2 (line 4), column \"age\": the value cannot be used; it must be a whole number from 0 to 127"
    );
}

#[test]
fn csv_as_other_programs_write_it() {
    let ports = [PortShape::bits("a", 8), PortShape::bits("b, \"c\"", 1)];
    let schema = schema(&ports, &[]);
    let plain = "a,\"b, \"\"c\"\"\"\n1,true\n2,false\n";
    let batches = read(plain, TableFormat::Csv, &schema, 64).unwrap();
    for table in [
        "\u{feff}a,\"b, \"\"c\"\"\"\r\n1,TRUE\r\n2,FALSE\r\n",
        "\"b, \"\"c\"\"\" , a\n\n \n1, 1\n0 ,2",
        "a,\"b, \"\"c\"\"\"\n\"1\",\"True\"\n\" 2\",\"0\"\n",
    ] {
        assert_eq!(
            read(table, TableFormat::Csv, &schema, 64).unwrap(),
            batches,
            "{table}"
        );
    }
    assert_eq!(write(&batches, TableFormat::Csv, &schema), plain.as_bytes());
}

#[test]
fn json_as_other_programs_write_it() {
    let ports = [PortShape::bits("a", 80), PortShape::bits("b", 2)];
    let schema = schema(&ports, &["b=bools"]);
    let plain = "{\"a\":\"1180591620717411303424\",\"b\":[false,true]}\n";
    let batches = read(plain, TableFormat::Json, &schema, 64).unwrap();
    for table in [
        // 2^70 as a number: more than a double or a word can hold.
        "{\"a\":1180591620717411303424,\"b\":[false,true]}",
        "\n { \"b\" : \"01\" , \"\\u0061\" : \"1180591620717411303424\" } \r\n\r\n",
    ] {
        assert_eq!(
            read(table, TableFormat::Json, &schema, 64).unwrap(),
            batches,
            "{table}"
        );
    }
    assert_eq!(write(&batches, TableFormat::Json, &schema), plain.as_bytes());
}

#[test]
fn integers_of_rows_have_the_first_byte_lowest() {
    let ports = [PortShape::rows("r", 2, 1)];
    let schema = schema(&ports, &["r=i16"]);
    let batches = read("r\n-2\n258\n", TableFormat::Csv, &schema, 64).unwrap();
    let rows = vec![vec![0xfe, 2], vec![0xff, 1]];
    assert_eq!(batches[0].columns, [Column::Rows(rows)]);
    assert_eq!(write(&batches, TableFormat::Csv, &schema), b"r\n-2\n258\n");
}

#[test]
fn extra_columns_can_be_ignored() {
    let ports = [PortShape::bits("a", 8)];
    let schema = schema(&ports, &[]);
    let options = ReadOptions {
        ignore_extra: true,
        ..ReadOptions::default()
    };
    for (table, format) in [
        ("name,a,name\nx,7,y\n", TableFormat::Csv),
        (
            "{\"name\":[1,{\"a\":2}],\"a\":7,\"name\":null}",
            TableFormat::Json,
        ),
    ] {
        let reader = BatchReader::new(table.as_bytes(), format, schema.clone(), slots(4), options).unwrap();
        let batches: Vec<Batch> = reader.map(Result::unwrap).collect();
        assert_eq!(write(&batches, TableFormat::Csv, &schema), b"a\n7\n");
    }
}

#[test]
fn stray_bits_above_the_last_record_are_not_written() {
    let ports = [PortShape::bits("a", 2)];
    let batch = Batch {
        records: 1,
        columns: vec![Column::Bits(vec![vec![!0], vec![!1]])],
    };
    assert_eq!(write(&[batch], TableFormat::Csv, &schema(&ports, &[])), b"a\n1\n");
}

#[test]
fn batches_of_another_shape_are_refused() {
    let ports = [PortShape::bits("a", 2), PortShape::rows("r", 1, 3)];
    let schema = schema(&ports, &[]);
    let a = || Column::Bits(vec![vec![0; 2]; 2]);
    let r = || Column::Rows(vec![vec![0; 65 * 3]]);
    let refusal = |columns: Vec<Column>| {
        let mut writer = TableWriter::new(Vec::new(), TableFormat::Binary, schema.clone()).unwrap();
        let written = writer.write(&Batch { records: 65, columns });
        assert_eq!(
            writer.finish().unwrap().len(),
            if written.is_ok() { 65 * 4 } else { 0 }
        );
        written.map_or_else(|error| error.to_string(), |()| String::new())
    };
    assert_eq!(refusal(vec![a(), r()]), "");
    for (columns, problem) in [
        (vec![a()], "it has 1 columns instead of 2"),
        (
            vec![Column::Bits(vec![vec![0; 2]]), r()],
            "column \"a\" has 1 wires instead of 2",
        ),
        (
            vec![Column::Bits(vec![vec![0; 2], vec![0]]), r()],
            "has 1 words of 64 records instead of 2",
        ),
        (
            vec![a(), Column::Rows(vec![vec![0; 65]])],
            "column \"r\" has 65 bytes in a wire instead of 195",
        ),
        (vec![a(), Column::Rows(vec![])], "has 0 wires instead of 1"),
        (
            vec![Column::Rows(vec![vec![]; 2]), r()],
            "column \"a\" mixes up bits and rows",
        ),
        (vec![a(), a()], "column \"r\" mixes up bits and rows"),
    ] {
        let found = refusal(columns);
        assert!(found.contains(problem), "{found}");
    }
}

#[test]
fn tabs_separate_what_commas_do_not() {
    let ports = [PortShape::bits("a,b", 4), PortShape::bits("c\"", 4)];
    let schema = schema(&ports, &[]);
    let table = "\u{feff}a,b\t\"c\"\"\"\r\n 1 \t2\r\n  \r\n3\t\"4\"";
    let batches = read(table, TableFormat::Tsv, &schema, 64).unwrap();
    let bits = |bits: &[u64]| Column::Bits(bits.iter().map(|bit| vec![*bit]).collect());
    assert_eq!(batches[0].columns, [bits(&[3, 2, 0, 0]), bits(&[0, 1, 2, 0])]);
    assert_eq!(
        write(&batches, TableFormat::Tsv, &schema),
        b"a,b\t\"c\"\"\"\n1\t2\n3\t4\n"
    );
    // Two empty values are no blank line.
    let found = refusal("a,b\t\"c\"\"\"\n\t\n", TableFormat::Tsv, &schema);
    assert!(
        found.starts_with("row 1 (line 2), column \"a,b\": the value cannot be used"),
        "{found}"
    );
    // A table with commas is none with tabs.
    let found = refusal("a,c\n1,2\n", TableFormat::Tsv, &schema);
    assert!(
        found.contains("a column \"a,c\" that belongs to no port"),
        "{found}"
    );
}
