//! Key switching.

use rayon::prelude::*;
use ringmill_arith::{Basis, Modulus};
use ringmill_ring::Domain;

use super::digits::Digit;
use super::pool::Words;
use super::rescale::{Rescaling, Term};
use super::{CpuDevice, CpuPoly, limbs};
use crate::{Device, DeviceError, Digits, Pair, SwitchingKey};

/// The digits of a polynomial.
enum Parts<'a> {
    /// To be made limb by limb: what the digits are modulo one prime is made, transformed and used
    /// while it is in cache.
    Limbs(Vec<Digit<'a>>),
    /// Made already.
    Whole(Vec<CpuPoly>),
}

/// What is summed up for a key switch: digits of `a` times key elements, and P times the addends.
struct Sums<'a> {
    device: &'a CpuDevice,
    a: &'a CpuPoly,
    parts: Parts<'a>,
    key: Vec<&'a Pair<CpuPoly>>,
    addends: &'a [Pair<&'a CpuPoly>],
    special: Option<&'a Basis>,
}

impl Sums<'_> {
    /// P modulo a prime.
    fn special_product(&self, q: &Modulus) -> u64 {
        let special = self.special.map_or(&[][..], Basis::moduli);
        special
            .iter()
            .fold(1, |product, p| q.mul(product, q.reduce(p.value())))
    }

    /// The limbs of one side's addends that are in this domain, with the factor P.
    fn addends(&self, q: &Modulus, side: usize, domain: Domain) -> Result<Vec<Term<'_>>, DeviceError> {
        if self.a.basis().position(q).is_none() {
            return Ok(Vec::new());
        }
        let polys = self.addends.iter().map(|pair| [pair.0, pair.1][side]);
        let limbs = polys.filter(|poly| poly.domain() == domain);
        let product = self.special_product(q);
        limbs
            .map(|poly| Ok((poly.limb(q, self.device.n())?, product)))
            .collect()
    }

    /// Both sums modulo one prime, without the addends in coefficient domain; in evaluation domain.
    fn limb(&self, q: &Modulus, scratch: &mut [u64], mut sums: [&mut [u64]; 2]) -> Result<(), DeviceError> {
        let (device, n) = (self.device, self.device.n());
        let parts: Vec<&[u64]> = match &self.parts {
            Parts::Limbs(digits) => {
                for (digit, buffer) in digits.iter().zip(scratch.chunks_exact_mut(n)) {
                    digit.limb(device, self.a, q, buffer)?;
                }
                scratch.chunks_exact(n).collect()
            }
            Parts::Whole(digits) => {
                let limbs = digits.iter().map(|digit| digit.limb(q, n));
                limbs.collect::<Result<_, _>>()?
            }
        };
        for (side, sum) in sums.iter_mut().enumerate() {
            let key = self.key.iter().map(|pair| [&pair.0, &pair.1][side]);
            let terms = parts
                .iter()
                .zip(key)
                .map(|(part, key)| Ok((*part, key.limb(q, n)?)));
            let terms: Vec<_> = terms.collect::<Result<_, DeviceError>>()?;
            limbs::dot(device.kernel, q, &terms, sum);
            for (addend, factor) in self.addends(q, side, Domain::Evaluation)? {
                limbs::blend(device.kernel, q, (1, sum), (factor, addend));
            }
        }
        Ok(())
    }

    /// Both sums modulo one prime, in coefficient domain.
    fn interpolated(
        &self,
        q: &Modulus,
        scratch: &mut [u64],
        [x, y]: [&mut [u64]; 2],
    ) -> Result<(), DeviceError> {
        let device = self.device;
        self.limb(q, scratch, [&mut *x, &mut *y])?;
        let transform = device.tables.transform(&device.ring, q, device.kernel)?;
        for (side, sum) in [x, y].into_iter().enumerate() {
            transform.interpolate(sum)?;
            for (addend, factor) in self.addends(q, side, Domain::Coefficient)? {
                limbs::blend(device.kernel, q, (1, sum), (factor, addend));
            }
        }
        Ok(())
    }

    /// Memory for the digits modulo one prime.
    fn scratch(&self) -> Words {
        self.device.limbs(match &self.parts {
            Parts::Limbs(digits) => digits.len(),
            Parts::Whole(_) => 0,
        })
    }

    /// Whether the sums have a limb for this prime; those taken on by modulus switching have not.
    fn has(&self, q: &Modulus) -> bool {
        let in_special = self.special.is_some_and(|special| special.position(q).is_some());
        in_special || self.a.basis().position(q).is_some()
    }
}

