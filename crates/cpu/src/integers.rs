//! The integers that residues stand for, some columns at a time.

use num_bigint::BigUint;
use num_traits::ToPrimitive;
use ringmill_arith::lanes::{Columns, Lanes};
use ringmill_arith::{Basis, Simd, WithSimd};

/// Columns whose integers are made together: limbs are powers of two apart, so that columns of many of them would drive
/// each other out of the first-level cache.
pub(super) const TOGETHER: usize = 64;

/// Digits of the integers whose sums are in registers together.
const GROUP: usize = 5;

/// Vectors of columns for which they are.
const VECTORS: usize = 2;

/// More than the sum of up to 2^10 fractions in double precision can be wrong by.
const ROUNDING_MARGIN: f64 = 1.0 / (1u64 << 32) as f64;

/// Chinese remaindering modulo at most 2^10 primes below 2^50, to digits of as many bits as the kernel's
/// ([`Simd::digit_bits`]).
///
/// The integer in [0, q) with residues x_i is sum_i y_i q/q_i - v q, where y_i is x_i (q/q_i)^-1 modulo q_i and
/// v = floor(sum_i y_i / q_i). The quotient is taken one too small where it is not certain; these few integers are
/// compared with q. Sums are made digit by digit, all carries at the end.
pub(super) struct Integers<'a> {
    basis: &'a Basis,
    kernel: Simd,
    /// (q/q_i)^-1 mod q_i
    inverses: Vec<u64>,
    bits: u32,
    /// Digits of a y_i.
    split: usize,
    /// Digits of an integer, whole groups.
    digits: usize,
    /// For each group of digits, from the lowest, by what those of all y_i, and then v, are multiplied: the group's digits
    /// of q/q_i, shifted by those of y_i below, and of -q.
    table: Vec<[u64; GROUP]>,
    /// q
    product: Vec<u64>,
}

/// Memory for one task, in rows of [`TOGETHER`] columns.
pub(super) struct Scratch {
    /// The digits of all y_i, and v.
    factors: Vec<u64>,
    /// The sums of each digit: `low + 2^HIGH_BITS high`. In the end the digits are in `low`.
    low: Vec<u64>,
    high: Vec<u64>,
}

impl<'a> Integers<'a> {
    /// Of as many bits at least as `needed`, and as twice the product of the basis.
    pub(super) fn new(basis: &'a Basis, needed: u64, kernel: Simd) -> Self {
        let bits = kernel.digit_bits();
        let q = basis.product();
        let digits = needed.max(q.bits() + 1).div_ceil(bits.into()) as usize;
        let digits = digits.next_multiple_of(GROUP);
        let longest = basis.moduli().iter().map(|q| q.bits()).max().unwrap_or(1);
        let split = longest.div_ceil(bits) as usize;
        let cofactors: Vec<BigUint> = basis.moduli().iter().map(|p| &q / p.value()).collect();
        let inverses = basis.moduli().iter().zip(&cofactors).map(|(q, cofactor)| {
            // The primes of a basis are distinct: the cofactor is invertible.
            q.inv((cofactor % q.value()).to_u64().unwrap_or(0)).unwrap_or(0)
        });
        let shifted = cofactors
            .iter()
            .flat_map(|cofactor| (0..split).map(move |d| cofactor << (d * bits as usize)));
        let negative = (BigUint::from(1u32) << (digits * bits as usize)) - &q;
        let factors: Vec<Vec<u64>> = shifted
            .chain([negative])
            .map(|x| split_digits(&x, bits, digits))
            .collect();
        let table = (0..digits).step_by(GROUP).flat_map(|first| {
            let group = move |digits: &Vec<u64>| std::array::from_fn(|j| digits[first + j]);
            factors.iter().map(group)
        });
        Self {
            basis,
            kernel,
            inverses: inverses.collect(),
            bits,
            split,
            digits,
            table: table.collect(),
            product: split_digits(&q, bits, digits),
        }
    }

    pub(super) fn scratch(&self) -> Scratch {
        Scratch {
            factors: vec![0; self.terms() * TOGETHER],
            low: vec![0; self.digits * TOGETHER],
            high: vec![0; self.digits * TOGETHER],
        }
    }

    /// Products in a sum.
    fn terms(&self) -> usize {
        self.basis.len() * self.split + 1
    }

