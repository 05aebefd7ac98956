//! Processes that are killed, and systems that refuse: what is left, and that the same command works afterwards.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::Instant;

use crate::common::{
    ands, decrypt, directory, encrypt, eval, listing, pairs, refuse, ringmill, spawn, succeed,
};

/// In four batches of 256 slots.
const RECORDS: usize = 900;

const KEYGEN: &str = "keygen --circuit and8 --params p.params --out-dir keys";

/// Moments at which each command is killed.
const KILLS: u32 = 50;

fn job(name: &str) -> PathBuf {
    let path = directory(name);
    fs::write(path.join("in.bin"), pairs(RECORDS)).unwrap();
    succeed(&path, "params --circuit and8 --preset fv128-n4096 -o p.params");
    succeed(&path, KEYGEN);
    succeed(&path, &encrypt("in.bin", "in.ct"));
    path
}

/// Names of all files below a directory.
fn names(path: &Path) -> Vec<String> {
    let files = listing(path).into_iter();
    let name = |file: PathBuf| file.strip_prefix(path).unwrap().display().to_string();
    files.map(|(file, _)| name(file)).collect()
}

/// Kills a command at `KILLS` moments, evenly from its begin to its end; how often it was still running. After each
/// `check` sees what is left, and leaves the directory as the command needs it.
fn kill(path: &Path, arguments: &str, mut check: impl FnMut()) -> u32 {
    let start = Instant::now();
    succeed(path, arguments);
    let whole = start.elapsed();
    check();
    let mut killed = 0;
    for moment in 0..KILLS {
        let mut child = spawn(path, arguments);
        sleep(whole * moment / KILLS);
        child.kill().unwrap();
        let output = child.wait_with_output().unwrap();
        killed += u32::from(output.status.code().is_none());
        check();
    }
    killed
}

fn remove(path: &Path, name: &str) {
    fs::remove_file(path.join(name)).unwrap();
}

/// Sees that no file but those named is there once a command has ended well.
fn expect_names(path: &Path, expected: &[&str]) {
    let mut expected: Vec<String> = expected.iter().map(|name| (*name).to_owned()).collect();
    expected.extend(["in.bin", "in.ct", "keys", "p.params"].map(str::to_owned));
    expected.extend(["evaluation", "public", "secret"].map(|name| format!("keys/{name}.key")));
    expected.sort();
    assert_eq!(names(path), expected);
}

#[test]
fn a_killed_evaluation_loses_a_batch_at_most() {
    let path = job("killed-eval");
    succeed(&path, &eval("in.ct", "whole.ct"));
    let whole = fs::read(path.join("whole.ct")).unwrap();
    remove(&path, "whole.ct");
    let eval = format!("{} --resume", eval("in.ct", "out.ct"));
    let mut resumed = 0;
    let killed = kill(&path, &eval, || {
        if !path.join("out.ct").exists() {
            resumed += u32::from(succeed(&path, &eval).contains("by an earlier run"));
        }
        assert!(fs::read(path.join("out.ct")).unwrap() == whole);
        expect_names(&path, &["out.ct"]);
        remove(&path, "out.ct");
    });
    println!("{killed} killed, {resumed} gone on from");
    assert!(killed > 0 && resumed > 0, "{killed} {resumed}");
}

#[test]
fn a_killed_encryption_leaves_nothing() {
    let path = job("killed-encrypt");
    remove(&path, "in.ct");
    let encrypt = encrypt("in.bin", "in.ct");
    let mut stale = 0;
    let killed = kill(&path, &encrypt, || {
        if !path.join("in.ct").exists() {
            stale += u32::from(names(&path).iter().any(|name| name.ends_with(".tmp")));
            succeed(&path, &encrypt);
        }
        expect_names(&path, &[]);
        remove(&path, "in.ct");
    });
    println!("{killed} killed, {stale} with something left");
    assert!(killed > 0 && stale > 0, "{killed} {stale}");
    succeed(&path, &encrypt);
    succeed(&path, &eval("in.ct", "out.ct"));
    succeed(&path, &decrypt("out.ct", "out.bin"));
    assert_eq!(fs::read(path.join("out.bin")).unwrap(), ands(&pairs(RECORDS)));
}

#[test]
fn a_killed_decryption_leaves_no_secret() {
    let path = job("killed-decrypt");
    succeed(&path, &eval("in.ct", "out.ct"));
    let decrypt = decrypt("out.ct", "out.bin");
    let killed = kill(&path, &decrypt, || {
        if !path.join("out.bin").exists() {
            succeed(&path, &decrypt);
        }
        assert_eq!(fs::read(path.join("out.bin")).unwrap(), ands(&pairs(RECORDS)));
        expect_names(&path, &["out.bin", "out.ct"]);
        remove(&path, "out.bin");
    });
    assert!(killed > 0, "{killed}");
    // The records are in a temporary file for a moment only, which is hard to hit.
    fs::write(path.join(".out.bin.1-0.ringmill.tmp"), "records").unwrap();
    let output = ringmill(&path, &decrypt);
    let said = String::from_utf8(output.stderr).unwrap();
    let note = "removed ./.out.bin.1-0.ringmill.tmp, which a run that was killed had left";
    assert!(output.status.success() && said.contains(note), "{said}");
    expect_names(&path, &["out.bin", "out.ct"]);
}

