//! Digits of limbs.

use num_bigint::BigUint;
use ringmill_arith::Basis;
use ringmill_device::{DeviceError, Digits};
use ringmill_ring::Domain;

use super::conversion::{ConversionJob, ConversionKind};
use super::{CudaDevice, CudaPoly};

impl CudaDevice {
    /// Makes the digits of polynomials of one basis as the contract defines them.
    pub(super) fn digits_of(
        &self,
        polys: &[&CudaPoly],
        digits: &Digits,
    ) -> Result<Vec<Vec<CudaPoly>>, DeviceError> {
        let Some(first) = polys.first() else {
            return Ok(Vec::new());
        };
        match digits {
            Digits::Limbs { groups, .. } => {
                let owns = Digits::limbs_of(groups, first.basis())?;
                self.limb_digits(polys, first.basis(), &owns, &digits.extended(first.basis())?)
            }
            Digits::BaseTwo { bits } => {
                let words = polys.iter().map(|a| self.base_two_digits(a, *bits, a.basis()));
                words.collect()
            }
        }
    }

    /// Makes for each polynomial over `basis` one digit for each basis of its limbs, over `extended`. All digits of all
    /// polynomials are lifted together, their own limbs copied, and all transformed together.
    fn limb_digits(
        &self,
        polys: &[&CudaPoly],
        basis: &Basis,
        owns: &[Basis],
        extended: &Basis,
    ) -> Result<Vec<Vec<CudaPoly>>, DeviceError> {
        let mut lifts = Vec::with_capacity(owns.len());
        for own in owns {
            let others = extended.moduli().iter().filter(|q| own.position(q).is_none());
            let others = Basis::new(&others.copied().collect::<Vec<_>>())?;
            lifts.push(self.conversion(ConversionKind::Lift, &BigUint::from(1u32), own, &others)?);
        }
        let coefficients = self.all_in_domain(polys, Domain::Coefficient)?;
        let mut task = self.store.task();
        let (mut results, mut targets) = (Vec::with_capacity(polys.len()), Vec::new());
        let (mut jobs, mut copies) = (Vec::new(), Vec::new());
        for (given, coefficients) in polys.iter().zip(&coefficients) {
            let a = coefficients.as_ref().unwrap_or(given);
            let from = task.read(a.words())?;
            let mut digits = Vec::with_capacity(owns.len());
            for (own, conversion) in owns.iter().zip(&lifts) {
                let digit = self.allocate(extended, Domain::Evaluation)?;
                let to = task.write(digit.words())?;
                jobs.push(ConversionJob {
                    conversion,
                    from: (from, basis),
                    to: (to, extended),
                    own: None,
                });
                for q in own.moduli() {
                    // The first limbs of the extended basis are those of the polynomial.
                    let place = a.position(q)?;
                    copies.push((self.limb(from, place), self.limb(to, place)));
                }
                targets.push(to);
                digits.push(digit);
            }
            results.push(digits);
        }
        self.convert(&mut task, &jobs)?;
        self.copy_limbs(&mut task, &copies)?;
        self.transform_batch(&mut task, extended, &targets, Domain::Evaluation)?;
        Ok(results)
    }
}
