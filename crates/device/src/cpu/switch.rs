//! Digits of limbs, and key switching.

use std::sync::Arc;

use rayon::prelude::*;
use ringmill_arith::{Basis, Conversion, Modulus, Prepared};
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

/// Key switching as the contract defines it, limb by limb: what the digits are modulo one prime is
/// made, transformed and used while it is in cache, so that neither the digits nor the sums before
/// the division by P are ever stored whole. Memory sees little more than the key.
pub(super) fn key_switch(
    device: &CpuDevice,
    a: &CpuPoly,
    digits: &Digits,
    key: &SwitchingKey<CpuPoly>,
) -> Result<(CpuPoly, CpuPoly), DeviceError> {
    match digits {
        Digits::Limbs { size, special } => switch_limbs(device, a, *size, special, key),
        Digits::Words { .. } => switch_words(device, a, digits, key),
    }
}

fn check_key(needed: usize, key: &SwitchingKey<CpuPoly>) -> Result<(), DeviceError> {
    if key.len() < needed {
        return Err(DeviceError::ShortKey {
            needed,
            got: key.len(),
        });
    }
    let mut used = key.iter().take(needed).flat_map(|(b, a)| [b, a]);
    if used.any(|poly| poly.domain() != Domain::Evaluation) {
        return Err(DeviceError::WrongDomain(Domain::Evaluation));
    }
    Ok(())
}

fn switch_words(
    device: &CpuDevice,
    a: &CpuPoly,
    digits: &Digits,
    key: &SwitchingKey<CpuPoly>,
) -> Result<(CpuPoly, CpuPoly), DeviceError> {
    let parts = device.decompose(a, digits)?;
    check_key(parts.len(), key)?;
    let pairs = |side: fn(&(CpuPoly, CpuPoly)) -> &CpuPoly| parts.iter().zip(key.iter().map(side)).collect();
    let (first, second): (Vec<_>, Vec<_>) = (pairs(|pair| &pair.0), pairs(|pair| &pair.1));
    Ok((
        device.dot(&first, Domain::Coefficient)?,
        device.dot(&second, Domain::Coefficient)?,
    ))
}

/// A source of a conversion: its limbs, and what is the same for all target primes.
struct Source<'a> {
    limbs: Vec<&'a [u64]>,
    prepared: Prepared,
}

impl<'a> Source<'a> {
    fn new(conversion: &Conversion, words: &'a [u64], n: usize) -> Result<Self, DeviceError> {
        let limbs: Vec<&[u64]> = words.chunks_exact(n).collect();
        let prepared = conversion.prepare(&limbs)?;
        Ok(Self { limbs, prepared })
    }
}

/// What the sums of one limb are made from.
struct Sums<'a> {
    device: &'a CpuDevice,
    a: &'a CpuPoly,
    digits: &'a [Digit],
    sources: &'a [Source<'a>],
    key: &'a SwitchingKey<CpuPoly>,
}

impl Sums<'_> {
    /// Both sums of digits times key elements modulo one prime, in coefficient domain.
    fn limb(
        &self,
        q: &Modulus,
        scratch: &mut Vec<u64>,
        x: &mut [u64],
        y: &mut [u64],
    ) -> Result<(), DeviceError> {
        let (device, n) = (self.device, self.device.n());
        let transform = device.tables.transform(&device.ring, q, device.kernel)?;
        scratch.resize(self.digits.len() * n, 0);
        for ((digit, source), buffer) in self
            .digits
            .iter()
            .zip(self.sources)
            .zip(scratch.chunks_exact_mut(n))
        {
            match digit.others.position(q) {
                Some(target) => digit
                    .lift
                    .combine(&source.prepared, &source.limbs, target, buffer)?,
                None => buffer.copy_from_slice(self.a.limb(q, n)?),
            }
            transform.evaluate(buffer)?;
        }
        let side = |side: fn(&(CpuPoly, CpuPoly)) -> &CpuPoly, sum: &mut [u64]| {
            let terms = scratch.chunks_exact(n).zip(self.key.iter().map(side));
            let terms: Vec<_> = terms
                .map(|(part, key)| Ok((part, key.limb(q, n)?)))
                .collect::<Result<_, DeviceError>>()?;
            limbs::dot(device.kernel, q, &terms, sum);
            Ok::<_, DeviceError>(transform.interpolate(sum)?)
        };
        side(|pair| &pair.0, x)?;
        side(|pair| &pair.1, y)
    }
}

fn switch_limbs(
    device: &CpuDevice,
    a: &CpuPoly,
    size: usize,
    special: &Basis,
    key: &SwitchingKey<CpuPoly>,
) -> Result<(CpuPoly, CpuPoly), DeviceError> {
    let n = device.n();
    let digits = device.digits(a.basis(), size, special)?;
    check_key(digits.len(), key)?;
    let sources = digits.par_iter().map(|digit| {
        Source::new(
            &digit.lift,
            &a.words()[digit.limbs.start * n..digit.limbs.end * n],
            n,
        )
    });
    let sources = sources.collect::<Result<Vec<_>, _>>()?;
    let sums = Sums {
        device,
        a,
        digits: &digits,
        sources: &sources,
        key,
    };
    let both = |basis: &Basis| [0, 1].map(|_| device.allocate(basis, Domain::Coefficient));

    // The special limbs first: the division by P needs them all.
    let [mut x, mut y] = both(special);
    let pairs = x
        .words_mut()
        .par_chunks_exact_mut(n)
        .zip(y.words_mut().par_chunks_exact_mut(n));
    let pairs = pairs.zip(special.moduli());
    pairs.try_for_each_init(Vec::new, |scratch, ((x, y), q)| sums.limb(q, scratch, x, y))?;
    let divide = device.tables.divide(device.kernel, 1, special, a.basis())?;
    let rests = [
        Source::new(&divide, x.words(), n)?,
        Source::new(&divide, y.words(), n)?,
    ];

    let [mut first, mut second] = both(a.basis());
    let pairs = first
        .words_mut()
        .par_chunks_exact_mut(n)
        .zip(second.words_mut().par_chunks_exact_mut(n));
    let pairs = pairs.zip(a.basis().moduli()).enumerate();
    pairs.try_for_each_init(Vec::new, |scratch, (j, ((x, y), q))| {
        sums.limb(q, scratch, x, y)?;
        divide.combine(&rests[0].prepared, &rests[0].limbs, j, x)?;
        divide.combine(&rests[1].prepared, &rests[1].limbs, j, y)?;
        Ok::<_, DeviceError>(())
    })?;
    Ok((first, second))
}