/// Keys in a new directory are a whole set or not usable, and go with the next one.
#[test]
fn killed_key_generation() {
    let path = job("killed-keygen");
    remove(&path, "in.ct");
    fs::remove_dir_all(path.join("keys")).unwrap();
    let killed = kill(&path, KEYGEN, || {
        let keys = path.join("keys");
        let there = |name: &str| keys.join(name).exists();
        if !there("public.key") {
            let partly = there("secret.key") || there("evaluation.key");
            if partly {
                let output = ringmill(&path, KEYGEN);
                let errors = String::from_utf8(output.stderr).unwrap();
                assert_eq!(output.status.code(), Some(6), "{errors}");
                assert!(errors.contains("is there without its public key"), "{errors}");
            }
            succeed(
                &path,
                &format!("{KEYGEN}{}", if partly { " --force" } else { "" }),
            );
        }
        succeed(&path, &encrypt("in.bin", "in.ct"));
        expect_names(&path, &[]);
        remove(&path, "in.ct");
        fs::remove_dir_all(keys).unwrap();
    });
    assert!(killed > 0, "{killed}");
}

/// Whatever was encrypted under a set that was being replaced can be decrypted, until the new one is whole.
#[test]
fn killed_replacement_of_keys() {
    let path = job("killed-force");
    let replace = format!("{KEYGEN} --force");
    let (mut killed, mut seen) = (0, [0; 2]);
    let start = Instant::now();
    succeed(&path, &replace);
    let whole = start.elapsed();
    for moment in 0..KILLS {
        let old = fs::read(path.join("keys/public.key")).unwrap();
        succeed(&path, &format!("{} --force", encrypt("in.bin", "in.ct")));
        // Keys are replaced in the last moments.
        let mut child = spawn(&path, &replace);
        sleep(whole * (KILLS + moment) / (2 * KILLS));
        child.kill().unwrap();
        killed += u32::from(child.wait().unwrap().code().is_none());
        let replaced = fs::read(path.join("keys/public.key")).unwrap() != old;
        seen[usize::from(replaced)] += 1;
        if !replaced {
            settle(&path);
            succeed(&path, &format!("{} --force", eval("in.ct", "out.ct")));
            succeed(&path, &format!("{} --force", decrypt("out.ct", "out.bin")));
            assert_eq!(fs::read(path.join("out.bin")).unwrap(), ands(&pairs(RECORDS)));
            remove(&path, "out.ct");
            remove(&path, "out.bin");
        }
        succeed(&path, &replace);
        expect_names(&path, &[]);
    }
    assert!(killed > 0 && seen[0] > 0, "{killed} {seen:?}");
}

/// What any next key generation does first, although this one is refused.
fn settle(path: &Path) {
    let output = ringmill(path, KEYGEN);
    assert_eq!(output.status.code(), Some(6), "{output:?}");
    assert!(!names(path).iter().any(|name| name.ends_with(".previous")));
}

/// Every state that a replacement can be stopped in, whether a kill happens to hit it or not.
#[test]
fn interrupted_replacements_are_settled() {
    let path = job("settled");
    let keys = |name: &str| path.join("keys").join(name);
    let read = || ["public.key", "evaluation.key", "secret.key"].map(|name| fs::read(keys(name)).unwrap());
    let old = read();
    succeed(&path, &format!("{KEYGEN} --force"));
    let new = read();
    assert!(old != new);
    // How many of evaluation.key, secret.key and public.key are new ones.
    for placed in 0..4 {
        let key = |index: usize, from: usize| if placed >= from { &new[index] } else { &old[index] };
        fs::write(keys("evaluation.key"), key(1, 1)).unwrap();
        fs::write(keys("secret.key"), key(2, 2)).unwrap();
        fs::write(keys("public.key"), key(0, 3)).unwrap();
        fs::write(keys("evaluation.key.previous"), &old[1]).unwrap();
        fs::write(keys("secret.key.previous"), &old[2]).unwrap();
        if placed == 2 {
            // Whoever does not settle it is told.
            fs::write(path.join("few.bin"), pairs(3)).unwrap();
            succeed(&path, &encrypt("few.bin", "few.ct"));
            fs::write(keys("evaluation.key"), &old[1]).unwrap();
            succeed(&path, &eval("few.ct", "few.out"));
            fs::write(keys("evaluation.key"), &new[1]).unwrap();
            refuse(&path, &decrypt("few.out", "few.txt"), 2, "--format");
            refuse(
                &path,
                &decrypt("few.out", "out.bin"),
                3,
                "keys/secret.key.previous is there because",
            );
        }
        settle(&path);
        assert!(
            read() == if placed == 3 { new.clone() } else { old.clone() },
            "{placed}"
        );
    }
    // A set without an evaluation key takes the place of one that has one.
    fs::write(path.join("n.bin"), "1,2\n").unwrap();
    succeed(&path, "params --preset n4096-t65537 -o m.params");
    succeed(&path, "keygen --params m.params --out-dir keys --force");
    assert_eq!(names(&path.join("keys")), ["public.key", "secret.key"]);
}

