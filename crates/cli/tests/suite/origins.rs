//! Results that must be made of certain inputs, by a certain evaluator.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::{ands, decrypt, directory, encrypt, eval, frames, pairs, refuse, succeed};

/// In four batches of 256 slots.
const RECORDS: usize = 900;

fn job(name: &str) -> PathBuf {
    let path = directory(name);
    fs::write(path.join("in.bin"), pairs(RECORDS)).unwrap();
    succeed(
        &path,
        "params --circuit and8 --preset fv128-n4096 --form bfv -o p.params",
    );
    succeed(&path, "keygen --circuit and8 --params p.params --out-dir keys");
    succeed(&path, &encrypt("in.bin", "in.ct"));
    path
}

fn check(path: &Path, output: &str) {
    assert_eq!(fs::read(path.join(output)).unwrap(), ands(&pairs(RECORDS)));
}

#[test]
fn results_are_of_these_inputs() {
    let path = job("origins");
    succeed(&path, &eval("in.ct", "out.ct"));
    let of = |inputs: &str, output: &str| format!("{} --inputs {inputs}", decrypt("out.ct", output));
    succeed(&path, &of("in.ct", "right.bin"));
    check(&path, "right.bin");
    // The same records, encrypted again; and fewer of the same ciphertexts.
    succeed(&path, &encrypt("in.bin", "again.ct"));
    refuse(
        &path,
        &of("again.ct", "new.bin"),
        3,
        "out.ct: batch 0 is of other encrypted inputs than again.ct",
    );
    // Whoever leaves out a batch must say so.
    let whole = fs::read(path.join("out.ct")).unwrap();
    fs::write(path.join("out.ct"), &whole[..frames(&whole)[2]]).unwrap();
    refuse(
        &path,
        &of("in.ct", "new.bin"),
        3,
        "out.ct: the file ends too early",
    );
    fs::write(path.join("few.bin"), pairs(256)).unwrap();
    succeed(&path, &encrypt("few.bin", "few.ct"));
    succeed(&path, &format!("{} --force", eval("few.ct", "out.ct")));
    refuse(
        &path,
        &of("in.ct", "new.bin"),
        3,
        "out.ct: batch 0 is of other encrypted inputs than in.ct",
    );
    refuse(&path, &of("none.ct", "new.bin"), 6, "none.ct");
    // By another plan of the same parameters.
    let (wide, form) = (
        "--circuit and8 --preset fv128-n4096",
        "--form bgv -o other.params",
    );
    succeed(&path, &format!("params {wide} {form}"));
    let other = |arguments: String| arguments.replace("p.params", "other.params");
    succeed(&path, &other(encrypt("few.bin", "other.ct")));
    succeed(&path, &other(eval("other.ct", "other.out")));
    succeed(&path, &decrypt("other.out", "plain.bin"));
    let arguments = format!("{} --inputs other.ct", decrypt("other.out", "new.bin"));
    refuse(
        &path,
        &arguments,
        3,
        "other.out: batch 0 was made by another plan",
    );
}

#[test]
fn results_are_of_these_public_inputs() {
    let path = directory("public-origins");
    let circuit = "--circuit and8 --public a --params p.params";
    succeed(
        &path,
        "params --circuit and8 --public a --preset fv128-n4096 -o p.params",
    );
    succeed(&path, &format!("keygen {circuit} --out-dir keys"));
    fs::write(path.join("b.csv"), "b\n29\n7\n").unwrap();
    fs::write(path.join("a.csv"), "a\n255\n3\n").unwrap();
    fs::write(path.join("other.csv"), "a\n255\n2\n").unwrap();
    succeed(
        &path,
        &format!("encrypt {circuit} --public-key keys/public.key --input b.csv -o b.ct"),
    );
    succeed(
        &path,
        &format!("eval {circuit} --evaluation-key keys/evaluation.key --input b.ct --data a.csv -o out.ct"),
    );
    let decrypt = |data: &str| {
        format!(
            "decrypt {circuit} --secret-key keys/secret.key --input out.ct --inputs b.ct{data} -o out.csv"
        )
    };
    refuse(
        &path,
        &decrypt(" --data other.csv"),
        3,
        "out.ct: batch 0 is of other public inputs than other.csv",
    );
    refuse(&path, &decrypt(""), 2, "--data");
    succeed(&path, &decrypt(" --data a.csv"));
    assert_eq!(fs::read_to_string(path.join("out.csv")).unwrap(), "and\n29\n3\n");
}

