//! Key switching.

use rayon::prelude::*;
use ringmill_arith::{Basis, Dividend, Modulus};
use ringmill_ring::Domain;

use super::digits::{Digit, Source, special_product};
use super::limbs::{PIECE, Product};
use super::pool::Limb;
use super::rescale::{Rescaling, Term};
use super::{CpuDevice, CpuPoly, limbs};
use ringmill_device::{DeviceError, Digits, Pair};

/// The digits of a polynomial.
enum Parts {
    /// To be made limb by limb: what the digits are modulo one prime is made, transformed and used
    /// while it is in cache.
    Limbs(Vec<Digit>),
    /// Made already.
    Whole(Vec<CpuPoly>),
}

/// What is summed up for a key switch: digits of `a` times key elements, and P times the addends.
struct Sums<'a> {
    device: &'a CpuDevice,
    a: &'a CpuPoly,
    parts: Parts,
    key: Vec<&'a Pair<CpuPoly>>,
    addends: &'a [Pair<&'a CpuPoly>],
    digits: &'a Digits,
}

/// The division of one side's sum by P, with the change of basis.
struct Division<'a> {
    rescaling: &'a Rescaling,
    /// The limbs given up.
    source: Option<&'a Source>,
    side: usize,
    /// Of the result.
    domain: Domain,
}

impl Sums<'_> {
    /// The limbs of one side's addends that are in this domain, with the factor P.
    fn addends(&self, q: &Modulus, side: usize, domain: Domain) -> Result<Vec<Term<'_>>, DeviceError> {
        if self.a.basis().position(q).is_none() {
            return Ok(Vec::new());
        }
        let polys = self.addends.iter().map(|pair| [pair.0, pair.1][side]);
        let limbs = polys.filter(|poly| poly.domain() == domain);
        let product = special_product(self.digits, q);
        limbs.map(|poly| Ok((poly.limb(q)?, product))).collect()
    }

    /// Both sums modulo one prime, without the addends in coefficient domain; in evaluation domain.
    fn limb(&self, q: &Modulus, scratch: &mut [Limb], sums: [&mut [u64]; 2]) -> Result<(), DeviceError> {
        let (device, n) = (self.device, self.device.n());
        let parts: Vec<&[u64]> = match &self.parts {
            Parts::Limbs(digits) => {
                let buffers = digits.par_iter().zip(scratch);
                let parts = buffers.map(|(digit, buffer)| digit.part(device, self.a, q, buffer));
                parts.collect::<Result<_, _>>()?
            }
            Parts::Whole(digits) => {
                let limbs = digits.iter().map(|digit| digit.limb(q));
                limbs.collect::<Result<_, _>>()?
            }
        };
        let terms = [
            terms(&parts, &self.key, |pair| &pair.0, q)?,
            terms(&parts, &self.key, |pair| &pair.1, q)?,
        ];
        let addends = [
            self.addends(q, 0, Domain::Evaluation)?,
            self.addends(q, 1, Domain::Evaluation)?,
        ];
        let [x, y] = sums;
        for start in (0..n).step_by(PIECE) {
            let piece = start..n.min(start + PIECE);
            // Both sides of a piece, while the digits are in cache.
            for (side, sum) in [&mut x[piece.clone()], &mut y[piece.clone()]]
                .into_iter()
                .enumerate()
            {
                limbs::dot(device.kernel, q, &terms[side], 1, start, sum);
                for &(addend, factor) in &addends[side] {
                    limbs::add_product(device.kernel, q, sum, factor, &addend[piece.clone()]);
                }
            }
        }
        Ok(())
    }

    /// Brings one side's sum to coefficient domain and adds what is there.
    fn interpolate(&self, q: &Modulus, side: usize, sum: &mut [u64]) -> Result<(), DeviceError> {
        let device = self.device;
        device.table(q)?.interpolate(sum)?;
        for addend in self.addends(q, side, Domain::Coefficient)? {
            limbs::add_product(device.kernel, q, sum, addend.1, addend.0);
        }
        Ok(())
    }

    /// Both sums modulo one prime, in coefficient domain.
    fn interpolated(
        &self,
        q: &Modulus,
        scratch: &mut [Limb],
        [x, y]: [&mut [u64]; 2],
    ) -> Result<(), DeviceError> {
        self.limb(q, scratch, [&mut *x, &mut *y])?;
        both(|| self.interpolate(q, 0, x), || self.interpolate(q, 1, y))
    }

    /// Memory for the digits modulo one prime.
    fn scratch(&self) -> Vec<Limb> {
        self.device.limbs(match &self.parts {
            Parts::Limbs(digits) => digits.len(),
            Parts::Whole(_) => 0,
        })
    }

    /// Whether the sums have a limb for this prime; those taken on by modulus switching have not.
    fn has(&self, q: &Modulus) -> bool {
        let in_special = match self.digits {
            Digits::Limbs { special, .. } => special.position(q).is_some(),
            Digits::BaseTwo { .. } => false,
        };
        in_special || self.a.basis().position(q).is_some()
    }

    /// Divides one side modulo one prime: `limb` is the result's. In evaluation domain `sum` is what
    /// [`Sums::limb`] gave; in coefficient domain `limb` is what [`Sums::interpolated`] gave, or 0.
    fn finish(
        &self,
        division: &Division<'_>,
        q: &Modulus,
        sum: &[u64],
        limb: &mut [u64],
    ) -> Result<(), DeviceError> {
        let Division {
            rescaling,
            source,
            side,
            domain,
        } = *division;
        if domain == Domain::Coefficient {
            return rescaling.finish(source, q, Dividend::Target, limb);
        }
        let sum = self.has(q).then_some(sum);
        let addends = self.addends(q, side, Domain::Coefficient)?;
        rescaling.finish_evaluated(self.device, source, q, sum, &addends, limb)
    }
}

