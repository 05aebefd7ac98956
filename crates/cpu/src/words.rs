//! Word decomposition: digits in base 2^bits of the representative in [0, q).

use num_bigint::BigUint;
use num_traits::ToPrimitive;
use rayon::prelude::*;
use ringmill_arith::lanes::{Lanes, require_columns};
use ringmill_arith::{Basis, Modulus, WithSimd};
use ringmill_ring::Domain;

use super::pool::Limb;
use super::{CpuDevice, CpuPoly, columns};
use ringmill_device::{DeviceError, Digits};

/// Most bits of a piece of a digit.
const PIECE_BITS: u32 = 48;

/// A constant in the lanes of the widest vector.
const LANES: usize = 8;

/// Columns whose digits are made together: limbs are powers of two apart, so that columns of many of them
/// would drive each other out of the first-level cache. Residues are gathered first, pieces put in their places
/// in the end.
const GATHERED: usize = 64;

impl CpuDevice {
    /// The digits of a polynomial, in either domain, over any basis; of a size that there is.
    pub(super) fn base_two_digits(
        &self,
        a: &CpuPoly,
        bits: u32,
        over: &Basis,
    ) -> Result<Vec<CpuPoly>, DeviceError> {
        // There is one for every prime that it takes, all below 2^50.
        for q in a.basis().moduli() {
            self.table(q)?;
        }
        let mut place = None;
        let a = self.in_coefficients(a, &mut place)?;
        let count = Digits::BaseTwo { bits }.elements(a.basis()).len();
        let cut = Cut::new(over, bits, count);
        let pieces = self.pieces(a, &cut);
        let mut digits: Vec<CpuPoly> = (0..count)
            .map(|_| self.allocate(over, Domain::Evaluation))
            .collect();
        let digits_of_pieces = digits.par_iter_mut().zip(pieces.par_chunks_exact(cut.each));
        digits_of_pieces.try_for_each(|(digit, pieces)| {
            let pieces: Vec<&[u64]> = pieces.iter().map(|piece| &piece[..]).collect();
            let limbs = digit.limbs_mut().par_iter_mut().zip(over.moduli());
            limbs.try_for_each(|(limb, q)| {
                self.kernel.run(cut.join(q, &pieces, limb));
                Ok::<_, DeviceError>(self.table(q)?.evaluate(limb)?)
            })
        })?;
        Ok(digits)
    }

    /// The pieces of all digits, all columns of one after the other, of a polynomial in coefficient domain.
    fn pieces(&self, a: &CpuPoly, cut: &Cut) -> Vec<Limb> {
        let reconstruct = Reconstruction::new(a.basis());
        let mut pieces = self.limbs(cut.digits * cut.each);
        let blocks = columns::blocks_mut(&mut pieces).into_par_iter().enumerate();
        blocks.for_each_init(
            || {
                let residues = vec![0; a.basis().len() * GATHERED];
                let words = vec![0; cut.digits * cut.each * GATHERED];
                let value = vec![0; reconstruct.words().max(cut.words())];
                (residues, vec![0; a.basis().len() + 1], value, words)
            },
            |(residues, factors, value, words), (block, mut pieces)| {
                let columns = pieces.first().map_or(0, |piece| piece.len());
                for start in (0..columns).step_by(GATHERED) {
                    let (at, width) = (block * columns::BLOCK + start, GATHERED.min(columns - start));
                    for (to, limb) in residues.chunks_exact_mut(GATHERED).zip(a.limbs()) {
                        to[..width].copy_from_slice(&limb[at..at + width]);
                    }
                    let mut local: Vec<&mut [u64]> = words.chunks_exact_mut(GATHERED).collect();
                    for column in 0..width {
                        reconstruct.integer(|i| residues[i * GATHERED + column], factors, value);
                        cut.cut(value, &mut local, column);
                    }
                    for (piece, local) in pieces.iter_mut().zip(local) {
                        piece[start..start + width].copy_from_slice(&local[..width]);
                    }
                }
            },
        );
        pieces
    }
}

/// Chinese remaindering to integers of fixed width.
struct Reconstruction {
    basis: Basis,
    /// (q/q_i)^-1 mod q_i, with companion.
    inverse: Vec<(u64, u64)>,
    /// 1/q_i
    reciprocal: Vec<f64>,
    /// For each word, from the lowest, that of every q/q_i and of -q.
    columns: Vec<u64>,
    /// -q, little-endian words.
    negative: Vec<u64>,
    /// q, as many words.
    product: Vec<u64>,
}

/// More than the sum of up to 2^10 fractions in double precision can be wrong by.
const ROUNDING_MARGIN: f64 = 1.0 / (1u64 << 32) as f64;

