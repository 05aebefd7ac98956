//! Emulated GPUs for the tests.

use std::sync::Arc;

use ringmill_arith::Simd;
use ringmill_cpu::CpuDevice;
use ringmill_cuda::gpu::{Emulator, EmulatorOptions};
use ringmill_cuda::{Arithmetic, CudaDevice};
use ringmill_ring::Ring;

/// Both arithmetics.
pub const ARITHMETICS: [Arithmetic; 2] = [Arithmetic::Doubles, Arithmetic::Words];

/// A device on an emulated GPU.
pub fn emulated(ring: &Ring, arithmetic: Arithmetic, options: EmulatorOptions) -> CudaDevice {
    CudaDevice::new(ring, arithmetic, Arc::new(Emulator::new(options)))
}

/// Options that check every access to shared memory.
pub fn checked() -> EmulatorOptions {
    EmulatorOptions {
        checked: true,
        ..EmulatorOptions::default()
    }
}

/// The device for comparison.
pub fn cpu(ring: &Ring) -> CpuDevice {
    CpuDevice::new(ring, Simd::from_environment().unwrap())
}