/// Key switching as the contract defines it, limb by limb, so that neither the digits nor the sums before
/// the division by P are ever stored whole. Memory sees little more than the key.
pub(super) fn key_switch(
    device: &CpuDevice,
    a: &CpuPoly,
    addends: &[Pair<&CpuPoly>],
    digits: &Digits,
    key: Vec<&Pair<CpuPoly>>,
    to: &Basis,
    domain: Domain,
) -> Result<Pair<CpuPoly>, DeviceError> {
    let extended = digits.extended(a.basis())?;
    let mut place = None;
    let parts = match digits {
        Digits::Limbs { groups, .. } => {
            let coefficients = device.in_coefficients(a, &mut place)?;
            Parts::Limbs(Digit::all(device, coefficients, groups, &extended)?)
        }
        Digits::BaseTwo { bits } => Parts::Whole(device.base_two_digits(a, *bits, &extended)?),
    };
    let sums = Sums {
        device,
        a,
        parts,
        key,
        addends,
        digits,
    };
    let rescaling = Rescaling::new(device, &extended, to, domain)?;

    // The limbs given up first: the division needs them all.
    let count = rescaling.change.dropped.as_ref().map_or(0, Basis::len);
    let [mut x, mut y] = [0, 1].map(|_| device.limbs(count));
    if let Some(basis) = &rescaling.change.dropped {
        let pairs = x.par_iter_mut().zip(&mut y);
        pairs.zip(basis.moduli()).try_for_each_init(
            || sums.scratch(),
            |scratch, ((x, y), q)| sums.interpolated(q, scratch, [x, y]),
        )?;
    }
    let (source_x, source_y) = rayon::join(
        || rescaling.source(device, &x.iter().map(|limb| &limb[..]).collect::<Vec<_>>()),
        || rescaling.source(device, &y.iter().map(|limb| &limb[..]).collect::<Vec<_>>()),
    );
    let (source_x, source_y) = (source_x?, source_y?);
    let division = |side, source| Division {
        rescaling: &rescaling,
        source,
        side,
        domain,
    };
    let (division_x, division_y) = (division(0, source_x.as_ref()), division(1, source_y.as_ref()));

    let [mut first, mut second] = [0, 1].map(|_| device.allocate(to, domain));
    let pairs = first.limbs_mut().par_iter_mut().zip(second.limbs_mut());
    pairs.zip(to.moduli()).try_for_each_init(
        || (sums.scratch(), [0, 1].map(|_| device.pool.take_one())),
        |(scratch, [u, v]), ((x, y), q)| {
            match domain {
                _ if !sums.has(q) => [&mut *x, y].into_iter().for_each(|limb| limb.fill(0)),
                Domain::Coefficient => sums.interpolated(q, scratch, [&mut *x, y])?,
                Domain::Evaluation => sums.limb(q, scratch, [&mut *u, v])?,
            }
            both(
                || sums.finish(&division_x, q, u, x),
                || sums.finish(&division_y, q, v, y),
            )
        },
    )?;
    Ok((first, second))
}

/// Runs two tasks, on two threads if there is one to spare: where there are few limbs, a thread would
/// have nothing to do while the last one is worked on.
fn both(
    x: impl FnOnce() -> Result<(), DeviceError> + Send,
    y: impl FnOnce() -> Result<(), DeviceError> + Send,
) -> Result<(), DeviceError> {
    let (x, y) = rayon::join(x, y);
    x.and(y)
}

/// Limbs of digits and of one half of their key elements.
pub(super) fn terms<'a>(
    parts: &[&'a [u64]],
    key: &[&'a Pair<CpuPoly>],
    half: fn(&Pair<CpuPoly>) -> &CpuPoly,
    q: &Modulus,
) -> Result<Vec<Product<'a>>, DeviceError> {
    let terms = parts.iter().zip(key);
    terms
        .map(|(&part, pair)| Ok((part, half(pair).limb(q)?)))
        .collect()
}
