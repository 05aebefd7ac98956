mod exact;
mod loops;

use std::ops::{Deref, DerefMut, Range};

use num_bigint::{BigInt, BigUint, Sign};

use crate::{ArithError, Basis, Simd};
use exact::{Exact, residue};
use loops::{Combine, Encode, Prepare};

/// Columns worked on at a time: the y_i of 16 limbs then fill 32 KiB of the first-level cache.
const BLOCK: usize = 256;
/// Words of a line of the cache.
const LINE: usize = 8;
/// Limbs that a source may have: with more the rounding of fractions would not be certain.
const MOST: usize = 128;

/// An exact conversion from one RNS basis to another that shares no prime with it.
///
/// Let D be the product of the `from` primes and X = [t x]_D the *centred* representative, in
/// (-D/2, D/2). Three conversions share one loop:
///
/// * [`Conversion::lift`]: writes X modulo the `to` primes;
/// * [`Conversion::divide_round`]: replaces y modulo the `to` primes by (t y - X) / D, which is
///   round([t y]/D) if x and y are residues of one integer: division by D with rounding;
/// * [`Conversion::correction`]: writes -X / D, what the division adds to t y / D.
///
/// With y_i = [t x_i (D/p_i)^-1] mod p_i, X = sum_i y_i D/p_i - v D, v = round(sum_i y_i / p_i)
/// (Halevi, Polyakov, Shoup, ePrint 2018/117, sec. 2.2). The loop sums the fraction in double precision. Where a
/// fraction comes within 2^-36 of a half, its error could decide the rounding, so the column is computed again with big
/// integers. D is odd, so no fraction is exactly a half.
#[derive(Debug, Clone)]
pub struct Conversion {
    kernel: Simd,
    from: Basis,
    to: Basis,
    multiplier: BigUint,
    kind: ConversionKind,
    exact: Exact,
    constants: Constants,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ConversionKind {
    Lift,
    Divide,
    Correction,
}

/// The tables, encoded for the kernel.
#[derive(Debug, Clone, Default)]
struct Constants {
    /// t (D/p_i)^-1 mod p_i, a factor for each `from` limb.
    scale: Vec<[u64; 2]>,
    /// 1/p_i
    inverse: Vec<f64>,
    /// +-(D/p_i) [/ D] modulo the `to` prime j: operand i of row j.
    weights: Vec<u64>,
    /// -+D [/ D] modulo the `to` prime j: the operand for v.
    quotients: Vec<u64>,
    /// The rows whose products one sum modulo the `to` prime j holds.
    limits: Vec<usize>,
    /// t / D modulo the `to` prime j, the operand for y; empty for a lift.
    own: Vec<u64>,
}

impl Conversion {
    /// Prepares the lift of [t x] from one basis to another, where t is the `multiplier`.
    ///
    /// # Errors
    /// [`ArithError::SharedPrime`] if a prime is in both bases; [`ArithError::BadModulus`] for a
    /// prime too large for the kernel; [`ArithError::WrongKernel`] as for [`Simd::prove`].
    pub fn lift(kernel: Simd, multiplier: u64, from: &Basis, to: &Basis) -> Result<Self, ArithError> {
        kernel.prove()?;
        Self::new(kernel, multiplier.into(), from, to, ConversionKind::Lift)
    }

    /// Prepares the division of t y by the product of `from`, with rounding.
    ///
    /// # Errors
    /// As [`Conversion::lift`].
    pub fn divide_round(
        kernel: Simd,
        multiplier: &BigUint,
        from: &Basis,
        to: &Basis,
    ) -> Result<Self, ArithError> {
        kernel.prove()?;
        Self::new(kernel, multiplier.clone(), from, to, ConversionKind::Divide)
    }

    /// Prepares the part of [`Conversion::divide_round`] that comes from x.
    ///
    /// # Errors
    /// As [`Conversion::lift`].
    pub fn correction(
        kernel: Simd,
        multiplier: &BigUint,
        from: &Basis,
        to: &Basis,
    ) -> Result<Self, ArithError> {
        kernel.prove()?;
        Self::new(kernel, multiplier.clone(), from, to, ConversionKind::Correction)
    }

