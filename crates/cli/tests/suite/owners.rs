//! Several owners: each encrypts some of the private inputs in a file of his own.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::{directory, frames, listing, refuse, ringmill, succeed};

/// In three batches of 256 slots.
const RECORDS: usize = 600;

fn column(name: &str, value: impl Fn(usize) -> usize) -> String {
    let rows: String = (0..RECORDS).map(|i| format!("{}\n", value(i))).collect();
    format!("{name}\n{rows}")
}

fn a(i: usize) -> usize {
    i * 37 % 256
}

fn b(i: usize) -> usize {
    i * 101 % 253
}

fn ands(value: impl Fn(usize) -> usize) -> String {
    column("and", |i| a(i) & value(i))
}

/// A job with keys, and the files of two owners: `a.ct` and `b.ct`.
fn job(name: &str) -> PathBuf {
    let path = directory(name);
    succeed(
        &path,
        "plan --circuit and8 --preset fv128-n4096 --form bfv -o p.job",
    );
    succeed(&path, "keygen p.job --out-dir keys");
    fs::write(path.join("a.csv"), column("a", a)).unwrap();
    fs::write(path.join("b.csv"), column("b", b)).unwrap();
    succeed(&path, &encrypt("a", "a.csv", "a.ct"));
    succeed(&path, &encrypt("b", "b.csv", "b.ct"));
    path
}

fn encrypt(ports: &str, table: &str, output: &str) -> String {
    format!("encrypt p.job --public-key keys/public.key --ports {ports} --input {table} -o {output}")
}

fn eval(inputs: &[&str], output: &str) -> String {
    let inputs: String = inputs.iter().map(|input| format!(" --input {input}")).collect();
    format!("eval p.job --evaluation-key keys/evaluation.key{inputs} -o {output}")
}

fn decrypt(results: &str, output: &str) -> String {
    format!("decrypt p.job --secret-key keys/secret.key --input {results} -o {output}")
}

fn read(path: &Path, name: &str) -> String {
    fs::read_to_string(path.join(name)).unwrap()
}

/// The order of files makes no difference, for results, signatures, resuming and what results say of their inputs.
#[test]
fn files_of_two_owners() {
    let path = job("owners");
    let said = succeed(&path, "inspect a.ct");
    assert!(
        said.contains("of its ports") && said.contains("600 in 3 batches"),
        "{said}"
    );
    let said: Value = serde_json::from_str(&succeed(&path, "inspect b.ct --json")).unwrap();
    assert_eq!(said["ports"], serde_json::json!(["b"]));
    succeed(&path, "signing-key --out-dir me");
    let sign = "--sign-with me/signing.key";
    succeed(&path, &format!("{} {sign}", eval(&["a.ct", "b.ct"], "out.ct")));
    succeed(&path, &format!("{} {sign}", eval(&["b.ct", "a.ct"], "other.ct")));
    let whole = fs::read(path.join("out.ct")).unwrap();
    assert!(whole == fs::read(path.join("other.ct")).unwrap());
    // An earlier run had them in the other order.
    fs::write(path.join("third.ct.partial"), &whole[..frames(&whole)[2]]).unwrap();
    let resume = format!("{} {sign} --resume --json", eval(&["b.ct", "a.ct"], "third.ct"));
    let said: Value = serde_json::from_str(&succeed(&path, &resume)).unwrap();
    assert_eq!((&said["taken_over"], &said["batches"]), (&1.into(), &3.into()));
    assert!(whole == fs::read(path.join("third.ct")).unwrap());
    for (inputs, output) in [
        ("--inputs a.ct --inputs b.ct", "1.csv"),
        ("--inputs b.ct --inputs a.ct", "2.csv"),
    ] {
        let signed = format!("{inputs} --signed-by me/verifying.key");
        succeed(&path, &format!("{} {signed}", decrypt("out.ct", output)));
        assert_eq!(read(&path, output), ands(b));
    }
    // Another file of the same owner, with the same records.
    succeed(&path, &encrypt("b", "b.csv", "b2.ct"));
    refuse(
        &path,
        &format!("{} --inputs a.ct --inputs b2.ct", decrypt("out.ct", "new.csv")),
        3,
        "out.ct: batch 0 is of other encrypted inputs than a.ct, b2.ct; give the inputs that it was made of",
    );
    refuse(
        &path,
        &format!("{} --inputs a.ct", decrypt("out.ct", "new.csv")),
        2,
        "the private port \"b\" is not in a.ct; give the file of its owner too, with another --input",
    );
    fs::write(path.join("new.ct.partial"), &whole[..frames(&whole)[2]]).unwrap();
    refuse(
        &path,
        &format!("{} --resume", eval(&["a.ct", "b2.ct"], "new.ct")),
        3,
        "new.ct.partial: batch 0 is of other encrypted inputs than a.ct, b2.ct",
    );
}

/// A file of all ports is as it was before there were owners.
#[test]
fn all_ports_by_name_are_all_ports() {
    let path = job("owners-all");
    let rows: String = (0..RECORDS).map(|i| format!("{},{}\n", a(i), b(i))).collect();
    fs::write(path.join("both.csv"), format!("a,b\n{rows}")).unwrap();
    for (ports, output) in [(" --ports b,a", "by-name.ct"), ("", "all.ct")] {
        let arguments = encrypt("x", "both.csv", output).replace(" --ports x", ports);
        succeed(&path, &arguments);
    }
    let lengths = |name: &str| frames(&fs::read(path.join(name)).unwrap());
    assert_eq!(lengths("by-name.ct"), lengths("all.ct"));
    assert!(!succeed(&path, "inspect by-name.ct").contains("of its ports"));
    succeed(&path, &eval(&["by-name.ct"], "out.ct"));
    succeed(&path, &decrypt("out.ct", "out.csv"));
    assert_eq!(read(&path, "out.csv"), ands(b));
}

