//! Bad input of every kind: the exit code, the message, and that nothing is left behind.

use std::fs;
use std::path::Path;

use crate::common::{ands, copy_of_job, decrypt, directory, encrypt, eval, frames, pairs, refuse, succeed};

/// Puts a changed copy of a file beside it.
fn change(path: &Path, from: &str, to: &str, change: impl FnOnce(&mut Vec<u8>)) {
    let mut content = fs::read(path.join(from)).unwrap();
    change(&mut content);
    fs::write(path.join(to), content).unwrap();
}

#[test]
fn missing_files() {
    let path = copy_of_job("missing");
    refuse(&path, &encrypt("no.bin", "new"), 6, "no.bin: No such file");
    refuse(&path, &eval("no.ct", "new"), 6, "no.ct: No such file");
    refuse(&path, &decrypt("no.ct", "new.bin"), 6, "no.ct: No such file");
    refuse(
        &path,
        &decrypt("out.ct", "nowhere/new.bin"),
        6,
        "nowhere: no such directory",
    );
    refuse(&path, "inspect no.ct", 6, "no.ct: No such file");
    refuse(
        &path,
        "keygen --circuit and8 --params no.params --out-dir other",
        6,
        "no.params: No such file",
    );
    refuse(&path, "demo --input no.txt", 6, "no.txt: No such file");
}

#[test]
fn damaged_files() {
    let path = copy_of_job("damaged");
    for length in [0, 3, 30, 60, 5000] {
        change(&path, "in.ct", "cut.ct", |content| content.truncate(length));
        refuse(
            &path,
            &eval("cut.ct", "new"),
            3,
            "cut.ct: the file ends too early",
        );
        refuse(&path, "inspect cut.ct", 3, "cut.ct: the file ends too early");
    }
    change(&path, "in.ct", "long.ct", |content| content.push(0));
    refuse(
        &path,
        &eval("long.ct", "new"),
        3,
        "long.ct: there are bytes after",
    );
    refuse(&path, "inspect long.ct", 3, "long.ct: there are bytes after");
    change(&path, "in.ct", "flipped.ct", |content| {
        let last = content.len() - 1;
        content[last] ^= 1;
    });
    refuse(
        &path,
        &eval("flipped.ct", "new"),
        3,
        "flipped.ct: the checksum does not match",
    );
    refuse(
        &path,
        "inspect flipped.ct",
        3,
        "flipped.ct: the checksum does not match",
    );
    change(&path, "in.ct", "magic.ct", |content| content[0] ^= 1);
    refuse(
        &path,
        &eval("magic.ct", "new"),
        3,
        "magic.ct: not a ringmill file",
    );
    change(&path, "in.ct", "version.ct", |content| content[4] = 99);
    refuse(&path, "inspect version.ct", 3, "version.ct: format version 99");
    // A flipped byte anywhere is found, whatever it is called.
    for key in ["secret", "public", "evaluation"] {
        let length = fs::metadata(path.join(format!("keys/{key}.key"))).unwrap().len() as usize;
        for at in [41, 100, length / 2, length - 40] {
            change(&path, &format!("keys/{key}.key"), "bad.key", |content| {
                content[at] ^= 0x10
            });
            let file = format!("keys/{key}.key");
            let arguments = match key {
                "secret" => decrypt("out.ct", "new.bin"),
                "public" => encrypt("in.bin", "new"),
                _ => eval("in.ct", "new"),
            };
            refuse(&path, &arguments.replace(&file, "bad.key"), 3, "bad.key: ");
        }
    }
    for at in [41, 60, 150] {
        change(&path, "p.params", "bad.params", |content| content[at] ^= 0x10);
        refuse(
            &path,
            "keygen --circuit and8 --params bad.params --out-dir other",
            3,
            "bad.params: ",
        );
    }
}

