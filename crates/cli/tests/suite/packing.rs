//! Jobs whose inputs are packed, from parameters to results, by way of files.

use std::fs;
use std::path::Path;

use crate::common::{directory, frames, refuse, ringmill_with, succeed};

const CIRCUIT: &str = "--circuit less32 --public a --params p.params";

/// Makes parameters and keys, and says what the parameters predict.
fn prepare(path: &Path, packing: &str) -> serde_json::Value {
    let params =
        format!("params --circuit less32 --public a --input-key secret --packing {packing} -o p.params");
    let said = succeed(path, &format!("{params} --json"));
    succeed(path, &format!("keygen {CIRCUIT} --out-dir keys"));
    serde_json::from_str(&said).unwrap()
}

fn encrypt(table: &str) -> String {
    format!("encrypt {CIRCUIT} --secret-key keys/secret.key --input {table} -o in.ct")
}

fn eval(table: &str) -> String {
    format!("eval {CIRCUIT} --evaluation-key keys/evaluation.key --input in.ct --data {table} -o out.ct")
}

fn decrypt() -> String {
    format!("decrypt {CIRCUIT} --secret-key keys/secret.key --input out.ct -o out.csv")
}

fn number(i: u32, salt: u32) -> u32 {
    (i ^ salt).wrapping_mul(0x9e37_79b9)
}

fn table(name: &str, numbers: impl Iterator<Item = u32>) -> String {
    let rows: String = numbers.map(|number| format!("{number}\n")).collect();
    format!("{name}\n{rows}")
}

/// More records than one batch has.
const RECORDS: u32 = 700;

#[test]
fn records_come_packed() {
    let path = directory("packed-slots");
    let (a, b) = (|i| number(i, 1), |i| number(i, 2));
    fs::write(path.join("a.csv"), table("a", (0..RECORDS).map(a))).unwrap();
    fs::write(path.join("b.csv"), table("b", (0..RECORDS).map(b))).unwrap();
    let predicted = &prepare(&path, "slots")["plan"];
    let records = predicted["slots"].as_u64().unwrap();
    assert!(records < RECORDS.into(), "one batch: {records}");
    assert_eq!(predicted["packing"], "slots");
    assert!(predicted["unpacking_seconds"].as_f64().unwrap() > 0.0);
    succeed(&path, &encrypt("b.csv"));
    // Two ciphertexts for 32 bits, as many bytes as were predicted.
    let file = fs::read(path.join("in.ct")).unwrap();
    let batches = u64::from(RECORDS).div_ceil(records);
    assert_eq!(frames(&file).len() as u64, 2 * batches);
    let bytes = batches * predicted["input_bytes"].as_u64().unwrap();
    assert!((bytes..bytes + 1000 * batches).contains(&(file.len() as u64)));
    let keys = predicted["key_bytes"].as_u64().unwrap();
    let written = fs::metadata(path.join("keys/evaluation.key")).unwrap().len();
    assert!((keys..keys + 1000).contains(&written), "{keys} {written}");
    // Wires wait in memory, unless that is limited: then they go to a temporary file.
    let nowhere = [("TMPDIR", "nowhere")];
    let limited = format!("{} --force --memory 0.05", eval("a.csv"));
    assert!(ringmill_with(&path, &eval("a.csv"), &nowhere).status.success());
    let here = fs::read(path.join("out.ct")).unwrap();
    assert_eq!(ringmill_with(&path, &limited, &nowhere).status.code(), Some(6));
    succeed(&path, &limited);
    assert!(here == fs::read(path.join("out.ct")).unwrap());
    let results = batches * predicted["result_bytes"].as_u64().unwrap();
    let written = fs::metadata(path.join("out.ct")).unwrap().len();
    assert!(
        (results..results + 1000 * batches).contains(&written),
        "{results} {written}"
    );
    succeed(&path, &decrypt());
    let less: String = (0..RECORDS).map(|i| format!("{}\n", a(i) < b(i))).collect();
    assert_eq!(
        fs::read_to_string(path.join("out.csv")).unwrap(),
        format!("less\n{less}")
    );
    // Parameters for a ciphertext for each wire are others, and their inputs take eight times as many bytes at least.
    let separate = succeed(
        &path,
        "params --circuit less32 --public a --input-key secret --packing separate --json",
    );
    let separate: serde_json::Value = serde_json::from_str(&separate).unwrap();
    let each =
        |plan: &serde_json::Value| plan["input_bytes"].as_f64().unwrap() / plan["slots"].as_f64().unwrap();
    assert!(8.0 * each(predicted) < each(&separate["plan"]));
    let mut file = fs::read(path.join("in.ct")).unwrap();
    let middle = file.len() / 4;
    file[middle] ^= 1;
    fs::write(path.join("in.ct"), file).unwrap();
    refuse(&path, &eval("a.csv").replace("out.ct", "new.ct"), 3, "in.ct");
}

#[test]
fn one_record_stands_for_all() {
    let path = directory("packed-broadcast");
    let a = |i| number(i, 1);
    fs::write(path.join("a.csv"), table("a", (0..RECORDS).map(a))).unwrap();
    fs::write(path.join("limit.csv"), "b\n2000000000\n").unwrap();
    fs::write(path.join("two.csv"), "b\n1\n2\n").unwrap();
    let predicted = &prepare(&path, "broadcast")["plan"];
    refuse(
        &path,
        &encrypt("two.csv"),
        2,
        "made for one record of private inputs that stands for all, and these are more; make parameters with --packing \
         separate",
    );
    succeed(&path, &encrypt("limit.csv"));
    let file = fs::read(path.join("in.ct")).unwrap();
    assert_eq!(frames(&file).len(), 2);
    let bytes = predicted["input_bytes"].as_u64().unwrap();
    assert!((bytes..bytes + 1000).contains(&(file.len() as u64)));
    let said = succeed(&path, &format!("{} --json", eval("a.csv")));
    let said: serde_json::Value = serde_json::from_str(&said).unwrap();
    let work = said["breakdown"].as_array().unwrap();
    let unpacked = work.iter().find(|work| work["operation"] == "unpack inputs");
    assert_eq!(unpacked.unwrap()["count"], 1, "once for all batches");
    succeed(&path, &decrypt());
    let less: String = (0..RECORDS)
        .map(|i| format!("{}\n", a(i) < 2_000_000_000))
        .collect();
    assert_eq!(
        fs::read_to_string(path.join("out.csv")).unwrap(),
        format!("less\n{less}")
    );
}

#[test]
fn packing_is_for_circuits() {
    let path = directory("packed-none");
    refuse(
        &path,
        "params --preset n4096-t65537 --packing slots",
        2,
        "--packing is of use with a circuit only",
    );
    refuse(
        &path,
        "params --circuit less32 --packing some",
        2,
        "possible values: separate, slots, broadcast",
    );
}
