//! Products with fixed factors.

use std::sync::Arc;

use rayon::prelude::*;
use ringmill_arith::Modulus;
use ringmill_ring::{Domain, Transform};

use super::{CpuDevice, CpuPoly, limbs};
use crate::{Device, DeviceError};

/// What the results of one limb of one polynomial are written to: the limbs of its products.
type Targets<'a> = Vec<&'a mut [u64]>;

/// Products as the contract defines them, in parallel over the limbs of all polynomials of the batch.
pub(super) fn products(
    device: &CpuDevice,
    mut batch: Vec<CpuPoly>,
    factors: &[&CpuPoly],
) -> Result<Vec<Vec<CpuPoly>>, DeviceError> {
    let results = run(device, &mut batch, factors);
    batch.into_iter().for_each(|a| device.wipe(a));
    results
}

/// Leaves the batch changed, to be wiped.
fn run(
    device: &CpuDevice,
    batch: &mut [CpuPoly],
    factors: &[&CpuPoly],
) -> Result<Vec<Vec<CpuPoly>>, DeviceError> {
    check(device, batch, factors)?;
    let Some(first) = batch.first() else {
        return Ok(Vec::new());
    };
    let basis = first.basis().clone();
    let moduli = basis.moduli().iter();
    let fixed = moduli
        .map(|q| Fixed::new(device, q, factors))
        .collect::<Result<Vec<_>, _>>()?;
    let row = |_: &CpuPoly| {
        factors
            .iter()
            .map(|_| device.allocate(&basis, Domain::Coefficient))
            .collect()
    };
    let mut results: Vec<Vec<CpuPoly>> = batch.iter().map(row).collect();
    let mut work: Vec<(&Fixed<'_>, &mut [u64], Targets<'_>)> = Vec::with_capacity(batch.len() * basis.len());
    let n = device.n();
    for (a, row) in batch.iter_mut().zip(&mut results) {
        let mut targets: Vec<_> = row
            .iter_mut()
            .map(|c| c.words_mut().chunks_exact_mut(n))
            .collect();
        for (a, fixed) in a.words_mut().chunks_exact_mut(n).zip(&fixed) {
            work.push((fixed, a, targets.iter_mut().filter_map(Iterator::next).collect()));
        }
    }
    work.par_iter_mut()
        .try_for_each(|(fixed, a, targets)| fixed.multiply(device, a, targets))?;
    Ok(results)
}

fn check(device: &CpuDevice, batch: &[CpuPoly], factors: &[&CpuPoly]) -> Result<(), DeviceError> {
    if factors.is_empty() {
        return Err(DeviceError::NoOperands);
    }
    if let Some(first) = batch.first() {
        device.require(first, Domain::Coefficient)?;
        batch.iter().try_for_each(|a| device.require_alike(first, a))?;
    }
    factors
        .iter()
        .try_for_each(|factor| device.require(factor, Domain::Evaluation))
}

/// What all products modulo one prime have in common.
struct Fixed<'a> {
    q: Modulus,
    transform: Arc<Transform>,
    factors: Vec<&'a [u64]>,
}

impl<'a> Fixed<'a> {
    fn new(device: &CpuDevice, q: &Modulus, factors: &[&'a CpuPoly]) -> Result<Self, DeviceError> {
        let limbs = factors.iter().map(|factor| factor.limb(q, device.n()));
        Ok(Self {
            q: *q,
            transform: device.tables.transform(&device.ring, q, device.kernel)?,
            factors: limbs.collect::<Result<_, _>>()?,
        })
    }

    /// The products of one limb, in which it leaves its values.
    fn multiply(
        &self,
        device: &CpuDevice,
        a: &mut [u64],
        targets: &mut [&mut [u64]],
    ) -> Result<(), DeviceError> {
        self.transform.evaluate(a)?;
        for (target, &factor) in targets.iter_mut().zip(&self.factors) {
            limbs::dot(device.kernel, &self.q, (&[(&*a, factor)], 1), 0, target);
            self.transform.interpolate(target)?;
        }
        Ok(())
    }
}
