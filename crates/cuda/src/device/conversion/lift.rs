//! Lifts to more limbs, and scaling by means of lifts.

use num_bigint::BigUint;
use ringmill_arith::Basis;
use ringmill_device::DeviceError;
use ringmill_ring::Domain;

use super::{ConversionJob, ConversionKind};
use crate::device::{CudaDevice, CudaPoly};

impl CudaDevice {
    /// Does [`ringmill_device::Device::lifts`] with one launch for all polynomials. `basis` is that of the
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
        for a in polys {
            let result = self.allocate(basis, to)?;
            task.copy((a.words(), 0), (result.words(), 0), a.words().len())?;
            let address = task.write(result.words())?;
            jobs.push(ConversionJob {
                conversion: &conversion,
                from: (address, basis),
                to: (address, basis),
                own: None,
            });
            addresses.push(address);
            results.push(result);
        }
        self.convert(&mut task, &jobs)?;
        if to == Domain::Evaluation {
            self.transform_batch(&mut task, basis, &addresses, to)?;
        }
        Ok(results)
    }

    /// Does [`ringmill_device::Device::scale`]: divides by q over B, and returns to q.
    pub(in crate::device) fn scale_down(
        &self,
        c: &CudaPoly,
        t: u64,
        q: &Basis,
        b: &Basis,
    ) -> Result<CudaPoly, DeviceError> {
        let divide = self.conversion(ConversionKind::Divide, &t.into(), q, b)?;
        let back = self.conversion(ConversionKind::Lift, &BigUint::from(1u32), b, q)?;
        let result = self.allocate(q, Domain::Coefficient)?;
        let between = self.store.take(b.len() * self.n())?;
        let mut task = self.store.task();
        let from = (task.read(c.words())?, c.basis());
        let quotient = (task.write(&between)?, b);
        let to = (task.write(result.words())?, q);
        let divide = ConversionJob {
            conversion: &divide,
            from,
            to: quotient,
            own: Some(from),
        };
        self.convert(&mut task, &[divide])?;
        let back = ConversionJob {
            conversion: &back,
            from: quotient,
            to,
            own: None,
        };
        self.convert(&mut task, &[back])?;
        Ok(result)
    }
}