/// Runs the program with a limit on the size of files, in blocks of 512 bytes: like a disk that is full.
fn limited(path: &Path, blocks: u32, arguments: &str) -> (Option<i32>, String) {
    let program = env!("CARGO_BIN_EXE_ringmill");
    let command = format!("ulimit -f {blocks}; exec {program} {arguments}");
    let mut shell = Command::new("sh");
    shell.args(["-c", &command]).current_dir(path);
    let output = shell.env("XDG_CACHE_HOME", path.join("cache")).output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_full_disk_loses_nothing() {
    let path = job("full");
    // The shell measures in blocks; a cache of its own, so that the device is measured before.
    fs::create_dir(path.join("cache")).unwrap();
    succeed(&path, &eval("in.ct", "whole.ct"));
    let whole = fs::read(path.join("whole.ct")).unwrap();
    let blocks = (whole.len() / 512 / 2) as u32;
    let before = listing(&path);
    for arguments in [encrypt("in.bin", "other.ct"), format!("{KEYGEN} --force")] {
        let (code, errors) = limited(&path, 40, &arguments);
        assert_eq!(code, Some(6), "{arguments}: {errors}");
        assert!(errors.contains("File too large"), "{errors}");
        assert!(listing(&path) == before, "{arguments}");
    }
    let (code, errors) = limited(&path, blocks, &eval("in.ct", "out.ct"));
    assert_eq!(code, Some(6), "{errors}");
    assert!(
        errors.contains("File too large") && errors.contains("finished batches are kept"),
        "{errors}"
    );
    succeed(&path, &format!("{} --resume", eval("in.ct", "out.ct")));
    assert!(fs::read(path.join("out.ct")).unwrap() == whole);
    let (code, errors) = limited(&path, 1, &decrypt("out.ct", "out.bin"));
    assert_eq!(code, Some(6), "{errors}");
    assert!(!path.join("out.bin").exists());
    assert!(!names(&path).iter().any(|name| name.ends_with(".tmp")));
}

/// Runs the program as a user who may do less, if this one may do everything.
fn as_somebody(path: &Path, arguments: &str) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ringmill"));
    command.args(arguments.split_whitespace()).current_dir(path);
    command.env("XDG_CACHE_HOME", "/nowhere");
    if is_root() {
        command.uid(65534).gid(65534);
    }
    let output = command.output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().unwrap();
    id.stdout == b"0\n"
}

#[test]
fn directories_and_files_without_permission() {
    use std::os::unix::fs::PermissionsExt;

    let path = job("permission");
    let mode =
        |name: &str, mode| fs::set_permissions(path.join(name), fs::Permissions::from_mode(mode)).unwrap();
    fs::create_dir(path.join("closed")).unwrap();
    mode("closed", 0o555);
    let before = listing(&path);
    let keygen = KEYGEN.replace("keys", "closed");
    for arguments in [
        &*encrypt("in.bin", "closed/in.ct"),
        &*eval("in.ct", "closed/out.ct"),
        &*keygen,
    ] {
        let (code, errors) = as_somebody(&path, arguments);
        assert_eq!(code, Some(6), "{errors}");
        assert!(
            errors.contains("closed/") && errors.contains("Permission denied"),
            "{errors}"
        );
    }
    if !is_root() {
        mode("keys/secret.key", 0);
    }
    let (code, errors) = as_somebody(&path, &decrypt("in.ct", "out.bin"));
    assert_eq!(code, Some(6), "{errors}");
    assert!(errors.contains("keys/secret.key: Permission denied"), "{errors}");
    mode("keys/secret.key", 0o600);
    assert!(listing(&path) == before);

    // Who may write a directory may replace a file in it that nobody may write, if that is asked for.
    succeed(&path, &eval("in.ct", "out.ct"));
    mode("out.ct", 0o444);
    refuse(&path, &eval("in.ct", "out.ct"), 6, "out.ct exists already");
    succeed(&path, &format!("{} --force", eval("in.ct", "out.ct")));
    succeed(&path, &decrypt("out.ct", "out.bin"));
    assert_eq!(fs::read(path.join("out.bin")).unwrap(), ands(&pairs(RECORDS)));
}
