//! Bad input of every kind: the exit code, the message, and that nothing is left behind.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::fs;
use std::path::Path;

use common::{copy_of_job, decrypt, directory, encrypt, eval, refuse, succeed};

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
    refuse(&path, &decrypt("no.ct", "new"), 6, "no.ct: No such file");
    refuse(
        &path,
        &decrypt("out.ct", "nowhere/new"),
        6,
        "nowhere: no such directory",
    );
    refuse(&path, "inspect no.ct", 6, "no.ct: No such file");
    refuse(
        &path,
        "keygen --params no.params --out-dir other",
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
                "secret" => decrypt("out.ct", "new"),
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
            "keygen --params bad.params --out-dir other",
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
        "a file of a public key where one of ciphertexts",
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
        "keygen --params in.ct --out-dir other",
        3,
        "in.ct: this is a file of ciphertexts",
    );
    refuse(&path, "inspect in.bin", 3, "in.bin: ");
    // Ciphertexts, but not those wanted: 8 results where 16 inputs are needed.
    refuse(
        &path,
        &eval("out.ct", "new"),
        3,
        "out.ct: 8 ciphertexts are not the private inputs of and8",
    );
    let other = decrypt("out.ct", "new").replace("--circuit and8", "--circuit simon-decrypt");
    refuse(
        &path,
        &other,
        3,
        "out.ct: 8 ciphertexts are not results of simon-decrypt",
    );
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
        decrypt("out.ct", "new"),
    ] {
        let arguments = arguments.replace("p.params", "other.params");
        refuse(&path, &arguments, 3, "was made with other parameters");
    }
}

#[test]
fn keys_of_somebody_else() {
    let path = copy_of_job("stranger");
    succeed(&path, "keygen --params p.params --out-dir other");
    let arguments = decrypt("out.ct", "new").replace("keys/", "other/");
    refuse(&path, &arguments, 4, "out.ct: decryption failed");
}

#[test]
fn unfit_records() {
    let path = copy_of_job("records");
    fs::write(path.join("empty"), []).unwrap();
    fs::write(path.join("odd"), [1, 2, 3]).unwrap();
    refuse(&path, &encrypt("empty", "new"), 3, "empty: the file is empty");
    refuse(
        &path,
        &encrypt("odd", "new"),
        3,
        "odd: 3 bytes are not a whole number of records of 2 bytes; pad",
    );
    refuse(&path, "demo --input empty", 3, "empty: the file is empty");
    refuse(
        &path,
        &format!("{} --data in.bin", eval("in.ct", "new")),
        2,
        "no public inputs",
    );
    refuse(
        &path,
        &format!("{} --records 100000", decrypt("out.ct", "new")),
        2,
        "hold only",
    );
}

#[test]
fn outputs_that_are_there_already() {
    let path = copy_of_job("existing");
    fs::write(path.join("new"), "precious").unwrap();
    for arguments in [
        encrypt("in.bin", "new"),
        eval("in.ct", "new"),
        decrypt("out.ct", "new"),
    ] {
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
        "keygen --params p.params --out-dir keys",
        6,
        "public.key exists already",
    );
    refuse(&path, &decrypt("out.ct", "keys"), 6, "keys: is a directory");
    succeed(&path, &format!("{} --force", decrypt("out.ct", "new")));
    assert_ne!(fs::read(path.join("new")).unwrap(), b"precious");
    succeed(&path, "keygen --params p.params --out-dir keys --force");
    refuse(&path, &decrypt("out.ct", "newer"), 4, "decryption failed");
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
fn simon_keys_that_are_none() {
    let path = copy_of_job("simon-keys");
    let arguments =
        "encrypt --circuit and8 --params p.params --public-key keys/public.key -o new --simon-key";
    refuse(&path, &format!("{arguments} 00"), 2, "takes no SIMON key");
    refuse(&path, arguments.trim_end_matches(" --simon-key"), 2, "required");
    let simon = arguments.replace("--circuit and8", "--circuit simon-encrypt");
    refuse(
        &path,
        &format!("{simon} 00"),
        2,
        "--simon-key: 2 characters where 32 hexadecimal digits",
    );
    fs::write(path.join("key.txt"), "x".repeat(32)).unwrap();
    refuse(
        &path,
        &format!("{simon}-file key.txt"),
        3,
        "key.txt: character 1 is no hexadecimal digit",
    );
    // The parameters do not suit SIMON: said before anything is encrypted.
    refuse(
        &path,
        &format!("{simon} {}", "0".repeat(32)),
        5,
        "cannot be planned",
    );
}