    /// The digits of the integers with some columns' residues: rows of [`TOGETHER`] columns, the lowest digits first. There
    /// are as many columns in `residues`, for each prime in order, or fewer; the integers of other columns are 0.
    pub(super) fn join<'r, 's>(
        &self,
        residues: impl Iterator<Item = &'r [u64]>,
        scratch: &'s mut Scratch,
    ) -> &'s mut [u64] {
        let rows = scratch.factors.chunks_exact_mut(self.split * TOGETHER);
        for (row, residues) in rows.zip(residues) {
            row[..residues.len()].copy_from_slice(residues);
            row[residues.len()..].fill(0);
        }
        let uncertain = self.kernel.run(Join {
            integers: self,
            scratch: &mut *scratch,
        });
        let value = &mut scratch.low[..];
        if uncertain.contains(&true) {
            let columns = (0..TOGETHER).zip(uncertain).filter(|(_, uncertain)| *uncertain);
            columns.for_each(|(column, _)| self.reduce(value, column));
        }
        value
    }

    /// Subtracts q from an integer below 2q unless it is below q.
    fn reduce(&self, value: &mut [u64], column: usize) {
        let digits = || value.iter().skip(column).step_by(TOGETHER);
        if digits().rev().lt(self.product.iter().rev()) {
            return;
        }
        let mut borrow = 0;
        let digits = value.iter_mut().skip(column).step_by(TOGETHER);
        for (digit, &product) in digits.zip(&self.product) {
            let less = product + borrow;
            borrow = u64::from(*digit < less);
            *digit = *digit + (borrow << self.bits) - less;
        }
    }
}

/// The lowest digits of a number, the lowest first.
pub(super) fn split_digits(number: &BigUint, bits: u32, digits: usize) -> Vec<u64> {
    let mask = BigUint::from((1u64 << bits) - 1);
    let digit = |j: usize| ((number >> (j * bits as usize)) & &mask).to_u64();
    (0..digits).map(|j| digit(j).unwrap_or(0)).collect()
}

/// Makes digits of residues; returns for which columns q is to be subtracted once more, perhaps.
struct Join<'a, 's> {
    integers: &'a Integers<'a>,
    scratch: &'s mut Scratch,
}

impl WithSimd for Join<'_, '_> {
    type Output = [bool; TOGETHER];

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) -> [bool; TOGETHER] {
        const { assert!(TOGETHER.is_multiple_of(8) && TOGETHER.is_multiple_of(VECTORS * L::Columns::WIDTH)) };
        let Self { integers, scratch } = self;
        let mut quotients = [0.0; TOGETHER];
        let rows = scratch.factors.chunks_exact_mut(integers.split * TOGETHER);
        for ((row, q), &inverse) in rows.zip(integers.basis.moduli()).zip(&integers.inverses) {
            let words = L::encode_factor(q, inverse);
            let y = row.as_mut_ptr();
            // SAFETY: a row has TOGETHER words at least, whole vectors; the caller saw the instructions.
            unsafe {
                let (field, factor) = (L::field(q), L::factor(&words));
                for c in (0..TOGETHER).step_by(L::WIDTH) {
                    L::load(field, y.add(c)).mul(field, factor).store(field, y.add(c));
                }
            }
            let reciprocal = 1.0 / q.value() as f64;
            for (quotient, &y) in quotients.iter_mut().zip(&*row) {
                *quotient += y as f64 * reciprocal;
            }
            split_rows(row, integers.bits);
        }
        let mut uncertain = [false; TOGETHER];
        let last = (integers.terms() - 1) * TOGETHER;
        for ((quotient, v), uncertain) in quotients
            .iter()
            .zip(&mut scratch.factors[last..])
            .zip(&mut uncertain)
        {
            let least = (quotient - ROUNDING_MARGIN).max(0.0);
            *v = least as u64;
            *uncertain = least - *v as f64 > 1.0 - 4.0 * ROUNDING_MARGIN;
        }
        // SAFETY: the caller saw the instructions.
        unsafe { add_products::<L::Columns>(integers, scratch) };
        carry(scratch, integers.bits, L::Columns::HIGH_BITS);
        uncertain
    }
}

/// Splits the words of the first row into digits, one row after the other.
#[inline(always)]
fn split_rows(rows: &mut [u64], bits: u32) {
    let mask = (1 << bits) - 1;
    let (first, others) = rows.split_at_mut(TOGETHER);
    for (d, row) in (1..).zip(others.chunks_exact_mut(TOGETHER)) {
        for (digit, y) in row.iter_mut().zip(&*first) {
            *digit = y >> (d * bits) & mask;
        }
    }
    first.iter_mut().for_each(|y| *y &= mask);
}

