//! Products with fixed factors.

use std::sync::{Arc, OnceLock};

use rayon::prelude::*;
use ringmill_arith::Modulus;
use ringmill_arith::lanes::prefetch_second_level;
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
    let all = match refused.and_then(|()| fixed(device, &batch, factors)) {
        Ok(all) => all,
        Err(error) => return wiped(device, batch, error),
    };
    let failed = OnceLock::new();
    let places = places(device, &batch);
    let rows: Vec<_> = batch
        .into_par_iter()
        .enumerate()
        .map(|(i, a)| {
            if let Some(&next) = places.get(i + 1) {
                fetch(next, device.ring.n());
            }
            let mut row = Vec::with_capacity(factors.len());
            row.push(a);
            if let Err(error) = fill(device, &mut row, factors.len(), &all) {
                // One error is as good as another.
                let _ = failed.set(error);
            }
            row
        })
        .collect();
    match failed.into_inner() {
        None => Ok(rows),
        Some(error) => wiped(device, rows.into_iter().flatten(), error),
    }
}

/// The addresses of the limbs of polynomials with one each, if they are too many for caches: each is fetched while the
/// product before it is made, which the processor would not foresee. None if they are few.
fn places(device: &CpuDevice, batch: &[CpuPoly]) -> Vec<usize> {
    const CACHED: usize = 1 << 24;
    let single = batch.first().is_some_and(|a| a.limbs().len() == 1);
    if !single || batch.len() * device.ring.n() * size_of::<u64>() <= CACHED {
        return Vec::new();
    }
    let limbs = batch.iter().flat_map(CpuPoly::limbs);
    limbs.map(|limb| limb.as_ptr() as usize).collect()
}

/// Fetches a limb, or as much of it as a second-level cache has room for beside others.
fn fetch(place: usize, n: usize) {
    const LINE: usize = 64;
    const MOST: usize = 1 << 15;
    for line in (place..place + MOST.min(n * size_of::<u64>())).step_by(LINE) {
        prefetch_second_level(line as *const u64);
    }
}

/// The error, after polynomials are overwritten: they may hold values that the caller gave away, or products.
fn wiped<T>(
    device: &CpuDevice,
    polys: impl IntoIterator<Item = CpuPoly>,
    error: DeviceError,
) -> Result<T, DeviceError> {
    polys.into_iter().for_each(|a| device.wipe(a));
    Err(error)
}

/// What the products have in common, for each prime.
fn fixed<'a>(
    device: &CpuDevice,
    batch: &[CpuPoly],
    factors: &[&'a CpuPoly],
) -> Result<Vec<Fixed<'a>>, DeviceError> {
    let moduli = batch.first().map_or(&[][..], |a| a.basis().moduli()).iter();
    moduli
        .map(|q| Fixed::new(device, q, factors, batch.len()))
        .collect()
}

/// Makes a row of `count` products of the polynomial in it.
fn fill(
    device: &CpuDevice,
    row: &mut Vec<CpuPoly>,
    count: usize,
    all: &[Fixed<'_>],
) -> Result<(), DeviceError> {
    if let Some(basis) = row.first().map(|a| a.basis().clone()) {
        row.resize_with(count, || device.allocate(&basis, Domain::Coefficient));
    }
    // A single limb needs no list of work.
    if let [fixed] = all {
        let targets = row.iter_mut().filter_map(|poly| poly.limbs_mut().first_mut());
        return fixed.multiply(device, targets);
    }
    let mut limbs: Vec<_> = row.iter_mut().map(|poly| poly.limbs_mut().iter_mut()).collect();
    let mut work = Vec::with_capacity(all.len());
    for fixed in all {
        let targets: Vec<&mut Limb> = limbs.iter_mut().filter_map(Iterator::next).collect();
        work.push((fixed, targets));
    }
    work.into_par_iter()
        .try_for_each(|(fixed, targets)| fixed.multiply(device, targets.into_iter()))
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
                let mut others: Vec<&mut [u64]> = limbs.map(|limb| &mut limb[..]).collect();
                self.transform.products(a, factors, &mut others)?;
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
