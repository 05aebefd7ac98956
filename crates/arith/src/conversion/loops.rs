//! The inner loops of conversions, over lanes.

use super::exact::residue;
use super::{Constants, Conversion, ConversionKind, Dividend};
use crate::lanes::{Lanes, require_columns};
use crate::{Modulus, WithSimd};

/// Builds the tables of a conversion for the kernel that runs it.
pub(super) struct Encode<'a>(pub &'a Conversion);

impl WithSimd for Encode<'_> {
    type Output = Constants;

    unsafe fn run<L: Lanes>(self) -> Constants {
        let Conversion {
            from,
            to,
            multiplier,
            kind,
            exact,
            ..
        } = self.0;
        let mut constants = Constants::default();
        let largest = from.moduli().iter().map(Modulus::bits).max().unwrap_or(0);
        for (m, &scale) in from.moduli().iter().zip(&exact.scale) {
            constants.scale.push(L::encode_factor(m, scale));
            constants.inverse.push(1.0 / m.value() as f64);
        }
        for (m, &inverse) in to.moduli().iter().zip(&exact.inverse) {
            let turn = m.neg(residue(&exact.product, m));
            // To subtract X and divide by D, every term of X is multiplied by -1/D.
            let fold = if *kind == ConversionKind::Lift {
                1
            } else {
                m.neg(inverse)
            };
            for cofactor in &exact.cofactors {
                let weight = m.mul(residue(cofactor, m), fold);
                constants.weights.push(L::encode_operand(m, weight));
            }
            constants.quotients.push(L::encode_operand(m, m.mul(turn, fold)));
            constants.limits.push(L::fixed_terms(largest, m.bits()));
            if *kind == ConversionKind::Divide {
                let own = m.mul(residue(multiplier, m), m.neg(fold));
                constants.own.push(L::encode_operand(m, own));
            }
        }
        constants
    }
}

/// Columns of a strip: the y_i of 16 limbs then fill half of a first-level cache of 32 KiB.
const STRIP: usize = 128;

/// Vectors of columns that are summed side by side: no sum waits for another, and all share each operand.
const TOGETHER: usize = 4;

/// y_i and v of every column.
pub(super) struct Prepare<'a, 'b> {
    pub conversion: &'a Conversion,
    pub from: &'a [&'a [u64]],
    /// A row of y_i for each limb.
    pub rows: &'a mut [&'b mut [u64]],
    /// v.
    pub quotients: &'a mut [u64],
    pub doubtful: &'a mut Vec<usize>,
}

impl WithSimd for Prepare<'_, '_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let constants = &self.conversion.constants;
        let columns = self.quotients.len();
        require_columns(columns, self.from.iter().copied());
        require_columns(columns, self.rows.iter().map(|row| &**row));
        // SAFETY: every limb and every row has `columns` words, a multiple of 8 and so of the width; `Simd::run` saw
        // the instructions.
        unsafe {
            for start in (0..columns).step_by(STRIP) {
                let strip = start..columns.min(start + STRIP);
                for (i, (limb, row)) in self.from.iter().zip(&mut *self.rows).enumerate() {
                    let field = L::field(&self.conversion.from.moduli()[i]);
                    let factor = L::factor(&constants.scale[i]);
                    for c in strip.clone().step_by(L::WIDTH) {
                        let y = L::load(field, limb.as_ptr().add(c)).mul(field, factor);
                        y.representative(field).store_lazy(row.as_mut_ptr().add(c));
                    }
                }
                for c in strip.step_by(L::WIDTH) {
                    let mut sum = L::real_zero();
                    for (row, &inverse) in self.rows.iter().zip(&constants.inverse) {
                        sum = L::real_mul_add(sum, L::load_lazy(row.as_ptr().add(c)), inverse);
                    }
                    let (quotients, mut mask) = L::real_round(sum);
                    quotients.store_lazy(self.quotients.as_mut_ptr().add(c));
                    while mask != 0 {
                        self.doubtful.push(c + mask.trailing_zeros() as usize);
                        mask &= mask - 1;
                    }
                }
            }
        }
    }
}

/// The sums for one target prime.
pub(super) struct Combine<'a> {
    pub conversion: &'a Conversion,
    /// A row of y_i for each limb.
    pub rows: &'a [&'a [u64]],
    /// v.
    pub quotients: &'a [u64],
    pub target: usize,
    pub dividend: Dividend<'a>,
    pub to: &'a mut [u64],
}

