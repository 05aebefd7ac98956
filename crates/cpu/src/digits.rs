//! Digits of limbs.

use std::sync::Arc;

use rayon::prelude::*;
use ringmill_arith::{Basis, Conversion, Dividend, Modulus, Prepared};
use ringmill_ring::Domain;

use super::pool::Limb;
use super::{CpuDevice, CpuPoly};
use ringmill_device::{DeviceError, Digits};

/// The part of a conversion that is the same for all target primes.
pub(super) struct Source {
    prepared: Prepared<Limb>,
}

impl Source {
    /// Prepares limbs in coefficient domain.
    pub(super) fn new(
        device: &CpuDevice,
        conversion: &Conversion,
        limbs: &[&[u64]],
    ) -> Result<Self, DeviceError> {
        let prepared = conversion.prepare(limbs, device.limbs(limbs.len() + 1))?;
        Ok(Self { prepared })
    }

    /// Converts to the limb of one target prime of the conversion.
    pub(super) fn combine(
        &self,
        conversion: &Conversion,
        q: &Modulus,
        dividend: Dividend<'_>,
        to: &mut [u64],
    ) -> Result<(), DeviceError> {
        let target = conversion.to_basis().position(q);
        let target = target.ok_or(DeviceError::MissingLimb(q.value()))?;
        Ok(conversion.combine(&self.prepared, target, dividend, to)?)
    }
}

/// One digit of a polynomial, ready to be made modulo any prime.
pub(super) struct Digit {
    own: Basis,
    lift: Arc<Conversion>,
    source: Source,
}

impl Digit {
    /// The digits of a polynomial given in coefficient domain, over its extended basis.
    pub(super) fn all(
        device: &CpuDevice,
        a: &CpuPoly,
        groups: &[Basis],
        extended: &Basis,
    ) -> Result<Vec<Self>, DeviceError> {
        let owns = Digits::limbs_of(groups, a.basis())?;
        let digit = |own: Basis| {
            let others = extended.moduli().iter().filter(|m| own.position(m).is_none());
            let others: Vec<_> = others.copied().collect();
            let lift = device.tables.lift(device.kernel, &own, &Basis::new(&others)?)?;
            let limbs = own.moduli().iter().map(|q| a.limb(q));
            let source = Source::new(device, &lift, &limbs.collect::<Result<Vec<_>, _>>()?)?;
            Ok(Self { own, lift, source })
        };
        owns.into_par_iter().map(digit).collect()
    }

    /// The digit modulo one prime, in evaluation domain: a limb of `a`, the polynomial in either domain, if
    /// it is there, or made in `buffer`.
    pub(super) fn part<'b>(
        &self,
        device: &CpuDevice,
        a: &'b CpuPoly,
        q: &Modulus,
        buffer: &'b mut [u64],
    ) -> Result<&'b [u64], DeviceError> {
        if a.domain() == Domain::Evaluation && self.own.position(q).is_some() {
            return a.limb(q);
        }
        self.limb(device, a, q, buffer)?;
        Ok(buffer)
    }

    /// The digit modulo one prime, in evaluation domain; `a` is the polynomial in either domain.
    pub(super) fn limb(
        &self,
        device: &CpuDevice,
        a: &CpuPoly,
        q: &Modulus,
        to: &mut [u64],
    ) -> Result<(), DeviceError> {
        if self.own.position(q).is_none() {
            self.source.combine(&self.lift, q, Dividend::Zero, to)?;
            return Ok(device.table(q)?.evaluate(to)?);
        }
        match a.domain() {
            Domain::Coefficient => device.table(q)?.evaluate_to(a.limb(q)?, to)?,
            Domain::Evaluation => to.copy_from_slice(a.limb(q)?),
        }
        Ok(())
    }
}

/// The product P of the special primes modulo a prime.
pub(super) fn special_product(digits: &Digits, q: &Modulus) -> u64 {
    let special = match digits {
        Digits::Limbs { special, .. } => special.moduli(),
        Digits::BaseTwo { .. } => &[],
    };
    let factors = special.iter().map(|p| q.reduce(p.value()));
    factors.fold(1, |product, p| q.mul(product, p))
}

impl CpuDevice {
    /// The polynomial in coefficient domain: itself, or another put into `place`.
    pub(super) fn in_coefficients<'a>(
        &self,
        a: &'a CpuPoly,
        place: &'a mut Option<CpuPoly>,
    ) -> Result<&'a CpuPoly, DeviceError> {
        if a.domain() == Domain::Coefficient {
            return Ok(a);
        }
        Ok(place.insert(self.transformed(a, Domain::Coefficient)?))
    }

    pub(super) fn decompose_limbs(
        &self,
        a: &CpuPoly,
        groups: &[Basis],
        extended: &Basis,
    ) -> Result<Vec<CpuPoly>, DeviceError> {
        let mut place = None;
        let coefficients = self.in_coefficients(a, &mut place)?;
        let digits = Digit::all(self, coefficients, groups, extended)?;
        let mut results: Vec<CpuPoly> = digits
            .iter()
            .map(|_| self.allocate(extended, Domain::Evaluation))
            .collect();
        for (digit, result) in digits.iter().zip(&mut results) {
            let limbs = result.limbs_mut().par_iter_mut().zip(extended.moduli());
            limbs.try_for_each(|(limb, q)| digit.limb(self, a, q, limb))?;
        }
        Ok(results)
    }
}
