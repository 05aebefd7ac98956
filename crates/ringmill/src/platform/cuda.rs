//! NVIDIA GPUs, and the emulated one.

#[cfg(feature = "cuda-emulator")]
use std::env;
use std::sync::{Arc, Mutex, PoisonError};

#[cfg(feature = "cuda-emulator")]
use ringmill_cuda::Arithmetic;
use ringmill_cuda::CudaDevice;
use ringmill_cuda::gpu::nvidia::{GpuInfo, gpus};
#[cfg(feature = "cuda-emulator")]
use ringmill_cuda::gpu::{self, EmulatorOptions};
use ringmill_cuda::gpu::{GpuError, KernelTime};
use ringmill_ring::{FermatRing, Ring};

#[cfg(feature = "cuda-emulator")]
use super::DeviceName;
use super::Platform;
use crate::Error;

/// The dimension of the ring with which it is found out whether a GPU works.
const TRIAL: usize = 2048;

/// A GPU of this machine.
#[derive(Debug)]
pub struct Cuda {
    index: usize,
    info: GpuInfo,
    /// The devices that were opened, if they measure their kernels.
    measuring: Option<Mutex<Vec<Arc<CudaDevice>>>>,
}

impl Cuda {
    /// Finds the GPU of a number, counted from 0 in the driver's order.
    ///
    /// # Errors
    /// [`GpuError`] if there is no usable driver or no such GPU.
    pub fn new(index: usize) -> Result<Self, GpuError> {
        let mut gpus = gpus()?;
        let found = gpus.len();
        if index >= found {
            return Err(GpuError::NoGpu { index, found });
        }
        Ok(Self {
            index,
            info: gpus.swap_remove(index),
            measuring: None,
        })
    }

    /// Finds the first GPU on which a device can be opened.
    ///
    /// # Errors
    /// The reason why the first GPU cannot be used, if none can.
    pub fn first() -> Result<Self, Error> {
        let ring = Ring::from(FermatRing::new(TRIAL)?);
        let mut reason = None;
        for (index, info) in gpus()?.into_iter().enumerate() {
            match CudaDevice::open(&ring, index) {
                Ok(_) => {
                    return Ok(Self {
                        index,
                        info,
                        measuring: None,
                    });
                }
                Err(error) => reason = reason.or(Some(error)),
            }
        }
        Err(reason.unwrap_or(GpuError::NoGpu { index: 0, found: 0 }).into())
    }
}

impl Platform for Cuda {
    type Device = CudaDevice;

    fn name(&self) -> String {
        format!("cuda:{}", self.index)
    }

    fn hardware(&self) -> String {
        self.info.name.clone()
    }

    fn memory(&self) -> Option<u64> {
        Some(self.info.memory)
    }

    fn open(&self, ring: &Ring) -> Result<Arc<CudaDevice>, Error> {
        let Some(measuring) = &self.measuring else {
            return Ok(Arc::new(CudaDevice::open(ring, self.index)?));
        };
        let device = Arc::new(CudaDevice::open_profiled(ring, self.index)?);
        let mut devices = measuring.lock().unwrap_or_else(PoisonError::into_inner);
        devices.push(Arc::clone(&device));
        Ok(device)
    }

    fn profiled(&self) -> Result<Self, Error> {
        Ok(Self {
            index: self.index,
            info: self.info.clone(),
            measuring: Some(Mutex::default()),
        })
    }

    fn profile(&self) -> Result<Vec<KernelTime>, Error> {
        let mut times = Vec::new();
        if let Some(measuring) = &self.measuring {
            let devices = measuring.lock().unwrap_or_else(PoisonError::into_inner);
            for device in devices.iter() {
                times.extend(device.profile()?);
            }
        }
        Ok(times)
    }
}

/// The environment variable that says which launch of a kernel faults on an emulated GPU, from 1.
#[cfg(feature = "cuda-emulator")]
const FAULT: &str = "RINGMILL_EMULATED_FAULT";

/// A GPU that this machine's processor emulates, thread by thread: for tests.
#[cfg(feature = "cuda-emulator")]
#[derive(Debug, Clone, Copy, Default)]
pub struct Emulator;

#[cfg(feature = "cuda-emulator")]
impl Platform for Emulator {
    type Device = CudaDevice;

    fn name(&self) -> String {
        DeviceName::Emulated.to_string()
    }

    fn hardware(&self) -> String {
        "emulated GPU".to_owned()
    }

    fn open(&self, ring: &Ring) -> Result<Arc<CudaDevice>, Error> {
        let options = EmulatorOptions {
            failing_launch: env::var(FAULT).ok().and_then(|launch| launch.parse().ok()),
            ..EmulatorOptions::default()
        };
        let machine = Arc::new(gpu::Emulator::new(options));
        Ok(Arc::new(CudaDevice::new(ring, Arithmetic::Doubles, machine)))
    }
}
