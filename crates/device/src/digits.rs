use std::ops::RangeInclusive;

use ringmill_arith::{Basis, Modulus};

use crate::DeviceError;

/// How a polynomial is cut into small digits for key switching.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Digits {
    /// Hybrid key switching. Digit i of a is the centred value of a modulo the product of the limbs that a has in
    /// group i, lifted to all limbs of a and the special primes. A group of which a has no limb gives no digit.
    ///
    /// Let P be the product of the special primes. Element i of a key for s' encrypts P s' modulo the primes of group i
    /// and 0 modulo all others. Then sum_i digit_i key_i encrypts P a s', whichever limbs a has.
    Limbs {
        /// The primes of each digit; no prime is in two groups.
        groups: Vec<Basis>,
        /// The special primes.
        special: Basis,
    },
    /// The digits of the representative in [0, q) in base 2^bits, each in (-2^(bits-1), 2^(bits-1)], the lowest first.
    /// There are k of them, the least k with q <= 2^(bits k - 1), so that the last digit has no carry. Element i of a
    /// key encrypts 2^(bits i) s'.
    BaseTwo {
        /// The bits of a digit, in [`Digits::WORD_BITS`].
        bits: u32,
    },
}

impl Digits {
    /// The numbers of bits that a digit of [`Digits::BaseTwo`] can have.
    pub const WORD_BITS: RangeInclusive<u32> = 2..=1024;

    /// For each digit of a polynomial over `basis`, the index of its element in a switching key.
    #[must_use]
    pub fn elements(&self, basis: &Basis) -> Vec<usize> {
        let has = |group: &Basis| group.moduli().iter().any(|q| basis.position(q).is_some());
        match self {
            Self::Limbs { groups, .. } => (0..groups.len()).filter(|&i| has(&groups[i])).collect(),
            Self::BaseTwo { bits } => {
                // q is no power of two.
                (0..(basis.product().bits() + 1).div_ceil(u64::from((*bits).max(1))) as usize).collect()
            }
        }
    }

    /// `basis` and the special primes: the basis of the digits, and of the sums of their products with a key.
    ///
    /// # Errors
    /// If a special prime is in the basis.
    pub fn extended(&self, basis: &Basis) -> Result<Basis, DeviceError> {
        match self {
            Self::Limbs { special, .. } => Ok(basis.concat(special)?),
            Self::BaseTwo { .. } => Ok(basis.clone()),
        }
    }

    /// The limbs of `basis` in each group of [`Digits::Limbs`]: one entry for each digit of a polynomial over it.
    ///
    /// # Errors
    /// [`DeviceError::MissingLimb`] for a limb that is in no group.
    pub fn limbs_of(groups: &[Basis], basis: &Basis) -> Result<Vec<Basis>, DeviceError> {
        let grouped = |q: &Modulus| groups.iter().any(|group| group.position(q).is_some());
        if let Some(q) = basis.moduli().iter().find(|q| !grouped(q)) {
            return Err(DeviceError::MissingLimb(q.value()));
        }
        let own = groups.iter().map(|group| {
            let moduli = basis.moduli().iter().filter(|q| group.position(q).is_some());
            moduli.copied().collect::<Vec<_>>()
        });
        let own = own.filter(|own| !own.is_empty());
        own.map(|own| Ok(Basis::new(&own)?)).collect()
    }
}