    /// A lift for the proof of a kernel.
    pub(crate) fn unproven_lift(kernel: Simd, from: &Basis, to: &Basis) -> Result<Self, ArithError> {
        Self::new(kernel, 3_u32.into(), from, to, ConversionKind::Lift)
    }

    /// A division for the proof of a kernel.
    pub(crate) fn unproven_division(kernel: Simd, from: &Basis, to: &Basis) -> Result<Self, ArithError> {
        Self::new(kernel, 3_u32.into(), from, to, ConversionKind::Divide)
    }

    fn new(
        kernel: Simd,
        multiplier: BigUint,
        from: &Basis,
        to: &Basis,
        kind: ConversionKind,
    ) -> Result<Self, ArithError> {
        let both = from.concat(to)?;
        check_limbs(from.len().min(MOST), from.len())?;
        let limit = kernel.max_modulus_bits();
        if let Some(giant) = both.moduli().iter().find(|m| m.bits() > limit) {
            return Err(ArithError::BadModulus(giant.value()));
        }
        let mut conversion = Self {
            kernel,
            from: from.clone(),
            to: to.clone(),
            exact: Exact::new(&multiplier, from, to),
            multiplier,
            kind,
            constants: Constants::default(),
        };
        conversion.constants = kernel.run(Encode(&conversion));
        Ok(conversion)
    }

    /// The source basis.
    #[must_use]
    pub fn from_basis(&self) -> &Basis {
        &self.from
    }

    /// The target basis.
    #[must_use]
    pub fn to_basis(&self) -> &Basis {
        &self.to
    }

    /// Converts columns: `from[i]` and `to[j]` hold the residues of the same coefficients modulo
    /// the i-th source and j-th target prime, canonical, in coefficient domain. A division divides what
    /// the targets hold. Returns how many columns needed big integers.
    ///
    /// # Errors
    /// [`ArithError::WrongLength`] if there are not as many limbs as primes, or limbs differ in
    /// length, or the length is not a multiple of 8.
    pub fn run(&self, from: &[&[u64]], to: &mut [&mut [u64]]) -> Result<usize, ArithError> {
        let dividends = vec![Dividend::Target; to.len()];
        self.run_on(from, &dividends, to)
    }

