//! Programs over messages by the command line, through files.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::common::{directory, frames, refuse, succeed};
use serde_json::Value;

const PROGRAM: &str = "w:public;r=a*b+3*a;s=rotate(a,1);d=inner(a,w)";

/// What the program makes of the files of [`job`]; computed by hand.
const EXPECTED: &str =
    "{\"r\":[7,16,27],\"s\":[2,3,0],\"d\":[31]}\n{\"r\":[65533,0,0],\"s\":[0,0,0],\"d\":[65527]}\n";

/// A directory with a job, keys, inputs and encrypted inputs. Not to be written to.
fn job() -> &'static Path {
    static JOB: OnceLock<PathBuf> = OnceLock::new();
    JOB.get_or_init(|| {
        let path = directory("programs");
        fs::write(path.join("a.csv"), "1,2,3\n65536\n").unwrap();
        fs::write(path.join("b.json"), "[4,5,6]\n[1,2,3]\n").unwrap();
        fs::write(path.join("w.csv"), "10,0,7\n").unwrap();
        let said = succeed(&path, &format!("plan --integers {PROGRAM} -o m.job"));
        assert!(
            said.contains("a, b") && said.contains("in two halves of 2048"),
            "{said}"
        );
        succeed(&path, "keygen m.job --out-dir keys");
        succeed(
            &path,
            "encrypt m.job --public-key keys/public.key --input a=a.csv --input b=b.json -o in.ct",
        );
        path
    })
}

fn copy(name: &str) -> PathBuf {
    let to = directory(name);
    fs::create_dir(to.join("keys")).unwrap();
    for name in [
        "a.csv",
        "b.json",
        "w.csv",
        "m.job",
        "in.ct",
        "keys/public.key",
        "keys/secret.key",
        "keys/evaluation.key",
    ] {
        fs::copy(job().join(name), to.join(name)).unwrap();
    }
    to
}

const EVAL: &str = "eval m.job --evaluation-key keys/evaluation.key";
const DECRYPT: &str = "decrypt m.job --secret-key keys/secret.key --input out.ct";

#[test]
fn programs_run_through_files() {
    let path = copy("programs-files");
    let checked = format!("check --integers {PROGRAM} --input a=a.csv --input b=b.json --input w=w.csv");
    let said = succeed(&path, &checked);
    assert!(said.contains(EXPECTED), "{said}");
    succeed(&path, &format!("{checked} -o clear.json"));
    assert_eq!(fs::read_to_string(path.join("clear.json")).unwrap(), EXPECTED);

    let said = succeed(
        &path,
        &format!("{EVAL} --input in.ct --data w=w.csv -o out.ct --json"),
    );
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_eq!((&said["rows"], &said["ciphertexts"]), (&2.into(), &6.into()));
    let said = succeed(&path, &format!("{DECRYPT} -o out.json --show-noise --json"));
    assert_eq!(fs::read_to_string(path.join("out.json")).unwrap(), EXPECTED);
    let said: Value = serde_json::from_str(&said).unwrap();
    let planned: Value =
        serde_json::from_str(&succeed(&path, &format!("plan --integers {PROGRAM} --json"))).unwrap();
    let (left, promised) = (
        said["margin_bits"].as_f64().unwrap(),
        planned["plan"]["margin_bits"].as_f64().unwrap(),
    );
    assert!(
        left >= promised && promised > 0.0,
        "{left} bits left, {promised} promised"
    );
    let (cost, keys) = (
        &planned["evaluation"],
        planned["plan"]["key_bytes"].as_u64().unwrap(),
    );
    assert!(cost["seconds"].as_f64().unwrap() > 0.0);
    assert!(cost["memory_bytes"].as_u64().unwrap() > keys);

    succeed(&path, &format!("{DECRYPT} --result r -o r.csv"));
    assert_eq!(
        fs::read_to_string(path.join("r.csv")).unwrap(),
        "7,16,27\n65533,0,0\n"
    );
    // A single public input needs no name; two owners encrypt apart, one under the secret key.
    succeed(
        &path,
        "encrypt m.job --secret-key keys/secret.key --input b=b.json -o b.ct",
    );
    succeed(
        &path,
        "encrypt m.job --public-key keys/public.key --input a=a.csv -o a.ct",
    );
    succeed(
        &path,
        &format!("{EVAL} --input a.ct --input b.ct --data w.csv -o two.ct"),
    );
    succeed(
        &path,
        &format!("{} -o two.json", DECRYPT.replace("out.ct", "two.ct")),
    );
    assert_eq!(fs::read_to_string(path.join("two.json")).unwrap(), EXPECTED);

    let said = succeed(&path, "inspect m.job");
    assert!(said.contains(PROGRAM) && said.contains("t65537"), "{said}");
    let said = succeed(&path, "inspect in.ct");
    assert!(
        said.contains("2 in 1 batches: encrypted inputs") && said.contains("a, b"),
        "{said}"
    );
    let said = succeed(&path, "inspect out.ct");
    assert!(said.contains("results") && said.contains("r, s, d"), "{said}");
}

