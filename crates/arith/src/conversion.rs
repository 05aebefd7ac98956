use num_bigint::BigUint;
use num_traits::ToPrimitive;

use crate::lanes::Lanes;
use crate::{ArithError, Basis, Kernel, Modulus, Task};

/// Columns worked on at a time: the y_i of 16 limbs then fill half of a 32 KiB cache.
const BLOCK: usize = 128;

/// Exact conversion from one RNS basis to another, disjoint one.
///
/// Let D be the product of the `from` primes and X = [t x]_D the *centred* representative, in
/// (-D/2, D/2). Two conversions share one kernel:
///
/// * [`Conversion::lift`]: writes X modulo the `to` primes;
/// * [`Conversion::divide_round`]: replaces y modulo the `to` primes by (t y - X) / D, which is
///   round([t y]/D) if x and y are residues of one integer: division by D with rounding.
///
/// With y_i = [t x_i (D/p_i)^-1] mod p_i, X = sum_i y_i D/p_i - v D, v = round(sum_i y_i / p_i)
/// (Halevi, Polyakov, Shoup, ePrint 2018/117, sec. 2.2). The fraction is summed in double
/// precision; a column whose fraction comes within 2^-36 of a half, where the error could decide,
/// is done again with big integers. D is odd, so no fraction is exactly a half.
#[derive(Debug, Clone)]
pub struct Conversion {
    kernel: Kernel,
    from: Basis,
    to: Basis,
    multiplier: u64,
    divide: bool,
    constants: Constants,
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
    turns: Vec<u64>,
    /// t / D modulo the `to` prime j, the operand for y; empty for a lift.
    own: Vec<u64>,
}

impl Conversion {
    /// The lift of [t x] from one basis to another.
    ///
    /// # Errors
    /// [`ArithError::SharedPrime`] if a prime is in both bases; [`ArithError::BadModulus`] for a
    /// prime too large for the kernel.
    pub fn lift(kernel: Kernel, multiplier: u64, from: &Basis, to: &Basis) -> Result<Self, ArithError> {
        Self::new(kernel, multiplier, from, to, false)
    }

    /// Division of t y by the product of `from`, with rounding.
    ///
    /// # Errors
    /// As [`Conversion::lift`].
    pub fn divide_round(
        kernel: Kernel,
        multiplier: u64,
        from: &Basis,
        to: &Basis,
    ) -> Result<Self, ArithError> {
        Self::new(kernel, multiplier, from, to, true)
    }

    fn new(
        kernel: Kernel,
        multiplier: u64,
        from: &Basis,
        to: &Basis,
        divide: bool,
    ) -> Result<Self, ArithError> {
        let both = from.concat(to)?;
        let limit = kernel.max_modulus_bits();
        if let Some(giant) = both.moduli().iter().find(|m| m.bits() > limit) {
            return Err(ArithError::BadModulus(giant.value()));
        }
        let mut conversion = Self {
            kernel,
            from: from.clone(),
            to: to.clone(),
            multiplier,
            divide,
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
    /// the i-th source and j-th target prime, canonical, in coefficient domain. Returns how many
    /// columns needed big integers.
    ///
    /// # Errors
    /// [`ArithError::WrongLength`] if there are not as many limbs as primes, or limbs differ in
    /// length, or the length is not a multiple of 8.
    pub fn run(&self, from: &[&[u64]], to: &mut [&mut [u64]]) -> Result<usize, ArithError> {
        let wrong = |expected, got| Err(ArithError::WrongLength { expected, got });
        if from.len() != self.from.len() {
            return wrong(self.from.len(), from.len());
        }
        if to.len() != self.to.len() {
            return wrong(self.to.len(), to.len());
        }
        let columns = from.first().map_or(0, |limb| limb.len());
        let lengths = from.iter().map(|l| l.len()).chain(to.iter().map(|l| l.len()));
        if let Some(other) = lengths.into_iter().find(|&l| l != columns || l % 8 != 0) {
            return wrong(columns.next_multiple_of(8), other);
        }
        let doubtful = self.kernel.run(Columns {
            conversion: self,
            from,
            to: &mut *to,
            columns,
        });
        for (column, own) in &doubtful {
            let source: Vec<u64> = from.iter().map(|limb| limb[*column]).collect();
            let exact = self.exact(&source, own);
            for (limb, value) in to.iter_mut().zip(exact) {
                limb[*column] = value;
            }
        }
        Ok(doubtful.len())
    }

    /// One column by big integers: the definition, and the mend for doubtful columns.
    #[must_use]
    pub fn exact(&self, from: &[u64], own: &[u64]) -> Vec<u64> {
        let product = self.from.product();
        let mut sum = BigUint::ZERO;
        for (m, &x) in self.from.moduli().iter().zip(from) {
            let cofactor = &product / m.value();
            let inverse = m.inv(residue(&cofactor, m)).unwrap_or(0);
            let y = m.mul(m.mul(x, m.reduce(self.multiplier)), inverse);
            sum += cofactor * y;
        }
        sum %= &product;
        let negative = &sum * 2u32 > product;
        let magnitude = if negative { &product - sum } else { sum };
        let moduli = self.to.moduli().iter().enumerate();
        moduli
            .map(|(j, m)| {
                let x = residue(&magnitude, m);
                let x = if negative { m.neg(x) } else { x };
                if !self.divide {
                    return x;
                }
                let y = m.mul(own.get(j).copied().unwrap_or(0), m.reduce(self.multiplier));
                let inverse = m.inv(residue(&product, m)).unwrap_or(0);
                m.mul(m.sub(y, x), inverse)
            })
            .collect()
    }
}

fn residue(x: &BigUint, m: &Modulus) -> u64 {
    (x % m.value()).to_u64().unwrap_or(0)
}

/// Builds the tables of a conversion for the kernel that runs it.
struct Encode<'a>(&'a Conversion);

impl Task for Encode<'_> {
    type Output = Constants;