    /// Does the same with the limbs that a division divides: one for each target prime.
    ///
    /// # Errors
    /// As [`Conversion::run`].
    pub fn run_on(
        &self,
        from: &[&[u64]],
        dividends: &[Dividend<'_>],
        to: &mut [&mut [u64]],
    ) -> Result<usize, ArithError> {
        check_limbs(to.len(), self.to.len())?;
        check_limbs(dividends.len(), self.to.len())?;
        let columns = self.columns(from)?;
        let mut redone = 0;
        let block = BLOCK.min(columns);
        // Rows of a power of two would meet in few sets of the cache.
        let stride = block + 8;
        // Vectors that cross lines of the cache take twice as long.
        let mut words = vec![0; (from.len() + 1) * stride + LINE];
        let aligned = words.as_ptr().align_offset(LINE * size_of::<u64>()).min(LINE);
        let words = &mut words[aligned..];
        for start in (0..columns).step_by(BLOCK) {
            let range = start..columns.min(start + BLOCK);
            let mut part = [const { &[] as &[u64] }; MOST];
            for (part, limb) in part.iter_mut().zip(from) {
                *part = &limb[range.clone()];
            }
            let part = &part[..from.len()];
            let prepared = self.prepare(part, words.chunks_exact_mut(stride).collect())?;
            redone += prepared.doubtful.len();
            let ready = prepared.columns(part.len())?;
            for (j, limb) in to.iter_mut().enumerate() {
                let dividend = dividends[j].part(&range)?;
                let got = limb.len();
                let target = limb.get_mut(range.clone());
                let target = target.ok_or(ArithError::WrongLength {
                    expected: columns,
                    got,
                })?;
                self.sum(&ready, j, dividend, target);
            }
        }
        Ok(redone)
    }

    /// Does the part of the work that is the same for all target primes, for the columns of `from`. The caller lends
    /// `rows`, as many as limbs and one more, of as many columns each.
    ///
    /// # Errors
    /// As [`Conversion::run`]; [`ArithError::WrongLength`] if rows are missing or too short.
    pub fn prepare<M: DerefMut<Target = [u64]>>(
        &self,
        from: &[&[u64]],
        mut rows: Vec<M>,
    ) -> Result<Prepared<M>, ArithError> {
        let columns = self.columns(from)?;
        check_limbs(rows.len(), from.len() + 1)?;
        let slices = rows.iter_mut().map(|row| {
            let got = row.len();
            row.get_mut(..columns).ok_or(ArithError::WrongLength {
                expected: columns,
                got,
            })
        });
        let mut slices = slices.collect::<Result<Vec<_>, _>>()?;
        let mut doubtful = Vec::new();
        if let Some((quotients, rows)) = slices.split_last_mut() {
            self.kernel.run(Prepare {
                conversion: self,
                from,
                rows,
                quotients,
                doubtful: &mut doubtful,
            });
        }
        let doubtful = doubtful.into_iter().map(|column| {
            let limbs = from.iter().map(|limb| limb[column]);
            (column, self.representative(limbs))
        });
        let doubtful = doubtful.collect();
        Ok(Prepared {
            columns,
            rows,
            doubtful,
        })
    }

    /// Does the rest of the work for one target prime, whose limb is `to`. A division divides the `dividend`.
    ///
    /// # Errors
    /// [`ArithError::WrongLength`] if a limb is not as long as the prepared ones, there is no such target prime, or a
    /// conversion from another number of primes prepared the columns.
    pub fn combine<M: Deref<Target = [u64]>>(
        &self,
        prepared: &Prepared<M>,
        target: usize,
        dividend: Dividend<'_>,
        to: &mut [u64],
    ) -> Result<(), ArithError> {
        let expected = prepared.columns;
        let lengths = match dividend {
            Dividend::Limb(limb) => [to.len(), limb.len()],
            Dividend::Target | Dividend::Zero => [to.len(); 2],
        };
        if let Some(&got) = lengths.iter().find(|&&len| len != expected) {
            return Err(ArithError::WrongLength { expected, got });
        }
        if target >= self.to.len() {
            return Err(ArithError::WrongLength {
                expected: self.to.len(),
                got: target + 1,
            });
        }
        self.sum(&prepared.columns(self.from.len())?, target, dividend, to);
        Ok(())
    }

    /// The limb of one target prime, of as many columns as were prepared.
    fn sum(&self, prepared: &Columns<'_>, target: usize, dividend: Dividend<'_>, to: &mut [u64]) {
        // What a doubtful column is made of, before it is overwritten.
        let doubtful = prepared.doubtful.iter();
        let own: Vec<u64> = doubtful.map(|&(column, _)| dividend.at(to, column)).collect();
        self.kernel.run(Combine {
            conversion: self,
            rows: &prepared.rows,
            quotients: prepared.quotients,
            target,
            dividend,
            to: &mut *to,
        });
        for ((column, exact), own) in prepared.doubtful.iter().zip(own) {
            to[*column] = self.residue_of(exact, own, target);
        }
    }

    /// The number of columns of a source, a multiple of 8.
    fn columns(&self, from: &[&[u64]]) -> Result<usize, ArithError> {
        check_limbs(from.len(), self.from.len())?;
        let columns = from.first().map_or(0, |limb| limb.len());
        match from
            .iter()
            .map(|limb| limb.len())
            .find(|&l| l != columns || l % 8 != 0)
        {
            Some(got) => Err(ArithError::WrongLength {
                expected: columns.next_multiple_of(8),
                got,
            }),
            None => Ok(columns),
        }
    }

    /// One column modulo one target prime by big integers: the definition, and the mend for
    /// doubtful columns. `own` is what a division finds in the target.
    #[must_use]
    pub fn exact_residue(&self, from: &[u64], own: u64, target: usize) -> u64 {
        self.residue_of(&self.representative(from.iter().copied()), own, target)
    }

    /// X of one column.
    fn representative(&self, from: impl Iterator<Item = u64>) -> BigInt {
        let Exact {
            product,
            cofactors,
            scale,
            ..
        } = &self.exact;
        let factors = self.from.moduli().iter().zip(scale);
        let terms = from.zip(factors).zip(cofactors);
        let sum: BigUint = terms
            .map(|((x, (m, &scale)), cofactor)| cofactor * m.mul(x, scale))
            .sum();
        let sum = sum % product;
        if &sum * 2u32 > *product {
            BigInt::from(sum) - BigInt::from(product.clone())
        } else {
            sum.into()
        }
    }

    /// The result modulo one target prime, from X and what a division finds in the target.
    fn residue_of(&self, exact: &BigInt, own: u64, target: usize) -> u64 {
        let m = &self.to.moduli()[target];
        let x = residue(exact.magnitude(), m);
        let x = if exact.sign() == Sign::Minus { m.neg(x) } else { x };
        let y = match self.kind {
            ConversionKind::Lift => return x,
            ConversionKind::Divide => m.mul(own, residue(&self.multiplier, m)),
            ConversionKind::Correction => 0,
        };
        m.mul(m.sub(y, x), self.exact.inverse[target])
    }
}

/// What a division divides modulo one target prime; other conversions take no notice of it.
#[derive(Debug, Clone, Copy)]
pub enum Dividend<'a> {
    /// Zeros.
    Zero,
    /// What the target holds before.
    Target,
    /// Another limb, of as many columns.
    Limb(&'a [u64]),
}

impl Dividend<'_> {
    /// Some of the columns.
    fn part(&self, columns: &Range<usize>) -> Result<Self, ArithError> {
        let Self::Limb(limb) = self else {
            return Ok(*self);
        };
        let part = limb.get(columns.clone());
        Ok(Self::Limb(part.ok_or(ArithError::WrongLength {
            expected: columns.end,
            got: limb.len(),
        })?))
    }

