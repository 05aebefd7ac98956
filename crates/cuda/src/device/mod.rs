//! A GPU as a device.

mod arithmetic;
mod automorphism;
mod cache;
mod contract;
mod conversion;
mod digits;
mod domains;
mod key_sums;
mod key_switch_grouped;
mod limbs;
mod linear;
mod open;
mod poly;
mod primes;
mod products;
mod store;
mod switch;
#[cfg(all(test, feature = "emulator"))]
mod tests;
mod transforms;

pub use arithmetic::Arithmetic;
pub use poly::CudaPoly;

use std::sync::Arc;

use ringmill_arith::Basis;
use ringmill_device::DeviceError;
use ringmill_ring::{Domain, Ring};

use crate::gpu::Gpu;
use conversion::Conversions;
use primes::Primes;
use store::Store;
use transforms::Transforms;

/// A GPU, real or emulated, as a device.
#[derive(Debug)]
pub struct CudaDevice {
    ring: Ring,
    arithmetic: Arithmetic,
    store: Arc<Store>,
    primes: Primes,
    conversions: Conversions,
    transforms: Transforms,
}

impl CudaDevice {
    /// Makes a device for one ring on a machine that has the kernels for this ring and this arithmetic.
    #[must_use]
    pub fn new(ring: &Ring, arithmetic: Arithmetic, machine: Arc<dyn Gpu>) -> Self {
        Self {
            ring: ring.clone(),
            arithmetic,
            store: Store::new(machine),
            primes: Primes::default(),
            conversions: Conversions::default(),
            transforms: Transforms::default(),
        }
    }

    /// Limits the device to this many bytes of the GPU's memory, to share a GPU or to imitate a smaller one.
    #[must_use]
    pub fn with_memory(self, bytes: u64) -> Self {
        self.store.limit(bytes);
        self
    }

    /// The way in which the device computes with residues.
    #[must_use]
    pub fn arithmetic(&self) -> Arithmetic {
        self.arithmetic
    }

    fn n(&self) -> usize {
        self.ring.n()
    }

    /// The name of a kernel that exists for every arithmetic.
    fn entry(&self, kernel: &str) -> String {
        format!("{kernel}_{}", self.arithmetic.name())
    }

    fn allocate(&self, basis: &Basis, domain: Domain) -> Result<CudaPoly, DeviceError> {
        let words = self.store.take(basis.len() * self.n())?;
        Ok(CudaPoly::new(basis.clone(), domain, words))
    }
}
