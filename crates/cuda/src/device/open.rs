//! Opens devices on GPUs.

use std::sync::Arc;

use ringmill_ring::Ring;

use super::{Arithmetic, CudaDevice};
use crate::KernelSource;
use crate::gpu::nvidia::{NvidiaGpu, gpus};
use crate::gpu::{Gpu, GpuError, KernelTime};

/// The device leaves this fraction of a GPU's free memory, one part in `RESERVE`, to the driver, which needs
/// some for each kernel and stream.
const RESERVE: u64 = 32;

impl CudaDevice {
    /// Opens a device for one ring on a GPU; GPUs are counted from 0. The device compiles its kernels or
    /// takes them from the user's cache. They compute in the way that suits the GPU, or as
    /// `RINGMILL_CUDA_ARITHMETIC` says: `doubles` or `words`.
    ///
    /// # Errors
    /// Those of [`NvidiaGpu::open`]; [`GpuError::NoArithmetic`] if the variable has another value.
    pub fn open(ring: &Ring, index: usize) -> Result<Self, GpuError> {
        Self::on_gpu(ring, index, NvidiaGpu::open)
    }

    /// Opens a device like [`CudaDevice::open`], on a GPU that measures its kernels for
    /// [`CudaDevice::profile`].
    ///
    /// # Errors
    /// Those of [`CudaDevice::open`].
    pub fn open_profiled(ring: &Ring, index: usize) -> Result<Self, GpuError> {
        Self::on_gpu(ring, index, NvidiaGpu::open_profiled)
    }

    fn on_gpu(
        ring: &Ring,
        index: usize,
        open: fn(usize, &KernelSource) -> Result<NvidiaGpu, GpuError>,
    ) -> Result<Self, GpuError> {
        let gpus = gpus()?;
        let found = gpus.len();
        let gpu = gpus.get(index).ok_or(GpuError::NoGpu { index, found })?;
        let arithmetic = Arithmetic::from_environment(gpu.capability)?;
        let gpu = open(index, &KernelSource::of_device(ring, arithmetic))?;
        let free = gpu.memory()?.free;
        Ok(Self::new(ring, arithmetic, Arc::new(gpu)).with_memory(free - free / RESERVE))
    }

    /// The time that each kernel has run so far, if the GPU was opened to measure it; otherwise an empty
    /// list.
    ///
    /// # Errors
    /// Errors arise if the GPU has failed.
    pub fn profile(&self) -> Result<Vec<KernelTime>, GpuError> {
        self.store.machine().profile()
    }
}
