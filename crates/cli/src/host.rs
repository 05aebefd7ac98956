//! The machine that a figure was measured on.

use std::fs;

use ringmill_arith::Simd;
use serde::Serialize;

use crate::device::Devices;
use crate::error::CliError;

/// What has to be said with a figure.
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
    /// This one with one of its devices.
    pub fn with(devices: &impl Devices) -> Result<Self, CliError> {
        Ok(Self {
            device: devices.name(),
            hardware: devices.hardware(),
            cpu: cpu(),
            kernel: Simd::from_environment()?.name().to_owned(),
            threads: rayon::current_num_threads(),
        })
    }

    /// In a line.
    pub fn line(&self) -> String {
        let host = format!("{}, {} threads, kernel {}", self.cpu, self.threads, self.kernel);
        match self.hardware == self.cpu {
            true => host,
            false => format!("{} ({}); host {host}", self.hardware, self.device),
        }
    }
}

/// The model of the processor; its architecture where the system does not tell.
pub fn cpu() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("model name"));
    let model = line.and_then(|line| line.split_once(':'));
    model
        .map_or(std::env::consts::ARCH, |(_, model)| model.trim())
        .to_owned()
}
