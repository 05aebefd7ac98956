//! Everything that is refused, and the words with which it is.

use ringmill_records::{BatchReader, Place, PortShape, ReadOptions, RecordsError, Schema, TableFormat};

use crate::common::{refusal, schema, slots};

/// The columns a (u8), b (bool) and k (one byte).
fn abk() -> Schema {
    let ports = [
        PortShape::bits("a", 8),
        PortShape::bits("b", 1),
        PortShape::rows("k", 1, 1),
    ];
    schema(&ports, &[])
}

#[test]
fn schemas() {
    let ports = [
        PortShape::bits("a", 8),
        PortShape::bits("b", 1),
        PortShape::bits("w", 129),
    ];
    let with = |overrides: &[&str]| Schema::new(&ports, overrides).unwrap_err().to_string();
    assert_eq!(
        with(&["a"]),
        "\"a\" gives no column a type; write NAME=TYPE, for instance age=u8"
    );
    assert_eq!(
        with(&["c=u8"]),
        "there is no column \"c\" to give a type to; the columns are a, b, w"
    );
    assert_eq!(
        with(&["a=u9"]),
        "column \"a\" of 8 bits cannot have the type \"u9\"; use one of u8, i8, hex, bools"
    );
    assert!(with(&["b=int"]).ends_with("use one of bool, u1, i1, hex, bools"));
    assert!(with(&["w=u129"]).ends_with("use one of hex, bools"));
    assert_eq!(
        with(&["a=i8", "a=hex"]),
        "column \"a\" is given a type twice; leave one"
    );

    let of = |ports: &[PortShape]| Schema::new(ports, &[""; 0]).unwrap_err().to_string();
    assert!(of(&[]).contains("no ports"));
    assert!(of(&[PortShape::bits("a", 1), PortShape::bits("a", 2)]).contains("two ports are named \"a\""));
    assert!(of(&[PortShape::bits("a", 0)]).contains("no bits"));
    assert!(of(&[PortShape::rows("a", 3, 0)]).contains("no bits"));
    assert!(of(&[PortShape::rows("a", usize::MAX, 2)]).contains("too wide"));
    for name in ["", " a", "a\nb"] {
        assert!(of(&[PortShape::bits(name, 1)]).contains("its name is empty"));
    }
}

#[test]
fn headers_of_csv() {
    let says = |table: &str| refusal(table, TableFormat::Csv, &abk());
    assert_eq!(
        says("a,b\n1,1\n"),
        "the header (line 1) has no column \"k\"; the columns are a, b, k"
    );
    assert_eq!(
        says("\na,b,k,n\n"),
        "the header (line 2) has a column \"n\" that belongs to no port; the columns are a, b, k. Remove it, \
         or ask for extra columns to be ignored"
    );
    assert_eq!(
        says("a,b,k,b\n"),
        "the header (line 1) has two columns \"b\"; leave one"
    );
    assert!(says("a,b,\"k\n1,1,00\n").starts_with("the header (line 1) has an opening quotation mark"));
    assert!(says("a,b,k,\n").contains("a column \"\" that belongs to no port"));
}

#[test]
fn empty_tables() {
    let empty = "the table is empty: there must be at least one record";
    for (table, format) in [
        ("", TableFormat::Csv),
        ("\n \n", TableFormat::Csv),
        ("a,b,k\n", TableFormat::Csv),
        ("a,b,k\n\r\n", TableFormat::Csv),
        ("", TableFormat::Json),
        ("\n\n", TableFormat::Json),
        ("", TableFormat::Binary),
    ] {
        assert_eq!(refusal(table, format, &abk()), empty, "{format} {table:?}");
    }
}

#[test]
fn rows_of_csv() {
    let says = |rows: &str| refusal(format!("k,a,b\n{rows}"), TableFormat::Csv, &abk());
    assert_eq!(
        says("00,1,1\n\n00,256,1\n"),
        "row 2 (line 4), column \"a\": the value cannot be used; it must be a whole number from 0 to 255"
    );
    assert!(says("00,-1,1").contains("row 1 (line 2), column \"a\": the value cannot be used"));
    assert!(says("00,,1").contains("column \"a\": the value cannot be used"));
    assert!(says("00,1,yes").ends_with("column \"b\": the value cannot be used; it must be true or false"));
    assert!(
        says("0,1,1").ends_with("column \"k\": the value cannot be used; it must be 2 hexadecimal digits")
    );
    assert_eq!(
        says("00,1,1\n00,1\n"),
        "row 2 (line 3) has 2 values where the header has 3 columns"
    );
    assert!(says("00,1,1,1\n").contains("has 4 values"));
    assert!(says("00,1,\"1\n00,1,1\n").starts_with("row 1 (line 2) has an opening quotation mark"));
    // A carriage return in the middle of a line ends no row.
    assert!(says("00,1,1\r00,1,1\n").contains("has 5 values"));
    // Values may be secrets: none is repeated.
    assert!(!says("00,secret,1\n").contains("secret"));
}

