use ringmill_arith::{ArithError, Modulus, prime};

use crate::{FermatRing, NegacyclicRing, RingError, units};

/// A cyclotomic ring of dimension n with transforms. Clones are cheap.
///
/// Let zeta be the primitive root of unity of order [`Ring::conductor`] modulo a prime. At position i of
/// evaluation domain an element with the coefficients a_j has the value sum_j a_j zeta^(c(j) e(i)), where c
/// is [`Ring::coefficient_exponent`] and e is [`Ring::value_exponent`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ring {
    /// Z\[x\]/Phi_d for a squarefree product d of Fermat primes.
    Fermat(FermatRing),
    /// Z\[x\]/(x^n + 1).
    Negacyclic(NegacyclicRing),
}

impl From<FermatRing> for Ring {
    fn from(ring: FermatRing) -> Self {
        Self::Fermat(ring)
    }
}

impl From<NegacyclicRing> for Ring {
    fn from(ring: NegacyclicRing) -> Self {
        Self::Negacyclic(ring)
    }
}

impl Ring {
    /// The dimension n.
    #[must_use]
    pub fn n(&self) -> usize {
        match self {
            Self::Fermat(ring) => ring.n(),
            Self::Negacyclic(ring) => ring.n(),
        }
    }

    /// The order of x: d, or 2n for x^n + 1.
    #[must_use]
    pub fn conductor(&self) -> u64 {
        match self {
            Self::Fermat(ring) => ring.d(),
            Self::Negacyclic(ring) => ring.conductor(),
        }
    }

    /// The primes of a transform are 1 modulo this number.
    #[must_use]
    pub fn congruence(&self) -> u64 {
        match self {
            Self::Fermat(ring) => ring.congruence(),
            Self::Negacyclic(ring) => ring.congruence(),
        }
    }

    /// Finds the `count` largest suitable primes below `limit` that are not in `taken`, in descending order.
    ///
    /// # Errors
    /// [`ArithError::TooFewPrimes`] if there are fewer.
    pub fn primes(&self, limit: u64, count: usize, taken: &[u64]) -> Result<Vec<Modulus>, ArithError> {
        prime::primes_below(limit, self.congruence(), count, taken)
    }

    /// A bound of a product's growth: the magnitudes of its coefficients are at most this number times the
    /// product of the factors' largest magnitudes.
    #[must_use]
    pub fn expansion(&self) -> u64 {
        match self {
            Self::Fermat(ring) => ring.expansion(),
            Self::Negacyclic(ring) => ring.expansion(),
        }
    }

    /// The Fermat ring, if this is one.
    #[must_use]
    pub fn as_fermat(&self) -> Option<&FermatRing> {
        match self {
            Self::Fermat(ring) => Some(ring),
            Self::Negacyclic(_) => None,
        }
    }

    /// The number of coefficients that [`Ring::fold`] takes: d, or n for x^n + 1.
    #[must_use]
    pub fn unfolded_len(&self) -> usize {
        match self {
            Self::Fermat(ring) => ring.d() as usize,
            Self::Negacyclic(ring) => ring.n(),
        }
    }

    /// Brings independent coefficients of equal size, below 2^58, into the ring. A Fermat ring folds those
    /// of Z\[x\]/(x^d - 1) to the normal basis ([`FermatRing::fold`]); for x^n + 1 they are the element's
    /// coefficients. Spherical errors are made this way.
    ///
    /// # Errors
    /// [`RingError::WrongLength`] unless there are [`Ring::unfolded_len`] coefficients.
    pub fn fold(&self, full: &[i64]) -> Result<Vec<i64>, RingError> {
        match self {
            Self::Fermat(ring) => ring.fold(full),
            Self::Negacyclic(ring) if full.len() == ring.n() => Ok(full.to_vec()),
            Self::Negacyclic(ring) => Err(RingError::WrongLength {
                expected: ring.n(),
                got: full.len(),
            }),
        }
    }

    /// The exponent of zeta to which coefficient j belongs.
    #[must_use]
    pub fn coefficient_exponent(&self, j: usize) -> u64 {
        match self {
            Self::Fermat(ring) => u64::from(ring.exponents()[j]),
            Self::Negacyclic(_) => j as u64,
        }
    }

    /// The unit e(i): position i of evaluation domain holds the value at zeta^(e(i)).
    #[must_use]
    pub fn value_exponent(&self, i: usize) -> u64 {
        match self {
            Self::Fermat(ring) => u64::from(ring.exponents()[i]),
            Self::Negacyclic(ring) => ring.exponent_at(i),
        }
    }

    /// Whether x -> x^`exponent` is an automorphism, that is, whether the exponent is a unit modulo the
    /// conductor.
    #[must_use]
    pub fn is_unit(&self, exponent: u64) -> bool {
        match self {
            Self::Fermat(ring) => ring.index_of(exponent).is_some(),
            Self::Negacyclic(_) => !exponent.is_multiple_of(2),
        }
    }

    /// Inverts a unit modulo the conductor.
    ///
    /// # Errors
    /// [`RingError::NotAUnit`] if the exponent is not one.
    pub fn inverse(&self, exponent: u64) -> Result<u64, RingError> {
        if self.is_unit(exponent) {
            Ok(units::inverse(exponent, self.conductor(), self.n()))
        } else {
            Err(RingError::NotAUnit {
                exponent,
                d: self.conductor(),
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverses_of_units() {
        let rings = [
            Ring::from(FermatRing::new(4096).unwrap()),
            NegacyclicRing::new(1024).unwrap().into(),
        ];
        for ring in rings {
            let d = ring.conductor();
            for exponent in [1, 3, d - 1, d + 7] {
                assert!(ring.is_unit(exponent));
                assert_eq!(ring.inverse(exponent).unwrap() * (exponent % d) % d, 1);
            }
        }
        let ring = Ring::from(NegacyclicRing::new(64).unwrap());
        assert_eq!(ring.inverse(6), Err(RingError::NotAUnit { exponent: 6, d: 128 }));
    }

    #[test]
    fn folding_is_the_identity_for_power_bases() {
        let ring = Ring::from(NegacyclicRing::new(64).unwrap());
        let full: Vec<i64> = (0..64).map(|x| x - 30).collect();
        assert_eq!(ring.fold(&full), Ok(full.clone()));
        assert!(ring.fold(&full[1..]).is_err());
        let ring = Ring::from(FermatRing::new(2048).unwrap());
        assert_eq!(ring.unfolded_len(), 3855);
        assert_eq!(ring.fold(&vec![0; 3855]).map(|a| a.len()), Ok(2048));
    }
}
