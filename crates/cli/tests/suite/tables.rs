//! Tables in files and on standard input and output: nothing is guessed, and nothing that is odd passes for something
//! else.

use std::fs;
use std::path::Path;

use crate::common::{copy_of_job, decrypt, directory, encrypt, eval, piped, refuse, succeed};

/// Two records, and their ANDs.
const TABLE: &str = "a,b\n255,1\n3,6\n";
const ANDS: &str = "and\n1\n2\n";

#[test]
fn formats_are_not_guessed() {
    let path = copy_of_job("formats");
    for name in ["ok.txt", "ok.csv.bak", "ok", "OK.CSV"] {
        fs::write(path.join(name), TABLE).unwrap();
    }
    for name in ["ok.txt", "ok.csv.bak", "ok", "-"] {
        let problem = format!(
            "the name \"{name}\" does not tell the format of the table; give --format csv, tsv, json"
        );
        refuse(&path, &encrypt(name, "new.ct"), 2, &problem);
        if name != "ok" {
            refuse(
                &path,
                &decrypt("out.ct", &name.replace("ok", "new")),
                2,
                "does not tell the format",
            );
        }
    }
    for (arguments, output) in [
        (encrypt("OK.CSV", "new.ct"), "out.csv"),
        (format!("{} --format csv", encrypt("ok.txt", "new.ct")), "out.tsv"),
    ] {
        succeed(&path, &format!("{arguments} --force"));
        succeed(&path, &format!("{} --force", eval("new.ct", "results.ct")));
        let said = succeed(&path, &decrypt("results.ct", output));
        assert!(said.starts_with("2 records decrypted"), "{said}");
        assert_eq!(fs::read_to_string(path.join(output)).unwrap(), ANDS);
    }
}

/// What the program writes to standard output, and that it says the rest elsewhere.
fn through(path: &Path, arguments: &str, input: &[u8]) -> Vec<u8> {
    let output = piped(path, arguments, input);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{arguments}: {said}");
    assert!(
        said.contains("records") && said.contains("written to -"),
        "{said}"
    );
    output.stdout
}

#[test]
fn steps_through_standard_input_and_output() {
    let path = copy_of_job("pipes");
    let inputs = through(
        &path,
        &format!("{} --format csv", encrypt("-", "-")),
        TABLE.as_bytes(),
    );
    let results = through(&path, &eval("-", "-"), &inputs);
    let table = through(&path, &format!("{} --format csv", decrypt("-", "-")), &results);
    assert_eq!(String::from_utf8(table).unwrap(), ANDS);
    // Parameters and keys too, but one file only.
    let params = fs::read(path.join("p.params")).unwrap();
    let read = decrypt("out.ct", "out.bin").replace("p.params", "-");
    assert!(piped(&path, &read, &params).status.success());
    assert_eq!(
        fs::read(path.join("out.bin")).unwrap(),
        crate::common::ands(&crate::common::pairs(10))
    );
    let both = eval("-", "new").replace("p.params", "-");
    refuse(
        &path,
        &both,
        2,
        "--params and --input are both -, but standard input can only be read once",
    );
    refuse(
        &path,
        &format!("{} --resume", eval("in.ct", "-")),
        2,
        "nothing is kept of an output that is -",
    );
    let inspected = String::from_utf8(piped(&path, "inspect -", &results).stdout).unwrap();
    assert!(inspected.contains("2 in 1 batches: results"), "{inspected}");
    // Results that are cut off give no records, and an error.
    let cut = piped(
        &path,
        &format!("{} --format csv", decrypt("-", "-")),
        &results[..results.len() - 5],
    );
    assert_eq!(cut.status.code(), Some(3));
    assert_eq!(String::from_utf8(cut.stdout).unwrap(), "and\n");
    // A circuit.
    let circuit = "1 3\n2 1 1\n1 1\n\n2 1 0 1 2 AND\n";
    let output = piped(&path, "circuits - --json", circuit.as_bytes());
    assert!(String::from_utf8(output.stdout).unwrap().contains("\"ands\": 1"));
}

