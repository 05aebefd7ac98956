//! Work on limbs, in parallel over the primes.

use rayon::prelude::*;
use ringmill_arith::{Basis, Modulus};
use ringmill_ring::Domain;

use super::pool::Limb;
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
            limbs
                .iter_mut()
                .zip(poly.limbs_mut())
                .for_each(|(limbs, limb)| limbs.push(limb));
        }
        limbs
            .par_iter_mut()
            .zip(basis.moduli())
            .try_for_each(|(limbs, q)| work(q, limbs))
    }

    pub(super) fn transform_limbs(
        &self,
        basis: &Basis,
        limbs: &mut [Limb],
        to: Domain,
    ) -> Result<(), DeviceError> {
        let limbs = limbs.par_iter_mut().zip(basis.moduli());
        limbs.try_for_each(|(limb, q)| {
            let transform = self.table(q)?;
            match to {
                Domain::Evaluation => transform.evaluate(limb)?,
                Domain::Coefficient => transform.interpolate(limb)?,
            }
            Ok(())
        })
    }

    /// A polynomial of the other domain in this one; it stays as it is.
    pub(super) fn transformed(&self, a: &CpuPoly, to: Domain) -> Result<CpuPoly, DeviceError> {
        let mut result = self.allocate(a.basis(), to);
        let limbs = result.limbs_mut().par_iter_mut().zip(a.limbs());
        limbs.zip(a.basis().moduli()).try_for_each(|((limb, from), q)| {
            let transform = self.table(q)?;
            match to {
                Domain::Evaluation => transform.evaluate_to(from, limb)?,
                Domain::Coefficient => transform.interpolate_to(from, limb)?,
            }
            Ok::<(), DeviceError>(())
        })?;
        Ok(result)
    }
}
