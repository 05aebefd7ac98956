//! Products with fixed factors.

use std::sync::Arc;

use rayon::prelude::*;
use ringmill_arith::Modulus;
use ringmill_ring::{Domain, Prepared, Ring, Transform};

use super::{CpuDevice, CpuPoly, limbs};
use ringmill_device::{Device, DeviceError, refusals};

/// As many polynomials that preparing factors pays: it takes a division for each word.
const PREPARED: usize = 4;

/// What the results of one limb of one polynomial are written to: the limbs of its products.
type Targets<'a> = Vec<&'a mut [u64]>;

/// Products as the contract defines them, in parallel over the limbs of all polynomials of the batch.
pub(super) fn products(
    device: &CpuDevice,
    mut batch: Vec<CpuPoly>,
    factors: &[&CpuPoly],
) -> Result<Vec<Vec<CpuPoly>>, DeviceError> {
    let results = run(device, &mut batch, factors);
    batch.into_par_iter().for_each(|a| device.wipe(a));
    results
}

/// Leaves anything in the batch, to be wiped. A failure leaves no product: with the factors they give the batch away.
fn run(
    device: &CpuDevice,
    batch: &mut [CpuPoly],
    factors: &[&CpuPoly],
) -> Result<Vec<Vec<CpuPoly>>, DeviceError> {
    refusals::multiply_fixed(device, batch, factors)?;
    let Some(first) = batch.first() else {
        return Ok(Vec::new());
    };
    let basis = first.basis().clone();
    let count = batch.len();
    let fixed = basis
        .moduli()
        .iter()
        .map(|q| Fixed::new(device, q, factors, count));
    let fixed = fixed.collect::<Result<Vec<_>, _>>()?;
    let row = |_: &CpuPoly| {
        let product = |_| device.allocate(&basis, Domain::Coefficient);
        factors.iter().map(product).collect()
    };
    let mut results: Vec<Vec<CpuPoly>> = batch.iter().map(row).collect();
    let mut work: Vec<(&Fixed<'_>, &mut [u64], Targets<'_>)> = Vec::with_capacity(batch.len() * basis.len());
    for (a, row) in batch.iter_mut().zip(&mut results) {
        let mut limbs: Vec<_> = row
            .iter_mut()
            .map(|product| product.limbs_mut().iter_mut())
            .collect();
        for (a, fixed) in a.limbs_mut().iter_mut().zip(&fixed) {
            let targets = limbs.iter_mut().filter_map(Iterator::next);
            work.push((fixed, a, targets.map(|limb| &mut limb[..]).collect()));
        }
    }
    let done = work
        .into_par_iter()
        .try_for_each(|(fixed, a, mut targets)| fixed.multiply(device, a, &mut targets));
    match done {
        Ok(()) => Ok(results),
        Err(error) => {
            results.into_iter().flatten().for_each(|a| device.wipe(a));
            Err(error)
        }
    }
}

/// What all products modulo one prime have in common.
struct Fixed<'a> {
    q: Modulus,
    transform: Arc<Transform>,
    factors: Factors<'a>,
}

enum Factors<'a> {
    /// Made ready to be multiplied in the transform.
    Prepared(Vec<Prepared>),
    Values(Vec<&'a [u64]>),
}

impl<'a> Fixed<'a> {
    fn new(
        device: &CpuDevice,
        q: &Modulus,
        factors: &[&'a CpuPoly],
        batch: usize,
    ) -> Result<Self, DeviceError> {
        let transform = device.table(q)?;
        let limbs = factors.iter().map(|factor| factor.limb(q));
        let limbs = limbs.collect::<Result<Vec<&[u64]>, _>>()?;
        let factors = match &device.ring {
            Ring::Negacyclic(_) if batch >= PREPARED => {
                let prepared = limbs.into_iter().map(|limb| transform.prepare(limb));
                Factors::Prepared(prepared.collect::<Result<_, _>>()?)
            }
            _ => Factors::Values(limbs),
        };
        Ok(Self {
            q: *q,
            transform,
            factors,
        })
    }

    /// The products of a limb, in which it may leave its values.
    fn multiply(
        &self,
        device: &CpuDevice,
        a: &mut [u64],
        targets: &mut [&mut [u64]],
    ) -> Result<(), DeviceError> {
        match &self.factors {
            Factors::Prepared(factors) => {
                let factors: Vec<&Prepared> = factors.iter().collect();
                self.transform.products(a, &factors, targets)?;
            }
            Factors::Values(factors) => {
                self.transform.evaluate(a)?;
                for (target, &factor) in targets.iter_mut().zip(factors) {
                    limbs::dot(device.kernel, &self.q, &[(&[(&*a, factor)], 1)], 0, target);
                    self.transform.interpolate(target)?;
                }
            }
        }
        Ok(())
    }
}