#[test]
fn files_of_another_kind() {
    let path = copy_of_job("kind");
    refuse(
        &path,
        &eval("keys/public.key", "new"),
        3,
        "a file of a public key where one of a batch of records",
    );
    let swapped = encrypt("in.bin", "new").replace("public.key", "evaluation.key");
    refuse(
        &path,
        &swapped,
        3,
        "evaluation.key: this is a file of a relinearization key",
    );
    refuse(
        &path,
        "keygen --circuit and8 --params in.ct --out-dir other",
        3,
        "in.ct: this is a file of a batch of records",
    );
    refuse(&path, "inspect in.bin", 3, "in.bin: ");
    // Ciphertexts, but not those wanted.
    refuse(
        &path,
        &eval("out.ct", "new"),
        3,
        "out.ct: results where encrypted inputs are needed",
    );
    refuse(
        &path,
        &decrypt("in.ct", "new.bin"),
        3,
        "in.ct: encrypted inputs where results are needed",
    );
    for arguments in [
        encrypt("in.bin", "new"),
        eval("in.ct", "new"),
        decrypt("out.ct", "new.bin"),
    ] {
        refuse(
            &path,
            &arguments.replace("--circuit and8", "--circuit add8"),
            3,
            "p.params: these parameters were made for another circuit than add8",
        );
    }
}

#[test]
fn files_of_other_parameters() {
    let path = copy_of_job("parameters");
    succeed(
        &path,
        "params --circuit and8 --preset fv192-n8192 -o other.params",
    );
    for arguments in [
        encrypt("in.bin", "new"),
        eval("in.ct", "new"),
        decrypt("out.ct", "new.bin"),
    ] {
        let arguments = arguments.replace("p.params", "other.params");
        refuse(&path, &arguments, 3, "made with other parameters");
    }
}

/// Takes the name of the key set from the end of a file of keys, as files of earlier versions have none.
fn forget_set(path: &Path, key: &str) {
    change(path, key, key, |content| content.truncate(content.len() - 112));
}

#[test]
fn keys_of_somebody_else() {
    let path = copy_of_job("stranger");
    succeed(&path, "keygen --circuit and8 --params p.params --out-dir other");
    let (wrong_eval, wrong_decrypt) = (
        eval("in.ct", "new.ct").replace("keys/", "other/"),
        decrypt("out.ct", "new.bin").replace("keys/", "other/"),
    );
    let problem = "in.ct: encrypted inputs under the keys of set";
    refuse(&path, &wrong_eval, 3, problem);
    let problem = "out.ct: results under the keys of set";
    refuse(&path, &wrong_decrypt, 3, problem);
    // Where the files do not say whose they are, decryption finds out.
    forget_set(&path, "other/secret.key");
    refuse(&path, &wrong_decrypt, 4, "out.ct: decryption failed");
    forget_set(&path, "other/evaluation.key");
    succeed(&path, &wrong_eval);
    refuse(
        &path,
        &decrypt("new.ct", "new.bin"),
        4,
        "new.ct: decryption failed",
    );
    forget_set(&path, "keys/secret.key");
    refuse(
        &path,
        &decrypt("new.ct", "new.bin"),
        4,
        "new.ct: decryption failed",
    );
    // Keys without a name serve as before.
    forget_set(&path, "keys/evaluation.key");
    succeed(&path, &eval("in.ct", "again.ct"));
    succeed(&path, &decrypt("again.ct", "again.bin"));
    assert_eq!(fs::read(path.join("again.bin")).unwrap(), ands(&pairs(10)));
}

