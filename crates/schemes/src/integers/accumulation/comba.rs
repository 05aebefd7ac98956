//! Product scanning: column c of a tile is sum_i sum_k x_(i, c - k) b_(i, k) over digits.
//!
//! The tile's digits and as many zeros as a factor has digits are cut into one run for each lane, side by side in
//! vectors; in front of a lane's run are the last digits of the one before. So all lanes do the same, every access
//! is to whole vectors, and factors are the same in all lanes. A group of [`GROUP`] columns stays in registers
//! for all products of a term, each one product and one addition (AVX2: two of each a cycle); carries are moved
//! when it leaves.

use std::marker::PhantomData;

use ringmill_arith::lanes::{Columns, Lanes};
use ringmill_arith::secret::Secret;
use ringmill_arith::{Simd, WithSimd};

use super::aligned::Aligned;
use super::{Elements, Factors, Joiner};
use crate::integers::words::add_at;

/// Columns in registers.
const GROUP: usize = 8;

/// Digits that are cut from whole words together, from a quarter as many words as a digit has bits.
const BATCH: usize = 16;

/// Words of a tile at most: with its digits and columns about 128 KiB.
const TILE_WORDS: usize = 2048;

/// The method for one sum.
pub(super) struct Comba<'a> {
    elements: &'a Elements,
    kernel: Simd,
    /// Digits of all factors, the lowest first.
    factors: Secret<Vec<u64>>,
    /// Digits of a factor.
    digits: usize,
    tile_words: usize,
}

impl<'a> Comba<'a> {
    pub(super) fn new(elements: &'a Elements, factors: &Factors, kernel: Simd) -> Self {
        let bits = kernel.digit_bits();
        // Even, because they are taken in pairs.
        let digits = factors.bits.div_ceil(bits).next_multiple_of(2) as usize;
        let mut split = Secret::with_capacity(digits * elements.count);
        for factor in factors.iter() {
            (0..digits as u32).for_each(|i| split.push(digit(factor, i * bits, bits)));
        }
        let threads = rayon::current_num_threads();
        let tiles = elements.words.div_ceil(TILE_WORDS).next_multiple_of(threads);
        Self {
            elements,
            kernel,
            factors: split,
            digits,
            tile_words: elements.words.div_ceil(tiles).next_multiple_of(8),
        }
    }

    pub(super) const fn tile_words(&self) -> usize {
        self.tile_words
    }

    /// The sum of products of the elements' words from `start` on.
    pub(super) fn tile(&self, start: usize, words: usize) -> Secret<Vec<u64>> {
        let method = self;
        self.kernel.run(Tile { method, start, words })
    }
}

/// Digit of `bits` bits, below 64, at a bit of a number.
fn digit(number: &[u64], at: u32, bits: u32) -> u64 {
    let word = |i: u32| u128::from(number.get(i as usize).copied().unwrap_or_default());
    let both = word(at / 64 + 1) << 64 | word(at / 64);
    (both >> (at % 64)) as u64 & ((1 << bits) - 1)
}

struct Tile<'a> {
    method: &'a Comba<'a>,
    start: usize,
    words: usize,
}

impl WithSimd for Tile<'_> {
    type Output = Secret<Vec<u64>>;

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) -> Secret<Vec<u64>> {
        let Self { method, start, words } = self;
        let mut scan = Scan::<L::Columns>::new(words, method.digits);
        for (i, factor) in method.factors.chunks_exact(method.digits).enumerate() {
            method.elements.fill(i, start, &mut scan.source[..words]);
            // SAFETY: the caller saw the instructions.
            unsafe {
                scan.cut();
                scan.multiply(factor);
            }
        }
        scan.flush();
        scan.sum
    }
}

/// Memory for one tile.
struct Scan<C> {
    /// Vectors of a run, a multiple of [`BATCH`].
    run: usize,
    /// Digits of a factor: vectors before the run.
    history: usize,
    /// Words of a run.
    row: usize,
    /// The tile's words and zeros, run by run.
    source: Vec<u64>,
    /// Vectors of digits: the history, then the run.
    digits: Aligned<u64>,
    /// Columns: two words each, in vectors.
    low: Aligned<u64>,
    high: Aligned<u64>,
    /// Terms that the columns hold.
    terms: u64,
    sum: Secret<Vec<u64>>,
    lanes: PhantomData<C>,
}

