use num_bigint::BigUint;
use ringmill_arith::Basis;

use crate::FvError;

/// The moduli that ciphertexts can have, ascending: all products of the first h small primes and the first
/// b large ones but the empty one.
///
/// Small primes make the steps between moduli finer than a large prime: with two of 33 bits beside limbs of
/// 50, they are 33, 50, 67, 83, 100 ... bits.
#[derive(Debug)]
pub(super) struct Levels {
    bases: Vec<Basis>,
    /// log2 of the modulus of each level, and 0 in front of them.
    log2: Vec<f64>,
}

impl Levels {
    /// The levels of q, of which the first `small` limbs are the small primes.
    pub fn new(q: &Basis, small: usize) -> Result<Self, FvError> {
        let large = q.len() - small;
        let mut products: Vec<(BigUint, Basis)> = Vec::new();
        for h in 0..=small {
            for b in usize::from(h == 0)..=large {
                let moduli = [&q.moduli()[..h], &q.moduli()[small..small + b]].concat();
                let basis = Basis::new(&moduli)?;
                products.push((basis.product(), basis));
            }
        }
        // Products of different sets of primes differ.
        products.sort_by(|a, b| a.0.cmp(&b.0));
        let bases: Vec<Basis> = products.into_iter().map(|(_, basis)| basis).collect();
        let log2 = [0.0].into_iter().chain(bases.iter().map(Basis::log2)).collect();
        Ok(Self { bases, log2 })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.bases.len()
    }

    /// The primes of a level, from 1 on.
    pub fn basis(&self, level: usize) -> Result<&Basis, FvError> {
        let index = level.checked_sub(1);
        index.and_then(|i| self.bases.get(i)).ok_or(FvError::BadLevel {
            level,
            levels: self.len(),
        })
    }

    /// The primes of a level, of the highest for any larger number; none for level 0.
    pub fn clamped(&self, level: usize) -> Option<&Basis> {
        self.bases.get(level.min(self.len()).checked_sub(1)?)
    }

    /// log2 of the modulus of a level, of the highest for any larger number; 0 for level 0.
    pub fn log2(&self, level: usize) -> f64 {
        self.log2[level.min(self.len())]
    }
}
