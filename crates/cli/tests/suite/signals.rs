//! SIGINT and SIGTERM: finished batches are kept, and nothing half-written is left.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::common::{directory, listing, spawn, succeed};

const CIRCUIT: &str = "--circuit max32 --params p.params";

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill")
        .args([format!("-{name}"), child.id().to_string()])
        .stderr(Stdio::null())
        .status();
    assert!(sent.unwrap().success());
}

/// Names of temporary files.
fn temporaries(path: &Path) -> Vec<String> {
    let names = fs::read_dir(path).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.ends_with(".tmp")).collect()
}

/// An evaluation is stopped once it has written a batch, and gone on with.
#[test]
fn a_stopped_evaluation_goes_on() {
    let path = directory("stopped");
    succeed(&path, "params --circuit max32 --optimise off -o p.params");
    succeed(&path, &format!("keygen {CIRCUIT} --out-dir keys"));
    let (mut table, mut expected) = ("a,b\n".to_owned(), "max\n".to_owned());
    for i in 0..8_000_u32 {
        let (a, b) = (
            i.wrapping_mul(2_654_435_761),
            i.wrapping_mul(40_503).wrapping_mul(77_773),
        );
        table.push_str(&format!("{a},{b}\n"));
        expected.push_str(&format!("{}\n", a.max(b)));
    }
    fs::write(path.join("in.csv"), table).unwrap();
    succeed(
        &path,
        &format!("encrypt {CIRCUIT} --secret-key keys/secret.key --input in.csv -o in.ct"),
    );
    let eval = format!("eval {CIRCUIT} --evaluation-key keys/evaluation.key --input in.ct -o out.ct");
    let mut child = spawn(&path, &eval);
    let begun = || {
        path.join("out.ct.partial")
            .metadata()
            .is_ok_and(|metadata| metadata.len() > 0)
    };
    while !begun() {
        assert!(
            child.try_wait().unwrap().is_none(),
            "it ended before a batch was written"
        );
        sleep(Duration::from_millis(2));
    }
    signal(&child, "INT");
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(8), "{errors}");
    assert!(
        errors.contains("finished batches are kept in out.ct.partial"),
        "{errors}"
    );
    assert!(!path.join("out.ct").exists() && temporaries(&path).is_empty());
    let said = succeed(&path, &format!("{eval} --resume"));
    assert!(said.contains("by an earlier run"), "{said}");
    succeed(
        &path,
        &format!("decrypt {CIRCUIT} --secret-key keys/secret.key --input out.ct -o out.csv"),
    );
    assert_eq!(fs::read_to_string(path.join("out.csv")).unwrap(), expected);
}

/// Whenever a signal comes, keys are all there or none is, and no temporary file has a part of one.
#[test]
fn a_stopped_key_generation_leaves_nothing() {
    let path = directory("stopped-keys");
    succeed(&path, "params --circuit add8 --optimise off -o p.params");
    let mut codes = Vec::new();
    for wait in 0..30 {
        let _ = fs::remove_dir_all(path.join("keys"));
        fs::create_dir(path.join("keys")).unwrap();
        let child = spawn(&path, "keygen --circuit add8 --params p.params --out-dir keys");
        sleep(Duration::from_millis(wait));
        signal(&child, "TERM");
        let output = child.wait_with_output().unwrap();
        // Before it listens, the system ends it.
        codes.push(output.status.code());
        assert!(matches!(output.status.code(), None | Some(0 | 8)), "{output:?}");
        assert!(temporaries(&path.join("keys")).is_empty(), "{wait} ms");
        if output.status.code() == Some(0) {
            assert_eq!(listing(&path.join("keys")).len(), 3);
        }
    }
    assert!(codes.contains(&Some(8)), "{codes:?}");
}
