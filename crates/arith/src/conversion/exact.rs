use num_bigint::BigUint;
use num_traits::ToPrimitive;

use crate::{Basis, Modulus};

/// The constants of the conversion of a column with big integers.
#[derive(Debug, Clone)]
pub(super) struct Exact {
    /// D
    pub(super) product: BigUint,
    /// D/p_i
    pub(super) cofactors: Vec<BigUint>,
    /// t (D/p_i)^-1 mod p_i
    pub(super) scale: Vec<u64>,
    /// 1/D modulo each `to` prime.
    pub(super) inverse: Vec<u64>,
}

impl Exact {
    pub(super) fn new(multiplier: &BigUint, from: &Basis, to: &Basis) -> Self {
        let product = from.product();
        let cofactors: Vec<BigUint> = from.moduli().iter().map(|m| &product / m.value()).collect();
        let scale = from.moduli().iter().zip(&cofactors).map(|(m, cofactor)| {
            // The primes of a basis are distinct: every cofactor is invertible.
            let inverse = m.inv(residue(cofactor, m)).unwrap_or(0);
            m.mul(residue(multiplier, m), inverse)
        });
        // The bases share no prime: D is invertible.
        let inverse = to
            .moduli()
            .iter()
            .map(|m| m.inv(residue(&product, m)).unwrap_or(0));
        Self {
            scale: scale.collect(),
            inverse: inverse.collect(),
            product,
            cofactors,
        }
    }
}

pub(super) fn residue(x: &BigUint, m: &Modulus) -> u64 {
    (x % m.value()).to_u64().unwrap_or(0)
}
