//! Secret keys under passphrases, and what the system does with memory that holds secrets.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use crate::common::{
    ands, copy_of_job, decrypt, directory, encrypt, eval, frames, pairs, piped, refuse, succeed,
};

const KEYGEN: &str = "keygen --circuit and8 --params p.params --out-dir sealed --passphrase-file pass.txt";

#[test]
fn a_secret_key_under_a_passphrase() {
    let path = copy_of_job("passphrase");
    let sealed = |arguments: String| arguments.replace("keys/", "sealed/");
    fs::write(
        path.join("pass.txt"),
        "correct horse battery staple\r\nanother line\n",
    )
    .unwrap();
    fs::write(path.join("wrong.txt"), "correct horse battery stapler").unwrap();
    fs::write(path.join("empty.txt"), "\nsecond").unwrap();
    refuse(
        &path,
        &KEYGEN.replace("pass.txt", "empty.txt"),
        3,
        "empty.txt: the first line is empty",
    );
    succeed(&path, KEYGEN);
    succeed(&path, &sealed(encrypt("in.bin", "new.ct")));
    succeed(&path, &sealed(eval("new.ct", "new.out")));
    let decrypt = sealed(decrypt("new.out", "new.bin"));
    let key = "sealed/secret.key";
    refuse(
        &path,
        &decrypt,
        2,
        "there is no terminal to ask for it; give --passphrase-file FILE",
    );
    let wrong = format!("{decrypt} --passphrase-file wrong.txt");
    refuse(
        &path,
        &wrong,
        3,
        "sealed/secret.key: field passphrase: it is not the one of this key",
    );
    let missing = format!("{decrypt} --passphrase-file missing.txt");
    refuse(&path, &missing, 6, "missing.txt");
    succeed(&path, &format!("{decrypt} --passphrase-file pass.txt"));
    assert_eq!(fs::read(path.join("new.bin")).unwrap(), ands(&pairs(10)));
    // From standard input; and to encrypt with it.
    let by_secret =
        "encrypt --circuit and8 --params p.params --secret-key sealed/secret.key --input in.bin -o s.ct";
    let output = piped(
        &path,
        &format!("{by_secret} --passphrase-file -"),
        b"correct horse battery staple",
    );
    assert!(output.status.success(), "{output:?}");
    succeed(&path, &sealed(eval("s.ct", "s.out")));

    // The key's file shows nothing of it but its set, and says so.
    let file = fs::read(path.join(key)).unwrap();
    let said = succeed(&path, "inspect sealed/secret.key");
    assert!(said.contains("a secret key under a passphrase"), "{said}");
    for (at, name) in [(48, "memory"), (52, "passes"), (56, "lanes")] {
        let mut file = file.clone();
        file[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
        reseal(&mut file);
        fs::write(path.join(key), file).unwrap();
        refuse(
            &path,
            &format!("{decrypt} --force --passphrase-file pass.txt"),
            3,
            &format!("field {name}"),
        );
    }
    // Another cost, which the cipher authenticates.
    let mut cheap = file.clone();
    cheap[52] = 1;
    reseal(&mut cheap);
    fs::write(path.join(key), cheap).unwrap();
    refuse(
        &path,
        &format!("{decrypt} --force --passphrase-file pass.txt"),
        3,
        "it is not the one of this key",
    );
    // A passphrase for a key that has none.
    refuse(
        &path,
        &format!(
            "{} --passphrase-file pass.txt",
            crate::common::decrypt("out.ct", "other.bin")
        ),
        2,
        "keys/secret.key is under no passphrase",
    );
}

/// Makes the checksum of a file's first frame right.
fn reseal(file: &mut [u8]) {
    use sha2::{Digest, Sha256};

    let end = frames(file).get(1).copied().unwrap_or(file.len()) - 32;
    let checksum = Sha256::digest(&file[..end]);
    file[end..end + 32].copy_from_slice(&checksum);
}

#[test]
fn messages_under_a_passphrase() {
    let path = directory("passphrase-messages");
    fs::write(path.join("pass.txt"), "short").unwrap();
    fs::write(path.join("in.csv"), "1,2\n3\n").unwrap();
    succeed(&path, "params --preset n4096-t65537 -o p.params");
    succeed(
        &path,
        "keygen --params p.params --out-dir keys --passphrase-file pass.txt",
    );
    let secret = "--params p.params --secret-key keys/secret.key --passphrase-file pass.txt";
    succeed(&path, &format!("encrypt {secret} --input in.csv -o in.ct"));
    succeed(&path, &format!("decrypt {secret} --input in.ct -o out.csv"));
    assert_eq!(fs::read_to_string(path.join("out.csv")).unwrap(), "1,2\n3\n");
    // Ciphertexts of messages name their keys.
    succeed(&path, "keygen --params p.params --out-dir other");
    refuse(
        &path,
        "decrypt --params p.params --secret-key other/secret.key --input in.ct -o new.csv",
        3,
        "in.ct: messages under the keys of set",
    );
}

/// While a command waits for its input, the system can be asked what it would do with its memory.
#[cfg(target_os = "linux")]
#[test]
fn memory_with_secrets_is_not_dumped() {
    let path = copy_of_job("dumped");
    let arguments = encrypt("-", "new.ct") + " --format binary";
    let mut child = Command::new(env!("CARGO_BIN_EXE_ringmill"))
        .args(arguments.split_whitespace())
        .current_dir(&path)
        .env("XDG_CACHE_HOME", path.join("cache"))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let process = std::path::PathBuf::from(format!("/proc/{}", child.id()));
    let zero = |limits: String| {
        let core = limits
            .lines()
            .find(|line| line.starts_with("Max core file size"))
            .unwrap();
        core.split_whitespace().nth(4) == Some("0")
    };
    // Whoever may not read this is not the system's administrator, and is kept out as he should be.
    let done = || fs::read_to_string(process.join("limits")).map_or(true, zero);
    let start = std::time::Instant::now();
    while !done() {
        assert!(start.elapsed().as_secs() < 60, "core files are allowed");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    child.stdin.take().unwrap().write_all(&pairs(10)).unwrap();
    assert!(child.wait().unwrap().success());
}
