//! Key switching and relinearization.

use rayon::prelude::*;
use ringmill_arith::{Basis, Dividend, Modulus};
use ringmill_ring::Domain;

use super::digits::{Digit, Source};
use super::limbs::{Multiple, PIECE, Product};
use super::pool::Limb;
use super::rescale::{Rescaling, Term};
use super::{CpuDevice, CpuPoly, limbs};
use ringmill_device::{DeviceError, Digits, Pair, Tensor};

/// The digits of a polynomial.
enum Parts {
    /// To be made limb by limb: what the digits are modulo one prime is made, transformed and used
    /// while it is in cache.
    Limbs(Vec<Digit>),
    /// Made already.
    Whole(Vec<CpuPoly>),
}

/// Two sums that are divided: digits of `a` times key elements, multiples of the addends and, in a relinearization,
/// products. They are over q P, or q B with the products, and never stored whole in evaluation domain.
pub(super) struct Sums<'a> {
    device: &'a CpuDevice,
    a: &'a CpuPoly,
    parts: Parts,
    key: Vec<&'a Pair<CpuPoly>>,
    addends: &'a [Pair<&'a CpuPoly>],
    /// Of the digits: q P.
    extended: Basis,
    products: Option<&'a Tensor<'a, CpuPoly>>,
    /// Of the sums.
    wide: Basis,
}

/// The division of one side's sum in evaluation domain, with the change of basis.
struct Division<'a> {
    rescaling: &'a Rescaling,
    /// The limbs given up.
    source: Option<&'a Source>,
    side: usize,
}

