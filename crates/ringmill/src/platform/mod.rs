//! Where devices come from: this machine's processor, its GPUs, simulated machines, and your own.
//!
//! A [`Platform`] opens a [`Device`] for each ring that a job needs. [`Cpu`] is the processor; [`open_device`] finds
//! others by name. Whoever writes a device implements [`Platform`] for whatever opens it, and plans a job on that with
//! [`Planning::plan_on`](crate::Planning::plan_on).

#[cfg(feature = "cuda")]
mod cuda;
mod name;
#[cfg(feature = "rtl")]
mod rtl;

use std::fs;
use std::sync::Arc;

use ringmill_arith::Simd;
use ringmill_cpu::CpuDevice;
use ringmill_device::Device;
use ringmill_fv::{Context, Parameters};
use ringmill_ring::Ring;

#[cfg(feature = "cuda")]
pub use cuda::Cuda;
#[cfg(feature = "cuda-emulator")]
pub use cuda::Emulator;
pub use name::{AnyPlatform, DeviceName, PlatformTask, open_device};
#[cfg(feature = "cuda")]
pub use ringmill_cuda::gpu::KernelTime;
#[cfg(feature = "rtl")]
pub use rtl::{Core, NttMultiplier};

use crate::Error;

/// Something that has devices: it opens one for each ring.
pub trait Platform: Send + Sync + 'static {
    /// The devices.
    type Device: Device + 'static;

    /// The name by which [`open_device`] finds it; calibrations are kept by it.
    fn name(&self) -> String;

    /// The model of the hardware that computes.
    fn hardware(&self) -> String;

    /// Bytes of memory of its own; none where that is the host's.
    fn memory(&self) -> Option<u64> {
        None
    }

    /// Opens a device for a ring.
    ///
    /// # Errors
    /// If the device cannot be used; [`ErrorKind::Device`](crate::ErrorKind::Device).
    fn open(&self, ring: &Ring) -> Result<Arc<Self::Device>, Error>;

    /// Parameters with their tables on a device for their ring.
    ///
    /// # Errors
    /// As [`Platform::open`]; if the parameters do not suit the device.
    fn context(&self, parameters: Parameters) -> Result<Context<Self::Device>, Error> {
        let device = self.open(parameters.ring())?;
        Ok(Context::new(parameters, device)?)
    }

    /// The same platform; devices that it opens from now on measure how long their kernels run.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`](crate::ErrorKind::Usage) unless it overrides this: only GPUs measure kernels.
    #[cfg(feature = "cuda")]
    fn profiled(&self) -> Result<Self, Error>
    where
        Self: Sized,
    {
        Err(Error::Usage(format!(
            "--profile: {} does not measure kernels, only GPUs do: --device cuda",
            self.name()
        )))
    }

    /// How long kernels ran on the devices opened so far, device by device; nothing where that is not measured.
    ///
    /// # Errors
    /// If a device failed.
    #[cfg(feature = "cuda")]
    fn profile(&self) -> Result<Vec<KernelTime>, Error> {
        Ok(Vec::new())
    }
}

/// This machine's processor, with the vector kernel that the environment asks for (`RINGMILL_KERNEL`).
#[derive(Debug, Clone, Copy, Default)]
pub struct Cpu;

impl Cpu {
    /// The model of the processor; its architecture where the system does not tell.
    #[must_use]
    pub fn model() -> String {
        let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let line = text.lines().find(|line| line.starts_with("model name"));
        let model = line.and_then(|line| line.split_once(':'));
        model
            .map_or(std::env::consts::ARCH, |(_, model)| model.trim())
            .to_owned()
    }
}

impl Platform for Cpu {
    type Device = CpuDevice;

    fn name(&self) -> String {
        DeviceName::Cpu.to_string()
    }

    fn hardware(&self) -> String {
        Self::model()
    }

    fn open(&self, ring: &Ring) -> Result<Arc<CpuDevice>, Error> {
        Ok(Arc::new(CpuDevice::new(ring, Simd::from_environment()?)))
    }
}
