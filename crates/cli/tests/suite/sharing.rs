//! Jobs in which four records share each slot, from parameters to results, by way of files.

use std::fs;
use std::path::Path;

use crate::common::{directory, refuse, succeed};

/// More than one batch, the last of which is not full.
const RECORDS: u32 = 9_001;

fn number(i: u32, salt: u32) -> u32 {
    (i ^ salt).wrapping_mul(0x9e37_79b9) >> 24
}

fn table(name: &str, number: impl Fn(u32) -> u32) -> String {
    let rows: String = (0..RECORDS).map(|i| format!("{}\n", number(i))).collect();
    format!("{name}\n{rows}")
}

fn plan(path: &Path, options: &str) -> serde_json::Value {
    let said = succeed(
        path,
        &format!("plan --circuit add8 --public a --input-key secret {options} --json"),
    );
    serde_json::from_str(&said).unwrap()
}

#[test]
fn records_share_slots() {
    let path = directory("shared-slots");
    let (a, b) = (|i| number(i, 1), |i| number(i, 2));
    fs::write(path.join("a.csv"), table("a", a)).unwrap();
    fs::write(path.join("b.csv"), table("b", b)).unwrap();
    let shared = plan(&path, "--share-slots always -o add.job");
    let own = plan(&path, "--share-slots never");
    assert_eq!(
        (&shared["plan"]["shared_slots"], &own["plan"]["shared_slots"]),
        (&true.into(), &false.into())
    );
    let n = |plan: &serde_json::Value| plan["parameters"]["n"].as_u64().unwrap();
    let slots = |plan: &serde_json::Value| plan["plan"]["slots"].as_u64().unwrap();
    let batch = slots(&shared);
    assert_eq!(batch * n(&own), 4 * slots(&own) * n(&shared));
    assert!(
        batch < RECORDS.into() && !u64::from(RECORDS).is_multiple_of(batch),
        "{batch}"
    );

    assert!(succeed(&path, "inspect add.job").contains("four in each slot"));

    succeed(&path, "keygen add.job --out-dir keys");
    succeed(
        &path,
        "encrypt add.job --secret-key keys/secret.key --input b.csv -o in.ct",
    );
    succeed(
        &path,
        "eval add.job --evaluation-key keys/evaluation.key --input in.ct --data a.csv -o out.ct",
    );
    succeed(
        &path,
        "decrypt add.job --secret-key keys/secret.key --input out.ct -o out.csv",
    );
    assert_eq!(
        fs::read_to_string(path.join("out.csv")).unwrap(),
        table("sum", |i| (a(i) + b(i)) % 256)
    );
}

/// A table decides, and a circuit with bytes has no choice.
#[test]
fn slots_are_shared_for_large_tables() {
    let path = directory("shared-slots-tables");
    let is_shared = |options: &str| plan(&path, options)["plan"]["shared_slots"] == true;
    assert!(!is_shared("") && !is_shared("--records 100"));
    assert!(is_shared("--records 1000000"));
    assert!(!is_shared("--records 1000000 --share-slots never"));
    refuse(
        &path,
        "plan --circuit aes-128-encrypt-row --share-slots always",
        2,
        "not in a plan for a circuit with bytes",
    );
    refuse(
        &path,
        "plan --preset n4096-t65537 --share-slots always -o p.job",
        2,
        "--share-slots",
    );
}
