//! Columns of tables that are no ports: skipped with a note, carried along to results, and keys that owners share.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{copy_of_job, decrypt, directory, encrypt, eval, refuse, ringmill, succeed};

/// Runs the program, which must succeed; what it says on standard error.
fn notes(path: &Path, arguments: &str) -> String {
    let output = ringmill(path, arguments);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{arguments}: {said}");
    said
}

fn read(path: &Path, name: &str) -> String {
    fs::read_to_string(path.join(name)).unwrap()
}

#[test]
fn columns_of_no_port_are_skipped_with_a_note() {
    let path = copy_of_job("columns-extra");
    for (file, table, columns) in [
        ("one.csv", "id,a,b\nx,255,1\ny,3,6\n", "column id belongs"),
        (
            "some.csv",
            "id,a,full name,b,\nx,255,n,1,\ny,3,n,6,\n",
            "columns id, \"full name\", \"\" belong",
        ),
        (
            "some.jsonl",
            "{\"a\":255,\"b\":1,\"id\":\"x\"}\n{\"n\":0,\"a\":3,\"b\":6}\n",
            "column id belongs",
        ),
    ] {
        fs::write(path.join(file), table).unwrap();
        let arguments = format!("{} --force", encrypt(file, "new.ct"));
        let is = if columns.starts_with("columns") {
            "are"
        } else {
            "is"
        };
        assert_eq!(
            notes(&path, &arguments),
            format!(
                "note: {file}: {columns} to no private port and {is} not encrypted; --ignore-extra silences this\n"
            )
        );
        assert_eq!(notes(&path, &format!("{arguments} --ignore-extra")), "");
        succeed(&path, &format!("{} --force", eval("new.ct", "new.out")));
        succeed(&path, &format!("{} --force", decrypt("new.out", "new.csv")));
        assert_eq!(read(&path, "new.csv"), "and\n1\n2\n");
    }
    let ports = encrypt("one.csv", "a.ct") + " --ports a";
    assert_eq!(
        notes(&path, &ports),
        "note: one.csv: columns id, b belong to no port of --ports and are not encrypted; --ignore-extra silences this\n"
    );
}

#[test]
fn columns_of_no_public_port_are_skipped_with_a_note() {
    let path = directory("columns-public");
    succeed(&path, "plan --circuit and8 --public a -o p.job");
    succeed(&path, "keygen p.job --out-dir keys");
    fs::write(path.join("all.csv"), "id,a,b\nx,255,1\ny,3,6\n").unwrap();
    let encrypt = "encrypt p.job --public-key keys/public.key --input all.csv -o in.ct --ignore-extra";
    assert_eq!(notes(&path, encrypt), "");
    let eval = "eval p.job --evaluation-key keys/evaluation.key --input in.ct --data all.csv";
    assert_eq!(
        notes(&path, &format!("{eval} -o out.ct")),
        "note: all.csv: columns id, b belong to no public port and are not read; --ignore-extra silences this\n"
    );
    assert_eq!(notes(&path, &format!("{eval} -o again.ct --ignore-extra")), "");
    let decrypt =
        "decrypt p.job --secret-key keys/secret.key --input out.ct --inputs in.ct --data all.csv -o out.csv";
    assert_eq!(notes(&path, decrypt), "");
    assert_eq!(read(&path, "out.csv"), "and\n1\n2\n");
}

/// A job of 300 records in two batches, with names that nobody encrypts.
fn named() -> PathBuf {
    let path = directory("columns-carried");
    succeed(
        &path,
        "params --circuit and8 --preset fv128-n4096 --form bfv -o p.params",
    );
    succeed(&path, "keygen --circuit and8 --params p.params --out-dir keys");
    let rows: String = (0..300)
        .map(|i| format!("{},\"n,{i}\",{},0{i}\n", i % 256, i % 7))
        .collect();
    fs::write(path.join("table.csv"), format!("a,name,b,id\n{rows}")).unwrap();
    succeed(&path, &encrypt("table.csv", "in.ct"));
    succeed(&path, &eval("in.ct", "out.ct"));
    path
}

fn carry(columns: &[&str], from: &str, output: &str) -> String {
    let columns: String = columns
        .iter()
        .map(|column| format!(" --carry {column}"))
        .collect();
    format!("{}{columns} --from {from}", decrypt("out.ct", output))
}