impl Reconstruction {
    fn new(basis: &Basis) -> Self {
        let product = basis.product();
        // One more, in which sums are negative or not.
        let width = product.iter_u64_digits().len() + 1;
        let words = |x: &BigUint| {
            let mut words = x.to_u64_digits();
            words.resize(width, 0);
            words
        };
        let inverse = basis.moduli().iter().map(|q| {
            let cofactor = (&product / q.value() % q.value()).to_u64().unwrap_or(0);
            // The primes of a basis are distinct: the cofactor is invertible.
            let inverse = q.inv(cofactor).unwrap_or(0);
            (inverse, q.shoup(inverse))
        });
        let negative = words(&((BigUint::from(1u32) << (64 * width)) - &product));
        let cofactors = basis.moduli().iter().map(|q| words(&(&product / q.value())));
        let rows: Vec<Vec<u64>> = cofactors.chain([negative.clone()]).collect();
        Self {
            inverse: inverse.collect(),
            reciprocal: basis.moduli().iter().map(|q| 1.0 / q.value() as f64).collect(),
            columns: (0..width)
                .flat_map(|j| rows.iter().map(move |row| row[j]))
                .collect(),
            negative,
            product: words(&product),
            basis: basis.clone(),
        }
    }

    fn words(&self) -> usize {
        self.product.len()
    }

    /// The integer in [0, q) with these residues: sum_i y_i q/q_i - v q with v = floor(sum_i y_i / q_i), which
    /// is taken one too small where it is not certain; then q is subtracted once more. Further words are 0.
    ///
    /// By product scanning: a column's sum of at most 2^10 products of words with y_i < 2^50, as primes with a
    /// transform are, and of what was carried, is below 2^128. `factors` has room for all y_i and v.
    fn integer(&self, residue: impl Fn(usize) -> u64, factors: &mut [u64], value: &mut [u64]) {
        let (value, rest) = value.split_at_mut(self.words());
        rest.fill(0);
        let mut quotient = 0.0;
        for (i, q) in self.basis.moduli().iter().enumerate() {
            let (inverse, companion) = self.inverse[i];
            factors[i] = q.mul_shoup(residue(i), inverse, companion);
            quotient += factors[i] as f64 * self.reciprocal[i];
        }
        factors[self.basis.len()] = (quotient - ROUNDING_MARGIN) as u64;
        let mut sum = 0;
        for (word, column) in value.iter_mut().zip(self.columns.chunks_exact(factors.len())) {
            for (&y, &z) in factors.iter().zip(column) {
                sum += u128::from(y) * u128::from(z);
            }
            *word = sum as u64;
            sum >>= 64;
        }
        if value.iter().rev().ge(self.product.iter().rev()) {
            add(value, &self.negative);
        }
    }
}

/// x + y modulo a power of 2^64, words of equal number.
fn add(x: &mut [u64], y: &[u64]) {
    let mut carry = 0;
    for (x, &y) in x.iter_mut().zip(y) {
        let sum = u128::from(*x) + u128::from(y) + carry;
        *x = sum as u64;
        carry = sum >> 64;
    }
}

/// How integers are cut into digits and these into pieces below every prime.
///
/// With H = sum_k (2^(bits-1) - 1) 2^(bits k) the plain digits of x + H are those of x in
/// (-2^(bits-1), 2^(bits-1)], each with 2^(bits-1) - 1 added: no carry has to be followed from digit to digit.
struct Cut {
    bits: u32,
    digits: usize,
    /// Pieces of a digit, and bits of each but the last.
    each: usize,
    piece_bits: u32,
    /// H, little-endian words, and one more.
    offset: Vec<u64>,
}

impl Cut {
    fn new(basis: &Basis, bits: u32, digits: usize) -> Self {
        let least = basis.moduli().iter().map(Modulus::bits).min().unwrap_or(2);
        // Below a power of 2 that is below every prime; then as even as possible.
        let each = bits.div_ceil(PIECE_BITS.min(least - 1));
        let one = (BigUint::from(1u32) << (bits - 1)) - 1u32;
        let offset = (0..digits).fold(BigUint::ZERO, |sum, _| (sum << bits) + &one);
        let mut words = offset.to_u64_digits();
        words.resize((bits as usize * digits).div_ceil(64) + 1, 0);
        Self {
            bits,
            digits,
            each: each as usize,
            piece_bits: bits.div_ceil(each),
            offset: words,
        }
    }

    /// Words of an integer with the offset.
    fn words(&self) -> usize {
        self.offset.len()
    }

    /// Puts the pieces of an integer's digits, digit after digit, in a column; the integer is used up.
    fn cut(&self, value: &mut [u64], pieces: &mut [&mut [u64]], column: usize) {
        add(value, &self.offset);
        for k in 0..self.digits {
            for i in 0..self.each {
                let from = i as u32 * self.piece_bits;
                let mask = (1 << self.piece_bits.min(self.bits.saturating_sub(from))) - 1;
                let at = k * self.bits as usize + from as usize;
                let low = value.get(at / 64).copied().unwrap_or(0);
                let high = value.get(at / 64 + 1).copied().unwrap_or(0);
                let pair = u128::from(low) | u128::from(high) << 64;
                pieces[k * self.each + i][column] = (pair >> (at % 64)) as u64 & mask;
            }
        }
    }

