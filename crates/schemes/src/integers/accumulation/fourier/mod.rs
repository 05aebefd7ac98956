//! Accumulation in the domain of a Fourier transform in double precision.
//!
//! Elements and factors are polynomials in 2^16. An element's digits are taken less 2^15, which the
//! sum of all factors makes up for; a factor's are in \[-2^15, 2^15). Elements are cut into blocks so short that a
//! block's product with a factor has at most 2n digits, n = 2^[`LEVELS`], which the transform of [`transform`] multiplies.
//! One block is in each lane, several vectors of blocks in a tile, so that a factor's transform is read once for all.
//! For each term a block costs one transform and n complex products; the inverse transform is only due when so many
//! terms have been added that another might spoil the rounding ([`terms_between`]).

mod transform;

use rayon::prelude::*;
use ringmill_arith::lanes::{Doubles, Lanes};
use ringmill_arith::secret::Secret;
use ringmill_arith::{Simd, WithSimd};

use super::aligned::Aligned;
use super::{Elements, Factors, Joiner};
use transform::Transform;

/// log2 of the transform's complex points n.
const LEVELS: u32 = 9;
const POINTS: usize = 1 << LEVELS;

/// Vectors of blocks in a tile.
const ROWS: usize = 4;

/// Digits of a word.
const DIGITS: usize = 4;

/// The method for one sum.
pub(super) struct Fourier<'a> {
    elements: &'a Elements,
    kernel: Simd,
    transform: Transform,
    /// Transforms of all factors: real and imaginary parts by turns.
    factors: Secret<Vec<f64>>,
    /// Digits of a factor.
    digits: usize,
    /// Words of a block.
    block: usize,
    /// Blocks of a tile.
    blocks: usize,
    /// 16-bit digits of the sum of all factors.
    sum: Secret<Vec<i64>>,
}

impl<'a> Fourier<'a> {
    pub(super) fn new(elements: &'a Elements, factors: &Factors, kernel: Simd) -> Self {
        let transform = Transform::new(LEVELS);
        let digits = factors.bits as usize / 16 + 1;
        let each: Vec<&[u64]> = factors.iter().collect();
        let mut spectra = Secret::zeros(2 * POINTS * each.len());
        spectra
            .par_chunks_mut(2 * POINTS)
            .zip(&each)
            .for_each(|(spectrum, factor)| {
                kernel.run(Spectrum {
                    transform: &transform,
                    factor,
                    digits,
                    spectrum,
                });
            });
        let sum = factors.sum();
        let sum = sum.iter().flat_map(|&word| halves(word).map(i64::from));
        Self {
            elements,
            kernel,
            factors: spectra,
            digits,
            block: (2 * POINTS - digits + 1) / DIGITS,
            blocks: ROWS * kernel.run(Width),
            sum: Secret::new(sum.collect()),
            transform,
        }
    }

    pub(super) const fn tile_words(&self) -> usize {
        self.block * self.blocks
    }

    /// The sum of products of the elements' words from `start` on.
    pub(super) fn tile(&self, start: usize, words: usize) -> Secret<Vec<u64>> {
        let method = self;
        let columns = self.kernel.run(Tile { method, start, words });
        let mut joiner = Joiner::new(16);
        // 2^15 in every digit of the tile, times the sum of the factors: in a column 2^15 times a sum of digits.
        let (digits, mut window) = (self.tile_words() * DIGITS, 0);
        for (c, &column) in columns.iter().enumerate() {
            window += self.sum.get(c).copied().unwrap_or_default();
            if c >= digits {
                window -= self.sum.get(c - digits).copied().unwrap_or_default();
            }
            joiner.push(i128::from(column) + (i128::from(window) << 15));
        }
        joiner.finish()
    }
}

/// The digits of a word, the lowest first.
fn halves(word: u64) -> [u16; DIGITS] {
    [0, 16, 32, 48].map(|shift| (word >> shift) as u16)
}

/// Terms that can be added before an inverse transform, for factors of so many digits.
///
/// Let u = 2^-53. In the transform a value goes through [`LEVELS`] levels; in each it is multiplied by a number of
/// magnitude 1 that is right within 4u, at an error of sqrt(5) u or less, and added, at an error of u: a factor within
/// (1 + u)^8 in all. A sum of T products of transforms errs by 3u each and T u for the additions, the inverse transform
/// by (1 + u)^(8 levels) again, on every path from its inputs to an output, and its division is exact. The sum of the
/// magnitudes that meet there is, without errors, at most n sum_i |x_i|_2 |b_i|_2 (Cauchy and Schwarz, and the transform
/// multiplies the norm by sqrt n), of which the division by n leaves sum_i |x_i|_2 |b_i|_2. So a column errs by at most
///
/// ```text
/// ((1 + u)^(24 levels + 3 + T) - 1) T |x|_2 |b|_2,   |x|_2 <= 2^15 sqrt(block digits),   |b|_2 <= 2^15 sqrt(factor digits)
/// ```
///
/// which must be below 1/2 for the nearest integer to be right; a tenth is kept back for terms in u^2.
fn terms_between(factor_digits: usize, block_digits: usize) -> usize {
    let norms = ((factor_digits * block_digits) as f64).sqrt() * (1_u64 << 30) as f64;
    let unit = f64::EPSILON / 2.0;
    let mut terms = 1;
    while f64::from(24 * LEVELS + 3 + terms + 1) * f64::from(terms + 1) * norms * unit < 0.4 {
        terms += 1;
    }
    terms as usize
}