/// The sums of each digit, in two words a column.
///
/// # Safety
/// The machine has the instructions of `C`.
#[inline(always)]
unsafe fn add_products<C: Columns>(integers: &Integers<'_>, scratch: &mut Scratch) {
    let terms = integers.terms();
    scratch.low.fill(0);
    scratch.high.fill(0);
    let factors = &scratch.factors[..terms * TOGETHER];
    let groups = integers.table.chunks_exact(terms);
    let low = scratch.low.chunks_exact_mut(GROUP * TOGETHER);
    let high = scratch.high.chunks_exact_mut(GROUP * TOGETHER);
    for ((table, low), high) in groups.zip(low).zip(high) {
        // As many products as a sum can hold; two words hold those of all 2^10 primes at most.
        let parts = table
            .chunks(C::PRODUCTS)
            .zip(factors.chunks(C::PRODUCTS * TOGETHER));
        for (table, factors) in parts {
            for c in (0..TOGETHER).step_by(VECTORS * C::WIDTH) {
                // SAFETY: `factors` has a row for each entry of the table, `low` and `high` one for each digit of the
                // group, and a row TOGETHER columns, a multiple of the vectors' width; the caller saw the instructions.
                unsafe {
                    let factors = factors.as_ptr().add(c);
                    let mut sums = [[C::zero(); VECTORS]; GROUP];
                    for (term, digits) in table.iter().enumerate() {
                        let row = factors.add(term * TOGETHER);
                        let y = [C::load(row), C::load(row.add(C::WIDTH))];
                        for (sums, &digit) in sums.iter_mut().zip(digits) {
                            let digit = C::splat(digit);
                            for (sum, y) in sums.iter_mut().zip(y) {
                                *sum = C::mul_add(*sum, y, digit);
                            }
                        }
                    }
                    for (j, sums) in sums.into_iter().enumerate() {
                        for (vector, sum) in sums.into_iter().enumerate() {
                            let at = j * TOGETHER + c + vector * C::WIDTH;
                            C::add_to(sum, low.as_mut_ptr().add(at), high.as_mut_ptr().add(at));
                        }
                    }
                }
            }
        }
    }
}

/// Moves carries from digit to digit; the digits stay in `low`. A sum is below 2^(50 + bits + 11): the carries, sums over
/// 2^bits, are below 2^62.
#[inline(always)]
fn carry(scratch: &mut Scratch, bits: u32, high_bits: u32) {
    let mask = (1 << bits) - 1;
    let mut carries = [0; TOGETHER];
    let rows = scratch.low.chunks_exact_mut(TOGETHER);
    for (low, high) in rows.zip(scratch.high.chunks_exact(TOGETHER)) {
        for ((low, &high), carry) in low.iter_mut().zip(high).zip(&mut carries) {
            let (sum, over) = low.overflowing_add(*carry);
            *low = sum & mask;
            *carry = (sum >> bits) + (u64::from(over) << (64 - bits)) + (high << (high_bits - bits));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringmill_arith::prime::primes_below;

    #[test]
    fn residues_make_integers() {
        for (count, needed) in [(1, 0), (2, 300), (3, 0), (4, 0), (9, 512), (28, 1281)] {
            let basis = Basis::new(&primes_below(1 << 50, 2048, count, &[]).unwrap()).unwrap();
            let (q, third) = (basis.product(), basis.product() / 3_u32);
            let near = [BigUint::ZERO, 1_u32.into(), 5_u32.into(), &q - 1_u32, &q - 5_u32];
            // Integers near 0 and q in columns between others, and columns without any.
            let expected: Vec<BigUint> = (0..TOGETHER as u32 - 3)
                .map(|i| match near.get(i as usize / 3).filter(|_| i % 3 == 1) {
                    Some(near) => near.clone(),
                    None => (&third * (i % 3) + (&q >> (i + 1))) % &q,
                })
                .collect();
            let residues = |p: u64| expected.iter().map(move |x| (x % p).to_u64().unwrap());
            let limbs: Vec<Vec<u64>> = basis
                .moduli()
                .iter()
                .map(|p| residues(p.value()).collect())
                .collect();
            for kernel in Simd::tested() {
                let integers = Integers::new(&basis, needed, kernel);
                let mut scratch = integers.scratch();
                // Nothing of what was there before is left.
                for fill in [u64::MAX, 0] {
                    scratch.factors.fill(fill);
                    scratch.low.fill(fill);
                    scratch.high.fill(fill);
                    let value = integers.join(limbs.iter().map(|limb| &limb[..]), &mut scratch);
                    assert!(value.len() as u64 * u64::from(integers.bits) >= needed * TOGETHER as u64);
                    for column in 0..TOGETHER {
                        let digits = value.iter().skip(column).step_by(TOGETHER).rev();
                        let made = digits.fold(BigUint::ZERO, |sum, &digit| {
                            assert!(digit >> integers.bits == 0);
                            (sum << integers.bits) + digit
                        });
                        let expected = expected.get(column).cloned().unwrap_or_default();
                        assert_eq!(
                            made,
                            expected,
                            "{count} primes, column {column}, {}",
                            kernel.name()
                        );
                    }
                }
            }
        }
    }
}
