//! Jobs that fail after some batches: what is kept of them, and going on from there.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::common::{ands, decrypt, directory, encrypt, eval, frames, pairs, refuse, ringmill, succeed};
use serde_json::Value;

/// Parameters with 256 slots.
const PRESET: &str = "--preset fv128-n4096";
/// In four batches.
const RECORDS: usize = 900;

/// A directory with parameters, keys and four batches of inputs, `in.ct`.
fn job(name: &str) -> PathBuf {
    let path = directory(name);
    fs::write(path.join("in.bin"), pairs(RECORDS)).unwrap();
    succeed(&path, &format!("params --circuit and8 {PRESET} -o p.params"));
    succeed(&path, "keygen --circuit and8 --params p.params --out-dir keys");
    succeed(&path, &encrypt("in.bin", "in.ct"));
    path
}

/// Flips a bit in the ciphertexts of a batch: each batch is two frames, with their length at byte 40.
fn damage(path: &Path, from: &str, to: &str, batch: usize) {
    let mut content = fs::read(path.join(from)).unwrap();
    let length =
        |at: usize| 48 + u64::from_le_bytes(content[at + 40..at + 48].try_into().unwrap()) as usize + 32;
    let start = (0..2 * batch + 1).fold(0, |at, _| at + length(at));
    content[start + 1000] ^= 1;
    fs::write(path.join(to), content).unwrap();
}

/// Runs the program, which must fail with this code and say that so many batches are kept in `out.ct.partial`, the
/// only trace it leaves; what it says.
fn keep(path: &Path, arguments: &str, code: i32, batches: usize) -> String {
    let output = ringmill(path, arguments);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{errors}");
    let said = format!("{batches} finished batches are kept in out.ct.partial; ");
    assert!(errors.contains(&said) && errors.contains("--resume"), "{errors}");
    let names = fs::read_dir(path)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let traces: Vec<String> = names
        .filter(|name| name.contains("out.ct") || name.contains("tmp"))
        .collect();
    assert_eq!(traces, ["out.ct.partial"]);
    let said: Value = serde_json::from_str(&succeed(path, "inspect --json out.ct.partial")).unwrap();
    assert_eq!(said["batches"]["batches"], batches);
    assert_eq!(said["batches"]["role"], "results");
    errors
}

/// Goes on, which must end well after so many batches that are kept; nothing else is.
fn resume(path: &Path, arguments: &str, kept: usize, batches: usize) {
    let said = succeed(path, &format!("{arguments} --resume --json"));
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(
        (&said["taken_over"], &said["batches"]),
        (&kept.into(), &batches.into())
    );
    assert!(!path.join("out.ct.partial").exists());
}

#[test]
fn what_is_done_is_kept_and_gone_on_from() {
    let path = job("kept");
    damage(&path, "in.ct", "third.ct", 2);
    damage(&path, "in.ct", "fourth.ct", 3);
    let errors = keep(&path, &eval("third.ct", "out.ct"), 3, 2);
    assert!(
        errors.starts_with("error: third.ct: the checksum does not match"),
        "{errors}"
    );
    refuse(
        &path,
        &eval("in.ct", "out.ct"),
        6,
        "out.ct.partial exists already: batches that an earlier run had finished",
    );
    refuse(
        &path,
        &decrypt("out.ct.partial", "new.bin"),
        3,
        "out.ct.partial: the file ends too early",
    );
    let again = |inputs: &str| format!("{} --resume", eval(inputs, "out.ct"));
    refuse(
        &path,
        &again("third.ct"),
        3,
        "third.ct: the checksum does not match",
    );
    keep(&path, &again("fourth.ct"), 3, 3);
    resume(&path, &eval("in.ct", "out.ct"), 3, 4);

    succeed(&path, &eval("in.ct", "whole.ct"));
    // Evaluation has no randomness: the same bits.
    assert!(fs::read(path.join("out.ct")).unwrap() == fs::read(path.join("whole.ct")).unwrap());
    succeed(&path, &decrypt("out.ct", "out.bin"));
    assert_eq!(fs::read(path.join("out.bin")).unwrap(), ands(&pairs(RECORDS)));
}

#[test]
fn nothing_is_kept_of_the_first_batch() {
    let path = job("first");
    damage(&path, "in.ct", "first.ct", 0);
    let problem = "first.ct: the checksum does not match";
    refuse(&path, &eval("first.ct", "out.ct"), 3, problem);
    // Then --resume begins at the first batch, so that a script can always give it.
    let said = ringmill(&path, &format!("{} --resume", eval("in.ct", "out.ct")));
    let errors = String::from_utf8(said.stderr).unwrap();
    let note = "out.ct.partial: nothing is kept to go on from; this begins at the first batch";
    assert!(said.status.success() && errors.contains(note), "{errors}");
    // What is kept goes if it is forced to, but not before there is something better.
    fs::rename(path.join("out.ct"), path.join("out.ct.partial")).unwrap();
    refuse(
        &path,
        &format!("{} --force", eval("first.ct", "out.ct")),
        3,
        "first.ct",
    );
    succeed(&path, &format!("{} --force", eval("in.ct", "out.ct")));
    assert!(!path.join("out.ct.partial").exists());
}

