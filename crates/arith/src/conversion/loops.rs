//! The inner loops of conversions, over lanes.

use super::exact::residue;
use super::{Constants, Conversion, ConversionKind};
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
            if *kind == ConversionKind::Divide {
                let own = m.mul(residue(multiplier, m), m.neg(fold));
                constants.own.push(L::encode_operand(m, own));
            }
        }
        constants
    }
}

/// y_i and v of every column.
pub(super) struct Prepare<'a> {
    pub conversion: &'a Conversion,
    pub from: &'a [&'a [u64]],
    pub words: &'a mut [u64],
    pub doubtful: &'a mut Vec<usize>,
}

impl WithSimd for Prepare<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let constants = &self.conversion.constants;
        let (columns, count) = (self.from.first().map_or(0, |limb| limb.len()), self.from.len());
        require_columns(columns, self.from.iter().copied());
        let words = &mut self.words[..(count + 1) * columns];
        let words = words.as_mut_ptr();
        // SAFETY: every limb and every row of `words` has `columns` words, a multiple of 8 and so
        // of the width; `words` has count + 1 rows; `Simd::run` saw the instructions.
        unsafe {
            for (i, limb) in self.from.iter().enumerate() {
                let field = L::field(&self.conversion.from.moduli()[i]);
                let factor = L::factor(&constants.scale[i]);
                for c in (0..columns).step_by(L::WIDTH) {
                    let y = L::load(field, limb.as_ptr().add(c))
                        .mul(field, factor)
                        .representative(field);
                    y.store_lazy(words.add(i * columns + c));
                }
            }
            for c in (0..columns).step_by(L::WIDTH) {
                let mut sum = L::real_zero();
                for (i, &inverse) in constants.inverse.iter().enumerate() {
                    sum = L::real_mul_add(sum, L::load_lazy(words.add(i * columns + c)), inverse);
                }
                let (quotients, mut mask) = L::real_round(sum);
                quotients.store_lazy(words.add(count * columns + c));
                while mask != 0 {
                    self.doubtful.push(c + mask.trailing_zeros() as usize);
                    mask &= mask - 1;
                }
            }
        }
    }
}

/// The sums for one target prime.
pub(super) struct Combine<'a> {
    pub conversion: &'a Conversion,
    pub columns: usize,
    pub words: &'a [u64],
    pub target: usize,
    pub to: &'a mut [u64],
}

impl WithSimd for Combine<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let constants = &self.conversion.constants;
        let (columns, count) = (self.columns, self.conversion.from.len());
        let modulus = &self.conversion.to.moduli()[self.target];
        let weights = &constants.weights[self.target * count..(self.target + 1) * count];
        let largest = self
            .conversion
            .from
            .moduli()
            .iter()
            .map(Modulus::bits)
            .max()
            .unwrap_or(0);
        let limit = L::fixed_terms(largest + modulus.bits());
        let (first, rest) = weights.split_at(count.min(limit));
        require_columns(columns, [&*self.to]);
        let words = self.words[..(count + 1) * columns].as_ptr();
        // SAFETY: the target and every row of `words` have `columns` words, a multiple of the width;
        // `limit` products, v and y fit one sum; `Simd::run` saw the instructions.
        unsafe {
            let field = L::field(modulus);
            let turn = L::operand(constants.quotients[self.target]);
            let own = constants.own.get(self.target).map(|&w| L::operand(w));
            let target = self.to.as_mut_ptr();
            for c in (0..columns).step_by(L::WIDTH) {
                let v = L::load_lazy(words.add(count * columns + c));
                let mut sum = L::sum_mul(L::sum_zero(), v, turn);
                let mut terms = 1 + first.len();
                if let Some(own) = own {
                    sum = L::sum_mul(sum, L::load(field, target.add(c)), own);
                    terms += 1;
                }
                for (i, &w) in first.iter().enumerate() {
                    sum = L::sum_mul(sum, L::load_lazy(words.add(i * columns + c)), L::operand(w));
                }
                let mut x = L::sum_reduce(field, sum, terms);
                for (k, part) in rest.chunks(limit).enumerate() {
                    let row = (k + 1) * limit;
                    let mut sum = L::sum_zero();
                    for (i, &w) in part.iter().enumerate() {
                        let y = L::load_lazy(words.add((row + i) * columns + c));
                        sum = L::sum_mul(sum, y, L::operand(w));
                    }
                    x = x
                        .reduce_lazy(field)
                        .add(field, L::sum_reduce(field, sum, part.len()));
                }
                x.store(field, target.add(c));
            }
        }
    }
}