    /// A digit modulo a prime from its pieces.
    fn join<'a>(&self, q: &'a Modulus, pieces: &'a [&'a [u64]], to: &'a mut [u64]) -> Join<'a> {
        let factor = q.pow(2, self.piece_bits.into());
        // What, added to the last piece, takes the offset off; 2 is invertible.
        let one = q.sub(q.pow(2, u64::from(self.bits) - 1), 1);
        let scale = q.pow(2, u64::from(self.piece_bits) * (self.each as u64 - 1));
        let start = q.neg(q.mul(one, q.inv(scale).unwrap_or(0)));
        Join {
            q,
            pieces,
            factor,
            start: [start; LANES],
            to,
        }
    }
}

/// (... ((start + last piece) factor + next) factor + ...) + first piece modulo a prime.
struct Join<'a> {
    q: &'a Modulus,
    /// The pieces, one at least, each as long as the result and below q, from the lowest.
    pieces: &'a [&'a [u64]],
    factor: u64,
    start: [u64; LANES],
    to: &'a mut [u64],
}

impl WithSimd for Join<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let n = self.to.len();
        require_columns(n, self.pieces.iter().copied());
        let Some((last, others)) = self.pieces.split_last() else {
            return;
        };
        let to = self.to.as_mut_ptr();
        let words = L::encode_factor(self.q, self.factor);
        // SAFETY: all pieces have n words, a multiple of the width, and no vector is wider than
        // LANES; a product and two canonical residues have a sum within every lazy range; the caller saw the
        // instructions.
        unsafe {
            let (field, factor) = (L::field(self.q), L::factor(&words));
            let start = L::load(field, self.start.as_ptr());
            for c in (0..n).step_by(L::WIDTH) {
                let mut x = start.add(field, L::load(field, last.as_ptr().add(c)));
                for piece in others.iter().rev() {
                    let piece = L::load(field, piece.as_ptr().add(c));
                    x = x.mul(field, factor).add(field, piece);
                }
                x.store(field, to.add(c));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;
    use ringmill_arith::{Simd, prime::primes_below};

    #[test]
    fn residues_make_integers() {
        for count in [1, 2, 3, 4, 9] {
            let basis = Basis::new(&primes_below(1 << 50, 2048, count, &[]).unwrap()).unwrap();
            let reconstruct = Reconstruction::new(&basis);
            let (mut y, mut value) = (vec![0; count + 1], vec![7; reconstruct.words() + 1]);
            let (last, third) = (basis.product() - 1_u32, basis.product() / 3_u32);
            for expected in [BigUint::ZERO, 5_u32.into(), last, third.clone(), third << 1] {
                let residue = |i: usize| (&expected % basis.moduli()[i].value()).to_u64().unwrap();
                reconstruct.integer(residue, &mut y, &mut value);
                let made = value.iter().rev().fold(BigUint::ZERO, |s, &w| (s << 64) + w);
                assert_eq!(made, expected, "{count} primes");
            }
        }
    }

    #[test]
    fn pieces_recompose() {
        let basis = Basis::new(&primes_below(1 << 45, 2048, 4, &[]).unwrap()).unwrap();
        let value = [0xffff_ffff_ffff_ffff, 0x8000_0000_0000_0001, 0x1234, 0];
        let expected = value.iter().rev().fold(BigUint::ZERO, |s, &w| (s << 64) + w);
        for bits in [2, 16, 44, 45, 60, 64, 100, 205, 1024] {
            let count = 149usize.div_ceil(bits as usize);
            let cut = Cut::new(&basis, bits, count);
            let mut words = vec![0; cut.words().max(4)];
            words[..4].copy_from_slice(&value);
            let mut pieces = vec![vec![0; 8]; cut.each * count];
            let mut slices: Vec<&mut [u64]> = pieces.iter_mut().map(Vec::as_mut_slice).collect();
            cut.cut(&mut words, &mut slices, 3);
            let offset = (BigInt::from(1) << (bits - 1)) - 1;
            let digit = |pieces: &[Vec<u64>]| {
                let whole = pieces
                    .iter()
                    .rev()
                    .fold(BigInt::ZERO, |s, piece| (s << cut.piece_bits) + piece[3]);
                whole - &offset
            };
            let digits: Vec<BigInt> = pieces.chunks(cut.each).map(digit).collect();
            let half = BigInt::from(1) << (bits - 1);
            assert!(digits.iter().all(|d| -&half < *d && *d <= half), "{bits} bits");
            let sum = digits.iter().rev().fold(BigInt::ZERO, |s, d| (s << bits) + d);
            assert_eq!(sum, expected.clone().into(), "{bits} bits");

            // The first digit modulo a prime.
            let q = &basis.moduli()[1];
            let words: Vec<&[u64]> = pieces[..cut.each].iter().map(Vec::as_slice).collect();
            for kernel in Simd::tested() {
                let mut limb = vec![0; 8];
                kernel.run(cut.join(q, &words, &mut limb));
                let modulus = BigInt::from(q.value());
                assert_eq!(
                    BigInt::from(limb[3]),
                    (&digits[0] % &modulus + &modulus) % &modulus
                );
            }
        }
    }
}
