//! The main job in full.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::fs;

use common::{directory, succeed};
use serde_json::Value;

/// A minute or two on two cores: run it with `cargo test --release -p ringmill-cli -- --ignored`.
#[test]
#[ignore = "evaluates all of SIMON: minutes"]
fn the_demonstration_is_right() {
    let path = directory("demo");
    // 13 bytes: the last block is padded.
    fs::write(path.join("notes.txt"), "Hello, world!").unwrap();
    let report: Value = serde_json::from_str(&succeed(&path, "demo --input notes.txt --json")).unwrap();
    assert_eq!(
        (&report["blocks"], &report["correct_blocks"]),
        (&2.into(), &2.into())
    );
    let noise = &report["noise"];
    let margin = |which: &str| noise[which].as_f64().unwrap();
    assert!(margin("predicted_margin_bits") > 0.0);
    assert!(margin("measured_margin_bits") >= margin("predicted_margin_bits"));
    assert_eq!(report["parameters"]["security_bits"], 128);
}
