use std::fmt;

use rayon::prelude::*;
use ringmill_arith::sampling::{Gaussian, Seed, Stream};

use super::KaratsubaError;
use super::error::expect_len;
use ringmill_arith::secret::Secret;

/// The draws of one encryption: a binary u and two Gaussian errors. Wiped when dropped.
pub struct Randomness {
    /// n coefficients 0 or 1.
    pub(super) u: Secret<Vec<u8>>,
    pub(super) errors: [Secret<Vec<i32>>; 2],
}

impl Randomness {
    /// For n coefficients, from a secret seed.
    #[must_use]
    pub fn new(n: usize, gaussian: &Gaussian, seed: &Seed) -> Self {
        let u = binary(n, &seed.derive("binary", 0));
        let errors = [0, 1].map(|part| error(n, gaussian, &seed.derive("error", part)));
        Self { u, errors }
    }

    /// Checks that it is for n coefficients.
    pub(super) fn check(&self, n: usize) -> Result<(), KaratsubaError> {
        expect_len("coefficients of the randomness", n, self.u.len())
    }
}

/// Says only that it is some.
impl fmt::Debug for Randomness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Randomness(..)")
    }
}

/// n uniform bits, a byte each.
pub(super) fn binary(n: usize, seed: &Seed) -> Secret<Vec<u8>> {
    let mut words = Secret::zeros(n.div_ceil(64));
    Stream::new(seed).fill_words(&mut words);
    let bits = (0..n).map(|i| (words[i / 64] >> (i % 64) & 1) as u8);
    Secret::collect(bits)
}

/// n independent Gaussian coefficients.
pub(super) fn error(n: usize, gaussian: &Gaussian, seed: &Seed) -> Secret<Vec<i32>> {
    let mut error = Secret::zeros(n);
    gaussian.sample(&mut Stream::new(seed), &mut error);
    error
}

/// Both sums of each encryption, limb after limb, into `sums`, whose memory is used again: `limb` computes n
/// residues of both modulo one prime. The limbs of all encryptions are shared among the threads of the current pool.
pub(super) fn accumulate_limbs(
    n: usize,
    limbs: usize,
    randomness: &[Randomness],
    sums: &mut Vec<[Vec<u64>; 2]>,
    limb: impl Fn(usize, &Randomness, [&mut [u64]; 2]) -> Result<(), KaratsubaError> + Sync,
) -> Result<(), KaratsubaError> {
    sums.resize_with(randomness.len(), Default::default);
    let mut tasks = Vec::with_capacity(limbs * sums.len());
    for (one, parts) in randomness.iter().zip(sums) {
        one.check(n)?;
        for part in &mut *parts {
            part.resize(limbs * n, 0);
        }
        let [first, second] = parts;
        let parts = first.chunks_exact_mut(n).zip(second.chunks_exact_mut(n));
        tasks.extend(parts.enumerate().map(|(i, (x, y))| (i, one, [x, y])));
    }
    let tasks = tasks.into_par_iter().with_max_len(1);
    tasks.try_for_each(|(i, one, to)| limb(i, one, to))
}
