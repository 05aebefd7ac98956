//! What a test says that could not be run.

use std::io::{Write, stderr};

use ringmill_cuda::gpu::nvidia::gpus;

/// Says that a test was not run, and how it can be: past the test harness, which hides what passing tests print.
pub fn not_run(test: &str, reason: &str) {
    let _ = writeln!(stderr(), "\n*** NOT RUN: {test}: {reason}\n");
}

/// Whether there is a GPU; says that the test is not run if there is none.
pub fn is_there_a_gpu(test: &str) -> bool {
    let reason = match gpus() {
        Ok(gpus) if gpus.is_empty() => "there is a driver, but no GPU".to_owned(),
        Ok(_) => return true,
        Err(error) => error.to_string(),
    };
    not_run(test, &format!("it needs an NVIDIA GPU: {reason}"));
    false
}
