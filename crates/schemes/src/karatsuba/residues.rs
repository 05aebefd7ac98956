use num_bigint::{BigInt, BigUint};
use num_traits::Zero;
use ringmill_arith::{Basis, Modulus};

/// Between residues modulo each prime and integers modulo their product q. Not for hot loops.
#[derive(Debug, Clone)]
pub(super) struct Residues {
    basis: Basis,
    q: BigUint,
    /// q / p_i times its inverse modulo p_i.
    units: Vec<BigUint>,
}

impl Residues {
    pub fn new(basis: &Basis) -> Self {
        let q = basis.product();
        let unit = |modulus: &Modulus| {
            let others = &q / modulus.value();
            let rest = &others % modulus.value();
            // p_i is prime: the inverse is a power.
            let prime = BigUint::from(modulus.value());
            let inverse = rest.modpow(&(&prime - 2_u32), &prime);
            others * inverse
        };
        Self {
            units: basis.moduli().iter().map(unit).collect(),
            basis: basis.clone(),
            q,
        }
    }

    /// Coefficient i of a polynomial given limb after limb, as an integer in [0, q).
    pub fn integer(&self, residues: &[u64], i: usize) -> BigUint {
        let n = residues.len() / self.basis.len();
        let terms = self.units.iter().zip(residues.iter().skip(i).step_by(n));
        terms.fold(BigUint::zero(), |sum, (unit, &x)| sum + unit * x) % &self.q
    }

    /// The words of that integer, which q fits into, the lowest first.
    pub fn words(&self, residues: &[u64], i: usize) -> [u64; 3] {
        let mut words = [0; 3];
        let digits = self.integer(residues, i);
        words
            .iter_mut()
            .zip(digits.iter_u64_digits())
            .for_each(|(word, digit)| *word = digit);
        words
    }

    /// The representative of it in (-q/2, q/2).
    pub fn centred(&self, residues: &[u64], i: usize) -> BigInt {
        let integer = self.integer(residues, i);
        if &integer + &integer > self.q {
            BigInt::from(integer) - BigInt::from(self.q.clone())
        } else {
            integer.into()
        }
    }

    /// Residues, limb after limb, of integers of three words.
    pub fn residues(&self, integers: &[[u64; 3]]) -> Vec<u64> {
        let limbs = self.basis.moduli().iter().flat_map(|q| {
            integers.iter().map(|words| {
                let high = q.reduce_wide(u128::from(words[2]) << 64 | u128::from(words[1]));
                q.reduce_wide(u128::from(high) << 64 | u128::from(words[0]))
            })
        });
        limbs.collect()
    }
}