#[test]
fn unfit_records() {
    let path = copy_of_job("records");
    fs::write(path.join("empty.bin"), []).unwrap();
    fs::write(path.join("odd.bin"), [1, 2, 3]).unwrap();
    refuse(
        &path,
        &encrypt("empty.bin", "new"),
        3,
        "empty.bin: the table is empty",
    );
    refuse(
        &path,
        &encrypt("odd.bin", "new"),
        3,
        "odd.bin: record 2 has 1 bytes, then the table ends",
    );
    for (table, problem) in [
        ("a,b\n", "the table is empty"),
        ("a\n1\n", "the header (line 1) has no column \"b\""),
        (
            "a,B\n1,2\n",
            "the header (line 1) has no column \"b\"; the columns are a, b. It has other columns: B",
        ),
        (
            "a,b\n1,2\n3,256\n",
            "row 2 (line 3), column \"b\": the value cannot be used",
        ),
        (
            "a,b\n1,2\n3\n",
            "row 2 (line 3) has 1 values where the header has 2",
        ),
    ] {
        fs::write(path.join("table.csv"), table).unwrap();
        refuse(&path, &encrypt("table.csv", "new"), 3, problem);
    }
    let arguments = encrypt("table.csv", "new");
    refuse(
        &path,
        &format!("{arguments} --type a=u9"),
        2,
        "cannot have the type \"u9\"",
    );
    refuse(
        &path,
        &format!("{arguments} --type c=u8"),
        2,
        "there is no column \"c\"",
    );
    refuse(
        &path,
        &format!("{arguments} --format xml"),
        2,
        "use csv, tsv, json or binary",
    );
    refuse(&path, "demo --input empty.bin", 3, "empty.bin: the file is empty");
    refuse(
        &path,
        &format!("{} --data in.bin", eval("in.ct", "new")),
        2,
        "no public inputs",
    );
}

#[test]
fn outputs_that_are_there_already() {
    let path = copy_of_job("existing");
    fs::write(path.join("new"), "precious").unwrap();
    for arguments in [encrypt("in.bin", "new"), eval("in.ct", "new")] {
        refuse(
            &path,
            &arguments,
            6,
            "new exists already; choose another name, or add --force",
        );
    }
    refuse(&path, "params --circuit and8 -o new", 6, "new exists already");
    refuse(
        &path,
        "keygen --circuit and8 --params p.params --out-dir keys",
        6,
        "public.key exists already",
    );
    refuse(
        &path,
        "keygen --circuit and8 --params p.params --out-dir p.params",
        6,
        "p.params: is a file; name a directory",
    );
    let raw = |output: &str| format!("{} --format binary", decrypt("out.ct", output));
    refuse(&path, &raw("keys"), 6, "keys: is a directory");
    refuse(&path, &raw("new"), 6, "new exists already");
    succeed(&path, &format!("{} --force", raw("new")));
    assert_ne!(fs::read(path.join("new")).unwrap(), b"precious");
    succeed(
        &path,
        "keygen --circuit and8 --params p.params --out-dir keys --force",
    );
    let problem = "out.ct: results under the keys of set";
    refuse(&path, &decrypt("out.ct", "newer.bin"), 3, problem);
}

#[test]
fn impossible_wishes() {
    let path = directory("wishes");
    refuse(&path, "frobnicate", 2, "frobnicate");
    refuse(&path, "demo --threads 0", 2, "--threads");
    refuse(&path, "demo --blocks 0", 2, "--blocks");
    refuse(
        &path,
        "demo --seed 00",
        2,
        "--seed: 2 characters where 64 hexadecimal digits",
    );
    refuse(&path, "demo --preset fv128-n4097", 2, "known: fv128-n4096");
    refuse(
        &path,
        "demo --security 128 --preset hepcloud",
        2,
        "cannot be used with",
    );
    refuse(&path, "bench --only nothing", 2, "there are: transform");
    refuse(
        &path,
        "params --circuit simon-decrypt --preset fv128-n4096 -o new",
        5,
        "cannot be planned",
    );
    refuse(&path, "demo --preset fv128-n8192", 5, "cannot be planned");
}

