//! Every option that names a file, given every sort of file that it should not get.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use sha2::{Digest, Sha256};

use crate::common::{copy_of_job, frames, listing, ringmill, succeed};

/// A frame with a right checksum.
fn frame(kind: u8, hash: &[u8], payload: &[u8]) -> Vec<u8> {
    let version: u16 = if matches!(kind, 10 | 11) { 4 } else { 3 };
    let mut frame = b"RMFV".to_vec();
    frame.extend(version.to_le_bytes());
    frame.extend([kind, 0]);
    frame.extend(hash);
    frame.extend((payload.len() as u64).to_le_bytes());
    frame.extend(payload);
    let checksum = Sha256::digest(&frame);
    frame.extend(checksum);
    frame
}

/// Changes a file's first frame and makes its checksum right again.
fn resealed(file: &[u8], change: impl FnOnce(&mut [u8])) -> Vec<u8> {
    let end = frames(file).get(1).copied().unwrap_or(file.len()) - 32;
    let mut file = file.to_vec();
    change(&mut file[..end]);
    let checksum = Sha256::digest(&file[..end]);
    file[end..end + 32].copy_from_slice(&checksum);
    file
}

/// Files that nothing can be made of, whatever is wanted.
fn useless(hash: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut files = vec![
        ("empty".to_owned(), Vec::new()),
        ("zeros".to_owned(), vec![0; 4096]),
        ("text".to_owned(), b"Dear Sir or Madam,\n\n".repeat(40)),
        ("nul".to_owned(), b"a,b\n1\0,2\n".to_vec()),
        ("wide".to_owned(), b"\xff\xfea\0,\0b\0\n\0".to_vec()),
        ("header".to_owned(), b"RMFV\x03\0\x01\0".to_vec()),
        ("long line".to_owned(), vec![b'7'; 3 << 20]),
    ];
    for kind in (0..=30).chain([127, 128, 255]) {
        for length in [0, 1, 200] {
            let payload = vec![0xa5; length];
            files.push((
                format!("kind {kind}, {length} bytes"),
                frame(kind, hash, &payload),
            ));
        }
    }
    files
}

/// Files of the right kind with something wrong.
fn broken(file: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for length in [1, 47, 48, file.len() / 2, file.len() - 1] {
        files.push((format!("cut to {length}"), file[..length].to_vec()));
    }
    for at in [0, 4, 5, 6, 7, 8, 40, 47, 48, file.len() / 2, file.len() - 1] {
        let mut flipped = file.to_vec();
        flipped[at] ^= 0x10;
        files.push((format!("flipped at {at}"), flipped));
    }
    files.push(("longer".to_owned(), [file, &[0]].concat()));
    files.push(("twice".to_owned(), [file, file].concat()));
    // With right checksums.
    for (at, value) in [(4, 1), (4, 2), (4, 99), (6, 200), (7, 1), (8, !file[8])] {
        let changed = resealed(file, |file| file[at] = value);
        files.push((format!("{value} at {at}, resealed"), changed));
    }
    for length in [u64::MAX, 1 << 62, 1 << 40, 1 << 32] {
        let mut huge = file.to_vec();
        huge[40..48].copy_from_slice(&length.to_le_bytes());
        files.push((format!("length {length}"), huge));
    }
    files
}

/// A directory with files of all sorts, that all belong together.
fn job(name: &str) -> PathBuf {
    let path = copy_of_job(name);
    fs::write(path.join("in.csv"), "a,b\n1,2\n").unwrap();
    fs::write(path.join("pass.txt"), "secret").unwrap();
    succeed(&path, "signing-key --out-dir evaluator");
    succeed(
        &path,
        "keygen --circuit and8 --params p.params --out-dir sealed --passphrase-file pass.txt",
    );
    succeed(&path, "params --preset n4096-t65537 -o m.params");
    succeed(&path, "keygen --params m.params --out-dir m");
    fs::write(path.join("numbers.csv"), "1,2\n").unwrap();
    succeed(
        &path,
        "encrypt --params m.params --public-key m/public.key --input numbers.csv -o m.ct",
    );
    path
}

