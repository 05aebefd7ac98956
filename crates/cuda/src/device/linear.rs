//! Sums and differences.

use ringmill_device::DeviceError;
use zerocopy::{Immutable, IntoBytes};

use super::{CudaDevice, CudaPoly};
use crate::gpu::Address;
use crate::layout::layout;

/// The most polynomials in a launch: `MOST_TERMS` in `kernels/pointwise.cuh`.
pub(super) const MOST_TERMS: usize = 64;
/// The number of threads in a block of pointwise kernels.
pub(super) const THREADS: usize = 256;

/// `SumParameters` in `kernels/pointwise.cuh`.
#[repr(C)]
#[derive(IntoBytes, Immutable)]
struct SumParameters {
    terms: [Address; MOST_TERMS],
    result: Address,
    primes: Address,
    n: u64,
    count: u32,
    unused: u32,
    negative: u64,
}

layout! {
    "kernels/pointwise.cuh": SumParameters { terms, result, primes, n, count, unused, negative }
}

impl CudaDevice {
    /// The sum of polynomials of one basis and domain. The flag of a term says whether it is subtracted.
    pub(super) fn signed_sum(&self, terms: &[(&CudaPoly, bool)]) -> Result<CudaPoly, DeviceError> {
        let (first, _) = terms.first().ok_or(DeviceError::NoOperands)?;
        let mut rest = terms;
        let mut sum: Option<CudaPoly> = None;
        while !rest.is_empty() {
            let room = MOST_TERMS - usize::from(sum.is_some());
            let (now, later) = rest.split_at(rest.len().min(room));
            let before = sum.as_ref().map(|sum| (sum, false));
            let next = self.sum_once(first, before.iter().chain(now))?;
            sum = Some(next);
            rest = later;
        }
        sum.ok_or(DeviceError::NoOperands)
    }

    /// Does the same for at most [`MOST_TERMS`] polynomials.
    fn sum_once<'a>(
        &self,
        like: &CudaPoly,
        terms: impl Iterator<Item = &'a (&'a CudaPoly, bool)>,
    ) -> Result<CudaPoly, DeviceError> {
        let result = self.allocate(like.basis(), like.domain())?;
        let primes = self.primes.of(&self.store, like.basis())?;
        let mut task = self.store.task();
        let mut parameters = SumParameters {
            terms: [0; MOST_TERMS],
            result: task.write(result.words())?,
            primes: primes.address(),
            n: self.n() as u64,
            count: 0,
            unused: 0,
            negative: 0,
        };
        for (k, &(term, negative)) in terms.enumerate() {
            parameters.terms[k] = task.read(term.words())?;
            parameters.negative |= u64::from(negative) << k;
            parameters.count += 1;
        }
        let grid = [self.n().div_ceil(THREADS), like.basis().len(), 1];
        // SAFETY: the structure is the kernel's; all terms and the result have n words for each limb, and the primes
        // live as long as the device.
        unsafe { task.launch(&self.entry("sum"), grid, THREADS as u32, &parameters)? };
        Ok(result)
    }
}