#[test]
fn results_are_signed() {
    let path = job("signed");
    for name in ["evaluator", "stranger"] {
        succeed(&path, &format!("signing-key --out-dir {name}"));
    }
    refuse(
        &path,
        "signing-key --out-dir evaluator",
        6,
        "evaluator/signing.key exists already",
    );
    let sign = |output: &str| format!("{} --sign-with evaluator/signing.key", eval("in.ct", output));
    succeed(&path, &sign("out.ct"));
    let whole = fs::read(path.join("out.ct")).unwrap();
    let by = |results: &str, who: &str, output: &str| {
        format!("{} --signed-by {who}/verifying.key", decrypt(results, output))
    };
    succeed(&path, &by("out.ct", "evaluator", "right.bin"));
    check(&path, "right.bin");
    // Whoever does not know the evaluator can read them too.
    succeed(&path, &decrypt("out.ct", "unsigned.bin"));
    check(&path, "unsigned.bin");
    let said: Value = serde_json::from_str(&succeed(&path, "inspect --json out.ct")).unwrap();
    let key: Value = serde_json::from_str(&succeed(&path, "signing-key --out-dir third --json")).unwrap();
    assert_eq!(said["signer"].as_str().unwrap().len(), 64);
    assert_ne!(said["signer"], key["verifying_key"]);

    let signature = *frames(&whole).last().unwrap();
    refuse(
        &path,
        &by("out.ct", "stranger", "new.bin"),
        3,
        "out.ct: signed with ",
    );
    succeed(&path, &eval("in.ct", "plain.ct"));
    refuse(
        &path,
        &by("plain.ct", "evaluator", "new.bin"),
        3,
        "plain.ct: the results are not signed",
    );
    assert!(fs::read(path.join("plain.ct")).unwrap() == whole[..signature]);

    // Somebody swaps two records' ciphertexts, that is two batches, or takes a signature of other results, and makes all
    // checksums right.
    fs::write(path.join("few.bin"), pairs(3)).unwrap();
    succeed(&path, &encrypt("few.bin", "few.ct"));
    succeed(&path, &eval("few.ct", "few.out"));
    let few = fs::read(path.join("few.out")).unwrap();
    fs::write(path.join("forged.ct"), [&few[..], &whole[signature..]].concat()).unwrap();
    refuse(
        &path,
        &by("forged.ct", "evaluator", "new.bin"),
        3,
        "forged.ct: the signature is not that of these results",
    );
    // What is behind the signature, a signature cut off, a signing key for a verifying key.
    fs::write(path.join("long.ct"), [&whole[..], &whole[signature..]].concat()).unwrap();
    refuse(
        &path,
        &by("long.ct", "evaluator", "new.bin"),
        3,
        "long.ct: there are bytes after the end of",
    );
    refuse(
        &path,
        &decrypt("long.ct", "new.bin"),
        3,
        "long.ct: there are bytes after the end of",
    );
    fs::write(path.join("short.ct"), &whole[..whole.len() - 1]).unwrap();
    refuse(
        &path,
        &by("short.ct", "evaluator", "new.bin"),
        3,
        "short.ct: the file ends too early",
    );
    let wrong = format!(
        "{} --signed-by evaluator/signing.key",
        decrypt("out.ct", "new.bin")
    );
    refuse(
        &path,
        &wrong,
        3,
        "this is a file of a signing key where one of a verifying key is needed",
    );
    let wrong = format!("{} --sign-with evaluator/verifying.key", eval("in.ct", "new.ct"));
    refuse(
        &path,
        &wrong,
        3,
        "this is a file of a verifying key where one of a signing key is needed",
    );
    refuse(&path, &by("-", "evaluator", "new.bin"), 2, "standard input");

    // Batches of an earlier run are signed too, also if it was stopped before it could take its output's name.
    for kept in [frames(&whole)[4], signature, whole.len() - 5, whole.len()] {
        fs::write(path.join("again.ct.partial"), &whole[..kept]).unwrap();
        succeed(&path, &format!("{} --resume", sign("again.ct")));
        assert!(fs::read(path.join("again.ct")).unwrap() == whole);
        fs::remove_file(path.join("again.ct")).unwrap();
    }
}

/// Parameters for results that may be shared: the evaluator needs the public key, and results come anew each time.
#[test]
fn results_that_may_be_shared() {
    let path = directory("shared");
    fs::write(path.join("in.bin"), pairs(RECORDS)).unwrap();
    let said: Value = serde_json::from_str(&succeed(
        &path,
        "params --circuit and8 --share-results -o p.params --json",
    ))
    .unwrap();
    assert!(said["plan"]["flooding_bits"].as_f64().unwrap() > 64.0, "{said}");
    assert!(said["plan"]["failure_log2"].as_f64().unwrap() <= -128.0, "{said}");
    for keys in ["keys", "other"] {
        succeed(
            &path,
            &format!("keygen --circuit and8 --params p.params --out-dir {keys}"),
        );
    }
    succeed(&path, &encrypt("in.bin", "in.ct"));
    let eval = |output: &str, key: &str| format!("{}{key}", eval("in.ct", output));
    refuse(
        &path,
        &eval("out.ct", ""),
        2,
        "give the public key too, with --public-key",
    );
    let problem = "a public key under the keys of set";
    refuse(
        &path,
        &eval("out.ct", " --public-key other/public.key"),
        2,
        problem,
    );
    for output in ["out.ct", "again.ct"] {
        succeed(&path, &eval(output, " --public-key keys/public.key"));
        succeed(
            &path,
            &format!("{} --inputs in.ct", decrypt(output, &format!("{output}.bin"))),
        );
        check(&path, &format!("{output}.bin"));
    }
    assert!(fs::read(path.join("out.ct")).unwrap() != fs::read(path.join("again.ct")).unwrap());
}
