//! Messages of numbers, without a circuit: through files and back, and every refusal.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::common::{directory, frames, listing, refuse, ringmill, succeed};
use serde_json::Value;

const CSV: &str = "1,2,3\n255\n0, 7 ,9\n";

/// What the program writes of it.
const PLAIN: &str = "1,2,3\n255\n0,7,9\n";

/// A directory with parameters, keys, `in.csv` and `in.ct` of x^1024 + 1. Not to be written to.
fn job() -> &'static Path {
    static JOB: OnceLock<PathBuf> = OnceLock::new();
    JOB.get_or_init(|| {
        let path = directory("messages-messages");
        fs::write(path.join("in.csv"), CSV).unwrap();
        succeed(&path, "params --preset n1024-q26 -o p.params");
        succeed(&path, "keygen --params p.params --out-dir keys");
        succeed(&path, &encrypt("in.csv", "in.ct"));
        path
    })
}

fn copy(name: &str) -> PathBuf {
    let to = directory(name);
    fs::create_dir(to.join("keys")).unwrap();
    for (path, content) in listing(job()) {
        if path.is_file() {
            fs::write(to.join(path.strip_prefix(job()).unwrap()), content).unwrap();
        }
    }
    to
}

fn encrypt(input: &str, output: &str) -> String {
    format!("encrypt --params p.params --public-key keys/public.key --input {input} -o {output}")
}

fn decrypt(input: &str, output: &str) -> String {
    format!("decrypt --params p.params --secret-key keys/secret.key --input {input} -o {output}")
}

fn read(path: &Path, name: &str) -> String {
    fs::read_to_string(path.join(name)).unwrap()
}

#[test]
fn messages_come_back() {
    let path = copy("back");
    assert!(!path.join("keys/evaluation.key").exists());
    let said = succeed(&path, &decrypt("in.ct", "out.csv"));
    assert!(said.contains("3 messages, 7 numbers"), "{said}");
    assert_eq!(read(&path, "out.csv"), PLAIN);
    succeed(&path, &format!("{} --device cpu", decrypt("in.ct", "out.json")));
    assert_eq!(read(&path, "out.json"), "[1,2,3]\n[255]\n[0,7,9]\n");
    // As JSON, under the other key, with the kernels that every machine has.
    let by_secret =
        encrypt("out.json", "secret.ct").replace("--public-key keys/public", "--secret-key keys/secret");
    succeed(&path, &format!("{by_secret} --as coefficients --threads 1"));
    succeed(&path, &decrypt("secret.ct", "again.csv"));
    assert_eq!(read(&path, "again.csv"), PLAIN);
    let bytes = |file: &str| fs::metadata(path.join(file)).unwrap().len();
    assert!(bytes("secret.ct") < bytes("in.ct") * 55 / 100);
}

#[test]
fn numbers_have_slots_where_there_are_some() {
    let path = directory("slots");
    let said = succeed(&path, "params --preset n4096-t65537 -o p.params");
    assert!(said.contains("up to 4096 integers from 0 to 65536"), "{said}");
    succeed(&path, "keygen --params p.params --out-dir keys");
    let row = |i: u64| {
        (0..4096)
            .map(|j| ((i + j) * (j + 1) % 65537).to_string())
            .collect::<Vec<_>>()
    };
    let rows: String = (0..3).map(|i| row(i).join(",") + "\n").collect();
    fs::write(path.join("in.csv"), &rows).unwrap();
    for encoding in ["", " --as slots", " --as coefficients"] {
        let said = succeed(
            &path,
            &format!("{}{encoding} --force --json", encrypt("in.csv", "in.ct")),
        );
        let said: Value = serde_json::from_str(&said).unwrap();
        let expected = encoding.strip_prefix(" --as ").unwrap_or("slots");
        assert_eq!(
            (&said["encoding"], &said["messages"], &said["numbers"]),
            (&expected.into(), &3.into(), &(3 * 4096).into())
        );
        succeed(&path, &format!("{} --force", decrypt("in.ct", "out.csv")));
        assert!(read(&path, "out.csv") == rows, "{encoding}");
    }
}