    /// What is divided in one column of a target.
    fn at(&self, target: &[u64], column: usize) -> u64 {
        match self {
            Self::Zero => 0,
            Self::Target => target[column],
            Self::Limb(limb) => limb[column],
        }
    }
}

/// What [`Conversion::prepare`] leaves for [`Conversion::combine`]: y_i and v of every column in
/// the kernel's lazy form.
#[derive(Debug)]
pub struct Prepared<M> {
    columns: usize,
    /// A row of y_i for each limb, behind them one of v.
    rows: Vec<M>,
    /// The columns whose v is not certain, with X.
    doubtful: Vec<(usize, BigInt)>,
}

impl<M: Deref<Target = [u64]>> Prepared<M> {
    /// The columns that were prepared from so many limbs.
    fn columns(&self, limbs: usize) -> Result<Columns<'_>, ArithError> {
        check_limbs(self.rows.len(), limbs + 1)?;
        let mut rows: Vec<&[u64]> = self.rows.iter().map(|row| &row[..self.columns]).collect();
        Ok(Columns {
            quotients: rows.pop().unwrap_or_default(),
            rows,
            doubtful: &self.doubtful,
        })
    }
}

/// What the sums of all target primes read.
struct Columns<'a> {
    rows: Vec<&'a [u64]>,
    quotients: &'a [u64],
    doubtful: &'a [(usize, BigInt)],
}

fn check_limbs(got: usize, expected: usize) -> Result<(), ArithError> {
    if got == expected {
        Ok(())
    } else {
        Err(ArithError::WrongLength { expected, got })
    }
}

#[cfg(test)]
mod tests;
