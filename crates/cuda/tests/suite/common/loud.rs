//! Messages of tests that could not be run.

use std::io::{Write, stderr};

use ringmill_cuda::gpu::nvidia::gpus;

/// Prints that a test was not run, and how to run it, past the test harness, which hides the output of
/// passing tests.
pub fn not_run(test: &str, reason: &str) {
    let _ = writeln!(stderr(), "\n*** NOT RUN: {test}: {reason}\n");
}

/// Whether there is a GPU. If there is none, prints that the test is not run.
pub fn is_there_a_gpu(test: &str) -> bool {
    let reason = match gpus() {
        Ok(gpus) if gpus.is_empty() => "there is a driver, but no GPU".to_owned(),
        Ok(_) => return true,
        Err(error) => error.to_string(),
    };
    not_run(test, &format!("it needs an NVIDIA GPU: {reason}"));
    false
}