    unsafe fn run<L: Lanes>(self) -> Constants {
        let Conversion {
            from,
            to,
            multiplier,
            divide,
            ..
        } = self.0;
        let product = from.product();
        let mut constants = Constants::default();
        let cofactors: Vec<BigUint> = from.moduli().iter().map(|m| &product / m.value()).collect();
        for (m, cofactor) in from.moduli().iter().zip(&cofactors) {
            // The primes of a basis are distinct: every cofactor is invertible.
            let inverse = m.inv(residue(cofactor, m)).unwrap_or(0);
            let scale = m.mul(m.reduce(*multiplier), inverse);
            constants.scale.push(L::encode_factor(m, scale));
            constants.inverse.push(1.0 / m.value() as f64);
        }
        for m in to.moduli() {
            let turn = m.neg(residue(&product, m));
            // To subtract X and divide by D, every term of X is multiplied by -1/D.
            let fold = match m.inv(turn) {
                Some(inverse) if *divide => inverse,
                _ => 1,
            };
            for cofactor in &cofactors {
                let weight = m.mul(residue(cofactor, m), fold);
                constants.weights.push(L::encode_operand(m, weight));
            }
            constants.turns.push(L::encode_operand(m, m.mul(turn, fold)));
            if *divide {
                let own = m.mul(m.reduce(*multiplier), m.neg(fold));
                constants.own.push(L::encode_operand(m, own));
            }
        }
        constants
    }
}

/// The vector loop over columns; returns the doubtful columns with their own residues.
struct Columns<'a, 'b> {
    conversion: &'a Conversion,
    from: &'a [&'a [u64]],
    to: &'a mut [&'b mut [u64]],
    columns: usize,
}

impl Task for Columns<'_, '_> {
    type Output = Vec<(usize, Vec<u64>)>;

    #[inline(always)]
    unsafe fn run<L: Lanes>(mut self) -> Self::Output {
        let mut doubtful = Vec::new();
        let mut scratch = vec![0u64; self.from.len() * BLOCK];
        let mut turns = vec![0u64; BLOCK];
        let mut start = 0;
        while start < self.columns {
            let len = BLOCK.min(self.columns - start);
            // SAFETY: start + len <= columns, the length of every limb; `scratch` holds a block
            // for each source limb; `Kernel::run` saw the instructions.
            unsafe {
                self.scale::<L>(start, len, &mut scratch);
                self.fraction::<L>(start, len, &scratch, &mut turns, &mut doubtful);
                self.combine::<L>(start, len, &scratch, &turns);
            }
            start += len;
        }
        doubtful
    }
}