/// Key switching as the contract defines it, limb by limb, so that neither the digits nor the sums before
/// the division by P are ever stored whole. Memory sees little more than the key.
pub(super) fn key_switch(
    device: &CpuDevice,
    a: &CpuPoly,
    addends: &[Pair<&CpuPoly>],
    digits: &Digits,
    key: &SwitchingKey<CpuPoly>,
    (to, domain): (&Basis, Domain),
) -> Result<Pair<CpuPoly>, DeviceError> {
    let n = device.n();
    check_addends(a, addends)?;
    let mut place = None;
    let (parts, special) = match digits {
        Digits::Limbs { groups, special } => {
            let coefficients = device.in_coefficients(a, &mut place)?;
            let digits = Digit::all(device, coefficients, groups, special)?;
            (Parts::Limbs(digits), Some(special))
        }
        Digits::Words { .. } => (Parts::Whole(device.decompose(a, digits)?), None),
    };
    let sums = Sums {
        device,
        a,
        parts,
        key: elements(&digits.elements(a.basis()), key)?,
        addends,
        special,
    };
    let rescaling = Rescaling::new(device, &digits.extended(a.basis())?, to, domain)?;

    // The limbs given up first: the division needs them all.
    let count = rescaling.dropped.as_ref().map_or(0, Basis::len);
    let [mut x, mut y] = [0, 1].map(|_| device.limbs(count));
    if let Some(basis) = &rescaling.dropped {
        let pairs = x.par_chunks_exact_mut(n).zip(y.par_chunks_exact_mut(n));
        pairs.zip(basis.moduli()).try_for_each_init(
            || sums.scratch(),
            |scratch, ((x, y), q)| sums.interpolated(q, scratch, [x, y]),
        )?;
    }
    let sources = [
        rescaling.source(device, x.chunks_exact(n).collect())?,
        rescaling.source(device, y.chunks_exact(n).collect())?,
    ];

    let [mut first, mut second] = [0, 1].map(|_| device.allocate(to, domain));
    let pairs = first
        .words_mut()
        .par_chunks_exact_mut(n)
        .zip(second.words_mut().par_chunks_exact_mut(n));
    pairs.zip(to.moduli()).try_for_each_init(
        || (sums.scratch(), device.limbs(2)),
        |(scratch, values), ((x, y), q)| {
            if domain == Domain::Coefficient {
                if sums.has(q) {
                    sums.interpolated(q, scratch, [&mut *x, &mut *y])?;
                } else {
                    x.fill(0);
                    y.fill(0);
                }
                rescaling.finish(sources[0].as_ref(), q, x)?;
                return rescaling.finish(sources[1].as_ref(), q, y);
            }
            let (u, v) = values.split_at_mut(n);
            if sums.has(q) {
                sums.limb(q, scratch, [&mut *u, &mut *v])?;
            }
            for (side, (values, limb)) in [(&*u, x), (&*v, y)].into_iter().enumerate() {
                let old = sums.has(q).then_some(values);
                let addends = sums.addends(q, side, Domain::Coefficient)?;
                rescaling.finish_evaluated(device, sources[side].as_ref(), q, (old, &addends), limb)?;
            }
            Ok(())
        },
    )?;
    Ok((first, second))
}

fn check_addends(a: &CpuPoly, addends: &[Pair<&CpuPoly>]) -> Result<(), DeviceError> {
    let mut polys = addends.iter().flat_map(|pair| [pair.0, pair.1]);
    match polys.find(|poly| poly.basis() != a.basis()) {
        Some(poly) => Err(DeviceError::BasisMismatch {
            left: a.basis().len(),
            right: poly.basis().len(),
        }),
        None => Ok(()),
    }
}

/// The elements of a key that belong to the digits.
fn elements<'a>(
    wanted: &[usize],
    key: &'a SwitchingKey<CpuPoly>,
) -> Result<Vec<&'a Pair<CpuPoly>>, DeviceError> {
    let needed = wanted.last().map_or(0, |last| last + 1);
    if key.len() < needed {
        return Err(DeviceError::ShortKey {
            needed,
            got: key.len(),
        });
    }
    let elements: Vec<&Pair<CpuPoly>> = wanted.iter().map(|&i| &key[i]).collect();
    let mut polys = elements.iter().flat_map(|(b, a)| [b, a]);
    if polys.any(|poly| poly.domain() != Domain::Evaluation) {
        return Err(DeviceError::WrongDomain(Domain::Evaluation));
    }
    Ok(elements)
}
