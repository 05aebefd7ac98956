//! The machine that a figure was measured on.

use std::fs;

use serde::Serialize;

/// What has to be said with a figure.
#[derive(Debug, Clone, Serialize)]
pub struct Machine {
    /// Model of the processor.
    pub cpu: String,
    /// Vector kernel in use.
    pub kernel: String,
    /// Threads in use.
    pub threads: usize,
}

impl Machine {
    /// This one.
    pub fn this(kernel: &str) -> Self {
        Self {
            cpu: cpu().unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
            kernel: kernel.to_owned(),
            threads: rayon::current_num_threads(),
        }
    }

    /// In a line.
    pub fn line(&self) -> String {
        format!("{}, {} threads, kernel {}", self.cpu, self.threads, self.kernel)
    }
}

/// The model of the processor.
pub fn cpu() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}
