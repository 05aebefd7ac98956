//! The steps of a job through files, with a circuit small enough for tests.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::fs;

use common::{ands, copy_of_job, decrypt, directory, encrypt, eval, job, pairs, ringmill, succeed};
use serde_json::Value;

#[test]
fn results_are_right() {
    let path = copy_of_job("right");
    let said = succeed(&path, &format!("{} --records 10", decrypt("out.ct", "out.bin")));
    assert!(said.contains("10 records") && said.contains("margin"), "{said}");
    assert_eq!(fs::read(path.join("out.bin")).unwrap(), ands(&pairs(10)));
    // Without a number: all slots, the others being 0 AND 0.
    let said: Value =
        serde_json::from_str(&succeed(&path, &format!("{} --json", decrypt("out.ct", "all")))).unwrap();
    let all = fs::read(path.join("all")).unwrap();
    assert_eq!(said["records"], all.len());
    assert!(said["margin_bits"].as_f64().unwrap() > 1.0);
    assert!(all[10..].iter().all(|byte| *byte == 0));
}

#[test]
fn many_records_take_several_batches() {
    let path = copy_of_job("batches");
    let records = pairs(700);
    fs::write(path.join("many.bin"), &records).unwrap();
    let said: Value = serde_json::from_str(&succeed(
        &path,
        &format!("{} --json", encrypt("many.bin", "many.ct")),
    ))
    .unwrap();
    assert!(said["batches"].as_u64().unwrap() > 1, "{said}");
    succeed(&path, &format!("{} --threads 1", eval("many.ct", "results.ct")));
    succeed(
        &path,
        &format!("{} --records 700", decrypt("results.ct", "results.bin")),
    );
    assert_eq!(fs::read(path.join("results.bin")).unwrap(), ands(&records));
}

#[test]
fn one_record_stands_for_all_and_the_secret_key_encrypts_too() {
    let path = copy_of_job("single");
    fs::write(path.join("one.bin"), [0b1100, 0b1010]).unwrap();
    let arguments =
        encrypt("one.bin", "one.ct").replace("--public-key keys/public.key", "--secret-key keys/secret.key");
    succeed(&path, &arguments);
    let (half, whole) = (path.join("one.ct"), path.join("in.ct"));
    let (half, whole) = (
        fs::metadata(half).unwrap().len(),
        fs::metadata(whole).unwrap().len(),
    );
    assert!(half < whole * 51 / 100, "{half} {whole}");
    succeed(&path, &eval("one.ct", "results.ct"));
    succeed(&path, &decrypt("results.ct", "results.bin"));
    let results = fs::read(path.join("results.bin")).unwrap();
    assert!(results.len() >= 128 && results.iter().all(|byte| *byte == 0b1000));
}

#[test]
fn the_same_parameters_come_out_of_the_same_choice() {
    let path = directory("deterministic");
    succeed(&path, "params --circuit and8 -o p.params --threads 1");
    assert_eq!(
        fs::read(path.join("p.params")).unwrap(),
        fs::read(job().join("p.params")).unwrap()
    );
}

#[cfg(unix)]
#[test]
fn the_secret_key_is_its_owners() {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(job().join("keys/secret.key"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn inspect_knows_every_file() {
    let hash = |file: &str| {
        let said: Value = serde_json::from_str(&succeed(job(), &format!("inspect --json {file}"))).unwrap();
        assert_eq!(said["file_bytes"], fs::metadata(job().join(file)).unwrap().len());
        said["parameters_hash"].as_str().unwrap().to_owned()
    };
    let parameters = hash("p.params");
    let files = [
        ("p.params", "parameters", "security"),
        ("keys/secret.key", "a secret key", "checksum is right"),
        ("keys/public.key", "a public key", "checksum is right"),
        (
            "keys/evaluation.key",
            "a relinearization key",
            "checksum is right",
        ),
        ("in.ct", "ciphertexts", "16"),
        ("out.ct", "ciphertexts", "2 parts"),
    ];
    for (file, kind, detail) in files {
        assert_eq!(hash(file), parameters);
        let said = succeed(job(), &format!("inspect {file}"));
        assert!(said.contains(kind) && said.contains(detail), "{said}");
    }
}

#[test]
fn insecure_parameters_are_named_so_every_time() {
    let path = directory("insecure");
    let warned = |arguments: &str| {
        let output = ringmill(&path, arguments);
        assert!(output.status.success());
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(
            errors.contains("INSECURE") && errors.contains("85-bit"),
            "{errors}"
        );
    };
    warned("params --circuit and8 --preset hepcloud -o p.params");
    warned("inspect p.params");
}

#[test]
fn every_command_explains_itself() {
    let path = directory("help");
    let text = succeed(&path, "--help");
    for command in [
        "demo", "params", "keygen", "encrypt", "eval", "decrypt", "inspect", "bench",
    ] {
        assert!(text.contains(command));
        let text = succeed(&path, &format!("{command} --help"));
        assert!(text.contains("Example") && text.contains("Exit codes"), "{text}");
        assert!(text.contains("--json") && text.contains("--threads"), "{text}");
    }
}
