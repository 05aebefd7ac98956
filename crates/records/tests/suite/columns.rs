//! Columns that are no ports: skipped, carried along, and keys that say in which order rows go.

use ringmill_records::{
    Batch, BatchReader, KeyOrder, PortShape, ReadOptions, RecordsError, Schema, TableFormat, TableWriter,
    TextReader, TextRow,
};

use crate::common::{read, schema, slots, write};

const SKIP: ReadOptions = ReadOptions {
    ignore_extra: true,
    line_limit: 1000,
};

fn number() -> Schema {
    schema(&[PortShape::bits("a", 8)], &[])
}

fn text(table: &str, format: TableFormat, columns: &[&str]) -> Result<Vec<TextRow>, RecordsError> {
    let columns = columns.iter().map(|name| (*name).to_owned()).collect();
    TextReader::new(table.as_bytes(), format, columns, 1000)?.collect()
}

fn values(table: &str, format: TableFormat, columns: &[&str]) -> Vec<Vec<String>> {
    let rows = text(table, format, columns).unwrap().into_iter();
    rows.map(|row| row.values.iter().map(|value| value.text().into_owned()).collect())
        .collect()
}

#[test]
fn extra_columns_are_named() {
    let many: Vec<String> = (0..12).map(|i| format!("x{i}")).collect();
    let many = format!("{},a\n{}7\n", many.join(","), ",".repeat(12));
    for (table, format, before, after) in [
        ("a\n7\n", TableFormat::Csv, "", ""),
        (
            "id,a,a;b\n1,7,3\n",
            TableFormat::Csv,
            "id, \"a;b\"",
            "id, \"a;b\"",
        ),
        (
            &many,
            TableFormat::Csv,
            "x0, x1, x2, x3, x4, x5, x6, x7, x8, x9 and 2 more",
            "x0, x1, x2, x3, x4, x5, x6, x7, x8, x9 and 2 more",
        ),
        // Of the first row only.
        (
            "{\"a\":7,\"id\":1}\n{\"a\":8,\"no\":2}\n",
            TableFormat::Json,
            "",
            "id",
        ),
        ("\u{7}", TableFormat::Binary, "", ""),
    ] {
        let mut reader = BatchReader::new(table.as_bytes(), format, number(), slots(1), SKIP).unwrap();
        assert_eq!(reader.extra_columns().to_string(), before, "{table}");
        reader.next().unwrap().unwrap();
        assert_eq!(reader.extra_columns().to_string(), after, "{table}");
    }
}

#[test]
fn what_is_there_may_be_what_is_missing() {
    let refused = |table: &str, format| {
        let reader = BatchReader::new(table.as_bytes(), format, number(), slots(1), SKIP);
        let error = reader.and_then(|mut reader| reader.next().unwrap()).unwrap_err();
        error.to_string()
    };
    assert_eq!(
        refused("A\n1\n", TableFormat::Csv),
        "the header (line 1) has no column \"a\"; the columns are a. It has other columns: A"
    );
    assert_eq!(
        refused("{\"A\":1,\"a \":1}", TableFormat::Json),
        "row 1 (line 1) has no column \"a\"; the columns are a. It has other columns: A, \"a \""
    );
}