impl Columns<'_, '_> {
    /// y_i of one block.
    #[inline(always)]
    unsafe fn scale<L: Lanes>(&self, start: usize, len: usize, scratch: &mut [u64]) {
        let moduli = self.conversion.from.moduli();
        for (i, limb) in self.from.iter().enumerate() {
            // SAFETY: see `run`; len is a multiple of 8, so of the width.
            unsafe {
                let field = L::field(&moduli[i]);
                let factor = L::factor(&self.conversion.constants.scale[i]);
                let (source, target) = (limb.as_ptr().add(start), scratch[i * BLOCK..].as_mut_ptr());
                for c in (0..len).step_by(L::WIDTH) {
                    let y = L::load(field, source.add(c)).mul(field, factor).settle(field);
                    y.store_lazy(target.add(c));
                }
            }
        }
    }

    /// v of one block, and its doubtful columns.
    #[inline(always)]
    unsafe fn fraction<L: Lanes>(
        &self,
        start: usize,
        len: usize,
        scratch: &[u64],
        turns: &mut [u64],
        doubtful: &mut Vec<(usize, Vec<u64>)>,
    ) {
        let inverse = &self.conversion.constants.inverse;
        for c in (0..len).step_by(L::WIDTH) {
            // SAFETY: see `run`.
            let mut mask = unsafe {
                let mut sum = L::real_zero();
                for (i, &inverse) in inverse.iter().enumerate() {
                    let y = L::load_lazy(scratch.as_ptr().add(i * BLOCK + c));
                    sum = L::real_mul_add(sum, y, inverse);
                }
                let (turn, mask) = L::real_round(sum);
                turn.store_lazy(turns.as_mut_ptr().add(c));
                mask
            };
            while mask != 0 {
                let column = start + c + mask.trailing_zeros() as usize;
                doubtful.push((column, self.to.iter().map(|limb| limb[column]).collect()));
                mask &= mask - 1;
            }
        }
    }

