use ringmill_arith::{ArithError, Modulus, prime};

use crate::Ring;

/// The congruence that primes must satisfy beyond having the roots of unity of a ring's transform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum PrimeRule {
    /// None: a prime is 1 modulo [`Ring::congruence`].
    #[default]
    Transform,
    /// A prime is also 1 modulo 2^[`PrimeRule::MACHINE_WORD`], so that the Montgomery reductions of the machines in
    /// `hdl/` take three steps for 50 bits (the word-level reduction of Mert, Ozturk and Savas).
    Machine,
}

impl PrimeRule {
    /// The bits that a step of a machine's Montgomery reduction removes.
    pub const MACHINE_WORD: u32 = 17;

    /// The primes of a ring are 1 modulo this number.
    #[must_use]
    pub fn congruence(self, ring: &Ring) -> u64 {
        let transform = ring.congruence();
        match self {
            Self::Transform => transform,
            // The odd part stays; the power of two is the larger one.
            Self::Machine => {
                let missing = Self::MACHINE_WORD.saturating_sub(transform.trailing_zeros());
                transform << missing
            }
        }
    }

    /// Finds the `count` largest primes of the ring and the rule below `limit` that are not in `taken`, in descending
    /// order.
    ///
    /// # Errors
    /// [`ArithError::TooFewPrimes`] if there are fewer.
    pub fn primes(
        self,
        ring: &Ring,
        limit: u64,
        count: usize,
        taken: &[u64],
    ) -> Result<Vec<Modulus>, ArithError> {
        prime::primes_below(limit, self.congruence(ring), count, taken)
    }

    /// The strictest rule that all the primes satisfy.
    #[must_use]
    pub fn of(primes: impl IntoIterator<Item = u64>) -> Self {
        let holds = |p: u64| p % (1 << Self::MACHINE_WORD) == 1;
        if primes.into_iter().all(holds) {
            Self::Machine
        } else {
            Self::Transform
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FermatRing, NegacyclicRing};

    #[test]
    fn machine_primes_leave_one_modulo_the_order_of_the_roots_and_the_word() {
        let rings: [(Ring, u64); 4] = [
            (FermatRing::new(32768).unwrap().into(), 65535),
            (FermatRing::new(2048).unwrap().into(), 3855),
            (NegacyclicRing::new(1024).unwrap().into(), 1),
            (FermatRing::new(65536).unwrap().into(), 65537),
        ];
        for (ring, odd) in rings {
            let primes = PrimeRule::Machine.primes(&ring, 1 << 50, 70, &[]).unwrap();
            assert!(primes.iter().all(|q| q.bits() == 50), "{}", ring.n());
            assert!(
                primes.iter().all(|q| q.value() % (odd << 17) == 1),
                "{}",
                ring.n()
            );
            assert!(
                primes.iter().all(|q| q.value() % ring.congruence() == 1),
                "{}",
                ring.n()
            );
            let others = ring.primes(1 << 50, 70, &[]).unwrap();
            assert_eq!(
                PrimeRule::of(primes.iter().map(Modulus::value)),
                PrimeRule::Machine
            );
            let rule = if ring.congruence().is_multiple_of(1 << 16) {
                continue;
            } else {
                PrimeRule::of(others.iter().map(Modulus::value))
            };
            assert_eq!(rule, PrimeRule::Transform, "{}", ring.n());
        }
    }
}
