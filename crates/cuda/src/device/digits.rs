//! Digits of limbs.

use num_bigint::BigUint;
use ringmill_arith::Basis;
use ringmill_device::{DeviceError, Digits};
use ringmill_ring::Domain;

use super::conversion::{ConversionJob, ConversionKind};
use super::{CudaDevice, CudaPoly};

impl CudaDevice {
    /// Makes digits as the contract defines them.
    pub(super) fn digits_of(&self, a: &CudaPoly, digits: &Digits) -> Result<Vec<CudaPoly>, DeviceError> {
        match digits {
            Digits::Limbs { groups, .. } => {
                let owns = Digits::limbs_of(groups, a.basis())?;
                self.limb_digits(a, &owns, &digits.extended(a.basis())?)
            }
            Digits::BaseTwo { bits } => self.base_two_digits(a, *bits, a.basis()),
        }
    }

    /// Makes one digit for each basis of limbs of `a`, over `extended`. One launch lifts all digits, another
    /// copies their own limbs, and all are transformed together.
    fn limb_digits(
        &self,
        a: &CudaPoly,
        owns: &[Basis],
        extended: &Basis,
    ) -> Result<Vec<CudaPoly>, DeviceError> {
        let mut lifts = Vec::with_capacity(owns.len());
        for own in owns {
            let others = extended.moduli().iter().filter(|q| own.position(q).is_none());
            let others = Basis::new(&others.copied().collect::<Vec<_>>())?;
            lifts.push(self.conversion(ConversionKind::Lift, &BigUint::from(1u32), own, &others)?);
        }
        let copy = self.in_domain(a, Domain::Coefficient)?;
        let a = copy.as_ref().unwrap_or(a);
        let mut results = Vec::with_capacity(owns.len());
        for _ in owns {
            results.push(self.allocate(extended, Domain::Evaluation)?);
        }
        let mut task = self.store.task();
        let from = task.read(a.words())?;
        let targets = results.iter().map(|digit| task.write(digit.words()));
        let targets = targets.collect::<Result<Vec<_>, _>>()?;
        let jobs = lifts.iter().zip(&targets).map(|(conversion, &to)| ConversionJob {
            conversion,
            from: (from, a.basis()),
            to: (to, extended),
            own: None,
        });
        self.convert(&mut task, &jobs.collect::<Vec<_>>())?;
        let mut copies = Vec::with_capacity(a.basis().len());
        for (own, &to) in owns.iter().zip(&targets) {
            for q in own.moduli() {
                // The first limbs of the extended basis are those of a.
                let place = a.position(q)?;
                copies.push((self.limb(from, place), self.limb(to, place)));
            }
        }
        self.copy_limbs(&mut task, &copies)?;
        self.transform_batch(&mut task, extended, &targets, Domain::Evaluation)?;
        Ok(results)
    }
}