#[test]
fn many_messages_take_several_batches() {
    let path = copy("many");
    let rows: String = (0..5000).map(|i| format!("{},{}\n", i % 256, i / 256)).collect();
    fs::write(path.join("many.csv"), &rows).unwrap();
    let said: Value = serde_json::from_str(&succeed(
        &path,
        &format!("{} --json", encrypt("many.csv", "many.ct")),
    ))
    .unwrap();
    assert_eq!((&said["batches"], &said["messages"]), (&2.into(), &5000.into()));
    succeed(&path, &decrypt("many.ct", "out.csv"));
    assert!(read(&path, "out.csv") == rows);
    let said: Value = serde_json::from_str(&succeed(&path, "inspect many.ct --json")).unwrap();
    assert_eq!(
        said["messages"],
        serde_json::json!({"encoding": "coefficients", "batches": 2, "messages": 5000, "numbers": 10000})
    );
    // The second batch alone is not a file.
    let content = fs::read(path.join("many.ct")).unwrap();
    let frames = frames(&content);
    let second = frames[frames.len() - 2];
    fs::write(path.join("second.ct"), &content[second..]).unwrap();
    refuse(
        &path,
        &decrypt("second.ct", "new.csv"),
        3,
        "second.ct: batch 1 where 0 should be",
    );
    fs::write(path.join("first.ct"), &content[..second]).unwrap();
    refuse(
        &path,
        &decrypt("first.ct", "new.csv"),
        3,
        "first.ct: the file ends too early",
    );
}

#[test]
fn inspection_says_what_there_is() {
    let said = succeed(job(), "inspect in.ct");
    assert!(said.contains("a batch of messages"), "{said}");
    assert!(
        said.contains("3 in 1 batches: 7 numbers as coefficients"),
        "{said}"
    );
    assert!(succeed(job(), "inspect p.params").contains("n1024-q26"));
}

/// Whoever hands out weak parameters makes nobody encrypt under them: each command must be told to accept them, and then
/// says what is wrong with them.
#[test]
fn weak_files_are_refused_unless_accepted() {
    let path = directory("weak");
    fs::write(path.join("in.csv"), CSV).unwrap();
    let named = ringmill(&path, "params --preset n1024-q27 -o p.params");
    assert!(named.status.success());
    assert!(String::from_utf8_lossy(&named.stderr).contains("n1024-q27 are INSECURE"));
    for command in [
        "keygen --params p.params --out-dir keys".to_owned(),
        encrypt("in.csv", "in.ct"),
        decrypt("in.ct", "out.csv"),
    ] {
        refuse(
            &path,
            &command,
            3,
            "p.params: the parameters n1024-q27 are INSECURE",
        );
        let accepted = ringmill(&path, &format!("{command} --allow-insecure --json"));
        let errors = String::from_utf8_lossy(&accepted.stderr);
        assert!(accepted.status.success(), "{command}: {errors}");
        assert!(errors.contains("n1024-q27 are INSECURE"), "{command}: {errors}");
        let said: Value = serde_json::from_slice(&accepted.stdout).unwrap();
        assert!(said["insecure"].as_str().unwrap().contains("log2"), "{said}");
    }
    assert_eq!(read(&path, "out.csv"), PLAIN);
    let output = ringmill(job(), "params --preset n1024-q26");
    assert!(output.status.success() && output.stderr.is_empty());
    let said: Value = serde_json::from_str(&succeed(job(), "params --preset n1024-q26 --json")).unwrap();
    assert_eq!(said["insecure"], Value::Null);
}

#[test]
fn tables_that_do_not_fit_are_refused() {
    let path = copy("tables");
    let long: String = (0..1025).map(|_| "1,").collect::<String>() + "1\n";
    for (content, problem) in [
        (
            "1\n2,256\n",
            "in.csv: line 2: number 2 is too large: messages with these parameters are integers from 0 to 255",
        ),
        ("1,x\n", "in.csv: line 1: number 2 is not an integer"),
        ("1,-1\n", "in.csv: line 1: number 2 is not an integer"),
        (
            &long,
            "in.csv: line 1: 1026 numbers, but a message with these parameters has at most 1024",
        ),
        ("", "in.csv: no messages"),
        ("1\n\n", "in.csv: line 2: empty"),
    ] {
        fs::write(path.join("in.csv"), content).unwrap();
        refuse(&path, &encrypt("in.csv", "new"), 3, problem);
    }
    refuse(&path, &encrypt("no.csv", "new"), 6, "no.csv: No such file");
}

