//! What polynomials are computed with.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use ringmill_arith::Simd;
use ringmill_cpu::CpuDevice;
use ringmill_cuda::gpu::KernelTime;
use ringmill_device::Device;
use ringmill_fv::{Context, Parameters};
use ringmill_ring::Ring;

#[cfg(feature = "cuda-emulator")]
use crate::cuda::Emulator;
use crate::cuda::NvidiaGpu;
use crate::error::CliError;
use crate::host::cpu;
use crate::hw;

/// What has devices: one is opened for each ring.
pub trait Devices: Sync {
    /// What is opened.
    type Device: Device;

    /// What it is called on the command line.
    fn name(&self) -> String;

    /// The model of what computes.
    fn hardware(&self) -> String;

    /// Bytes of its own memory; none where that is the host's.
    fn memory(&self) -> Option<u64> {
        None
    }

    /// A device for a ring.
    fn open(&self, ring: &Ring) -> Result<Arc<Self::Device>, CliError>;

    /// The same devices, opened so that they measure their kernels.
    fn profiled(&self) -> Result<Self, CliError>
    where
        Self: Sized,
    {
        Err(CliError::Usage(format!(
            "--profile: {} does not measure kernels, only GPUs do: --device cuda",
            self.name()
        )))
    }

    /// How long kernels ran on the devices opened so far, device by device; nothing where that is not measured.
    fn profile(&self) -> Result<Vec<KernelTime>, CliError> {
        Ok(Vec::new())
    }

    /// Parameters on a device for their ring.
    fn context(&self, parameters: Parameters) -> Result<Context<Self::Device>, CliError> {
        let device = self.open(parameters.ring())?;
        Ok(Context::new(parameters, device)?)
    }
}

/// Work that every device can do, because its functions are written for any.
pub trait Job {
    /// What comes of it.
    type Output;

    /// Does it on devices for the rings that it finds it needs.
    fn run<F: Devices>(self, devices: &F) -> Result<Self::Output, CliError>;
}

/// This machine's processor, with the kernel that the environment asks for.
pub struct Cpu;

impl Devices for Cpu {
    type Device = CpuDevice;

    fn name(&self) -> String {
        DeviceChoice::Cpu.to_string()
    }

    fn hardware(&self) -> String {
        cpu()
    }

    fn open(&self, ring: &Ring) -> Result<Arc<CpuDevice>, CliError> {
        Ok(Arc::new(CpuDevice::new(ring, Simd::from_environment()?)))
    }
}

/// A device by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceChoice {
    /// This machine's processor.
    Cpu,
    /// The first GPU that works; the processor if there is none.
    Auto,
    /// The GPU of this number.
    Cuda(usize),
    /// A GPU that the processor emulates.
    #[cfg(feature = "cuda-emulator")]
    Emulated,
    /// The NTT multiplier of `hdl/`, simulated, for the products of encryption and decryption.
    NttMultiplier,
}

impl DeviceChoice {
    /// What all commands can be given, for people.
    const GENERAL: &str = if cfg!(feature = "cuda-emulator") {
        "cpu, auto, cuda (GPU 0), cuda:N (GPU N), cuda:emulated"
    } else {
        "cpu, auto, cuda (GPU 0), cuda:N (GPU N)"
    };

    /// Does a job. A device that was asked for by name and cannot be used is an error.
    pub fn run<J: Job>(self, job: J) -> Result<J::Output, CliError> {
        match self {
            Self::Cpu => job.run(&Cpu),
            Self::Auto => match NvidiaGpu::first() {
                Ok(gpu) => {
                    eprintln!("device: {}, {}, the first that works", gpu.name(), gpu.hardware());
                    job.run(&gpu)
                }
                Err(reason) => {
                    eprintln!("device: cpu, because no GPU can be used: {reason}");
                    job.run(&Cpu)
                }
            },
            Self::Cuda(index) => job.run(&NvidiaGpu::new(index)?),
            #[cfg(feature = "cuda-emulator")]
            Self::Emulated => job.run(&Emulator),
            Self::NttMultiplier => Err(CliError::Usage(format!(
                "--device {self} is for the products of messages only: for encrypt and decrypt without --circuit; \
                 elsewhere there are {}",
                Self::GENERAL
            ))),
        }
    }

    /// Does a job on messages, which machines of `hdl/` can do too.
    pub fn run_on_messages<J: Job>(self, job: J) -> Result<J::Output, CliError> {
        match self {
            #[cfg(feature = "rtl")]
            Self::NttMultiplier => hw::device::run(job),
            #[cfg(not(feature = "rtl"))]
            Self::NttMultiplier => Err(hw::not_built()),
            other => other.run(job),
        }
    }
}

impl fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cpu => f.write_str("cpu"),
            Self::Auto => f.write_str("auto"),
            Self::Cuda(index) => write!(f, "cuda:{index}"),
            #[cfg(feature = "cuda-emulator")]
            Self::Emulated => f.write_str("cuda:emulated"),
            Self::NttMultiplier => f.write_str("rtl:ntt-multiplier"),
        }
    }
}

impl FromStr for DeviceChoice {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let number = |digits: &str| digits.parse().map(Self::Cuda).ok();
        let known = match name {
            "cpu" => Some(Self::Cpu),
            "auto" => Some(Self::Auto),
            "cuda" => Some(Self::Cuda(0)),
            #[cfg(feature = "cuda-emulator")]
            "cuda:emulated" => Some(Self::Emulated),
            "rtl:ntt-multiplier" => Some(Self::NttMultiplier),
            _ => name.strip_prefix("cuda:").and_then(number),
        };
        known.ok_or_else(|| {
            format!(
                "this program has no device of that name; it has: {}, rtl:ntt-multiplier",
                Self::GENERAL
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_devices() {
        for device in [
            DeviceChoice::Cpu,
            DeviceChoice::Auto,
            DeviceChoice::Cuda(0),
            DeviceChoice::Cuda(12),
            DeviceChoice::NttMultiplier,
        ] {
            assert_eq!(device.to_string().parse(), Ok(device));
        }
        assert_eq!("cuda".parse(), Ok(DeviceChoice::Cuda(0)));
        for name in ["abacus", "cuda:", "cuda:-1", "cuda:x", "CPU", ""] {
            let error = name.parse::<DeviceChoice>().unwrap_err();
            assert!(error.contains("cuda:N"), "{name}: {error}");
        }
    }
}
