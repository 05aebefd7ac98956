//! What operations cost, in time and in memory.

use ringmill_fv::{FvError, Parameters};

use crate::program::{Operation, ValueId};

/// Work and sizes by level under one set of parameters.
///
/// The unit of work is a pass over one limb with one modular product for each of its n words. It serves
/// to compare operations, so that progress can be told, and parameter sets; not to predict seconds.
#[derive(Debug, Clone)]
pub(crate) struct Costs {
    n: usize,
    /// Limbs of the auxiliary basis, by level.
    extension: Vec<usize>,
    /// Digits of a key switch, by level.
    digits: Vec<usize>,
    /// Limbs of P.
    special: usize,
}

/// Passes of a transform: two transforms of half a product per word and binary digit of the index.
fn transform(n: usize) -> f64 {
    f64::from(n.max(2).ilog2())
}

impl Costs {
    pub fn new(parameters: &Parameters) -> Result<Self, FvError> {
        let levels = 1..=parameters.levels();
        let extension = levels.map(|level| Ok(parameters.extension(level)?.len()));
        let extension: Result<Vec<usize>, FvError> = extension.collect();
        let digits = |level| parameters.digits_log2(level).len();
        let mut by_level = vec![0];
        by_level.extend(extension?);
        Ok(Self {
            n: parameters.n(),
            extension: by_level,
            digits: (0..=parameters.levels()).map(digits).collect(),
            special: parameters.special().map_or(0, |special| special.len()),
        })
    }

    /// Work of an operation at a level; for a product without the lifts.
    pub fn operation(&self, operation: &Operation, level: usize, level_of: impl Fn(ValueId) -> usize) -> f64 {
        let limbs = level as f64;
        match operation {
            Operation::Input { .. } => 0.0,
            Operation::Product { .. } => self.tensor(level) + self.key_switch(level),
            // Two transforms of each part and one of the plaintext, the products, and its encoding.
            Operation::PlainProduct { .. } => {
                limbs * (5.0 * transform(self.n) + 2.0) + 4.0 * transform(self.n)
            }
            Operation::Linear { terms, clear } => {
                let encoding = if clear.is_some() {
                    4.0 * transform(self.n) + limbs
                } else {
                    0.0
                };
                // Additions are about half a product, and memory is what they wait for.
                2.0 * limbs * terms.len() as f64 * 0.5 + encoding
            }
            Operation::Switch { operand } => {
                let dropped = level_of(*operand).saturating_sub(level) as f64;
                2.0 * dropped * (limbs + 1.0)
            }
        }
    }

    /// Work of lifting a ciphertext.
    pub fn lift(&self, level: usize) -> f64 {
        let (limbs, extension) = (level as f64, self.extension[level] as f64);
        2.0 * (limbs * (extension + 1.0) + (limbs + extension) * transform(self.n))
    }

    fn tensor(&self, level: usize) -> f64 {
        let (limbs, extension) = (level as f64, self.extension[level] as f64);
        let both = limbs + extension;
        // Four products, three transforms back, three divisions by q and conversions back.
        4.0 * both + 3.0 * both * transform(self.n) + 3.0 * (2.0 * limbs * extension + both)
    }

    fn key_switch(&self, level: usize) -> f64 {
        let (limbs, digits, special) = (level as f64, self.digits[level] as f64, self.special as f64);
        let all = limbs + special;
        // Digits are made and transformed, multiplied with both halves of the key, transformed back
        // and divided by P.
        limbs * all
            + digits * all * (transform(self.n) + 2.0)
            + 2.0 * all * transform(self.n)
            + 2.0 * special * limbs
    }

    /// Bytes of a polynomial of so many limbs.
    fn polynomial(&self, limbs: usize) -> u64 {
        (limbs * self.n * 8) as u64
    }

    /// Bytes of a ciphertext of two parts.
    pub fn ciphertext(&self, level: usize) -> u64 {
        2 * self.polynomial(level)
    }

    /// Bytes of a lifted ciphertext.
    pub fn lifted(&self, level: usize) -> u64 {
        2 * self.polynomial(level + self.extension[level])
    }

    /// Bytes that an operation at a level needs at most while it runs, its operands and its lasting
    /// result apart.
    pub fn workspace(&self, operation: &Operation, level: usize) -> u64 {
        match operation {
            Operation::Input { .. } | Operation::Switch { .. } => 0,
            Operation::Product { .. } => {
                // While scaling: three parts over q and the sum that is being scaled. While switching:
                // the three parts, the digits and the two sums over q P.
                let scaling = self.polynomial(3 * level + level + self.extension[level]);
                let digits = self.digits[level] + 2 + 1;
                let switching = self.polynomial(3 * level + digits * (level + self.special));
                scaling.max(switching)
            }
            // The plaintext, the transformed parts.
            Operation::PlainProduct { .. } => self.polynomial(3 * level + 1),
            // The plaintext and the sum without it.
            Operation::Linear { clear, .. } => {
                if clear.is_some() {
                    self.polynomial(3 * level + 1)
                } else {
                    0
                }
            }
        }
    }

    /// Bytes of the relinearization key in memory.
    pub fn relinearization_key(&self) -> u64 {
        let levels = self.digits.len() - 1;
        2 * self.digits[levels] as u64 * self.polynomial(levels + self.special)
    }

    /// Bytes of the device's tables, about: two vectors of n words, with a second word each for
    /// products by a constant, for every prime.
    pub fn tables(&self) -> u64 {
        let levels = self.digits.len() - 1;
        4 * self.polynomial(levels + self.special + self.extension[levels])
    }
}