#[test]
fn wrong_files_are_refused() {
    let path = copy("wrong");
    // Other parameters; another key of the same ones; a file of another kind.
    succeed(&path, "params --preset n4096-t65537 -o other.params");
    succeed(&path, "keygen --params other.params --out-dir other");
    let other = encrypt("in.csv", "new").replace("keys/public", "other/public");
    refuse(&path, &other, 3, "made with other parameters");
    refuse(
        &path,
        &decrypt("in.ct", "new.csv")
            .replace("p.params", "other.params")
            .replace("keys/", "other/"),
        3,
        "made with other parameters",
    );
    succeed(&path, "keygen --params p.params --out-dir second");
    let wrong = decrypt("in.ct", "new.csv").replace("keys/secret", "second/secret");
    refuse(&path, &wrong, 3, "in.ct: messages under the keys of set");
    // A key that does not say of which set it is: then the noise tells, without its size.
    let key = path.join("second/secret.key");
    let nameless = fs::read(&key).unwrap();
    fs::write(&key, &nameless[..nameless.len() - 112]).unwrap();
    refuse(
        &path,
        &wrong,
        4,
        "in.ct: decryption failed: the noise is too large;",
    );
    refuse(
        &path,
        &decrypt("keys/public.key", "new.csv"),
        3,
        "a public key where one of a batch of messages",
    );
    // Damage.
    let content = fs::read(path.join("in.ct")).unwrap();
    for (name, bytes, problem) in [
        ("cut.ct", content[..content.len() - 1].to_vec(), "ends too early"),
        ("short.ct", content[..60].to_vec(), "ends too early"),
        ("long.ct", [&content[..], &[0]].concat(), "bytes after"),
        ("empty.ct", Vec::new(), "ends too early"),
    ] {
        fs::write(path.join(name), bytes).unwrap();
        refuse(&path, &decrypt(name, "new.csv"), 3, problem);
        refuse(&path, &format!("inspect {name}"), 3, problem);
    }
    for at in [48, 49, 50, 54, 58, 70, 5000] {
        let mut bytes = content.clone();
        bytes[at] ^= 1;
        fs::write(path.join("flipped.ct"), bytes).unwrap();
        refuse(&path, &decrypt("flipped.ct", "new.csv"), 3, "flipped.ct: ");
    }
}

#[test]
fn choices_that_do_not_go_together_are_refused() {
    let path = copy("choices");
    refuse(&path, "params -o new", 2, "--circuit");
    refuse(
        &path,
        "params --preset n1024-q26 --records 3 -o new",
        2,
        "--records is of use with a circuit only",
    );
    refuse(&path, "params --preset no-such -o new", 2, "there is no preset");
    refuse(
        &path,
        &format!("{} --as slots", encrypt("in.csv", "new")),
        2,
        "no slots for integers",
    );
    refuse(
        &path,
        &format!("{} --type a=u8", encrypt("in.csv", "new")),
        2,
        "--type is of use with a circuit only",
    );
    refuse(
        &path,
        &format!("{} --format binary", encrypt("in.csv", "new")),
        2,
        "messages are not read or written as binary",
    );
    for arguments in [
        format!("{} --device abacus", encrypt("in.csv", "new")),
        format!("{} --circuit add8 --as slots", encrypt("in.csv", "new")),
        format!(
            "{} --circuit add8 --device rtl:ntt-multiplier",
            decrypt("in.ct", "new.csv")
        ),
        "params --preset n1024-q26 --device auto -o new".to_owned(),
        format!("{} --then add8", encrypt("in.csv", "new")),
        "eval --params p.params --evaluation-key keys/public.key --input in.ct -o new".to_owned(),
    ] {
        let output = ringmill(&path, &arguments);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {errors}");
        assert!(!path.join("new").exists());
    }
    // Parameters for a circuit and for messages are told apart.
    succeed(&path, "params --circuit and8 -o plan.params");
    refuse(
        &path,
        &encrypt("in.csv", "new").replace("p.params", "plan.params"),
        3,
        "the public key: made with other parameters",
    );
    refuse(
        &path,
        &encrypt("in.csv", "new").replace("--params", "--circuit and8 --params"),
        3,
        "make the file anew with `ringmill plan --circuit`",
    );
}

#[test]
fn the_bench_has_the_parts_of_an_encryption() {
    let said = succeed(job(), "bench --only n1024 --quick --json --threads 1");
    let said: Value = serde_json::from_str(&said).unwrap();
    let rows = said["messages"].as_array().unwrap();
    let seconds = |name: &str| {
        let row = rows
            .iter()
            .find(|row| row["name"].as_str().unwrap().trim() == name);
        row.unwrap_or_else(|| panic!("{name}"))["seconds"]["median"]
            .as_f64()
            .unwrap()
    };
    let parts = ["sampling of u", "double product", "sampling of e1, e2"].map(seconds);
    assert!(parts.iter().all(|&part| part > 0.0), "{parts:?}");
    for name in ["n1024-products", "n1024-encrypt", "n1024-decrypt"] {
        assert!(seconds(name) > 0.0, "{name}");
    }
    assert_eq!(rows.len(), 7);
}
