//! Modulus switching: limbs given up, with rounding, and limbs taken on.

use std::ops::Deref;
use std::sync::Arc;

use rayon::prelude::*;
use ringmill_arith::{Basis, Conversion, Dividend, Modulus, Simd};
use ringmill_ring::Domain;

use super::digits::Source;
use super::{CpuDevice, CpuPoly, columns, limbs};
use ringmill_device::{BasisChange, Device, DeviceError};

/// Words and what they are multiplied with.
pub(super) type Term<'a> = (&'a [u64], u64);

/// The way from one basis to another, and what it takes.
pub(super) struct Rescaling {
    pub(super) change: BasisChange,
    /// U a / D from the old limb and the limbs given up, or -r/D only, over all target primes.
    conversion: Option<Arc<Conversion>>,
    kernel: Simd,
}

impl Rescaling {
    /// From `from` to `to`, results in this domain.
    pub(super) fn new(
        device: &CpuDevice,
        from: &Basis,
        to: &Basis,
        domain: Domain,
    ) -> Result<Self, DeviceError> {
        let change = BasisChange::new(from, to)?;
        let conversion = match &change.dropped {
            None => None,
            Some(dropped) => Some(match domain {
                Domain::Coefficient => device.tables.divide(device.kernel, &change.up, dropped, to)?,
                Domain::Evaluation => device.tables.correction(device.kernel, &change.up, dropped, to)?,
            }),
        };
        Ok(Self {
            change,
            conversion,
            kernel: device.kernel,
        })
    }

    /// Prepares the limbs given up, in coefficient domain, in the order of `dropped`.
    pub(super) fn source(&self, device: &CpuDevice, limbs: &[&[u64]]) -> Result<Option<Source>, DeviceError> {
        let source = self.conversion.as_ref().map(|c| Source::new(device, c, limbs));
        source.transpose()
    }

    /// Turns the old limbs of a polynomial into the new ones, block by block of columns; all in coefficient domain.
    /// `dropped` are the limbs given up.
    pub(super) fn divide(
        &self,
        dropped: &[impl Deref<Target = [u64]>],
        old: &[Dividend<'_>],
        to: &Basis,
        result: &mut CpuPoly,
    ) -> Result<(), DeviceError> {
        let dropped: Vec<&[u64]> = dropped.iter().map(|limb| &**limb).collect();
        if let Some(conversion) = &self.conversion {
            return columns::divide(conversion, &dropped, old, result.limbs_mut());
        }
        let limbs = result.limbs_mut().iter_mut().zip(to.moduli());
        limbs
            .zip(old)
            .try_for_each(|((limb, q), old)| self.finish(None, q, *old, limb))
    }

    /// Turns the old limb, or zeros where there was none, into the new one; all in coefficient domain.
    pub(super) fn finish(
        &self,
        source: Option<&Source>,
        q: &Modulus,
        old: Dividend<'_>,
        limb: &mut [u64],
    ) -> Result<(), DeviceError> {
        if let (Some(conversion), Some(source)) = (&self.conversion, source) {
            return source.combine(conversion, q, old, limb);
        }
        match old {
            Dividend::Zero => limb.fill(0),
            Dividend::Target => {}
            Dividend::Limb(old) => limb.copy_from_slice(old),
        }
        limbs::scale(self.kernel, q, self.change.factor(q), limb);
        Ok(())
    }

    /// Makes a new limb in evaluation domain from the old one, a sum of `values` in evaluation domain and
    /// of products of words in coefficient domain with constants.
    pub(super) fn finish_evaluated(
        &self,
        device: &CpuDevice,
        source: Option<&Source>,
        q: &Modulus,
        values: Option<&[u64]>,
        coefficients: &[Term<'_>],
        limb: &mut [u64],
    ) -> Result<(), DeviceError> {
        let factor = self.change.factor(q);
        match (&self.conversion, source) {
            (Some(conversion), Some(source)) => source.combine(conversion, q, Dividend::Zero, limb)?,
            _ => limb.fill(0),
        }
        for &(words, constant) in coefficients {
            limbs::add_product(device.kernel, q, limb, q.mul(constant, factor), words);
        }
        if self.conversion.is_some() || !coefficients.is_empty() {
            device.table(q)?.evaluate(limb)?;
        }
        if let Some(values) = values {
            limbs::add_product(device.kernel, q, limb, factor, values);
        }
        Ok(())
    }
}

/// Modulus switching as the contract defines it.
pub(super) fn rescale(
    device: &CpuDevice,
    a: &CpuPoly,
    to: &Basis,
    domain: Domain,
) -> Result<CpuPoly, DeviceError> {
    let rescaling = Rescaling::new(device, a.basis(), to, domain)?;
    let dropped = rescaling.change.dropped.as_ref().map_or(&[][..], Basis::moduli);
    let mut place = None;
    let held = match (&rescaling.change.dropped, a.domain()) {
        (Some(basis), Domain::Evaluation) => {
            let limbs = device.restrict_limbs(a, basis)?;
            place.insert(device.transform(limbs, Domain::Coefficient)?)
        }
        _ => a,
    };
    let limbs = dropped.iter().map(|q| held.limb(q));
    let limbs = limbs.collect::<Result<Vec<_>, _>>()?;
    let mut result = device.allocate(to, domain);
    if let (Some(conversion), Domain::Coefficient, Domain::Coefficient) =
        (&rescaling.conversion, a.domain(), domain)
    {
        // Nothing to transform: block by block of columns all limbs stay in cache.
        let old = to
            .moduli()
            .iter()
            .map(|q| a.limb(q).map_or(Dividend::Zero, Dividend::Limb));
        let old: Vec<Dividend<'_>> = old.collect();
        columns::divide(conversion, &limbs, &old, result.limbs_mut())?;
        return Ok(result);
    }
    let source = rescaling.source(device, &limbs)?;
    let limbs = result.limbs_mut().par_iter_mut().zip(to.moduli());
    limbs.try_for_each(|(limb, q)| {
        let old = a.limb(q).ok();
        match (domain, a.domain()) {
            (Domain::Coefficient, from) => {
                let old = match old {
                    None => Dividend::Zero,
                    Some(old) if from == Domain::Coefficient => Dividend::Limb(old),
                    Some(old) => {
                        device.table(q)?.interpolate_to(old, limb)?;
                        Dividend::Target
                    }
                };
                rescaling.finish(source.as_ref(), q, old, limb)
            }
            (Domain::Evaluation, Domain::Evaluation) => {
                rescaling.finish_evaluated(device, source.as_ref(), q, old, &[], limb)
            }
            (Domain::Evaluation, Domain::Coefficient) => {
                let old: Vec<Term<'_>> = old.map(|old| (old, 1)).into_iter().collect();
                rescaling.finish_evaluated(device, source.as_ref(), q, None, &old, limb)
            }
        }
    })?;
    Ok(result)
}
