//! The main jobs in full.

use std::fs;

use crate::common::{directory, refuse, ringmill, succeed};
use ringmill_circuit::aes::Aes;
use serde_json::Value;

/// A minute or two on two cores: run it with `cargo test --release -p ringmill-cli --test suite demo:: -- --ignored`.
#[test]
#[ignore = "evaluates all of SIMON and AES: minutes"]
fn the_demonstrations_are_right() {
    let path = directory("demo");
    // 13 bytes: the last block is padded.
    fs::write(path.join("notes.txt"), "Hello, world!").unwrap();
    for (cipher, blocks) in [("simon", 2), ("aes", 1)] {
        let said = succeed(&path, &format!("demo --cipher {cipher} --input notes.txt --json"));
        check(&serde_json::from_str(&said).unwrap(), blocks);
    }
}

fn check(report: &Value, blocks: u64) {
    assert_eq!(
        (&report["blocks"], &report["correct_blocks"]),
        (&blocks.into(), &blocks.into())
    );
    let noise = &report["noise"];
    let margin = |which: &str| noise[which].as_f64().unwrap();
    assert!(margin("predicted_margin_bits") > 0.0);
    assert!(margin("measured_margin_bits") >= margin("predicted_margin_bits"));
    assert_eq!(report["parameters"]["security_bits"], 128);
}

/// The scheme of paper 3 at full size: all blocks right, the published vector among them, and the warning said.
#[test]
#[ignore = "evaluates all of SIMON over YASHE: minutes"]
fn another_scheme_is_right_and_says_what_is_wrong_with_it() {
    let path = directory("yashe");
    let output = ringmill(&path, "demo --scheme yashe-1225 --json");
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("yashe-1225 is insecure: "));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&report["blocks"], &report["correct"]),
        (&2048.into(), &2048.into())
    );
    assert_eq!(
        (&report["products"], &report["depth"]),
        (&1376.into(), &43.into())
    );
}

#[test]
fn other_schemes_have_names_and_choices_of_their_own() {
    let path = directory("schemes");
    refuse(
        &path,
        "demo --scheme fv",
        2,
        "yashe-1225, yashe-1225-machine, ltv-1271, ltv-1271-44, ltv-1271-machine",
    );
    refuse(
        &path,
        "demo --scheme yashe-1225 --blocks 5",
        2,
        "cannot be used with",
    );
}

/// Numbers encrypted with AES in counter mode, and compared with limits under encryption.
#[test]
#[ignore = "evaluates all of AES: minutes"]
fn transciphering_is_right() {
    let path = directory("transcipher");
    let key: [u8; 16] = std::array::from_fn(|i| (i * 17 + 3) as u8);
    let counter = [0xff; 16];
    let numbers: Vec<u32> = (0..40u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
    let limits: Vec<u32> = (0..40u32)
        .map(|i| i.wrapping_mul(0x85eb_ca6b) ^ (i & 1))
        .collect();
    let plain: Vec<u8> = numbers
        .iter()
        .flat_map(|number| u128::from(*number).to_le_bytes())
        .collect();
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    fs::write(path.join("aes.key"), hex(&key)).unwrap();
    fs::write(
        path.join("numbers.aes"),
        Aes::new(&key).unwrap().apply_ctr(counter, &plain),
    )
    .unwrap();
    let table: String = limits.iter().map(|limit| format!("{limit}\n")).collect();
    fs::write(path.join("limits.csv"), format!("a\n{table}")).unwrap();

    let circuit = "--cipher aes-128-ctr --then less32 --public a";
    succeed(&path, &format!("params {circuit} --input-key secret -o p.params"));
    let circuit = format!("{circuit} --params p.params");
    succeed(&path, &format!("keygen {circuit} --out-dir keys"));
    let encrypt = format!("encrypt {circuit} --secret-key keys/secret.key");
    refuse(
        &path,
        &format!("{encrypt} --cipher-key 00 -o new"),
        2,
        "32 hexadecimal digits",
    );
    succeed(&path, &format!("{encrypt} --cipher-key-file aes.key -o key.ct"));
    let job = format!("transcipher {circuit} --evaluation-key keys/evaluation.key --key key.ct --data");
    let counter = format!("--counter {}", hex(&counter));
    refuse(
        &path,
        &format!("{job} numbers.aes --table limits.csv -o new"),
        2,
        "first counter block",
    );
    refuse(
        &path,
        &format!("{job} numbers.aes {counter} -o new"),
        2,
        "further public inputs",
    );
    refuse(
        &path,
        &format!("{job} aes.key {counter} --table limits.csv -o new"),
        3,
        "40 records beside 2 blocks",
    );
    succeed(
        &path,
        &format!("{job} numbers.aes {counter} --table limits.csv -o out.ct"),
    );
    succeed(
        &path,
        &format!("decrypt {circuit} --secret-key keys/secret.key --input out.ct -o out.csv"),
    );
    let pairs = numbers.iter().zip(&limits);
    let expected: String = pairs
        .map(|(number, limit)| format!("{}\n", limit < number))
        .collect();
    assert_eq!(
        fs::read_to_string(path.join("out.csv")).unwrap(),
        format!("less\n{expected}")
    );
}