#[test]
fn odd_tables() {
    let path = copy_of_job("odd");
    let long = format!("a,b\n1,{}2\n", " ".repeat(1 << 20));
    // What means the same as the plain table.
    for table in [
        "\u{feff}a,b\r\n255,1\r\n3,6",
        "b,a\n\n 1 , 255\n\n6,3\n \n",
        "\"a\",\"b\"\n\"255\",\"1\"\n003,+6\n",
    ] {
        fs::write(path.join("table.csv"), table).unwrap();
        succeed(&path, &format!("{} --force", encrypt("table.csv", "odd.ct")));
        succeed(&path, &format!("{} --force", eval("odd.ct", "odd.out")));
        succeed(&path, &format!("{} --force", decrypt("odd.out", "odd.csv")));
        assert_eq!(fs::read_to_string(path.join("odd.csv")).unwrap(), ANDS, "{table}");
    }
    // What means nothing.
    for (table, problem) in [
        ("", "table.csv: the table is empty"),
        ("\u{feff}\n", "table.csv: the table is empty"),
        ("a,b", "table.csv: the table is empty"),
        (
            "255,1\n3,6\n",
            "the header (line 1) has no column \"a\"; the columns are a, b. It has other columns: 255, 1",
        ),
        (
            "A,B\n1,2\n",
            "has no column \"a\"; the columns are a, b. It has other columns: A, B",
        ),
        (
            "a;b\n1;2\n",
            "has no column \"a\"; the columns are a, b. It has other columns: \"a;b\"",
        ),
        (
            "a,b\n1,-2\n",
            "the value cannot be used; it must be a whole number from 0 to 255",
        ),
        ("a,b\n1,1e2\n", "the value cannot be used"),
        ("a,b\n1,0x7\n", "the value cannot be used"),
        ("a,b\n1,\n", "the value cannot be used"),
        ("a,b\n\"1,2\n", "an opening quotation mark without a closing one"),
        (
            "a,b\r1,2\r",
            "has no column \"b\"; the columns are a, b. It has other columns: \"b\\r1\", 2",
        ),
        (&long, "is longer than 1048576 bytes"),
    ] {
        fs::write(path.join("table.csv"), table).unwrap();
        refuse(&path, &encrypt("table.csv", "new.ct"), 3, problem);
    }
    fs::write(path.join("table.csv"), b"\xff\xfea\0,\0b\0\n\0").unwrap();
    refuse(
        &path,
        &encrypt("table.csv", "new.ct"),
        3,
        "is not UTF-8 at byte 1",
    );
    fs::write(path.join("table.json"), "[{\"a\":1,\"b\":2}]\n").unwrap();
    refuse(
        &path,
        &encrypt("table.json", "new.ct"),
        3,
        "row 1 (line 1) begins a JSON array",
    );
    // Ciphertexts for a table, a table for ciphertexts, a folder for either.
    let raw = format!("{} --format csv", encrypt("in.ct", "new.ct"));
    refuse(&path, &raw, 3, "in.ct: ");
    refuse(&path, &eval("in.bin", "new.ct"), 3, "in.bin: ");
    refuse(
        &path,
        &encrypt("keys", "new.ct").replace("--input keys", "--format csv --input keys"),
        6,
        "keys: Is a directory",
    );
    refuse(&path, &eval("keys", "new.ct"), 6, "keys: Is a directory");
}

#[test]
fn tables_with_tabs() {
    let path = directory("tabs");
    succeed(&path, "params --circuit add8 -o p.params");
    let circuit = "--circuit add8 --params p.params";
    succeed(&path, &format!("keygen {circuit} --out-dir keys"));
    let encrypt = format!("encrypt {circuit} --public-key keys/public.key --input table.tsv -o new.ct");
    fs::write(path.join("table.tsv"), "a\tb\n1\t2\n\t\n").unwrap();
    refuse(
        &path,
        &encrypt,
        3,
        "row 2 (line 3), column \"a\": the value cannot be used",
    );
    fs::write(path.join("table.tsv"), "a,b\n1,2\n").unwrap();
    refuse(
        &path,
        &encrypt,
        3,
        "has no column \"a\"; the columns are a, b. It has other columns: \"a,b\"",
    );
}
