//! Products of words with keys cut into groups.

use std::ops::Range;

use rayon::prelude::*;
use ringmill_arith::{Basis, Modulus};
use ringmill_ring::Domain;

use super::word_sums::WordSums;
use super::{CpuDevice, CpuPoly, columns};
use ringmill_device::{Device, DeviceError};
use ringmill_device::{GroupedKey, UsedGroup};

/// Columns of words and keys that are multiplied together, half a page of each: what a sum can hold of the words of a few
/// polynomials stays in the second-level cache while the elements of all groups pass by.
const STRIPE: usize = 256;

impl CpuDevice {
    /// All limbs of several polynomials of one domain, over the bases' concatenation.
    pub(super) fn join_limbs(&self, parts: &[&CpuPoly], basis: &Basis) -> CpuPoly {
        let domain = parts.first().map_or(Domain::Coefficient, |part| part.domain());
        let mut result = self.allocate(basis, domain);
        let limbs = parts.iter().flat_map(|part| part.limbs());
        let targets = result.limbs_mut().iter_mut().zip(limbs);
        targets.for_each(|(to, from)| to.copy_from_slice(from));
        result
    }

    /// As the contract defines it; the key passes by once for the whole batch.
    pub(super) fn switch_words(
        &self,
        batch: &[&CpuPoly],
        key: &GroupedKey<CpuPoly>,
        used: &[UsedGroup<'_, CpuPoly>],
        domain: Domain,
    ) -> Result<Vec<CpuPoly>, DeviceError> {
        let Some(first) = batch.first() else {
            return Ok(Vec::new());
        };
        let basis = first.basis();
        let words = batch
            .iter()
            .map(|a| self.base_two_digits(a, key.bits, &key.auxiliary));
        let words = words.collect::<Result<Vec<_>, _>>()?;
        let sums = self.word_sums(&words, used, &key.auxiliary)?;
        drop(words);
        let grouped = used.iter().flat_map(|(_, own)| own.moduli()).copied();
        let grouped = Basis::new(&grouped.collect::<Vec<_>>())?;
        let results = sums.into_iter().map(|sums| {
            let groups = sums.into_par_iter().zip(used);
            let limbs = groups.map(|(sum, (_, own))| self.reduce_sum(sum, own, domain));
            let limbs = limbs.collect::<Result<Vec<_>, _>>()?;
            let limbs = limbs.into_iter().flat_map(CpuPoly::into_limbs).collect();
            let joined = CpuPoly::new(grouped.clone(), domain, limbs);
            if grouped == *basis {
                return Ok(joined);
            }
            self.restrict_limbs(&joined, basis)
        });
        results.collect()
    }

    /// For each polynomial and each group the sum of its words times the group's elements, over T in
    /// evaluation domain.
    fn word_sums(
        &self,
        words: &[Vec<CpuPoly>],
        used: &[UsedGroup<'_, CpuPoly>],
        auxiliary: &Basis,
    ) -> Result<Vec<Vec<CpuPoly>>, DeviceError> {
        let n = self.n();
        let sum = |_: &_| self.allocate(auxiliary, Domain::Evaluation);
        let mut sums: Vec<Vec<CpuPoly>> = words.iter().map(|_| used.iter().map(sum).collect()).collect();
        // A task for each prime and stripe; in it for each group the targets of all polynomials.
        let stripes = n.div_ceil(STRIPE);
        let task = || -> Vec<Vec<&mut [u64]>> { used.iter().map(|_| Vec::new()).collect() };
        let mut tasks: Vec<_> = (0..auxiliary.len() * stripes).map(|_| task()).collect();
        for sums in &mut sums {
            for (group, sum) in sums.iter_mut().enumerate() {
                let limbs = sum.limbs_mut().iter_mut();
                let parts = limbs.flat_map(|limb| limb.chunks_mut(STRIPE));
                tasks
                    .iter_mut()
                    .zip(parts)
                    .for_each(|(task, part)| task[group].push(part));
            }
        }
        tasks
            .par_iter_mut()
            .enumerate()
            .try_for_each(|(index, targets)| {
                let (q, start) = (&auxiliary.moduli()[index / stripes], index % stripes * STRIPE);
                let stripe = start..n.min(start + STRIPE);
                let words = words.iter().map(|words| slices(words, q, &stripe));
                let words = words.collect::<Result<Vec<_>, DeviceError>>()?;
                let elements = used.iter().map(|(group, _)| {
                    let elements = &group.elements[..words[0].len()];
                    slices(elements, q, &stripe)
                });
                let elements = elements.collect::<Result<Vec<_>, DeviceError>>()?;
                self.kernel.run(WordSums {
                    q,
                    words: &words,
                    elements: &elements,
                    targets,
                });
                Ok::<(), DeviceError>(())
            })?;
        Ok(sums)
    }

    /// The limbs of a group from its sum over T.
    fn reduce_sum(&self, sum: CpuPoly, own: &Basis, domain: Domain) -> Result<CpuPoly, DeviceError> {
        let sum = self.transform(sum, Domain::Coefficient)?;
        let conversion = self.tables.lift(self.kernel, sum.basis(), own)?;
        let mut result = self.allocate(own, Domain::Coefficient);
        columns::convert(&conversion, sum.limbs(), result.limbs_mut())?;
        self.transform(result, domain)
    }
}

/// Some columns of one limb of each polynomial.
fn slices<'a>(
    polys: &'a [CpuPoly],
    q: &Modulus,
    columns: &Range<usize>,
) -> Result<Vec<&'a [u64]>, DeviceError> {
    let slices = polys.iter().map(|poly| Ok(&poly.limb(q)?[columns.clone()]));
    slices.collect()
}