/// A command in which `@` stands for a file; one that would do, and whether that is ringmill's.
const COMMANDS: [(&str, &str, bool); 21] = [
    ("keygen --circuit and8 --params @ --out-dir new", "p.params", true),
    (
        "encrypt --circuit and8 --params @ --public-key keys/public.key --input in.bin -o new",
        "p.params",
        true,
    ),
    (
        "encrypt --circuit and8 --params p.params --public-key @ --input in.bin -o new",
        "keys/public.key",
        true,
    ),
    (
        "encrypt --circuit and8 --params p.params --secret-key @ --input in.bin -o new",
        "keys/secret.key",
        true,
    ),
    (
        "encrypt --circuit and8 --params p.params --public-key keys/public.key --format csv --input @ -o new",
        "",
        false,
    ),
    (
        "eval --circuit and8 --params @ --evaluation-key keys/evaluation.key --input in.ct -o new",
        "p.params",
        true,
    ),
    (
        "eval --circuit and8 --params p.params --evaluation-key @ --input in.ct -o new",
        "keys/evaluation.key",
        true,
    ),
    (
        "eval --circuit and8 --params p.params --evaluation-key keys/evaluation.key --input @ -o new",
        "in.ct",
        true,
    ),
    (
        "eval --circuit and8 --params p.params --evaluation-key keys/evaluation.key --input in.ct --sign-with @ -o new",
        "evaluator/signing.key",
        true,
    ),
    (
        "decrypt --circuit and8 --params @ --secret-key keys/secret.key --input out.ct -o new.bin",
        "p.params",
        true,
    ),
    (
        "decrypt --circuit and8 --params p.params --secret-key @ --input out.ct -o new.bin",
        "keys/secret.key",
        true,
    ),
    (
        "decrypt --circuit and8 --params p.params --secret-key keys/secret.key --input @ -o new.bin",
        "out.ct",
        true,
    ),
    (
        "decrypt --circuit and8 --params p.params --secret-key keys/secret.key --input out.ct --inputs @ -o new.bin",
        "in.ct",
        true,
    ),
    (
        "decrypt --circuit and8 --params p.params --secret-key keys/secret.key --input out.ct --signed-by @ -o new.bin",
        "evaluator/verifying.key",
        true,
    ),
    (
        "decrypt --circuit and8 --params p.params --secret-key @ --passphrase-file pass.txt --input out.ct -o new.bin",
        "sealed/secret.key",
        true,
    ),
    (
        "transcipher --cipher simon-decrypt --params @ --evaluation-key keys/evaluation.key --key in.ct --data in.bin -o new",
        "p.params",
        true,
    ),
    ("keygen --params @ --out-dir new", "m.params", true),
    (
        "encrypt --params m.params --public-key @ --input numbers.csv -o new",
        "m/public.key",
        true,
    ),
    (
        "decrypt --params m.params --secret-key m/secret.key --input @ -o new.csv",
        "m.ct",
        true,
    ),
    ("params --circuit @ -o new", "", false),
    ("inspect @", "out.ct", true),
];

#[test]
fn no_file_is_taken_for_what_it_is_not() {
    let path = job("hostile");
    let hash = fs::read(path.join("p.params")).unwrap()[8..40].to_vec();
    let useless = useless(&hash);
    let before = listing(&path);
    let wrong = Mutex::new(Vec::new());
    for (command, right, ours) in COMMANDS {
        let mut files = useless.clone();
        if ours {
            files.extend(broken(&fs::read(path.join(right)).unwrap()));
        }
        // `inspect` only says what there is: any frames, of any parameters.
        let anything =
            |name: &str| name.starts_with("kind") || name == "twice" || name.ends_with("at 8, resealed");
        files.retain(|(name, _)| !(command.starts_with("inspect") && anything(name)));
        try_all(&path, command, &files, &wrong);
    }
    let wrong = wrong.into_inner().unwrap();
    assert!(
        wrong.is_empty(),
        "{} of them: {:#?}",
        wrong.len(),
        &wrong[..wrong.len().min(20)]
    );
    fs::remove_dir_all(path.join("given")).unwrap();
    assert!(listing(&path) == before);
}

/// Gives each file to a command, which must refuse it, say why, and leave nothing.
fn try_all(path: &Path, command: &str, files: &[(String, Vec<u8>)], wrong: &Mutex<Vec<String>>) {
    fs::create_dir_all(path.join("given")).unwrap();
    for (name, content) in files {
        fs::write(path.join("given/file"), content).unwrap();
        let output = ringmill(path, &command.replace('@', "given/file"));
        let errors = String::from_utf8_lossy(&output.stderr);
        let refused = matches!(output.status.code(), Some(2 | 3)) && errors.contains("error: ");
        let named = errors.contains("given/file") || output.status.code() == Some(2);
        let left = ["new", "new.bin", "new.csv"]
            .iter()
            .any(|name| is_left(&path.join(name)));
        if !refused || !named || left || errors.contains("panicked") {
            let problem = format!("{command}: {name}: {:?} {errors}", output.status.code());
            wrong.lock().unwrap().push(problem);
        }
        let _ = fs::remove_dir_all(path.join("new"));
        let _ = fs::remove_file(path.join("new"));
    }
}

/// Whether there is a file, or a directory with something in it.
fn is_left(path: &Path) -> bool {
    path.is_file() || path.read_dir().is_ok_and(|mut entries| entries.next().is_some())
}

/// What is refused by its sort: a directory, a file that is not there, one of endless zeros.
#[test]
fn things_that_are_no_files() {
    let path = job("no-files");
    fs::create_dir(path.join("directory")).unwrap();
    for (command, _, _) in COMMANDS {
        for (thing, codes) in [
            ("directory", [3, 6]),
            ("missing", [6, 6]),
            ("/dev/zero", [3, 6]),
            ("/dev/null", [3, 3]),
        ] {
            // Circuits are bundled ones, or files.
            if command.starts_with("params") && thing == "missing" {
                continue;
            }
            let output = ringmill(&path, &command.replace('@', thing));
            let (code, errors) = (
                output.status.code().unwrap(),
                String::from_utf8_lossy(&output.stderr),
            );
            assert!(
                codes.contains(&code) && errors.contains(thing),
                "{command} {thing}: {code} {errors}"
            );
            let _ = fs::remove_dir_all(path.join("new"));
        }
    }
}