/// The lanes of a kernel.
struct Width;

impl WithSimd for Width {
    type Output = usize;

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) -> usize {
        L::Doubles::WIDTH
    }
}

/// Transforms one factor.
struct Spectrum<'a> {
    transform: &'a Transform,
    factor: &'a [u64],
    digits: usize,
    spectrum: &'a mut [f64],
}

impl WithSimd for Spectrum<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let width = L::Doubles::WIDTH;
        let mut points = Aligned::zeros(2 * POINTS * width);
        let mut carry = 0;
        let digits = self.factor.iter().flat_map(|&word| halves(word));
        for (i, digit) in digits.chain([0]).take(self.digits).enumerate() {
            let digit = i32::from(digit) + carry;
            carry = i32::from(digit >= 1 << 15);
            points[place(i) * width] = f64::from(digit - (carry << 16));
        }
        // SAFETY: the caller saw the instructions.
        unsafe { self.transform.forward::<L::Doubles>(&mut points) };
        for (to, from) in self.spectrum.iter_mut().zip(points.iter().step_by(width)) {
            *to = *from;
        }
    }
}

/// Where digit i of a polynomial is among the parts of the points.
const fn place(i: usize) -> usize {
    2 * (i % POINTS) + i / POINTS
}

struct Tile<'a> {
    method: &'a Fourier<'a>,
    start: usize,
    words: usize,
}

impl WithSimd for Tile<'_> {
    /// Columns of weight 2^(16 i).
    type Output = Secret<Vec<i64>>;

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) -> Secret<Vec<i64>> {
        let Self { method, start, words } = self;
        let width = L::Doubles::WIDTH;
        let mut source = vec![0; method.tile_words()];
        let mut points = Aligned::zeros(2 * POINTS * width);
        let mut sums = Aligned::zeros(2 * POINTS * width * ROWS);
        let mut columns = Secret::zeros(method.tile_words() * DIGITS + 2 * POINTS);
        let between = terms_between(method.digits, method.block * DIGITS);
        let spectra = method.factors.chunks_exact(2 * POINTS);
        let last = spectra.len() - 1;
        for (i, spectrum) in spectra.enumerate() {
            method.elements.fill(i, start, &mut source[..words]);
            for row in 0..ROWS {
                let blocks = &source[row * width * method.block..][..width * method.block];
                let sums = &mut sums[row * 2 * POINTS * width..][..2 * POINTS * width];
                // SAFETY: the caller saw the instructions.
                unsafe {
                    method
                        .transform
                        .accumulate::<L::Doubles>(blocks, &mut points, spectrum, sums);
                }
            }
            if (i + 1) % between != 0 && i != last {
                continue;
            }
            for row in 0..ROWS {
                let sums = &mut sums[row * 2 * POINTS * width..][..2 * POINTS * width];
                // SAFETY: as above.
                unsafe { method.transform.inverse::<L::Doubles>(sums) };
                let columns = &mut columns[row * width * method.block * DIGITS..];
                round(sums, width, method.block * DIGITS, columns);
            }
        }
        columns
    }
}

/// Adds the nearest integers of inverse transforms to the columns of their blocks, `stride` apart, and empties them.
fn round(sums: &mut [f64], width: usize, stride: usize, columns: &mut [i64]) {
    // Integers below 2^51 in magnitude are rounded in the last place of 1.5 * 2^52 plus them.
    const SHIFTER: f64 = 3.0 * (1_u64 << 51) as f64;
    for lane in 0..width {
        let columns = &mut columns[lane * stride..];
        for (i, column) in columns.iter_mut().enumerate().take(2 * POINTS) {
            let sum = &mut sums[place(i) * width + lane];
            *column += (*sum + SHIFTER).to_bits() as i64 - SHIFTER.to_bits() as i64;
            *sum = 0.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bound of `terms_between` for the sets' factors, once more in logarithms, and what lies behind it.
    #[test]
    fn sums_go_back_before_rounding_can_fail() {
        for (digits, expected) in [(59, 51), (93, 43), (127, 38), (160, 35)] {
            let block = (2 * POINTS - digits + 1) / DIGITS * DIGITS;
            let terms = terms_between(digits, block);
            assert_eq!(terms, expected, "{digits} digits");
            let error = |terms: f64| {
                let norms = 30.0 + ((digits * block) as f64).log2() / 2.0;
                (219.0 + terms).log2() + terms.log2() + norms - 53.0
            };
            assert!(error(terms as f64) < 0.4_f64.log2());
            assert!(error(terms as f64 + 1.0) >= 0.4_f64.log2());
        }
    }
}
