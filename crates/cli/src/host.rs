//! The machine that a figure was measured on.

use ringmill::platform::{Cpu, Platform};
use ringmill_arith::Simd;
use serde::Serialize;

use crate::error::CliError;

/// The machine that a figure was measured on.
#[derive(Debug, Clone, Serialize)]
pub struct HostInfo {
    /// The device, as on the command line.
    pub device: String,
    /// Model of what the device computes with.
    pub hardware: String,
    /// Model of the processor.
    pub cpu: String,
    /// Vector kernel in use.
    pub kernel: String,
    /// Threads in use.
    pub threads: usize,
}

impl HostInfo {
    /// This one with one of its platform.
    pub fn with(platform: &impl Platform) -> Result<Self, CliError> {
        Ok(Self {
            device: platform.name(),
            hardware: platform.hardware(),
            cpu: Cpu::model(),
            kernel: Simd::from_environment()?.name().to_owned(),
            threads: rayon::current_num_threads(),
        })
    }

    /// In a line.
    pub fn line(&self) -> String {
        let host = format!("{}, {} threads, kernel {}", self.cpu, self.threads, self.kernel);
        if self.hardware == self.cpu {
            host
        } else {
            format!("{} ({}); host {host}", self.hardware, self.device)
        }
    }
}
