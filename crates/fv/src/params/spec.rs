use ringmill_ring::{FermatRing, NegacyclicRing, PrimeRule, Ring, RingError};
use ringmill_rlwe::{PrimeChoice, SecretDistribution};

/// The kind of a ring; its dimension makes it a ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RingKind {
    /// Z\[x\]/Phi_d, d a squarefree product of Fermat primes: for bits and bytes.
    Fermat,
    /// Z\[x\]/(x^n + 1): for integers modulo t, and for the smallest sets.
    Negacyclic,
}

impl RingKind {
    /// The kind of a ring.
    #[must_use]
    pub fn of(ring: &Ring) -> Self {
        match ring.as_fermat() {
            Some(_) => Self::Fermat,
            None => Self::Negacyclic,
        }
    }

    /// The ring of dimension n.
    ///
    /// # Errors
    /// [`RingError::BadDimension`].
    pub fn ring(self, n: usize) -> Result<Ring, RingError> {
        Ok(match self {
            Self::Fermat => FermatRing::new(n)?.into(),
            Self::Negacyclic => NegacyclicRing::new(n)?.into(),
        })
    }
}

/// How keys are switched, and so what relinearization and Galois keys look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeySwitching {
    /// Digits of `digit_limbs` large primes of q each, keys with the further modulus P, and a division by P.
    /// Small primes join the first digit where that makes it no larger than P or the others, or are one.
    Hybrid {
        /// Large primes in a digit.
        digit_limbs: usize,
    },
    /// Signed digits to the base 2^`bits`, no further modulus.
    BaseTwo {
        /// Bits of a digit.
        bits: u32,
    },
    /// None: ciphertexts can be added and multiplied by plaintexts, but products not relinearized and slots
    /// not moved. For sets so small that nothing is left for it.
    None,
}

/// The input from which [`crate::Parameters::new`] makes parameters.
///
/// Primes are chosen deterministically: the large ones of q first, then those of P, then the small ones of q,
/// then the auxiliary ones, each the largest below their limit that suit the ring and are not yet taken.
#[derive(Debug, Clone, PartialEq)]
pub struct ParametersSpec {
    /// A name for people, at most 64 bytes; it has no influence on anything else.
    pub name: String,
    /// Kind of the ring.
    pub ring: RingKind,
    /// Dimension of the ring.
    pub n: usize,
    /// Plaintext modulus.
    pub t: u64,
    /// The rule that all primes follow beside the ring's.
    pub prime_rule: PrimeRule,
    /// The limbs of q; its large primes, if there are small ones.
    pub limbs: PrimeChoice,
    /// Small primes of q, at most 8, for moduli in finer steps than a large prime: see
    /// [`crate::Parameters::q_at`].
    pub small: Option<PrimeChoice>,
    /// The primes of P; `None` but for hybrid key switching.
    pub special: Option<PrimeChoice>,
    /// log2 of the exclusive limit of the auxiliary primes; `None` for 50, the most.
    pub auxiliary_bits: Option<f64>,
    /// How keys are switched.
    pub key_switching: KeySwitching,
    /// Deviation of the errors: of each of the Gaussians that are folded ([`Ring::unfolded_len`]).
    pub sigma: f64,
    /// Distribution of the secret.
    pub secret: SecretDistribution,
    /// See [`crate::Parameters::secret_bound`]; `None` for [`ringmill_rlwe::default_secret_bound`].
    pub secret_bound: Option<f64>,
    /// Take parameters below 128 bits of security too.
    pub allow_insecure: bool,
}