#[test]
fn circuits_that_are_none() {
    let path = directory("circuits");
    refuse(
        &path,
        "params --circuit nothing -o new",
        2,
        "neither a circuit nor a file nothing",
    );
    fs::write(path.join("bad.txt"), "1 3\n1 2\n1 1\n\n2 1 0 9 2 AND\n").unwrap();
    refuse(&path, "params --circuit bad.txt -o new", 3, "bad.txt: line 5");
    refuse(
        &path,
        "params --circuit and8 --public c -o new",
        2,
        "no input port c; there are and8.a, and8.b",
    );
    refuse(
        &path,
        "params --circuit and8 --then add32 -o new",
        2,
        "the first gives and of 8 bits; the second takes a of 32 bits, b of 32 bits.",
    );
    refuse(&path, "params --circuit and8 --then add8 -o new", 2, "--then:");
    // A flag for a number: once a constant.
    refuse(
        &path,
        "params --circuit less32 --then and8 --public and8.a -o new",
        2,
        "the first gives less of 1 bit; the second takes b of 8 bits.",
    );
    // Nothing but zeros, whatever the input.
    fs::write(path.join("zero.txt"), "1 3\n1 2\n1 1\n\n2 1 0 0 2 XOR\n").unwrap();
    refuse(
        &path,
        "params --circuit zero.txt -o new",
        2,
        "no output of the circuit depends on a private input",
    );
    refuse(
        &path,
        "params --circuit and8 --memory 0 -o new",
        2,
        "positive number of GiB",
    );
    refuse(
        &path,
        "params --circuit and8 --memory 0.001 -o new",
        5,
        "MiB are allowed",
    );
    refuse(
        &path,
        "params --circuit and8 --preset fv128-n4096 --batch-records 100000 -o new",
        5,
        "100000 are wanted",
    );
}

#[test]
fn numbers_of_records_that_differ() {
    let path = directory("numbers");
    let circuit = "--circuit and8 --public a --params p.params";
    succeed(&path, "params --circuit and8 --public a -o p.params");
    succeed(&path, &format!("keygen {circuit} --out-dir keys"));
    fs::write(path.join("b.csv"), "b\n1\n2\n3\n").unwrap();
    fs::write(path.join("a.csv"), "a\n1\n2\n").unwrap();
    succeed(
        &path,
        &format!("encrypt {circuit} --public-key keys/public.key --input b.csv -o b.ct"),
    );
    let eval = format!("eval {circuit} --evaluation-key keys/evaluation.key --input b.ct -o new");
    refuse(&path, &eval, 2, "has public inputs; give them with --data");
    refuse(
        &path,
        &format!("{eval} --data a.csv"),
        3,
        "a.csv: 2 public records where 3 are encrypted",
    );
    refuse(
        &path,
        &format!("{eval} --data b.csv"),
        3,
        "b.csv: the header (line 1) has no column \"a\"; the columns are a. It has other columns: b",
    );
}

#[test]
fn keys_for_other_uses() {
    let path = copy_of_job("uses");
    let arguments = encrypt("in.bin", "new").replace("--input in.bin", "--cipher-key 00");
    refuse(&path, &arguments, 2, "takes no cipher's key");
    refuse(&path, &arguments.replace("--cipher-key 00", ""), 2, "required");
    let transcipher = "transcipher --circuit and8 --params p.params --evaluation-key keys/evaluation.key \
                       --key in.ct --data in.bin -o new";
    refuse(
        &path,
        transcipher,
        2,
        "does not begin with a block cipher; use eval",
    );
    succeed(&path, "params --circuit and8 --input-key secret -o secret.params");
    succeed(
        &path,
        "keygen --circuit and8 --params secret.params --out-dir secret",
    );
    let arguments = encrypt("in.bin", "new")
        .replace("p.params", "secret.params")
        .replace("keys/", "secret/");
    refuse(
        &path,
        &arguments,
        2,
        "were made for inputs encrypted with the secret key",
    );
    // Parameters without a plan, and with a plan that is cut off.
    let params = fs::read(path.join("p.params")).unwrap();
    let plan = frames(&params)[1];
    for end in [plan, plan + 20] {
        fs::write(path.join("old.params"), &params[..end]).unwrap();
        let arguments = eval("in.ct", "new").replace("p.params", "old.params");
        refuse(&path, &arguments, 3, "old.params: field plan: there is none");
    }
}