#[test]
fn a_single_record_stands_for_all() {
    let path = job("owners-single");
    fs::write(path.join("mask.csv"), "b\n60\n").unwrap();
    succeed(&path, &encrypt("b", "mask.csv", "mask.ct"));
    for (inputs, output) in [(["a.ct", "mask.ct"], "1.ct"), (["mask.ct", "a.ct"], "2.ct")] {
        let said = succeed(&path, &eval(&inputs, output));
        assert!(said.starts_with("600 records in 3 batches"), "{said}");
    }
    assert!(fs::read(path.join("1.ct")).unwrap() == fs::read(path.join("2.ct")).unwrap());
    let checked = format!("{} --inputs mask.ct --inputs a.ct", decrypt("1.ct", "out.csv"));
    succeed(&path, &checked);
    assert_eq!(read(&path, "out.csv"), ands(|_| 60));
    // Two of them are one record.
    fs::write(path.join("one.csv"), "a\n44\n").unwrap();
    succeed(&path, &encrypt("a", "one.csv", "one.ct"));
    succeed(&path, &eval(&["mask.ct", "one.ct"], "one.out"));
    succeed(&path, &decrypt("one.out", "one.out.csv"));
    assert_eq!(read(&path, "one.out.csv"), "and\n44\n");
}

#[test]
fn files_that_do_not_go_together() {
    let path = job("owners-refused");
    refuse(
        &path,
        &eval(&["b.ct"], "new.ct"),
        2,
        "the private port \"a\" is not in b.ct; give the file of its owner too, with another --input",
    );
    refuse(
        &path,
        &eval(&["a.ct", "b.ct", "a.ct"], "new.ct"),
        2,
        "the private port \"a\" is in a.ct and in a.ct; each port must come once, from one owner (encrypt --ports)",
    );
    fs::write(path.join("both.csv"), "a,b\n1,2\n").unwrap();
    let all = encrypt("", "both.csv", "both.ct").replace(" --ports ", "");
    succeed(&path, &all);
    refuse(
        &path,
        &eval(&["both.ct", "b.ct"], "new.ct"),
        2,
        "the private port \"b\" is in both.ct and in b.ct",
    );
    fs::write(path.join("few.csv"), format!("b\n{}", "7\n".repeat(300))).unwrap();
    succeed(&path, &encrypt("b", "few.csv", "few.ct"));
    refuse(
        &path,
        &eval(&["a.ct", "few.ct"], "new.ct"),
        3,
        "few.ct: 300 records where a.ct has 600; owners must encrypt the same records in the same order, or a single \
         one that stands for all",
    );
    refuse(
        &path,
        &eval(&["-", "-"], "new.ct"),
        2,
        "--input and --input are both -, but standard input can only be read once",
    );
    succeed(&path, "keygen p.job --out-dir other");
    succeed(
        &path,
        &encrypt("b", "b.csv", "foreign.ct").replace("keys/", "other/"),
    );
    refuse(
        &path,
        &eval(&["a.ct", "foreign.ct"], "new.ct"),
        3,
        "foreign.ct: encrypted inputs under the keys of set ",
    );
    // From a pipe, what does not fit is found in the batch where it shows.
    let before = listing(&path);
    let piped = fs::read(path.join("few.ct")).unwrap();
    let output = crate::common::piped(&path, &eval(&["a.ct", "-"], "new.ct"), &piped);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{errors}");
    assert!(
        errors.contains("-: 300 records where a.ct has 512; owners must encrypt the same records"),
        "{errors}"
    );
    assert!(
        errors.contains("1 finished batches are kept in new.ct.partial"),
        "{errors}"
    );
    assert_ne!(listing(&path), before);
}

#[test]
fn ports_that_cannot_be_encrypted_alone() {
    let path = job("owners-ports");
    for (ports, problem) in [
        ("c", "and8 has no private port \"c\"; the private ports are a, b"),
        ("a,a", "port \"a\" is named twice; name each port once"),
        ("a,", "and8 has no private port \"\"; the private ports are a, b"),
    ] {
        refuse(&path, &encrypt(ports, "a.csv", "new.ct"), 2, problem);
    }
    refuse(
        &path,
        &encrypt("a,b", "a.csv", "new.ct"),
        3,
        "a.csv: the header (line 1) has no column \"b\"",
    );
    let key = encrypt("a", "a.csv", "new.ct").replace("--input a.csv", "--cipher-key 00");
    refuse(&path, &key, 2, "--ports");
    succeed(&path, "plan --circuit and8 --packing slots -o p.job --force");
    succeed(&path, "keygen p.job --out-dir keys --force");
    refuse(
        &path,
        &encrypt("a", "a.csv", "new.ct"),
        2,
        "made for inputs of several ports in a ciphertext (--packing slots), which one owner encrypts together; make \
         parameters with --packing separate",
    );
    succeed(&path, "plan --preset n4096-t65537 -o p.job --force");
    refuse(
        &path,
        &encrypt("a", "a.csv", "new.ct"),
        2,
        "--ports is of use with a circuit only",
    );
    assert_eq!(ringmill(&path, "inspect a.ct").status.code(), Some(0));
}
