//! Copies limbs from one polynomial to another.

use ringmill_arith::Basis;
use ringmill_device::DeviceError;
use ringmill_ring::Domain;
use zerocopy::{Immutable, IntoBytes};

use super::linear::THREADS;
use super::store::Task;
use super::{CudaDevice, CudaPoly};
use crate::gpu::Address;
use crate::layout::layout;

/// The most limbs that a launch copies: `MOST_COPIES` in `kernels/limbs.cuh`.
const MOST_COPIES: usize = 120;

/// `CopyParameters` in `kernels/limbs.cuh`.
#[repr(C)]
#[derive(IntoBytes, Immutable)]
struct CopyParameters {
    from: [Address; MOST_COPIES],
    to: [Address; MOST_COPIES],
    n: u64,
}

layout! {
    "kernels/limbs.cuh": CopyParameters { from, to, n }
}

impl CudaDevice {
    /// Copies the limbs of some of the primes unchanged.
    pub(super) fn restricted(&self, a: &CudaPoly, to: &Basis) -> Result<CudaPoly, DeviceError> {
        let places = to.moduli().iter().map(|q| a.position(q));
        let places = places.collect::<Result<Vec<_>, _>>()?;
        let result = self.allocate(to, a.domain())?;
        let mut task = self.store.task();
        let (from, target) = (task.read(a.words())?, task.write(result.words())?);
        let copies = places.iter().enumerate();
        let copies = copies.map(|(i, &place)| (self.limb(from, place), self.limb(target, i)));
        self.copy_limbs(&mut task, &copies.collect::<Vec<_>>())?;
        Ok(result)
    }

    /// Joins all limbs of several polynomials of one domain, in order, over the concatenation of their
    /// bases.
    pub(super) fn joined(&self, parts: &[&CudaPoly], basis: &Basis) -> Result<CudaPoly, DeviceError> {
        let domain = parts.first().map_or(Domain::Coefficient, |part| part.domain());
        let result = self.allocate(basis, domain)?;
        let mut task = self.store.task();
        let target = task.write(result.words())?;
        let mut copies = Vec::with_capacity(basis.len());
        for part in parts {
            let from = task.read(part.words())?;
            copies.extend((0..part.basis().len()).map(|i| (self.limb(from, i), 0)));
        }
        for (i, copy) in copies.iter_mut().enumerate() {
            copy.1 = self.limb(target, i);
        }
        self.copy_limbs(&mut task, &copies)?;
        Ok(result)
    }

    /// The address of a limb of a polynomial.
    pub(super) fn limb(&self, start: Address, place: usize) -> Address {
        start + 8 * (place * self.n()) as u64
    }

    /// Copies limbs, each from the first address to the second. The ranges do not overlap.
    pub(super) fn copy_limbs(
        &self,
        task: &mut Task,
        copies: &[(Address, Address)],
    ) -> Result<(), DeviceError> {
        for copies in copies.chunks(MOST_COPIES) {
            let mut parameters = CopyParameters {
                from: [0; MOST_COPIES],
                to: [0; MOST_COPIES],
                n: self.n() as u64,
            };
            for (k, &(from, to)) in copies.iter().enumerate() {
                (parameters.from[k], parameters.to[k]) = (from, to);
            }
            let grid = [self.n().div_ceil(THREADS), copies.len(), 1];
            // SAFETY: the structure is the kernel's; the callers took the addresses from this task, and there are n
            // words at each.
            unsafe { task.launch(&self.entry("copy"), grid, THREADS as u32, &parameters)? };
        }
        Ok(())
    }
}
