//! The sum of products sum_i chi_i b_i: long public numbers expanded from a seed, and short secret factors.
//!
//! It is nearly all of the time of an encryption. The long numbers are cut into *tiles* that a cache holds; for each
//! tile the same piece of every chi_i is expanded, multiplied, accumulated and forgotten, so that they are never
//! in memory together, and tiles run in parallel. All methods give the same bits.

mod aligned;
mod comba;
mod fourier;

use rayon::prelude::*;
use ringmill_arith::Simd;
use ringmill_arith::sampling::{Seed, Stream};
use ringmill_arith::secret::Secret;

use super::Parameters;
use super::words::{add_at, uniform_words};

/// How the products are summed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Method {
    /// Product scanning (Comba; paper 5, section III) in vector registers, a column's carries deferred to the end.
    Comba,
    /// Pointwise products of Fourier transforms in double precision, within a proven bound on rounding, and one inverse
    /// transform for many terms.
    Fourier,
}

impl Method {
    /// All methods.
    pub const ALL: [Self; 2] = [Self::Comba, Self::Fourier];

    /// The name that reports use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Comba => "comba",
            Self::Fourier => "fourier",
        }
    }
}

/// The numbers chi_i that a public seed stands for.
///
/// Element i, of w words ([`Parameters::words`]), is words i w to (i + 1) w - 1 of the seed's [`Stream`], the lowest
/// first.
#[derive(Debug, Clone)]
pub struct Elements {
    seed: Seed,
    words: usize,
    count: usize,
}

impl Elements {
    /// Those of a seed.
    #[must_use]
    pub fn new(parameters: &Parameters, seed: Seed) -> Self {
        Self {
            seed,
            words: parameters.words(),
            count: parameters.tau(),
        }
    }

    /// Words of an element.
    #[must_use]
    pub const fn words(&self) -> usize {
        self.words
    }

    /// How many there are.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.count
    }

    /// Words of element `index`, from its word `start` on.
    pub fn fill(&self, index: usize, start: usize, out: &mut [u64]) {
        let position = index as u64 * self.words as u64 + start as u64;
        Stream::at(&self.seed, position).fill_words(out);
    }

    /// The seed.
    #[must_use]
    pub const fn seed(&self) -> &Seed {
        &self.seed
    }
}

/// The secret factors b_i, wiped when dropped.
pub struct Factors {
    words: Secret<Vec<u64>>,
    /// Words of a factor.
    each: usize,
    bits: u32,
}

impl Factors {
    /// Uniform factors below 2^alpha, one for each public element.
    #[must_use]
    pub fn random(parameters: &Parameters, stream: &mut Stream) -> Self {
        let bits = parameters.alpha();
        let each = bits.div_ceil(64) as usize;
        let mut words = Secret::with_capacity(each * parameters.tau());
        for _ in 0..parameters.tau() {
            words.extend_from_slice(&uniform_words(stream, bits));
        }
        Self { words, each, bits }
    }

    /// All words: ceil(alpha / 64) of each factor in turn, the lowest first.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The words of each factor in turn, the lowest first.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u64]> {
        self.words.chunks_exact(self.each)
    }

    /// The sum of all factors.
    fn sum(&self) -> Secret<Vec<u64>> {
        let mut sum = Secret::zeros(self.each + 1);
        self.iter().for_each(|factor| add_at(&mut sum, 0, factor));
        sum
    }
}

impl std::fmt::Debug for Factors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Factors(..)")
    }
}

/// The words of sum_i chi_i b_i, on all threads of the present pool of `rayon`.
#[must_use]
pub fn weighted_sum(
    elements: &Elements,
    factors: &Factors,
    method: Method,
    kernel: Simd,
) -> Secret<Vec<u64>> {
    let tiles: Vec<(usize, Secret<Vec<u64>>)> = match method {
        Method::Comba => {
            let comba = comba::Comba::new(elements, factors, kernel);
            tiles(elements, comba.tile_words(), |start, words| {
                comba.tile(start, words)
            })
        }
        Method::Fourier => {
            let fourier = fourier::Fourier::new(elements, factors, kernel);
            tiles(elements, fourier.tile_words(), |start, words| {
                fourier.tile(start, words)
            })
        }
    };
    // Of room for the factors' bits, and for carries of less than 2^64 terms.
    let mut sum = Secret::zeros(elements.words + factors.each + 1);
    for (start, words) in tiles {
        add_at(&mut sum, start, &words);
    }
    sum
}

/// What `tile` makes of each tile, with its first word: from the tile's first word and its words.
fn tiles(
    elements: &Elements,
    words: usize,
    tile: impl Fn(usize, usize) -> Secret<Vec<u64>> + Sync,
) -> Vec<(usize, Secret<Vec<u64>>)> {
    (0..elements.words.div_ceil(words))
        .into_par_iter()
        .map(|i| (i * words, tile(i * words, words.min(elements.words - i * words))))
        .collect()
}

/// Joins columns of weight 2^(bits i) into words, the lowest first.
struct Joiner {
    words: Secret<Vec<u64>>,
    bits: u32,
    carry: i128,
    pending: u128,
    held: u32,
}

impl Joiner {
    /// For columns `bits` apart, at most 64.
    fn new(bits: u32) -> Self {
        Self {
            words: Secret::default(),
            bits,
            carry: 0,
            pending: 0,
            held: 0,
        }
    }

    /// The next column, of magnitude below 2^126. The number of all columns is not negative.
    fn push(&mut self, column: i128) {
        let value = column + self.carry;
        self.carry = value >> self.bits;
        self.pending |= (value as u128 & ((1 << self.bits) - 1)) << self.held;
        self.held += self.bits;
        if self.held >= 64 {
            self.words.push(self.pending as u64);
            self.pending >>= 64;
            self.held -= 64;
        }
    }

    /// The words, with the last carries.
    fn finish(mut self) -> Secret<Vec<u64>> {
        while self.carry != 0 || self.held != 0 && self.pending != 0 {
            self.push(0);
        }
        self.words
    }
}

#[cfg(test)]
mod tests;