#[test]
fn columns_as_text() {
    let csv = "name, id ,x\n\"Ann, the \"\"first\"\"\", 07 ,1\n\n,8,2\n";
    assert_eq!(
        values(csv, TableFormat::Csv, &["id", "name"]),
        [["07", "Ann, the \"first\""], ["8", ""]]
    );
    let tabs = "name\tid\nAnn\t7\n\t\n";
    assert_eq!(values(tabs, TableFormat::Tsv, &["id"]), [["7"], [""]]);
    let json = "{\"id\":7,\"name\":\"A\\nn\",\"x\":[1, 2]}\n{\"x\":{\"b\":1.50},\"name\":null,\"id\":true}\n";
    assert_eq!(
        values(json, TableFormat::Json, &["id", "name", "x"]),
        [["7", "A\nn", "[1, 2]"], ["true", "", "{\"b\":1.50}"]]
    );
    let places = text(csv, TableFormat::Csv, &["id"]).unwrap();
    assert_eq!(places[1].at.to_string(), "row 2 (line 4)");
    for (table, format, problem) in [
        ("", TableFormat::Csv, "the table is empty"),
        (
            "a,b\n",
            TableFormat::Csv,
            "the header (line 1) has no column \"id\"; it has a, b",
        ),
        (
            "id,id\n",
            TableFormat::Csv,
            "the header (line 1) has two columns \"id\"; leave one",
        ),
        (
            "id,b\n1\n",
            TableFormat::Csv,
            "row 1 (line 2) has 1 values where the header has 2",
        ),
        (
            "{\"id\":1}\n{\"ID\":1}\n",
            TableFormat::Json,
            "row 2 (line 2) has no column \"id\"; it has ID",
        ),
        (
            "{\"id\":1,\"id\":1}\n",
            TableFormat::Json,
            "row 1 (line 1) has two columns \"id\"",
        ),
        (
            "x",
            TableFormat::Binary,
            "a binary table has no names of columns; give one of csv, tsv or json",
        ),
    ] {
        let error = text(table, format, &["id"]).unwrap_err().to_string();
        assert!(error.contains(problem), "{table:?}: {error}");
    }
}

fn behind(format: TableFormat, names: &[&str], rows: &[TextRow]) -> Result<String, RecordsError> {
    let batch = read("a\n1\n2\n", TableFormat::Csv, &number(), 4)
        .unwrap()
        .remove(0);
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let mut writer = TableWriter::behind(Vec::new(), format, number(), &names)?;
    writer.write_behind(&batch, rows)?;
    Ok(String::from_utf8(writer.finish()?).unwrap())
}

#[test]
fn columns_go_before_results() {
    let csv = text(
        "id,n m\n,\" x\"\n07,\"a,b \"\"c\"\"\"\n",
        TableFormat::Csv,
        &["id", "n m"],
    )
    .unwrap();
    let json = "{\"id\":1.50,\"n m\":\"a\\tb\"}\n{\"id\":null,\"n m\":[\"c\",1]}\n";
    let json = text(json, TableFormat::Json, &["id", "n m"]).unwrap();
    let names = ["id", "n m"];
    let written = |format, rows: &[TextRow]| behind(format, &names, rows).unwrap();
    assert_eq!(
        written(TableFormat::Csv, &csv),
        "id,n m,a\n,x,1\n07,\"a,b \"\"c\"\"\",2\n"
    );
    assert_eq!(
        written(TableFormat::Tsv, &json),
        "id\tn m\ta\n1.50\t\"a\tb\"\t1\n\t\"[\"\"c\"\",1]\"\t2\n"
    );
    assert_eq!(
        written(TableFormat::Json, &csv),
        "{\"id\":\"\",\"n m\":\"x\",\"a\":1}\n{\"id\":\"07\",\"n m\":\"a,b \\\"c\\\"\",\"a\":2}\n"
    );
    assert_eq!(
        written(TableFormat::Json, &json),
        "{\"id\":1.50,\"n m\":\"a\\tb\",\"a\":1}\n{\"id\":null,\"n m\":[\"c\",1],\"a\":2}\n"
    );
    // What was written is read back.
    let again = values(&written(TableFormat::Tsv, &json), TableFormat::Tsv, &names);
    assert_eq!(again, [["1.50", "a\tb"], ["", "[\"c\",1]"]]);
}