#[test]
fn rows_of_json() {
    let says = |table: &str| refusal(table, TableFormat::Json, &abk());
    let row = |a: &str, b: &str, k: &str| says(&format!("{{\"a\":{a},\"b\":{b},\"k\":{k}}}"));
    assert_eq!(
        row("256", "true", "\"00\""),
        "row 1 (line 1), column \"a\": the value cannot be used; it must be a whole number from 0 to 255"
    );
    for a in ["1.0", "1e1", "-1", "null", "[1]", "\"\"", "\"0x1\"", "true", "{}"] {
        assert!(row(a, "true", "\"00\"").contains("column \"a\""), "{a}");
    }
    for b in ["1", "\"true\"", "null", "[true]"] {
        assert!(row("1", b, "\"00\"").contains("column \"b\""), "{b}");
    }
    for k in ["0", "\"0\"", "\"000\"", "[0]"] {
        assert!(row("1", "true", k).contains("column \"k\""), "{k}");
    }
    assert_eq!(
        says("{\"a\":1,\"b\":true,\"k\":\"00\"}\n\n{\"a\":1,\"k\":\"00\"}"),
        "row 2 (line 3) has no column \"b\"; the columns are a, b, k"
    );
    assert!(says("{\"a\":1,\"n\":1}").contains("row 1 (line 1) has a column \"n\" that belongs to no port"));
    assert!(says("{\"a\":1,\"a\":1}").contains("row 1 (line 1) has two columns \"a\""));
    for (table, problem) in [
        (
            "[1]",
            "row 1 (line 1) begins a JSON array; write each object on a line of its own",
        ),
        ("\"secret\"", "is no JSON object: something else, byte"),
        ("{\"a\":1", "EOF while parsing an object, byte 6 of the line"),
        ("{\"a\":01}", "row 1 (line 1) is no JSON object: "),
        ("{} {}", "trailing characters"),
        ("a,b,k", "expected value"),
    ] {
        let found = says(table);
        assert!(found.contains(problem), "{found}");
    }
    let bools = schema(&[PortShape::bits("m", 3)], &["m=bools"]);
    for m in [
        "[true,false]",
        "[true,false,true,true]",
        "[1,0,1]",
        "\"01\"",
        "101",
    ] {
        let found = refusal(format!("{{\"m\":{m}}}"), TableFormat::Json, &bools);
        assert!(
            found.contains("it must be 3 times true or false (in a text, 1 or 0)"),
            "{found}"
        );
    }
}

#[test]
fn binary() {
    let schema = schema(&[PortShape::bits("a", 12), PortShape::bits("b", 1)], &[]);
    let says = |table: &[u8]| refusal(table, TableFormat::Binary, &schema);
    assert_eq!(
        says(&[1, 2, 1, 4, 5]),
        "record 2 has 2 bytes, then the table ends; each record has 3 bytes"
    );
    assert_eq!(
        says(&[1, 2, 1, 0xff, 0x10, 0]),
        "record 2, column \"a\": the value cannot be used; it must be 4 hexadecimal digits, the last two at \
         most 0f"
    );
    assert!(says(&[1, 2, 2]).starts_with("record 1, column \"b\": the value cannot be used"));
}

#[test]
fn text_that_is_none() {
    for format in [TableFormat::Csv, TableFormat::Tsv, TableFormat::Json] {
        assert!(refusal(b"a,\xff", format, &abk()).contains("(line 1) is not UTF-8 at byte 3 of the line"));
    }
    let table = b"a,b,k\n1,1,00\n1,1,\xc3";
    assert!(refusal(table, TableFormat::Csv, &abk()).starts_with("row 2 (line 3) is not UTF-8 at byte 5"));
}

#[test]
fn long_lines() {
    let options = ReadOptions {
        line_limit: 10,
        ..ReadOptions::default()
    };
    let table = "a,b,k\n1,true,00\n1, false,00\n";
    let mut reader = BatchReader::new(table.as_bytes(), TableFormat::Csv, abk(), slots(1), options).unwrap();
    assert_eq!(reader.next().unwrap().unwrap().records, 1);
    match reader.next() {
        Some(Err(RecordsError::LineTooLong { at, limit: 10 })) => {
            assert_eq!(at, Place::Row { row: 2, line: 3 });
        }
        other => panic!("{other:?}"),
    }
    assert!(reader.next().is_none());
}