    /// The sums of one block, one target limb after the other.
    #[inline(always)]
    unsafe fn combine<L: Lanes>(&mut self, start: usize, len: usize, scratch: &[u64], turns: &[u64]) {
        let constants = &self.conversion.constants;
        let count = self.from.len();
        let largest = self.conversion.from.moduli().iter().map(Modulus::bits).max().unwrap_or(0);
        for (j, limb) in self.to.iter_mut().enumerate() {
            let weights = &constants.weights[j * count..(j + 1) * count];
            let terms_limit = L::fixed_terms(largest + self.conversion.to.moduli()[j].bits());
            let (first, rest) = weights.split_at(count.min(terms_limit));
            // SAFETY: see `run`; so many products, v and y fit one sum.
            unsafe {
                let field = L::field(&self.conversion.to.moduli()[j]);
                let turn = L::operand(constants.turns[j]);
                let own = constants.own.get(j).map(|&w| L::operand(w));
                let target = limb.as_mut_ptr().add(start);
                for c in (0..len).step_by(L::WIDTH) {
                    let y = scratch.as_ptr().add(c);
                    let v = L::load_lazy(turns.as_ptr().add(c));
                    let mut sum = L::sum_mul(L::sum_zero(), v, turn);
                    let mut terms = 1 + first.len();
                    if let Some(own) = own {
                        sum = L::sum_mul(sum, L::load(field, target.add(c)), own);
                        terms += 1;
                    }
                    for (i, &w) in first.iter().enumerate() {
                        sum = L::sum_mul(sum, L::load_lazy(y.add(i * BLOCK)), L::operand(w));
                    }
                    let mut x = L::sum_reduce(field, sum, terms);
                    for (k, part) in rest.chunks(terms_limit).enumerate() {
                        let y = y.add((k + 1) * terms_limit * BLOCK);
                        let mut sum = L::sum_zero();
                        for (i, &w) in part.iter().enumerate() {
                            sum = L::sum_mul(sum, L::load_lazy(y.add(i * BLOCK)), L::operand(w));
                        }
                        let part = L::sum_reduce(field, sum, part.len());
                        x = x.tidy(field).add(field, part);
                    }
                    x.store(field, target.add(c));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prime::primes_below;
    use proptest::prelude::*;

    fn bases(from: usize, to: usize, bits: u32) -> (Basis, Basis) {
        let primes = primes_below(1 << bits, 65535 * 256, from + to, &[]).unwrap();
        (
            Basis::new(&primes[..from]).unwrap(),
            Basis::new(&primes[from..]).unwrap(),
        )
    }

    fn columns(basis: &Basis, values: &[BigUint]) -> Vec<Vec<u64>> {
        let column = |m| values.iter().map(|x| residue(x, m)).collect();
        basis.moduli().iter().map(column).collect()
    }

    /// Runs both conversions of every available kernel on given integers and compares with the
    /// definition, computed by `num-bigint` from the integers themselves. Returns the number of
    /// columns redone exactly by each kernel's lift.
    fn check(from: &Basis, to: &Basis, t: u64, values: &[BigUint]) -> Vec<usize> {
        let (d, source) = (from.product(), columns(from, values));
        let source: Vec<&[u64]> = source.iter().map(Vec::as_slice).collect();
        let own = columns(to, values);
        let mut redone = Vec::new();
        for kernel in Kernel::available() {
            for divide in [false, true] {
                let conversion = Conversion::new(kernel, t, from, to, divide).unwrap();
                let mut target = own.clone();
                let mut slices: Vec<&mut [u64]> = target.iter_mut().map(Vec::as_mut_slice).collect();
                let count = conversion.run(&source, &mut slices).unwrap();
                if !divide {
                    redone.push(count);
                }
                for (k, x) in values.iter().enumerate() {
                    let scaled = x * t;
                    let rest = &scaled % &d;
                    let up = &rest * 2u32 > d;
                    for (j, m) in to.moduli().iter().enumerate() {
                        let expected = if divide {
                            residue(&(&scaled / &d + u32::from(up)), m)
                        } else {
                            m.sub(residue(&rest, m), if up { residue(&d, m) } else { 0 })
                        };
                        assert_eq!(target[j][k], expected, "{kernel:?} {divide} column {k}");
                    }
                }
            }
        }
        redone
    }

    #[test]
    fn boundary_columns_are_redone_exactly() {
        for (from, to) in [(1, 1), (3, 2), (14, 15), (29, 14), (41, 43)] {
            let (from, to) = bases(from, to, 50);
            let half = from.product() / 2u32; // (D - 1) / 2, since D is odd
            let whole = from.product() * to.product() - 1u32;
            let edges: [BigUint; 8] = [
                BigUint::ZERO,
                1u32.into(),
                half.clone(),
                &half + 1u32,
                from.product() - 1u32,
                from.product(),
                &half - 1u32,
                whole,
            ];
            // One of one prime has fractions of 1/p, far above the doubt; the others sit on it.
            let expected = if from.len() == 1 { 0 } else { 3 };
            let redone = check(&from, &to, 1, &edges);
            if from.len() > 1 {
                assert!(redone.iter().all(|&r| r >= expected), "{redone:?}");
            }
        }
    }

    #[test]
    fn random_columns_take_the_fast_path() {
        let (from, to) = bases(14, 15, 50);
        let mut x = BigUint::from(3u32);
        let range = from.product() * to.product();
        let values: Vec<BigUint> = (0..256)
            .map(|_| {
                x = x.modpow(&65537u32.into(), &(&range - 2u32));
                x.clone()
            })
            .collect();
        assert!(check(&from, &to, 2, &values).iter().all(|&r| r == 0));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn any_sizes_and_multipliers(
            from in 1usize..24, to in 1usize..12, bits in 34u32..=50, t in 1u64..1000,
            seeds in proptest::collection::vec(any::<[u64; 4]>(), 8..=8),
        ) {
            let (from, to) = bases(from, to, bits);
            let range = from.product() * to.product();
            let values: Vec<BigUint> = seeds
                .iter()
                .map(|s| s.iter().fold(BigUint::ZERO, |x, &w| (x * &range / 7u32) + w) % &range)
                .collect();
            check(&from, &to, t, &values);
        }
    }

    #[test]
    fn wrong_shapes_are_refused() {
        let (from, to) = bases(2, 1, 50);
        let conversion = Conversion::lift(Kernel::Portable, 1, &from, &to).unwrap();
        let (a, mut b) = ([0u64; 8], [0u64; 8]);
        assert!(conversion.run(&[&a], &mut [&mut b]).is_err());
        assert!(conversion.run(&[&a, &a[..4]], &mut [&mut b]).is_err());
        assert!(conversion.run(&[&a[..4], &a[..4]], &mut [&mut b[..4]]).is_err());
        assert!(Conversion::lift(Kernel::Portable, 1, &from, &from).is_err());
    }
}
