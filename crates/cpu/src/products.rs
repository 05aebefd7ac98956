//! Products with fixed factors.

use std::sync::Arc;

use rayon::prelude::*;
use ringmill_arith::Modulus;
use ringmill_ring::{Domain, Prepared, Ring, Transform};

use super::pool::Limb;
use super::{CpuDevice, CpuPoly, limbs};
use ringmill_device::{Device, DeviceError, refusals};

/// As many polynomials that preparing factors pays: it takes a division for each word.
const PREPARED: usize = 4;

/// Products as the contract defines them, in parallel over the polynomials of the batch and their limbs. The first product
/// of each polynomial is made in its place.
pub(super) fn products(
    device: &CpuDevice,
    batch: Vec<CpuPoly>,
    factors: &[&CpuPoly],
) -> Result<Vec<Vec<CpuPoly>>, DeviceError> {
    let refused = refusals::multiply_fixed(device, &batch, factors);
    let mut rows: Vec<Vec<CpuPoly>> = batch.into_iter().map(|a| vec![a]).collect();
    match refused.and_then(|()| run(device, &mut rows, factors)) {
        Ok(()) => Ok(rows),
        // They may hold values that the caller gave away, or products.
        Err(error) => {
            rows.into_iter().flatten().for_each(|a| device.wipe(a));
            Err(error)
        }
    }
}

/// Adds the products to each row, which has the polynomial itself.
fn run(device: &CpuDevice, rows: &mut [Vec<CpuPoly>], factors: &[&CpuPoly]) -> Result<(), DeviceError> {
    let Some(first) = rows.iter().flatten().next() else {
        return Ok(());
    };
    let basis = first.basis().clone();
    let count = rows.len();
    let fixed = basis.moduli().iter();
    let fixed = fixed.map(|q| Fixed::new(device, q, factors, count));
    let fixed = fixed.collect::<Result<Vec<_>, _>>()?;
    rows.par_iter_mut().try_for_each(|row| {
        row.resize_with(factors.len(), || device.allocate(&basis, Domain::Coefficient));
        // A single limb needs no list of work.
        if let [fixed] = &fixed[..] {
            let targets = row.iter_mut().filter_map(|poly| poly.limbs_mut().first_mut());
            return fixed.multiply(device, targets);
        }
        let mut limbs: Vec<_> = row.iter_mut().map(|poly| poly.limbs_mut().iter_mut()).collect();
        let mut work = Vec::with_capacity(fixed.len());
        for fixed in &fixed {
            let targets: Vec<&mut Limb> = limbs.iter_mut().filter_map(Iterator::next).collect();
            work.push((fixed, targets));
        }
        work.into_par_iter()
            .try_for_each(|(fixed, targets)| fixed.multiply(device, targets.into_iter()))
    })
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

    /// The products of the first limb, in all of them.
    fn multiply<'l>(
        &self,
        device: &CpuDevice,
        mut limbs: impl Iterator<Item = &'l mut Limb>,
    ) -> Result<(), DeviceError> {
        let Some(a) = limbs.next() else {
            return Ok(());
        };
        match &self.factors {
            Factors::Prepared(factors) => {
                let factors: Vec<&Prepared> = factors.iter().collect();
                let mut others: Vec<&mut [u64]> = limbs.map(|limb| &mut limb[..]).collect();
                self.transform.products(a, &factors, &mut others)?;
            }
            Factors::Values(factors) => {
                self.transform.evaluate(a)?;
                let mut values = device.pool.take_one();
                std::mem::swap(a, &mut values);
                let targets = std::iter::once(a).chain(limbs);
                let done = targets.zip(factors).try_for_each(|(target, &factor)| {
                    limbs::dot(device.kernel, &self.q, &[(&[(&*values, factor)], 1)], 0, target);
                    self.transform.interpolate(target)
                });
                values.wipe();
                done?;
            }
        }
        Ok(())
    }
}
