//! Stands for `ringmill_cuda`'s device until that exists.

use ringmill_cuda::machine::MachineError;
use ringmill_device::CpuDevice;
use ringmill_ring::Ring;

pub type CudaDevice = Stub;

pub struct CardInfo {
    pub name: String,
    pub memory: u64,
}

fn none<T>() -> Result<T, MachineError> {
    Err(MachineError::NoDriver("libcuda.so.1 was not found".to_owned()))
}

pub fn cards() -> Result<Vec<CardInfo>, MachineError> {
    none()
}

pub type Stub = CpuDevice;

pub trait Open: Sized {
    fn open(ring: &Ring, index: usize) -> Result<Self, MachineError>;
    #[cfg(feature = "cuda-emulator")]
    fn emulated(ring: &Ring) -> Self;
}

impl Open for CpuDevice {
    fn open(_: &Ring, _: usize) -> Result<Self, MachineError> {
        none()
    }

    #[cfg(feature = "cuda-emulator")]
    fn emulated(ring: &Ring) -> Self {
        CpuDevice::new(ring, ringmill_arith::Kernel::Portable)
    }
}
