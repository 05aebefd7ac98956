//! Word decomposition: digits in base 2^bits of the representative in [0, q).

use std::ops::Range;

use num_bigint::BigUint;
use rayon::prelude::*;
use ringmill_arith::lanes::{Lanes, require_columns};
use ringmill_arith::{Basis, Modulus, WithSimd};
use ringmill_ring::Domain;

use super::integers::{Integers, TOGETHER, split_digits};
use super::pool::Limb;
use super::{CpuDevice, CpuPoly, columns};
use ringmill_device::{DeviceError, Digits};

/// Most bits of a piece of a digit.
const PIECE_BITS: u32 = 48;

/// A constant in the lanes of the widest vector.
const LANES: usize = 8;

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
        let cut = Cut::new(over, bits, count, self.kernel.digit_bits());
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
        let integers = Integers::new(a.basis(), cut.needed(), self.kernel);
        let mut pieces = self.limbs(cut.digits * cut.each);
        let blocks = columns::blocks_mut(&mut pieces).into_par_iter().enumerate();
        blocks.for_each_init(
            || integers.scratch(),
            |scratch, (block, mut pieces)| {
                let columns = pieces.first().map_or(0, |piece| piece.len());
                for start in (0..columns).step_by(TOGETHER) {
                    let (at, width) = (block * columns::BLOCK + start, TOGETHER.min(columns - start));
                    let residues = a.limbs().iter().map(|limb| &limb[at..at + width]);
                    self.kernel.run(Pieces {
                        cut,
                        value: integers.join(residues, scratch),
                        columns: start..start + width,
                        to: &mut pieces,
                    });
                }
            },
        );
        pieces
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
    /// Bits of a digit of the integers that are cut.
    width: u32,
    /// H, in such digits.
    offset: Vec<u64>,
}

impl Cut {
    fn new(basis: &Basis, bits: u32, digits: usize, width: u32) -> Self {
        let least = basis.moduli().iter().map(Modulus::bits).min().unwrap_or(2);
        // Below a power of 2 that is below every prime; then as even as possible.
        let each = bits.div_ceil(PIECE_BITS.min(least - 1));
        let one = (BigUint::from(1u32) << (bits - 1)) - 1u32;
        let offset = (0..digits).fold(BigUint::ZERO, |sum, _| (sum << bits) + &one);
        Self {
            bits,
            digits,
            each: each as usize,
            piece_bits: bits.div_ceil(each),
            width,
            offset: split_digits(&offset, width, offset.bits().div_ceil(width.into()) as usize),
        }
    }

    /// Bits of all digits; x + H has no more.
    fn needed(&self) -> u64 {
        self.digits as u64 * u64::from(self.bits)
    }

    /// The first bit of a piece of all digits, and how many it has.
    #[inline(always)]
    fn piece(&self, index: usize) -> (usize, u32) {
        let (digit, from) = (index / self.each, (index % self.each) as u32 * self.piece_bits);
        let bits = self.piece_bits.min(self.bits.saturating_sub(from));
        (digit * self.bits as usize + from as usize, bits)
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

/// Puts the pieces of the digits of some integers, digit after digit, in their columns.
struct Pieces<'a, 'b> {
    cut: &'a Cut,
    /// The integers as [`Integers::join`] makes them; they are used up.
    value: &'a mut [u64],
    columns: Range<usize>,
    to: &'a mut [&'b mut [u64]],
}

impl WithSimd for Pieces<'_, '_> {
    type Output = ();

    // Loops over words, for the compiler to make vectors of.
    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let Self {
            cut,
            value,
            columns,
            to,
        } = self;
        let width = cut.width;
        let mask = (1 << width) - 1;
        let mut carries = [0; TOGETHER];
        let offset = cut.offset.iter().copied().chain(std::iter::repeat(0));
        for (row, offset) in value.chunks_exact_mut(TOGETHER).zip(offset) {
            for (x, carry) in row.iter_mut().zip(&mut carries) {
                let sum = *x + offset + *carry;
                (*x, *carry) = (sum & mask, sum >> width);
            }
        }
        for (index, piece) in to.iter_mut().enumerate() {
            let (at, bits) = cut.piece(index);
            let (row, shift) = (at / width as usize, (at % width as usize) as u32);
            let mask = (1 << bits) - 1;
            let piece = &mut piece[columns.clone()];
            let mut rows = value.chunks_exact(TOGETHER).skip(row);
            let first = rows.next().unwrap_or(&[0; TOGETHER]);
            for (piece, x) in piece.iter_mut().zip(first) {
                *piece = x >> shift & mask;
            }
            let mut have = width - shift;
            while have < bits {
                for (piece, x) in piece.iter_mut().zip(rows.next().unwrap_or(&[0; TOGETHER])) {
                    *piece |= x << have & mask;
                }
                have += width;
            }
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
    fn pieces_recompose() {
        let basis = Basis::new(&primes_below(1 << 45, 2048, 4, &[]).unwrap()).unwrap();
        let expected = (BigUint::from(0x1234_8000_0000_0000_0001_u128) << 64) + u64::MAX;
        for (bits, kernel) in [2, 16, 44, 45, 60, 64, 100, 205, 1024]
            .into_iter()
            .flat_map(|bits| Simd::tested().into_iter().map(move |kernel| (bits, kernel)))
        {
            let (count, width) = (149usize.div_ceil(bits as usize), kernel.digit_bits());
            let cut = Cut::new(&basis, bits, count, width);
            // One integer among zeros.
            let digits = cut.needed().max(149).div_ceil(width.into()) as usize;
            let mut value = vec![0; digits * TOGETHER];
            for (row, digit) in value
                .chunks_mut(TOGETHER)
                .zip(split_digits(&expected, width, digits))
            {
                row[3] = digit;
            }
            let mut pieces = vec![vec![u64::MAX; 16]; cut.each * count];
            kernel.run(Pieces {
                cut: &cut,
                value: &mut value,
                columns: 4..12,
                to: &mut pieces.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>(),
            });
            let offset = (BigInt::from(1) << (bits - 1)) - 1;
            let digits = |column: usize| -> Vec<BigInt> {
                let whole = |pieces: &[Vec<u64>]| {
                    let pieces = pieces.iter().rev();
                    pieces.fold(BigInt::ZERO, |s, piece| (s << cut.piece_bits) + piece[column]) - &offset
                };
                pieces.chunks(cut.each).map(whole).collect()
            };
            let half = BigInt::from(1) << (bits - 1);
            for column in 4..12 {
                let digits = digits(column);
                assert!(digits.iter().all(|d| -&half < *d && *d <= half), "{bits} bits");
                let sum = digits.iter().rev().fold(BigInt::ZERO, |s, d| (s << bits) + d);
                let expected = if column == 7 {
                    expected.clone().into()
                } else {
                    BigInt::ZERO
                };
                assert_eq!(sum, expected, "{bits} bits, {}", kernel.name());
            }
            let untouched = |column: &usize| !(4..12).contains(column);
            for piece in &pieces {
                assert!((0..16).filter(untouched).all(|column| piece[column] == u64::MAX));
            }

            // The first digit modulo a prime.
            let q = &basis.moduli()[1];
            let words: Vec<&[u64]> = pieces[..cut.each].iter().map(|piece| &piece[4..12]).collect();
            let mut limb = vec![0; 8];
            kernel.run(cut.join(q, &words, &mut limb));
            let modulus = BigInt::from(q.value());
            assert_eq!(
                BigInt::from(limb[3]),
                (&digits(7)[0] % &modulus + &modulus) % &modulus
            );
        }
    }
}