/// Two inputs of two bits, ANDed.
const OTHER: &str = "2 6\n2 2 2\n1 2\n\n2 1 0 2 4 AND\n2 1 1 3 5 AND\n";

#[test]
fn what_is_kept_of_another_job_is_refused() {
    let path = job("foreign");
    damage(&path, "in.ct", "third.ct", 2);
    keep(&path, &eval("third.ct", "out.ct"), 3, 2);
    let again = format!("{} --resume", eval("in.ct", "out.ct"));
    let kept = fs::read(path.join("out.ct.partial")).unwrap();

    fs::write(path.join("other.txt"), OTHER).unwrap();
    let other = |command: &str| {
        command
            .replace("and8", "other.txt")
            .replace("p.params", "other.params")
    };
    succeed(
        &path,
        &format!("params --circuit other.txt {PRESET} -o other.params"),
    );
    fs::write(path.join("other.bin"), [1; 2 * RECORDS]).unwrap();
    succeed(&path, &other(&encrypt("other.bin", "other.ct")));
    refuse(
        &path,
        &other(&again).replace("in.ct", "other.ct"),
        3,
        "out.ct.partial: results of another circuit than other",
    );

    // Of inputs with fewer records, and of as many others.
    for (records, problem) in [
        (
            200,
            "out.ct.partial: batch 0 has 256 records where that of the inputs has 200",
        ),
        (
            RECORDS,
            "out.ct.partial: batch 0 is of other encrypted inputs than few.ct; give what it was made with, or begin at \
             the first batch: with --force in place of --resume",
        ),
    ] {
        fs::write(path.join("few.bin"), pairs(records)).unwrap();
        succeed(&path, &format!("{} --force", encrypt("few.bin", "few.ct")));
        refuse(&path, &again.replace("in.ct", "few.ct"), 3, problem);
    }
    // With the evaluation key of another pair, which says so or does not.
    succeed(&path, "keygen --circuit and8 --params p.params --out-dir other");
    let stranger = again.replace("keys/", "other/");
    refuse(
        &path,
        &stranger,
        3,
        "in.ct: encrypted inputs under the keys of set",
    );
    let key = path.join("other/evaluation.key");
    let nameless = fs::read(&key).unwrap();
    fs::write(&key, &nameless[..nameless.len() - 112]).unwrap();
    let problem = "out.ct.partial: batch 0 was made with another evaluation key than other/evaluation.key";
    refuse(&path, &stranger, 3, problem);

    fs::copy(path.join("in.ct"), path.join("out.ct.partial")).unwrap();
    refuse(
        &path,
        &again,
        3,
        "out.ct.partial: encrypted inputs where results are needed",
    );
    fs::write(
        path.join("out.ct.partial"),
        "a letter to somebody else, longer than the header of a frame",
    )
    .unwrap();
    refuse(&path, &again, 3, "out.ct.partial: not a ringmill file");
    fs::write(path.join("out.ct.partial"), kept).unwrap();
    resume(&path, &eval("in.ct", "out.ct"), 2, 4);
}

/// What is kept may end in the middle of a batch, or be damaged: whole batches before that are taken over.
#[test]
fn torn_batches_are_evaluated_again() {
    let path = job("torn");
    succeed(&path, &eval("in.ct", "whole.ct"));
    let whole = fs::read(path.join("whole.ct")).unwrap();
    let starts = frames(&whole);
    // Each batch is two frames.
    let (second, third) = (starts[2], starts[4]);
    let damaged = |at: usize| {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        damaged
    };
    for (kept, partial, problem) in [
        (0, whole[..20].to_vec(), "the file ends too early"),
        (0, damaged(1000), "the checksum does not match"),
        (1, whole[..second + 20].to_vec(), "the file ends too early"),
        (1, damaged(starts[3] + 1000), "the checksum does not match"),
        (1, [&whole[..second], &[0; 5000]].concat(), "not a ringmill file"),
        (2, whole[..third].to_vec(), ""),
        (3, whole[..whole.len() - 1].to_vec(), "the file ends too early"),
        (4, whole.clone(), ""),
    ] {
        fs::write(path.join("out.ct.partial"), partial).unwrap();
        let output = ringmill(&path, &format!("{} --resume --json", eval("in.ct", "out.ct")));
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{errors}");
        let said: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&said["taken_over"], &said["batches"]), (&kept.into(), &4.into()));
        let note = format!("note: out.ct.partial: {problem}");
        assert_eq!(errors.contains(&note), !problem.is_empty(), "{errors}");
        assert!(fs::read(path.join("out.ct")).unwrap() == whole, "{problem}");
        assert!(!path.join("out.ct.partial").exists());
        fs::remove_file(path.join("out.ct")).unwrap();
    }
}

