//! Brings several polynomials at a time from one domain to the other.

use ringmill_device::DeviceError;
use ringmill_ring::Domain;

use super::{CudaDevice, CudaPoly};

impl CudaDevice {
    /// Transforms polynomials of one basis, all of which are in the other domain.
    pub(super) fn transform_in_place(
        &self,
        polys: &mut [&mut CudaPoly],
        to: Domain,
    ) -> Result<(), DeviceError> {
        let Some(first) = polys.first() else {
            return Ok(());
        };
        let basis = first.basis().clone();
        let mut task = self.store.task();
        let addresses = polys.iter().map(|a| task.write(a.words()));
        let addresses = addresses.collect::<Result<Vec<_>, _>>()?;
        self.transform_batch(&mut task, &basis, &addresses, to)?;
        polys.iter_mut().for_each(|a| a.set_domain(to));
        Ok(())
    }

    /// Copies polynomials of one basis, all of which are in the other domain, into this domain.
    pub(super) fn copies_in(&self, polys: &[&CudaPoly], to: Domain) -> Result<Vec<CudaPoly>, DeviceError> {
        let Some(first) = polys.first() else {
            return Ok(Vec::new());
        };
        let copies = polys.iter().map(|a| self.allocate(a.basis(), to));
        let copies = copies.collect::<Result<Vec<_>, _>>()?;
        let mut task = self.store.task();
        let (mut addresses, mut limbs) = (Vec::with_capacity(polys.len()), Vec::new());
        for (a, copy) in polys.iter().zip(&copies) {
            let (from, target) = (task.read(a.words())?, task.write(copy.words())?);
            limbs.extend((0..a.basis().len()).map(|i| (self.limb(from, i), self.limb(target, i))));
            addresses.push(target);
        }
        self.copy_limbs(&mut task, &limbs)?;
        self.transform_batch(&mut task, first.basis(), &addresses, to)?;
        Ok(copies)
    }

    /// The polynomial in this domain if it is in the other one; `None` if it is in this domain already.
    pub(super) fn in_domain(&self, a: &CudaPoly, domain: Domain) -> Result<Option<CudaPoly>, DeviceError> {
        if a.domain() == domain {
            Ok(None)
        } else {
            Ok(self.copies_in(&[a], domain)?.pop())
        }
    }
}
