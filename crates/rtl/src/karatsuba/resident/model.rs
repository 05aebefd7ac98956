use num_bigint::BigUint;
use ringmill_arith::secret::Secret;

use super::super::recursion::{join, split};
use super::beats::{Packer, number};
use super::{Beat, Shape, Wide};
use crate::RtlError;

/// The golden model of the machine: sums of bits, products of leaves, nine recursions, and division by Phi_3205.
#[derive(Debug, Clone, Copy)]
pub struct Model {
    shape: Shape,
}

impl Model {
    /// The model of a machine.
    #[must_use]
    pub const fn new(shape: Shape) -> Self {
        Self { shape }
    }

    /// The beats of results that come for those of a key and of jobs.
    ///
    /// # Errors
    /// [`RtlError::WrongLength`].
    pub fn run(&self, key: &[Beat], jobs: &[Beat]) -> Result<Secret<Vec<Beat>>, RtlError> {
        let (expected, got) = (Shape::KEY_BEATS, key.len());
        if got != expected {
            return Err(RtlError::WrongLength { expected, got });
        }
        let count = Shape::jobs(jobs)?;
        let leaves = self.leaves(key);
        let phi = cyclotomic(Shape::LEAF, Shape::LONG);
        let width = self.shape.modulus_bits();
        let mut results = Packer::new(count * self.shape.result_beats());
        for job in jobs.chunks_exact(Shape::JOB_BEATS) {
            let product = self.product(&leaves, job);
            for residue in self.fold(&product, job, &phi) {
                results.add(residue, width);
            }
            results.fill();
        }
        Ok(results.finish())
    }

    /// The leaves in the key's memory.
    fn leaves(&self, beats: &[Beat]) -> Vec<Vec<Wide>> {
        let width = Shape::KEY_BITS;
        let leaf = |beats: &[Beat]| {
            let coefficients = (0..Shape::LEAF).map(|i| number(beats, i * width as usize, width));
            coefficients.collect()
        };
        beats.chunks_exact(Shape::LEAF_BEATS).map(leaf).collect()
    }

    /// The product of the key with a job's bits, its 5120 coefficients first.
    fn product(&self, leaves: &[Vec<Wide>], job: &[Beat]) -> Secret<Vec<Wide>> {
        let blocks = Shape::N / Shape::LEAF;
        let bit = |i: usize| {
            let place = i % Shape::LEAF * blocks + i / Shape::LEAF;
            number(job, place, 1).0[0] as u32
        };
        let bits: Secret<Vec<u32>> = Secret::collect((0..Shape::N).map(bit));
        let binaries = Secret::new(split(&bits, Shape::LEVELS));
        let mut products = Secret::with_capacity(Shape::LEAVES * 2 * Shape::LEAF);
        for (key, binary) in leaves.iter().zip(binaries.chunks_exact(Shape::LEAF)) {
            products.extend_from_slice(&self.leaf(key, binary));
        }
        join(&mut products, 2 * Shape::LEAF);
        products
    }

    /// A leaf's product.
    fn leaf(&self, key: &[Wide], binary: &[u32]) -> Vec<Wide> {
        let mut product = vec![Wide::default(); 2 * Shape::LEAF];
        for (i, &factor) in binary.iter().enumerate() {
            for (place, &coefficient) in product.iter_mut().skip(i).zip(key) {
                *place = (*place + coefficient * factor).low(self.shape.result_bits());
            }
        }
        product
    }

    /// Its residues modulo Phi and q, plus the job's errors.
    fn fold(&self, product: &[Wide], job: &[Beat], phi: &[i32]) -> Vec<Wide> {
        let q = integer(self.shape.modulus());
        let bits = self.shape.result_bits();
        let mut residues: Vec<BigUint> = product[..2 * Shape::N]
            .iter()
            .map(|coefficient| integer(coefficient.low(bits)) % &q)
            .collect();
        for top in (Shape::N..residues.len()).rev() {
            let quotient = std::mem::take(&mut residues[top]);
            let below = residues[top - Shape::N..top].iter_mut().zip(phi);
            for (residue, &coefficient) in below {
                match coefficient {
                    1 => *residue += &q - &quotient,
                    -1 => *residue += &quotient,
                    _ => continue,
                }
                *residue %= &q;
            }
        }
        let with_error = |(i, residue): (usize, BigUint)| {
            let place = Shape::N + i * Shape::ERROR_BITS as usize;
            let error = number(job, place, Shape::ERROR_BITS).0[0] as u8 as i8;
            let lifted = residue + &q;
            let sum = match u32::try_from(error) {
                Ok(error) => lifted + error,
                Err(_) => lifted - u32::from(error.unsigned_abs()),
            };
            words(&(sum % &q))
        };
        residues.truncate(Shape::N);
        residues.into_iter().enumerate().map(with_error).collect()
    }
}

/// A coefficient as an integer.
pub(super) fn integer(coefficient: Wide) -> BigUint {
    let words = coefficient.0;
    (BigUint::from(words[2]) << 128_u32) + (BigUint::from(words[1]) << 64_u32) + words[0]
}

fn words(integer: &BigUint) -> Wide {
    let mut words = Wide::default();
    for (word, digit) in words.0.iter_mut().zip(integer.iter_u64_digits()) {
        *word = digit;
    }
    words
}

/// Phi of the product of two primes, (x^(s r) - 1)(x - 1) / ((x^s - 1)(x^r - 1)), the lowest coefficient first.
fn cyclotomic(s: usize, r: usize) -> Vec<i32> {
    let mut dividend = vec![0; s * r + 2];
    dividend[..2].copy_from_slice(&[1, -1]);
    dividend[s * r..].copy_from_slice(&[-1, 1]);
    for degree in [s, r] {
        for top in (degree..dividend.len()).rev() {
            dividend[top - degree] += dividend[top];
        }
        // The remainder is zero; what stays above it is the quotient.
        dividend.drain(..degree);
    }
    dividend
}