/// Two runs do not write one file.
#[test]
fn outputs_in_progress_are_locked() {
    let path = job("locked");
    let mut partial = fs::File::create(path.join("out.ct.partial")).unwrap();
    partial.lock().unwrap();
    for more in ["", " --force", " --resume"] {
        if more == " --resume" {
            partial.write_all(b"RMFV").unwrap();
        }
        let arguments = format!("{}{more}", eval("in.ct", "out.ct"));
        refuse(&path, &arguments, 6, "out.ct.partial: another process writes it");
    }
}

#[test]
fn public_inputs_go_on_too() {
    let path = directory("public");
    let circuit = "--circuit and8 --public a --params p.params";
    succeed(
        &path,
        &format!("params --circuit and8 --public a {PRESET} -o p.params"),
    );
    succeed(&path, &format!("keygen {circuit} --out-dir keys"));
    // A single record for all.
    fs::write(path.join("b.csv"), "b\n29\n").unwrap();
    succeed(
        &path,
        &format!("encrypt {circuit} --public-key keys/public.key --input b.csv -o b.ct"),
    );
    let table = |wrong: usize| -> String {
        let value = |i: usize| if i == wrong { 256 } else { i * 7 % 256 };
        (0..RECORDS).map(|i| format!("{}\n", value(i))).collect()
    };
    fs::write(path.join("a.csv"), format!("a\n{}", table(600))).unwrap();
    let eval =
        format!("eval {circuit} --evaluation-key keys/evaluation.key --input b.ct --data a.csv -o out.ct");
    let errors = keep(&path, &eval, 3, 2);
    assert!(errors.starts_with("error: a.csv: row 601"), "{errors}");
    // Other values, and fewer batches.
    let again = format!("{eval} --resume");
    let changed = table(RECORDS).replacen("\n", "\n1\n", 300);
    for (table, problem) in [
        (
            changed,
            "out.ct.partial: batch 0 is of other public inputs than a.csv",
        ),
        (
            table(RECORDS).split_inclusive('\n').take(256).collect(),
            "out.ct.partial: more batches than the inputs have",
        ),
    ] {
        fs::write(path.join("a.csv"), format!("a\n{table}")).unwrap();
        refuse(&path, &again, 3, problem);
    }
    // That end after the second batch, which did not know it: it is the last one now.
    let kept = fs::read(path.join("out.ct.partial")).unwrap();
    let two: String = table(RECORDS).split_inclusive('\n').take(512).collect();
    fs::write(path.join("a.csv"), format!("a\n{two}")).unwrap();
    resume(&path, &eval, 2, 2);
    let short = fs::read(path.join("out.ct")).unwrap();
    succeed(&path, &format!("{eval} --force"));
    assert!(fs::read(path.join("out.ct")).unwrap() == short);
    fs::remove_file(path.join("out.ct")).unwrap();
    fs::write(path.join("out.ct.partial"), kept).unwrap();
    fs::write(path.join("a.csv"), format!("a\n{}", table(RECORDS))).unwrap();
    resume(&path, &eval, 2, 4);
    succeed(
        &path,
        &format!("decrypt {circuit} --secret-key keys/secret.key --input out.ct -o out.csv"),
    );
    let expected: String = (0..RECORDS)
        .map(|i| format!("{}\n", (i * 7 % 256) & 29))
        .collect();
    assert_eq!(
        fs::read_to_string(path.join("out.csv")).unwrap(),
        format!("and\n{expected}")
    );
}

/// A kernel that faults stops the GPU for that run: what was done is kept, and the next run goes on.
#[cfg(feature = "cuda-emulator")]
#[test]
fn a_fault_of_a_gpu_costs_a_batch() {
    let path = job("fault");
    let eval_on_gpu = format!("{} --device cuda:emulated", eval("in.ct", "out.ct"));
    // How many launches a batch takes is the GPU's affair: later and later ones, until one batch is done before.
    let mut launch = 8;
    let errors = loop {
        let fault = [("RINGMILL_EMULATED_FAULT", &*launch.to_string())];
        let output = crate::common::ringmill_with(&path, &eval_on_gpu, &fault);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(7), "{errors}");
        assert!(
            errors.contains(&format!("launch {launch} was to fail")),
            "{errors}"
        );
        assert!(!path.join("out.ct").exists());
        if path.join("out.ct.partial").exists() {
            break errors;
        }
        launch += launch / 2;
    };
    let said: Value = serde_json::from_str(&succeed(&path, "inspect --json out.ct.partial")).unwrap();
    let kept = said["batches"]["batches"].as_u64().unwrap() as usize;
    let said = format!("{kept} finished batches are kept in out.ct.partial; ");
    assert!((1..4).contains(&kept) && errors.contains(&said), "{errors}");
    resume(&path, &eval_on_gpu, kept, 4);
    succeed(&path, &eval("in.ct", "whole.ct"));
    assert!(fs::read(path.join("out.ct")).unwrap() == fs::read(path.join("whole.ct")).unwrap());
}
