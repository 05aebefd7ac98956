//! Multiples of polynomials over other bases, word by word.

use num_bigint::BigUint;
use ringmill_arith::Basis;
use ringmill_device::DeviceError;
use zerocopy::{Immutable, IntoBytes};

use super::source::{Missing, residue};
use crate::device::CudaDevice;
use crate::device::store::Task;
use crate::gpu::Address;
use crate::layout::layout;

/// The most polynomials in a launch: `MOST_MULTIPLES` in `kernels/multiples.cuh`.
const MOST_MULTIPLES: usize = 64;
/// The number of threads in a block.
const THREADS: usize = 256;

/// `MultiplesParameters` in `kernels/multiples.cuh`.
#[repr(C)]
#[derive(IntoBytes, Immutable)]
struct MultiplesParameters {
    from: [Address; MOST_MULTIPLES],
    to: [Address; MOST_MULTIPLES],
    places: Address,
    primes: Address,
    factors: Address,
    n: u64,
}

layout! {
    "kernels/multiples.cuh": MultiplesParameters { from, to, places, primes, factors, n }
}

/// Computes multiples over another basis of polynomials over one basis, in either domain.
pub(super) struct Multiples<'a> {
    /// The basis of the operands.
    pub(super) from: &'a Basis,
    /// The basis of the results.
    pub(super) to: &'a Basis,
    /// The factor: a quotient whose divisor is invertible.
    pub(super) factor: (&'a BigUint, &'a BigUint),
    /// Whether results are added to the words that are there.
    pub(super) added: bool,
}

impl CudaDevice {
    /// For each pair of addresses, makes the second polynomial from the first; limbs that the first lacks
    /// become zeros.
    pub(super) fn multiples(
        &self,
        task: &mut Task,
        multiples: &Multiples<'_>,
        pairs: &[(Address, Address)],
    ) -> Result<(), DeviceError> {
        let to = multiples.to;
        let places = self.places(to, multiples.from, Missing::Zero)?;
        let (primes, factors) = (
            self.primes.of(&self.store, to)?,
            self.ratio(multiples.factor, to)?,
        );
        let kernel = if multiples.added {
            "add_multiples"
        } else {
            "multiples"
        };
        for pairs in pairs.chunks(MOST_MULTIPLES) {
            let mut parameters = MultiplesParameters {
                from: [0; MOST_MULTIPLES],
                to: [0; MOST_MULTIPLES],
                places,
                primes: primes.address(),
                factors,
                n: self.n() as u64,
            };
            for (k, &(from, to)) in pairs.iter().enumerate() {
                (parameters.from[k], parameters.to[k]) = (from, to);
            }
            let grid = [self.n().div_ceil(THREADS), to.len(), pairs.len()];
            // SAFETY: the structure is the kernel's; the caller vouches for the polynomials, which have n words for
            // each limb of their bases, and the tables live as long as the device.
            unsafe { task.launch(&self.entry(kernel), grid, THREADS as u32, &parameters)? };
        }
        Ok(())
    }

    /// A quotient as a factor modulo each prime; its divisor must be invertible. The device keeps it as long
    /// as it exists.
    pub(in crate::device) fn ratio(
        &self,
        (up, down): (&BigUint, &BigUint),
        to: &Basis,
    ) -> Result<Address, DeviceError> {
        let key = (up.clone(), down.clone(), to.clone());
        let table = self.conversions.ratios.get(key, || {
            let mut table = Vec::new();
            for q in to.moduli() {
                let inverse = q.inv(residue(down, q)).unwrap_or(0);
                self.arithmetic
                    .encode(q, q.mul(residue(up, q), inverse), &mut table);
            }
            self.store.constant(&table)
        })?;
        Ok(table.address())
    }
}