#[test]
fn programs_come_from_files_too() {
    let path = directory("programs-text");
    fs::write(
        path.join("poly.integers"),
        "# Horner's scheme.\nr = ((2 * x + 3) * x + 5) * x\n",
    )
    .unwrap();
    let said = succeed(
        &path,
        "plan --integers poly.integers --modulus 786433 --numbers 5000 --json",
    );
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(
        (&said["parameters"]["t"], &said["plan"]["depth"]),
        (&786_433.into(), &2.into())
    );
    assert_eq!(said["plan"]["slots"], 8192);
    assert_eq!(said["parameters"]["security_bits"], 128);
    refuse(&path, "plan --integers none.integers", 6, "none.integers");
}

#[test]
fn wrong_usage_is_refused() {
    let path = copy("programs-usage");
    let usage = |arguments: &str, problem: &str| refuse(&path, arguments, 2, problem);
    usage("plan --integers r=a/b", "messages have no `/`");
    usage("plan --integers r=a --modulus 12289", "take one of 65537");
    usage(
        "plan --integers r=a --packing slots",
        "--packing is of use with a circuit only",
    );
    usage("plan --integers r=a --circuit add8", "cannot be used with");
    usage(
        "plan --modulus 65537 --preset n4096-t65537",
        "cannot be used with",
    );
    usage("plan --modulus 65537", "--integers");
    refuse(
        &path,
        "plan --integers r=a*a*a*a --modulus 40961",
        5,
        "no parameters of 128 bits",
    );
    usage(
        "encrypt m.job --public-key keys/public.key --input a.csv -o no.ct",
        "name the input, as NAME=FILE",
    );
    usage(
        "encrypt m.job --public-key keys/public.key --input q=a.csv -o no.ct",
        "no encrypted input `q`",
    );
    usage(
        "encrypt m.job --public-key keys/public.key --input a=a.csv --as coefficients -o no.ct",
        "computes on slots",
    );
    usage(
        "encrypt m.job --public-key keys/public.key --input a=- --input b=- -o no.ct",
        "both -",
    );
    usage(
        &format!("{EVAL} --input in.ct -o no.ct"),
        "public input `w` is missing",
    );
    usage(
        &format!("{EVAL} --input in.ct --data w.csv --resume -o no.ct"),
        "--resume is of use with a circuit only",
    );
    usage(
        &format!("{} -o no.csv", DECRYPT.replace("out.ct", "in.ct")),
        "choose one with --result NAME",
    );
    usage("check --integers r=a*b --input a=a.csv", "`b` is missing");
    refuse(
        &path,
        "check --integers r=a*b --input a=a.csv --input b=none.csv",
        6,
        "none.csv",
    );
    refuse(
        &path,
        &format!("{DECRYPT} -o no.json").replace("out.ct", "in.ct"),
        3,
        "it holds encrypted inputs",
    );
}

/// A job file whose program its parameters do not bear, and one that is damaged.
#[test]
fn bad_jobs_are_refused() {
    let path = copy("programs-bad");
    succeed(&path, "plan --integers r=a*b*c*d*e -o deep.job");
    let [small, deep] = ["m.job", "deep.job"].map(|name| fs::read(path.join(name)).unwrap());
    let (small_frames, deep_frames) = (frames(&small), frames(&deep));
    // The parameters of one, the program of the other: it names the wrong hash.
    fs::write(
        path.join("mixed.job"),
        [&small[..small_frames[1]], &deep[deep_frames[1]..]].concat(),
    )
    .unwrap();
    refuse(&path, "keygen mixed.job --out-dir other", 3, "other parameters");
    let mut program = deep[deep_frames[1]..].to_vec();
    let body = program.len() - 32;
    program[8..40].copy_from_slice(&small[small_frames[1] + 8..small_frames[1] + 40]);
    let checksum = <sha2::Sha256 as sha2::Digest>::digest(&program[..body]);
    program[body..].copy_from_slice(&checksum);
    fs::write(
        path.join("noisy.job"),
        [&small[..small_frames[1]], &program].concat(),
    )
    .unwrap();
    refuse(
        &path,
        "keygen noisy.job --out-dir other",
        3,
        "bits of noise margin are missing",
    );
    fs::write(path.join("cut.job"), &small[..small.len() - 40]).unwrap();
    refuse(&path, "keygen cut.job --out-dir other", 3, "cut.job");
    // Keys of another job have no key for these rotations.
    succeed(&path, "plan --integers r=a*b -o other.job");
    succeed(&path, "keygen other.job --out-dir others");
    refuse(
        &path,
        "eval m.job --evaluation-key others/evaluation.key --input in.ct --data w.csv -o no.ct",
        2,
        "keygen",
    );
}
