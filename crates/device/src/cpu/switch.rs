//! Digits of limbs, and key switching.

use std::sync::Arc;

use rayon::prelude::*;
use ringmill_arith::{Basis, Conversion};
use ringmill_ring::Domain;

use super::{CpuDevice, CpuPoly, columns, limbs};
use crate::{Device, DeviceError, Digits, SwitchingKey};

/// One digit: its limbs, and the lift from them to all others.
struct Digit {
    limbs: std::ops::Range<usize>,
    /// All limbs but the digit's own, in order.
    others: Basis,
    lift: Arc<Conversion>,
}

impl CpuDevice {
    fn digits(&self, basis: &Basis, size: usize, special: &Basis) -> Result<Vec<Digit>, DeviceError> {
        if size == 0 {
            return Err(DeviceError::BadDigits(size));
        }
        let starts = (0..basis.len()).step_by(size);
        starts
            .map(|start| {
                let limbs = start..(start + size).min(basis.len());
                let own = basis.slice(limbs.clone())?;
                let moduli = basis.moduli().iter().chain(special.moduli());
                let others: Vec<_> = moduli.filter(|m| own.position(m).is_none()).copied().collect();
                let others = Basis::new(&others)?;
                let lift = self.tables.lift(self.kernel, &own, &others)?;
                Ok(Digit { limbs, others, lift })
            })
            .collect()
    }

    pub(super) fn decompose_limbs(
        &self,
        a: &CpuPoly,
        size: usize,
        special: &Basis,
    ) -> Result<Vec<CpuPoly>, DeviceError> {
        let n = self.n();
        let basis = a.basis().concat(special)?;
        let mut results = Vec::new();
        for digit in self.digits(a.basis(), size, special)? {
            let own = &a.words()[digit.limbs.start * n..digit.limbs.end * n];
            let mut lifted = self.allocate(&digit.others, Domain::Coefficient);
            columns::convert(&digit.lift, own, lifted.words_mut(), n)?;
            let mut result = self.allocate(&basis, Domain::Evaluation);
            let words = result.words_mut();
            words[digit.limbs.start * n..digit.limbs.end * n].copy_from_slice(own);
            let (before, after) = lifted.words().split_at(digit.limbs.start * n);
            words[..before.len()].copy_from_slice(before);
            words[digit.limbs.end * n..].copy_from_slice(after);
            self.transform_limbs(&basis, words, Domain::Evaluation)?;
            results.push(result);
        }
        Ok(results)
    }
}

/// Key switching as the contract defines it, limb by limb: what a digit is modulo one prime is
/// made, transformed and used while it is in cache, so that neither the digits nor the sums before
/// division by P are ever stored whole.
pub(super) fn key_switch(
    device: &CpuDevice,
    a: &CpuPoly,
    digits: &Digits,
    key: &SwitchingKey<CpuPoly>,
) -> Result<(CpuPoly, CpuPoly), DeviceError> {
    let parts = device.decompose(a, digits)?;
    if key.len() < parts.len() {
        return Err(DeviceError::ShortKey {
            needed: parts.len(),
            got: key.len(),
        });
    }
    for (x, y) in &key[..parts.len()] {
        device.require(x, Domain::Evaluation)?;
        device.require(y, Domain::Evaluation)?;
    }
    let n = device.n();
    let basis = parts.first().ok_or(DeviceError::NoOperands)?.basis().clone();
    let mut sums = [0, 1].map(|_| device.allocate(&basis, Domain::Coefficient));
    let [first, second] = &mut sums;
    let pairs = first.words_mut().par_chunks_exact_mut(n).zip(second.words_mut().par_chunks_exact_mut(n));
    pairs.zip(basis.moduli()).enumerate().try_for_each(|(i, ((x, y), q))| {
        let transform = device.tables.transform(&device.ring, q, device.kernel)?;
        let side = |limb: &mut [u64], side: fn(&(CpuPoly, CpuPoly)) -> &CpuPoly| {
            let terms = parts.iter().zip(key.iter().map(side));
            let terms = terms.map(|(part, key)| Ok((&part.words()[i * n..(i + 1) * n], key.limb(q, n)?)));
            let terms: Vec<_> = terms.collect::<Result<_, DeviceError>>()?;
            limbs::dot(device.kernel, q, &terms, limb);
            Ok::<_, DeviceError>(transform.interpolate(limb)?)
        };
        side(x, |pair| &pair.0)?;
        side(y, |pair| &pair.1)
    })?;
    let [first, second] = sums;
    match digits {
        Digits::Words { .. } => Ok((first, second)),
        Digits::Limbs { .. } => {
            let keep = a.basis().len();
            Ok((device.drop_limbs(&first, keep)?, device.drop_limbs(&second, keep)?))
        }
    }
}