#[test]
fn columns_that_cannot_go_before_results() {
    let rows = text("b,c\n1,2\n3,4\n", TableFormat::Csv, &["b"]).unwrap();
    let refused =
        |format, names: &[&str], rows: &[TextRow]| behind(format, names, rows).unwrap_err().to_string();
    for (names, problem) in [
        (
            &["a"][..],
            "column \"a\" cannot be put before the results: a result has the same name",
        ),
        (
            &["b", "b"],
            "column \"b\" cannot be put before the results: it is named twice",
        ),
        (
            &["b\n"],
            "column \"b\\n\" cannot be put before the results: its name has control characters",
        ),
    ] {
        assert_eq!(refused(TableFormat::Csv, names, &rows), problem);
    }
    assert!(refused(TableFormat::Binary, &["b"], &rows).starts_with("a binary table has no names"));
    assert!(
        refused(TableFormat::Csv, &["b"], &rows[..1]).contains("has 1 rows of other columns instead of 2")
    );
    assert!(
        refused(TableFormat::Csv, &["b", "c"], &rows).contains("has 1 values of other columns instead of 2")
    );
    let lines = "{\"b\":\"1\\n2\"}\n{\"b\":1}\n";
    let lines = text(lines, TableFormat::Json, &["b"]).unwrap();
    assert_eq!(
        refused(TableFormat::Csv, &["b"], &lines),
        "column \"b\" cannot be put before the results: one of its values is of several lines, which only json can have"
    );
    assert!(behind(TableFormat::Json, &["b"], &lines).is_ok());
}

fn ordered(table: &str, format: TableFormat, list: &str) -> Result<String, RecordsError> {
    let order = KeyOrder::read(list.as_bytes(), TableFormat::Csv, "id", 1000)?;
    assert_eq!(order.column(), "id");
    let reader = BatchReader::in_order(table.as_bytes(), format, number(), slots(2), SKIP, &order)?;
    assert_eq!(reader.extra_columns().to_string(), "x");
    let batches: Vec<Batch> = reader.collect::<Result<_, _>>()?;
    assert!(batches.iter().all(|batch| batch.records <= 2));
    Ok(String::from_utf8(write(&batches, TableFormat::Csv, &number())).unwrap())
}

#[test]
fn rows_in_the_order_of_keys() {
    let list = "name,id\nA,k3\nB, k1\nC,\"k2\"\n";
    let csv = "id,x,a\nk1,,1\nk2,,2\nk3,,3\n";
    assert_eq!(ordered(csv, TableFormat::Csv, list).unwrap(), "a\n3\n1\n2\n");
    let json = "{\"id\":\"k2\",\"a\":2,\"x\":0}\n{\"id\":\"k1\",\"a\":1}\n{\"a\":3,\"id\":\"k3\"}\n";
    assert_eq!(ordered(json, TableFormat::Json, list).unwrap(), "a\n3\n1\n2\n");
    let numbers = "{\"id\":2,\"a\":2,\"x\":0}\n{\"id\":1,\"a\":1}\n";
    assert_eq!(
        ordered(numbers, TableFormat::Json, "id\n1\n2\n").unwrap(),
        "a\n1\n2\n"
    );

    let refused = |table: &str, list: &str| ordered(table, TableFormat::Csv, list).unwrap_err().to_string();
    assert_eq!(
        refused("id,x,a\nk1,,1\nk2,,2\nk1,,3\n", list),
        "row 3 (line 4) has the key \"k1\" again, which row 1 (line 2) has already; each key must occur once"
    );
    assert_eq!(
        refused("id,x,a\nk1,,1\nk9,,2\n", list),
        "row 2 (line 3) has the key \"k9\", which is not in the list of keys"
    );
    assert_eq!(
        refused("id,x,a\nk1,,1\nk3,,2\n", list),
        "row 3 (line 4) of the list of keys has the key \"k2\", which is not in the table"
    );
    assert_eq!(
        refused(csv, "id\nk1\n\nk1\n"),
        "row 2 (line 4) has the key \"k1\" again, which row 1 (line 2) has already; each key must occur once"
    );
    assert!(refused(csv, "id\n").contains("the table is empty"));
    assert!(refused(csv, "key\nk1\n").contains("has no column \"id\"; it has key"));
    assert!(refused("x,a\n1,2\n", list).contains("has no column \"id\"; it has x, a"));
    assert!(
        refused("id,x,a\nk1,,256\n", list).contains("row 1 (line 2), column \"a\": the value cannot be used")
    );
    let binary = ordered("\u{1}", TableFormat::Binary, list)
        .unwrap_err()
        .to_string();
    assert!(
        binary.contains("a binary table has no names of columns"),
        "{binary}"
    );
}
