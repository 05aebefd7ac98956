//! Lifts to more limbs, and scaling by means of lifts.

use num_bigint::BigUint;
use ringmill_arith::Basis;
use ringmill_device::DeviceError;
use ringmill_ring::Domain;

use super::{ConversionJob, ConversionKind};
use crate::device::{CudaDevice, CudaPoly};

impl CudaDevice {
    /// Does [`ringmill_device::Device::lifts`] for all polynomials together. `basis` is that of the
    /// results.
    pub(in crate::device) fn lift_all(
        &self,
        polys: &[&CudaPoly],
        extension: &Basis,
        basis: &Basis,
        to: Domain,
    ) -> Result<Vec<CudaPoly>, DeviceError> {
        let own = basis.prefix(basis.len() - extension.len())?;
        let conversion = self.conversion(ConversionKind::Lift, &BigUint::from(1u32), &own, extension)?;
        let mut task = self.store.task();
        let (mut results, mut jobs, mut addresses) = (Vec::new(), Vec::new(), Vec::new());
        let mut copies = Vec::new();
        for a in polys {
            let result = self.allocate(basis, to)?;
            let (from, address) = (task.read(a.words())?, task.write(result.words())?);
            copies.extend((0..own.len()).map(|i| (self.limb(from, i), self.limb(address, i))));
            jobs.push(ConversionJob {
                conversion: &conversion,
                from: (address, basis),
                to: (address, basis),
                own: None,
            });
            addresses.push(address);
            results.push(result);
        }
        self.copy_limbs(&mut task, &copies)?;
        self.convert(&mut task, &jobs)?;
        if to == Domain::Evaluation {
            self.transform_batch(&mut task, basis, &addresses, to)?;
        }
        Ok(results)
    }

    /// Does [`ringmill_device::Device::scales`]: divides all polynomials by q over B together, and returns to q.
    pub(in crate::device) fn scale_all(
        &self,
        polys: &[&CudaPoly],
        t: u64,
        q: &Basis,
        b: &Basis,
    ) -> Result<Vec<CudaPoly>, DeviceError> {
        let divide = self.conversion(ConversionKind::Divide, &t.into(), q, b)?;
        let back = self.conversion(ConversionKind::Lift, &BigUint::from(1u32), b, q)?;
        let results = polys.iter().map(|_| self.allocate(q, Domain::Coefficient));
        let results = results.collect::<Result<Vec<_>, _>>()?;
        let between = self.store.take(polys.len() * b.len() * self.n())?;
        let mut task = self.store.task();
        let quotients = task.write(&between)?;
        let (mut down, mut up) = (Vec::with_capacity(polys.len()), Vec::with_capacity(polys.len()));
        for (k, (c, result)) in polys.iter().zip(&results).enumerate() {
            let from = (task.read(c.words())?, c.basis());
            let quotient = (self.limb(quotients, k * b.len()), b);
            down.push(ConversionJob {
                conversion: &divide,
                from,
                to: quotient,
                own: Some(from),
            });
            up.push(ConversionJob {
                conversion: &back,
                from: quotient,
                to: (task.write(result.words())?, q),
                own: None,
            });
        }
        self.convert(&mut task, &down)?;
        self.convert(&mut task, &up)?;
        Ok(results)
    }
}