impl<'a> Sums<'a> {
    /// Digits of a polynomial times the elements of a key, plus P times the addends.
    pub(super) fn of_digits(
        device: &'a CpuDevice,
        a: &'a CpuPoly,
        addends: &'a [Pair<&'a CpuPoly>],
        digits: &Digits,
        key: Vec<&'a Pair<CpuPoly>>,
    ) -> Result<Self, DeviceError> {
        let extended = digits.extended(a.basis())?;
        let mut place = None;
        let parts = match digits {
            Digits::Limbs { groups, .. } => {
                let coefficients = device.in_coefficients(a, &mut place)?;
                Parts::Limbs(Digit::all(device, coefficients, groups, &extended)?)
            }
            Digits::BaseTwo { bits } => Parts::Whole(device.base_two_digits(a, *bits, &extended)?),
        };
        Ok(Self {
            device,
            a,
            parts,
            key,
            addends,
            wide: extended.clone(),
            extended,
            products: None,
        })
    }

    /// The same times B/P, plus products over q B.
    pub(super) fn with_products(self, tensor: &'a Tensor<'a, CpuPoly>, wide: &Basis) -> Self {
        Self {
            products: Some(tensor),
            wide: wide.clone(),
            ..self
        }
    }

    /// The limbs of one side's addends that are in this domain, with the factor P or B.
    fn addends(&self, q: &Modulus, side: usize, domain: Domain) -> Result<Vec<Term<'_>>, DeviceError> {
        if self.a.basis().position(q).is_none() {
            return Ok(Vec::new());
        }
        let polys = self.addends.iter().map(|pair| [pair.0, pair.1][side]);
        let limbs = polys.filter(|poly| poly.domain() == domain);
        let factor = self.wide.product_beyond(self.a.basis(), q);
        limbs.map(|poly| Ok((poly.limb(q)?, factor))).collect()
    }

    /// The digits modulo one prime, made in `scratch`; none modulo a prime that is not theirs.
    fn digits<'b>(&'b self, q: &Modulus, scratch: &'b mut [Limb]) -> Result<Vec<&'b [u64]>, DeviceError> {
        if self.extended.position(q).is_none() {
            return Ok(Vec::new());
        }
        match &self.parts {
            Parts::Limbs(digits) => {
                let buffers = digits.par_iter().zip(scratch);
                let parts = buffers.map(|(digit, buffer)| digit.part(self.device, self.a, q, buffer));
                parts.collect()
            }
            Parts::Whole(digits) => digits.iter().map(|digit| digit.limb(q)).collect(),
        }
    }

    /// The products of one side modulo one prime.
    fn products(&self, q: &Modulus, side: usize) -> Result<Vec<Product<'_>>, DeviceError> {
        let pairs = self.products.iter().flat_map(|tensor| &tensor.sums[side]);
        pairs.map(|(a, b)| Ok((a.limb(q)?, b.limb(q)?))).collect()
    }

    /// Both sums modulo one prime, without the addends in coefficient domain; in evaluation domain.
    fn limb(&self, q: &Modulus, scratch: &mut [Limb], sums: [&mut [u64]; 2]) -> Result<(), DeviceError> {
        let (device, n) = (self.device, self.device.n());
        let parts = self.digits(q, scratch)?;
        let raise = self.wide.product_beyond(&self.extended, q);
        let keys = match parts.as_slice() {
            [] => [Vec::new(), Vec::new()],
            parts => [
                terms(parts, &self.key, |pair| &pair.0, q)?,
                terms(parts, &self.key, |pair| &pair.1, q)?,
            ],
        };
        let products = [self.products(q, 0)?, self.products(q, 1)?];
        let multiplier = self.products.map_or(1, |tensor| tensor.multiplier);
        let multiples: [Vec<Multiple<'_>>; 2] = [0, 1].map(|side| {
            let both = [(&keys[side][..], raise), (&products[side][..], multiplier)];
            both.into_iter().filter(|(pairs, _)| !pairs.is_empty()).collect()
        });
        let addends = [
            self.addends(q, 0, Domain::Evaluation)?,
            self.addends(q, 1, Domain::Evaluation)?,
        ];
        let [x, y] = sums;
        for start in (0..n).step_by(PIECE) {
            let piece = start..n.min(start + PIECE);
            // Both sides of a piece, while the digits are in cache.
            let sides = [&mut x[piece.clone()], &mut y[piece.clone()]];
            for (side, sum) in sides.into_iter().enumerate() {
                limbs::dot(device.kernel, q, &multiples[side], start, sum);
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
        self.wide.position(q).is_some()
    }

    /// Both sums rescaled, limb by limb.
    pub(super) fn rescaled(&self, to: &Basis, domain: Domain) -> Result<Pair<CpuPoly>, DeviceError> {
        let rescaling = Rescaling::new(self.device, &self.wide, to, domain)?;
        let dropped = self.dropped(&rescaling)?;
        match domain {
            Domain::Coefficient => self.divided(&rescaling, &dropped, to),
            Domain::Evaluation => self.divided_evaluated(&rescaling, &dropped, to),
        }
    }

    /// The limbs given up, of both sums, in coefficient domain: the division needs them all.
    fn dropped(&self, rescaling: &Rescaling) -> Result<[Vec<Limb>; 2], DeviceError> {
        let moduli = rescaling.change.dropped.as_ref().map_or(&[][..], Basis::moduli);
        let [mut x, mut y] = [0, 1].map(|_| self.device.limbs(moduli.len()));
        let pairs = x.par_iter_mut().zip(&mut y);
        pairs.zip(moduli).try_for_each_init(
            || self.scratch(),
            |scratch, ((x, y), q)| self.interpolated(q, scratch, [x, y]),
        )?;
        Ok([x, y])
    }

    /// The results in coefficient domain. Block by block of columns all limbs stay in cache.
    fn divided(
        &self,
        rescaling: &Rescaling,
        dropped: &[Vec<Limb>; 2],
        to: &Basis,
    ) -> Result<Pair<CpuPoly>, DeviceError> {
        let [mut first, mut second] = [0, 1].map(|_| self.device.allocate(to, Domain::Coefficient));
        let pairs = first.limbs_mut().par_iter_mut().zip(second.limbs_mut());
        pairs
            .zip(to.moduli())
            .filter(|(_, q)| self.has(q))
            .try_for_each_init(
                || self.scratch(),
                |scratch, ((x, y), q)| self.interpolated(q, scratch, [x, y]),
            )?;
        let old = to.moduli().iter().map(|q| match self.has(q) {
            true => Dividend::Target,
            false => Dividend::Zero,
        });
        let old: Vec<Dividend<'_>> = old.collect();
        let divide = |side: usize, result: &mut CpuPoly| rescaling.divide(&dropped[side], &old, to, result);
        both(|| divide(0, &mut first), || divide(1, &mut second))?;
        Ok((first, second))
    }

    /// The results in evaluation domain.
    fn divided_evaluated(
        &self,
        rescaling: &Rescaling,
        dropped: &[Vec<Limb>; 2],
        to: &Basis,
    ) -> Result<Pair<CpuPoly>, DeviceError> {
        let device = self.device;
        let source = |side: usize| {
            let limbs: Vec<&[u64]> = dropped[side].iter().map(|limb| &limb[..]).collect();
            rescaling.source(device, &limbs)
        };
        let (source_x, source_y) = rayon::join(|| source(0), || source(1));
        let (source_x, source_y) = (source_x?, source_y?);
        let division = |side, source| Division {
            rescaling,
            source,
            side,
        };
        let (division_x, division_y) = (division(0, source_x.as_ref()), division(1, source_y.as_ref()));
        let [mut first, mut second] = [0, 1].map(|_| device.allocate(to, Domain::Evaluation));
        let pairs = first.limbs_mut().par_iter_mut().zip(second.limbs_mut());
        pairs.zip(to.moduli()).try_for_each_init(
            || (self.scratch(), [0, 1].map(|_| device.pool.take_one())),
            |(scratch, [u, v]), ((x, y), q)| {
                if self.has(q) {
                    self.limb(q, scratch, [&mut *u, v])?;
                }
                both(
                    || self.finish(&division_x, q, u, x),
                    || self.finish(&division_y, q, v, y),
                )
            },
        )?;
        Ok((first, second))
    }

    /// Divides one side modulo one prime; `sum` is what [`Sums::limb`] gave, `limb` the result's.
    fn finish(
        &self,
        division: &Division<'_>,
        q: &Modulus,
        sum: &[u64],
        limb: &mut [u64],
    ) -> Result<(), DeviceError> {
        let sum = self.has(q).then_some(sum);
        let addends = self.addends(q, division.side, Domain::Coefficient)?;
        let rescaling = division.rescaling;
        rescaling.finish_evaluated(self.device, division.source, q, sum, &addends, limb)
    }
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
