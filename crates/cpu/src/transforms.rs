//! Work on limbs, in parallel over the primes.

use rayon::prelude::*;
use ringmill_arith::{Basis, Modulus};
use ringmill_ring::Domain;

use super::{CpuDevice, CpuPoly};
use ringmill_device::DeviceError;

impl CpuDevice {
    /// Runs `work` for each prime on the limbs of all the polynomials, in parallel over the primes.
    pub(super) fn each_limb(
        &self,
        basis: &Basis,
        polys: &mut [CpuPoly],
        work: impl Fn(&Modulus, &mut [&mut [u64]]) -> Result<(), DeviceError> + Sync,
    ) -> Result<(), DeviceError> {
        let mut limbs: Vec<Vec<&mut [u64]>> = basis.moduli().iter().map(|_| Vec::new()).collect();
        for poly in polys {
            let parts = poly.words_mut().chunks_exact_mut(self.ring.n());
            limbs
                .iter_mut()
                .zip(parts)
                .for_each(|(limbs, part)| limbs.push(part));
        }
        limbs
            .par_iter_mut()
            .zip(basis.moduli())
            .try_for_each(|(limbs, q)| work(q, limbs))
    }

    pub(super) fn transform_limbs(
        &self,
        basis: &Basis,
        words: &mut [u64],
        to: Domain,
    ) -> Result<(), DeviceError> {
        let limbs = words.par_chunks_exact_mut(self.n()).zip(basis.moduli());
        limbs.try_for_each(|(limb, q)| {
            let transform = self.tables.transform(&self.ring, q, self.kernel)?;
            match to {
                Domain::Evaluation => transform.evaluate(limb)?,
                Domain::Coefficient => transform.interpolate(limb)?,
            }
            Ok(())
        })
    }
}
