//! A device that fails when it is told to.

use std::sync::atomic::{AtomicUsize, Ordering};

use ringmill_arith::Simd;
use ringmill_cpu::{CpuDevice, CpuPoly};
use ringmill_device::{Device, DeviceError, Domain, Ring, delegate, operations};

/// The processor, whose operations fail from some call on.
pub struct Failing {
    device: CpuDevice,
    /// Operations before the first that fails.
    left: AtomicUsize,
}

impl Failing {
    /// A device that does not fail yet.
    pub fn new(ring: &Ring) -> Self {
        Self {
            device: CpuDevice::new(ring, Simd::from_environment().unwrap()),
            left: AtomicUsize::new(usize::MAX),
        }
    }

    /// Has all operations fail after so many that do not.
    pub fn fail_after(&self, operations: usize) {
        self.left.store(operations, Ordering::SeqCst);
    }

    fn count(&self) -> Result<(), DeviceError> {
        let next = |left: usize| match left {
            usize::MAX => Some(usize::MAX),
            left => left.checked_sub(1),
        };
        let left = self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, next);
        left.map(drop).map_err(|_| DeviceError::Failed {
            device: self.name(),
            problem: "it was told to".to_owned(),
        })
    }
}

/// An operation of the CPU device, unless it is to fail.
macro_rules! failing {
    ([] fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty) => {
        fn $name(&self, $($argument: $type),*) -> $result {
            self.count()?;
            self.device.$name($($argument),*)
        }
    };
}

impl Device for Failing {
    type Poly = CpuPoly;

    fn name(&self) -> String {
        "failing".to_owned()
    }

    /// Overwrites the batch even if it is to fail, as the contract says.
    fn multiply_fixed(
        &self,
        batch: Vec<CpuPoly>,
        factors: &[&CpuPoly],
    ) -> Result<Vec<Vec<CpuPoly>>, DeviceError> {
        if let Err(error) = self.count() {
            batch.into_iter().for_each(|a| self.device.wipe(a));
            return Err(error);
        }
        self.device.multiply_fixed(batch, factors)
    }

    /// Overwrites the polynomial even if it is to fail.
    fn transform(&self, a: CpuPoly, to: Domain) -> Result<CpuPoly, DeviceError> {
        if let Err(error) = self.count() {
            self.device.wipe(a);
            return Err(error);
        }
        self.device.transform(a, to)
    }

    delegate!(self.device: ring, memory, narrow_transform_time, basis, domain, wipe, finish, hint_idle, prefetch, release);

    operations!(failing, []: upload, download, copy, restrict, concat_limbs, sum, sub, negate, inner_product);
    operations!(failing, []: inner_products, automorphism, lift, lifts, scale, rescale, extend_by_p, decompose);
    operations!(failing, []: decompose_base_two, key_switch_grouped, key_switch, relinearize, rotate, rotated_sums);
}
