use num_bigint::BigUint;
use rayon::prelude::*;
use ringmill_arith::lanes::Lanes;
use ringmill_arith::secret::Secret;
use ringmill_arith::{Simd, WithSimd};
use ringmill_ring::RingError;
use ringmill_ring::cyclotomic::Reduction;

use super::chunks::{CHUNKS, Carry, Chunks, Finish};
use super::error::expect_len;
use super::multiplier::{Multiplier, PACKED, UNIT, Workspace};
use super::residues::Residues;
use super::{KaratsubaError, Parameters, Randomness};

/// Coefficients modulo q as integers of three 64-bit words, lowest first, for both polynomials of a
/// ciphertext: without its message, which the ciphertext and these together give away.
pub type Integers = [Secret<Vec<[u64; 3]>>; 2];

/// Products with a public key by Karatsuba's method, as paper 4's software would do them without the hardware.
pub struct Karatsuba {
    parameters: Parameters,
    kernel: Simd,
    multiplier: Multiplier,
    chunks: Chunks,
    residues: Residues,
}

/// Both polynomials of a public key in chunks, side by side.
pub struct ChunkedKey(Vec<u32>);

impl Karatsuba {
    /// For a set.
    ///
    /// # Errors
    /// [`KaratsubaError::Overflow`] if a chunk with its guard bits does not fit a word.
    pub fn new(parameters: &Parameters, kernel: Simd) -> Result<Self, KaratsubaError> {
        Ok(Self {
            parameters: parameters.clone(),
            kernel,
            multiplier: Multiplier::new(parameters.n(), UNIT, kernel)?,
            chunks: Chunks::new(parameters.q(), parameters.ring())?,
            residues: Residues::new(parameters.q()),
        })
    }

    /// The multiplier: its recursions and its count of operations.
    #[must_use]
    pub fn multiplier(&self) -> &Multiplier {
        &self.multiplier
    }

    /// Prepares a public key: residues of both polynomials, limb after limb. Once for all encryptions; the
    /// pre-computation of each product is done with it.
    ///
    /// # Errors
    /// [`KaratsubaError::WrongLength`].
    pub fn prepare(&self, key: [&[u64]; 2]) -> Result<ChunkedKey, KaratsubaError> {
        let n = self.parameters.n();
        let mut words = vec![0; n * UNIT];
        for (part, residues) in key.into_iter().enumerate() {
            expect_len(
                "words of the public key",
                n * self.parameters.q().len(),
                residues.len(),
            )?;
            for (i, to) in words.chunks_exact_mut(UNIT).enumerate() {
                let integer: BigUint = self.residues.integer(residues, i);
                to[part * CHUNKS..][..CHUNKS].copy_from_slice(&self.chunks.split(&integer));
            }
        }
        Ok(ChunkedKey(words))
    }

    /// Memory for [`Karatsuba::accumulate`] of up to four encryptions at a time: one for each thread that is to
    /// take part.
    #[must_use]
    pub fn workspace(&self) -> Workspace {
        self.multiplier.workspace(PACKED)
    }

    /// For each encryption u `key[0]` + e_0 and u `key[1]` + e_1 modulo q: the product-accumulate of paper 4, table
    /// 2. Encryptions are dealt out evenly to the workspaces, a thread each, and done up to four at a time.
    ///
    /// # Errors
    /// [`KaratsubaError::WrongLength`].
    pub fn accumulate(
        &self,
        key: &ChunkedKey,
        randomness: &[Randomness],
        workspaces: &mut [Workspace],
    ) -> Result<Vec<Integers>, KaratsubaError> {
        let share = randomness.len().div_ceil(workspaces.len().max(1)).max(1);
        expect_len("workspaces", workspaces.len().max(1), workspaces.len())?;
        let shares: Vec<_> = randomness.chunks(share).zip(workspaces).collect();
        let sums: Vec<Vec<Vec<Integers>>> = shares
            .into_par_iter()
            .with_max_len(1)
            .map(|(share, workspace)| {
                let groups = share.chunks(PACKED);
                let sums = groups.map(|group| self.group(key, group, workspace));
                sums.collect()
            })
            .collect::<Result<_, KaratsubaError>>()?;
        Ok(sums.into_iter().flatten().flatten().collect())
    }

    /// Up to four encryptions.
    fn group(
        &self,
        key: &ChunkedKey,
        randomness: &[Randomness],
        workspace: &mut Workspace,
    ) -> Result<Vec<Integers>, KaratsubaError> {
        let n = self.parameters.n();
        let mut packed = Secret::zeros(n);
        for (f, one) in randomness.iter().enumerate() {
            one.check(n)?;
            for (word, &bit) in packed.iter_mut().zip(&*one.u) {
                *word |= u32::from(bit) << (8 * f);
            }
        }
        let products = self
            .multiplier
            .multiply(&key.0, &packed, randomness.len(), workspace)?;
        let sums = products.zip(randomness).map(|(product, one)| {
            let product = as_signed(&mut product[..(2 * n - 1) * UNIT]);
            self.kernel.run(Carry {
                chunks: &self.chunks,
                words: product,
            });
            self.kernel.run(Reduce {
                reduction: self.parameters.reduction(),
                words: product,
            })?;
            let mut sums = [Secret::zeros(n), Secret::zeros(n)];
            let [first, second] = &mut sums;
            self.kernel.run(Finish {
                chunks: &self.chunks,
                words: &product[..n * UNIT],
                errors: [&one.errors[0], &one.errors[1]],
                residues: [first, second],
            });
            Ok(sums)
        });
        sums.collect()
    }

    /// Residues of integers modulo q, limb after limb.
    #[must_use]
    pub fn residues(&self, integers: &[[u64; 3]]) -> Vec<u64> {
        self.residues.residues(integers)
    }
}

/// The same words, as signed ones.
fn as_signed(words: &mut [u32]) -> &mut [i32] {
    // SAFETY: both types have the same size and alignment, and all bits are values of both; the borrow is exclusive
    // and handed on.
    unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), words.len()) }
}

struct Reduce<'a> {
    reduction: &'a Reduction,
    words: &'a mut [i32],
}

impl WithSimd for Reduce<'_> {
    type Output = Result<(), RingError>;

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) -> Self::Output {
        self.reduction.apply(self.words, UNIT)
    }
}
