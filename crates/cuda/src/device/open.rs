//! Devices on GPUs.

use std::sync::Arc;

use ringmill_ring::Ring;

use super::{Arithmetic, CudaDevice};
use crate::KernelSource;
use crate::gpu::nvidia::{NvidiaGpu, gpus};
use crate::gpu::{Gpu, GpuError, KernelTime};

/// Of the memory that a GPU has free, one part in so many is left to the driver, which needs some for each kernel
/// and stream.
const RESERVE: u64 = 32;

impl CudaDevice {
    /// A device for one ring on a GPU, counted from 0. Kernels are compiled, or taken from the user's cache; they
    /// compute as suits the GPU, or as `RINGMILL_CUDA_ARITHMETIC` says: `doubles` or `words`.
    ///
    /// # Errors
    /// As [`NvidiaGpu::open`]; [`GpuError::NoArithmetic`].
    pub fn open(ring: &Ring, index: usize) -> Result<Self, GpuError> {
        Self::on_gpu(ring, index, NvidiaGpu::open)
    }

    /// As [`CudaDevice::open`], on a GPU that measures its kernels: [`CudaDevice::profile`].
    ///
    /// # Errors
    /// As [`CudaDevice::open`].
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

    /// How long each kernel ran so far, if the GPU was opened to measure that; else nothing.
    ///
    /// # Errors
    /// If the GPU failed.
    pub fn profile(&self) -> Result<Vec<KernelTime>, GpuError> {
        self.store.machine().profile()
    }
}