impl<C: Columns> Scan<C> {
    fn new(words: usize, history: usize) -> Self {
        let bits = C::DIGIT_BITS as usize;
        let run = ((64 * words).div_ceil(bits) + history)
            .div_ceil(C::WIDTH)
            .max(history)
            .next_multiple_of(BATCH);
        let row = run / BATCH * (bits / 4);
        Self {
            run,
            history,
            row,
            source: vec![0; row * C::WIDTH],
            digits: Aligned::zeros((history + run) * C::WIDTH),
            low: Aligned::zeros(run * C::WIDTH),
            high: Aligned::zeros(run * C::WIDTH),
            terms: 0,
            // Of room for the carries of less than 2^64 terms.
            sum: Secret::zeros(row * C::WIDTH + 1),
            lanes: PhantomData,
        }
    }

    /// Cuts the source into digits.
    #[inline(always)]
    unsafe fn cut(&mut self) {
        let batch = C::DIGIT_BITS as usize / 4;
        let (source, digits) = (self.source.as_ptr(), self.digits.as_mut_ptr());
        // SAFETY: `new` sized the memory, which nobody changes: every run has `row` words, a multiple of `batch`; each
        // batch makes BATCH vectors of the run.
        unsafe {
            let to = digits.add(self.history * C::WIDTH);
            for b in 0..self.run / BATCH {
                let mut words = [C::splat(0); 16];
                for (i, word) in words.iter_mut().enumerate().take(batch) {
                    *word = C::gather(source.add(b * batch + i), self.row);
                }
                let to = to.add(b * BATCH * C::WIDTH);
                let mut i = 0;
                while i < BATCH {
                    let bit = i * C::DIGIT_BITS as usize;
                    let (word, next) = (words[bit / 64], words[(bit / 64 + 1) % 16]);
                    C::digit(word, next, (bit % 64) as u32).store(to.add(i * C::WIDTH));
                    i += 1;
                }
            }
        }
        for i in 0..self.history {
            let (to, from) = (i * C::WIDTH, (self.run + i) * C::WIDTH);
            for lane in 1..C::WIDTH {
                self.digits[to + lane] = self.digits[from + lane - 1];
            }
        }
    }

    /// Adds the products of the digits with a factor to the columns.
    #[inline(always)]
    unsafe fn multiply(&mut self, factor: &[u64]) {
        if (self.terms + 1) * self.history as u64 > C::COLUMN_PRODUCTS {
            self.flush();
        }
        self.terms += 1;
        assert!(factor.len() <= self.history, "more digits than the history");
        let digits = self.digits.as_ptr();
        let (low, high) = (self.low.as_mut_ptr(), self.high.as_mut_ptr());
        for column in (0..self.run).step_by(GROUP) {
            // SAFETY: `new` sized the memory; the run is a multiple of GROUP; digit column + j - k is vector history + column + j - k, and k
            // is below history, which is even; the caller saw the instructions.
            unsafe {
                let mut sums = [C::zero(); GROUP];
                let mut first = digits.add((self.history + column) * C::WIDTH);
                // Two digits of the factor at a time, so that a vector of digits is loaded once for both.
                for pair in factor.as_chunks::<2>().0 {
                    let (b, c) = (C::splat(pair[0]), C::splat(pair[1]));
                    sums[0] = C::mul_add(sums[0], C::load(first.sub(C::WIDTH)), c);
                    let mut j = 0;
                    while j < GROUP {
                        let digit = C::load(first.add(j * C::WIDTH));
                        sums[j] = C::mul_add(sums[j], digit, b);
                        if j + 1 < GROUP {
                            sums[j + 1] = C::mul_add(sums[j + 1], digit, c);
                        }
                        j += 1;
                    }
                    first = first.sub(2 * C::WIDTH);
                }
                let mut j = 0;
                while j < GROUP {
                    let place = (column + j) * C::WIDTH;
                    C::add_to(sums[j], low.add(place), high.add(place));
                    j += 1;
                }
            }
        }
    }

    /// Moves the columns to the sum, and empties them.
    fn flush(&mut self) {
        let mut joiner = Joiner::new(C::DIGIT_BITS);
        for lane in 0..C::WIDTH {
            for i in (lane..self.run * C::WIDTH).step_by(C::WIDTH) {
                joiner.push(i128::from(self.low[i]) + (i128::from(self.high[i]) << C::HIGH_BITS));
            }
        }
        add_at(&mut self.sum, 0, &joiner.finish());
        self.low.fill(0);
        self.high.fill(0);
        self.terms = 0;
    }
}
