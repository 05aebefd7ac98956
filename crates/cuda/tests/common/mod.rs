//! Emulated cards for the tests.

#![allow(dead_code, clippy::unwrap_used)] // every test uses some; a test stops where it fails

use std::sync::Arc;

use ringmill_arith::Kernel;
use ringmill_cuda::machine::{Emulator, EmulatorOptions};
use ringmill_cuda::{Arithmetic, CudaDevice};
use ringmill_device::CpuDevice;
use ringmill_ring::Ring;

/// Both ways to compute.
pub const ARITHMETICS: [Arithmetic; 2] = [Arithmetic::Doubles, Arithmetic::Words];

/// A device on an emulated card, which watches shared memory if it is `checked`.
pub fn emulated(ring: &Ring, arithmetic: Arithmetic, checked: bool) -> CudaDevice {
    let options = EmulatorOptions {
        checked,
        ..EmulatorOptions::default()
    };
    CudaDevice::new(ring, arithmetic, Arc::new(Emulator::new(options)))
}

/// What it is compared with.
pub fn cpu(ring: &Ring) -> CpuDevice {
    CpuDevice::new(ring, Kernel::from_environment().unwrap())
}
