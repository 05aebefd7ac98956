//! The examples, as they are for readers: each compares its results with what they should be.

use std::path::Path;
use std::process::Command;

use crate::common::directory;

fn run(example: &str) {
    let path = directory(&format!("example-{example}"));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../examples/{example}/run"));
    let output = Command::new("bash")
        .arg(script)
        .args([Path::new(env!("CARGO_BIN_EXE_ringmill")), &path])
        // Fewer records than readers get, in several batches.
        .arg("600")
        .env("XDG_CACHE_HOME", path.join("cache"))
        .output()
        .unwrap();
    let (said, errors) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{example}: {said}{errors}");
    assert!(said.contains("has the 600 results that were expected"), "{said}");
}

#[test]
fn customers() {
    run("customers");
}

#[test]
fn templates() {
    run("templates");
}

#[test]
fn verilog() {
    run("verilog");
}

#[test]
fn owners() {
    run("owners");
}
