//! What a test says that could not be run.

use std::io::{Write, stderr};

/// Says that a test was not run, and how it can be: past the test harness, which hides what passing tests print.
pub fn not_run(test: &str, reason: &str) {
    let _ = writeln!(stderr(), "\n*** NOT RUN: {test}: {reason}\n");
}