impl WithSimd for Combine<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let constants = &self.conversion.constants;
        let (columns, count) = (self.to.len(), self.conversion.from.len());
        let modulus = &self.conversion.to.moduli()[self.target];
        let weights = &constants.weights[self.target * count..(self.target + 1) * count];
        assert!(self.rows.len() == count, "rows");
        require_columns(columns, self.rows.iter().copied().chain([self.quotients]));
        // What is read in place is read through the pointer that is written through.
        let to = self.to.as_mut_ptr();
        let dividend = match self.dividend {
            Dividend::Zero => None,
            Dividend::Target => Some(to.cast_const()),
            Dividend::Limb(limb) => {
                require_columns(columns, [limb]);
                Some(limb.as_ptr())
            }
        };
        let own = dividend.zip(constants.own.get(self.target).copied());
        // SAFETY: the target, every row and the dividend have `columns` words, a multiple of 8 and so of the width;
        // `Simd::run` saw the instructions.
        unsafe {
            let sums = Sums::<L> {
                field: L::field(modulus),
                limit: constants.limits[self.target],
                rows: self.rows,
                weights,
                quotients: (self.quotients.as_ptr(), constants.quotients[self.target]),
                own,
                to,
            };
            let together = columns - columns % (TOGETHER * L::WIDTH);
            for c in (0..together).step_by(TOGETHER * L::WIDTH) {
                sums.at::<TOGETHER>(c);
            }
            for c in (together..columns).step_by(L::WIDTH) {
                sums.at::<1>(c);
            }
        }
    }
}

/// The sums modulo one prime: of fixed operands times y_i, v and what is divided.
struct Sums<'a, L: Lanes> {
    field: L::Field,
    /// Products that one sum holds beside the other two.
    limit: usize,
    rows: &'a [&'a [u64]],
    weights: &'a [u64],
    quotients: (*const u64, u64),
    own: Option<(*const u64, u64)>,
    to: *mut u64,
}

impl<L: Lanes> Sums<'_, L> {
    /// V vectors of columns from c on.
    ///
    /// # Safety
    /// All rows have these columns; the machine has the instructions of `L`.
    #[inline(always)]
    unsafe fn at<const V: usize>(&self, c: usize) {
        // SAFETY: see above; `limit` products, that with v and that with what is divided fit one sum.
        unsafe {
            let field = self.field;
            let mut sums = [L::sum_zero(field); V];
            add::<L, V>(&mut sums, self.quotients.0.add(c), self.quotients.1);
            if let Some((limb, operand)) = self.own {
                let operand = L::operand(operand);
                let mut v = 0;
                while v < V {
                    let dividend = L::load(field, limb.add(c + v * L::WIDTH));
                    sums[v] = L::sum_mul(sums[v], dividend, operand);
                    v += 1;
                }
            }
            let first = self.limit.min(self.rows.len());
            for (row, &weight) in self.rows.iter().zip(self.weights).take(first) {
                add::<L, V>(&mut sums, row.as_ptr().add(c), weight);
            }
            let mut results = reduced::<L, V>(field, sums);
            let rest = self.rows[first..].chunks(self.limit);
            for (rows, weights) in rest.zip(self.weights[first..].chunks(self.limit)) {
                let mut sums = [L::sum_zero(field); V];
                for (row, &weight) in rows.iter().zip(weights) {
                    add::<L, V>(&mut sums, row.as_ptr().add(c), weight);
                }
                let more = reduced::<L, V>(field, sums);
                let mut v = 0;
                while v < V {
                    results[v] = results[v].reduce_lazy(field).add(field, more[v]);
                    v += 1;
                }
            }
            let mut v = 0;
            while v < V {
                results[v].store(field, self.to.add(c + v * L::WIDTH));
                v += 1;
            }
        }
    }
}

/// Adds the products of V vectors of y_i or v with an operand. Not a closure, as below: those are not inlined
/// reliably, and what is not inlined is compiled without the kernel's instructions.
///
/// # Safety
/// The row has V vectors of words; the machine has the instructions of `L`.
#[inline(always)]
unsafe fn add<L: Lanes, const V: usize>(sums: &mut [L::Sum; V], row: *const u64, operand: u64) {
    // SAFETY: see above.
    unsafe {
        let operand = L::operand(operand);
        let mut v = 0;
        while v < V {
            sums[v] = L::sum_mul(sums[v], L::load_lazy(row.add(v * L::WIDTH)), operand);
            v += 1;
        }
    }
}

/// The lazy residues of sums of products.
///
/// # Safety
/// The machine has the instructions of `L`.
#[inline(always)]
unsafe fn reduced<L: Lanes, const V: usize>(field: L::Field, sums: [L::Sum; V]) -> [L; V] {
    // SAFETY: see above.
    unsafe {
        let mut residues = [L::fixed_reduce(field, sums[0]); V];
        let mut v = 1;
        while v < V {
            residues[v] = L::fixed_reduce(field, sums[v]);
            v += 1;
        }
        residues
    }
}