#[test]
fn columns_go_along_to_the_results() {
    let path = named();
    let and = |i: usize| (i % 256) & (i % 7);
    succeed(&path, &carry(&["id", "name"], "table.csv", "out.csv"));
    let rows: String = (0..300).map(|i| format!("0{i},\"n,{i}\",{}\n", and(i))).collect();
    assert_eq!(read(&path, "out.csv"), format!("id,name,and\n{rows}"));
    // From and to other formats; columns of other ports may go along too.
    succeed(&path, &carry(&["name", "b"], "table.csv", "out.jsonl"));
    let rows: String = (0..300)
        .map(|i| format!("{{\"name\":\"n,{i}\",\"b\":\"{}\",\"and\":{}}}\n", i % 7, and(i)))
        .collect();
    assert_eq!(read(&path, "out.jsonl"), rows);
    succeed(&path, &carry(&["b", "name"], "out.jsonl", "out.tsv"));
    let rows: String = (0..300)
        .map(|i| format!("{}\tn,{i}\t{}\n", i % 7, and(i)))
        .collect();
    assert_eq!(read(&path, "out.tsv"), format!("b\tname\tand\n{rows}"));
    // To standard output.
    let output = ringmill(
        &path,
        &format!("{} --format csv", carry(&["id"], "table.csv", "-")),
    );
    assert!(
        String::from_utf8(output.stdout)
            .unwrap()
            .starts_with("id,and\n00,0\n01,1\n")
    );

    let table = read(&path, "table.csv");
    let lines: Vec<&str> = table.lines().collect();
    for (rows, found) in [(300, 299), (301, 300), (257, 256), (2, 1)] {
        if found != 300 {
            fs::write(path.join("few.csv"), lines[..rows].join("\n")).unwrap();
            refuse(
                &path,
                &carry(&["id"], "few.csv", "new.csv"),
                3,
                &format!(
                    "few.csv: {found} rows, but out.ct has 300 results; there must be a row for each, in the same order"
                ),
            );
        }
    }
    fs::write(path.join("many.csv"), format!("{table}1,n,1,x\n\n1,n,1,y\n")).unwrap();
    for (from, columns, code, problem) in [
        (
            "many.csv",
            &["id"][..],
            3,
            "many.csv: 302 rows, but out.ct has 300 results",
        ),
        (
            "table.csv",
            &["ID"],
            3,
            "table.csv: the header (line 1) has no column \"ID\"; it has a, name, b, id",
        ),
        (
            "table.csv",
            &["id", "id"],
            2,
            "--carry: column \"id\" cannot be put before the results: it is named twice",
        ),
        (
            "out.csv",
            &["and"],
            2,
            "--carry: column \"and\" cannot be put before the results: a result has the same name",
        ),
        (
            "in.ct",
            &["id"],
            2,
            "the name \"in.ct\" does not tell the format of the table",
        ),
        ("none.csv", &["id"], 6, "none.csv"),
    ] {
        refuse(&path, &carry(columns, from, "new.csv"), code, problem);
    }
    refuse(
        &path,
        &carry(&["id"], "table.csv", "new.bin"),
        2,
        "--carry: a binary table has no names of columns; give one of csv, tsv or json",
    );
    fs::write(path.join("raw.bin"), [7; 300]).unwrap();
    refuse(
        &path,
        &carry(&["id"], "raw.bin", "new.csv"),
        3,
        "raw.bin: a binary table has no names of columns; give one of csv, tsv or json",
    );
    refuse(&path, &carry(&[], "table.csv", "new.csv"), 2, "--carry");
    refuse(
        &path,
        &carry(&["id"], "table.csv", "new.csv").replace("--from table.csv", ""),
        2,
        "--from",
    );
}

#[test]
fn rows_in_the_order_of_keys() {
    let path = copy_of_job("columns-keys");
    fs::write(path.join("ids.csv"), "since,id\n1999,k3\n2001,k1\n2005,k2\n").unwrap();
    fs::write(path.join("a.csv"), "id,a,note\nk1,1,x\nk2,2,y\nk3,3,z\n").unwrap();
    fs::write(
        path.join("b.jsonl"),
        "{\"id\":\"k2\",\"b\":7}\n{\"id\":\"k3\",\"b\":5}\n{\"id\":\"k1\",\"b\":255}\n",
    )
    .unwrap();
    let keyed = |table: &str, order: &str, ports: &str, output: &str| {
        format!(
            "{} --ports {ports} --key id --order {order}",
            encrypt(table, output)
        )
    };
    assert_eq!(
        notes(&path, &keyed("a.csv", "ids.csv", "a", "a.ct")),
        "note: a.csv: column note belongs to no port of --ports and is not encrypted; --ignore-extra silences this\n"
    );
    assert_eq!(notes(&path, &keyed("b.jsonl", "ids.csv", "b", "b.ct")), "");
    succeed(&path, &eval("a.ct --input b.ct", "keyed.ct"));
    let carried = format!("{} --carry id --from ids.csv", decrypt("keyed.ct", "keyed.csv"));
    succeed(&path, &carried);
    assert_eq!(read(&path, "keyed.csv"), "id,and\nk3,1\nk1,1\nk2,2\n");

    for (table, list, problem) in [
        (
            "id,a\nk1,1\nk2,2\n",
            "id\nk1\nk2\nk3\n",
            "list.csv: row 3 (line 4) has the key \"k3\", which table.csv does not have",
        ),
        (
            "id,a\nk1,1\nk2,2\n",
            "id\nk2\n",
            "table.csv: row 1 (line 2) has the key \"k1\", which list.csv does not have",
        ),
        (
            "id,a\nk1,1\n\nk1,2\n",
            "id\nk2\nk1\n",
            "table.csv: row 2 (line 4) has the key \"k1\" again, which row 1 (line 2) has already",
        ),
        (
            "id,a\nk1,1\n",
            "id\nk1\nk1\n",
            "list.csv: row 2 (line 3) has the key \"k1\" again, which row 1 (line 2) has already; each key must occur once",
        ),
        (
            "key,a\nk1,1\n",
            "id\nk1\n",
            "table.csv: the header (line 1) has no column \"id\"; it has key, a",
        ),
        (
            "id,a\nk1,1\n",
            "key\nk1\n",
            "list.csv: the header (line 1) has no column \"id\"; it has key",
        ),
    ] {
        fs::write(path.join("table.csv"), table).unwrap();
        fs::write(path.join("list.csv"), list).unwrap();
        refuse(&path, &keyed("table.csv", "list.csv", "a", "new.ct"), 3, problem);
    }
    refuse(
        &path,
        &keyed("in.bin", "ids.csv", "a", "new.ct"),
        3,
        "in.bin: a binary table has no names of columns",
    );
    refuse(
        &path,
        &keyed("a.csv", "ids.csv", "a", "new.ct").replace("--key id", ""),
        2,
        "--key",
    );
    refuse(
        &path,
        &keyed("a.csv", "", "a", "new.ct").replace("--order", ""),
        2,
        "--order",
    );
    refuse(
        &path,
        &keyed("-", "-", "a", "new.ct"),
        2,
        "--input and --order are both -, but standard input can only be read once",
    );
}
