use ringmill_arith::sampling::{Stream, signs, ternary};
use ringmill_ring::{FermatRing, NegacyclicRing, Ring, RingError};

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

/// Distribution of the coefficients of the secret key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SecretDistribution {
    /// Uniform in {-1, 0, 1}.
    Ternary,
    /// Uniform in {-1, 1}.
    Signs,
}

impl SecretDistribution {
    /// Variance of a coefficient.
    #[must_use]
    pub const fn variance(self) -> f64 {
        match self {
            Self::Ternary => 2.0 / 3.0,
            Self::Signs => 1.0,
        }
    }

    /// Draws coefficients.
    pub(crate) fn draw(self, stream: &mut Stream, small: &mut [i8]) {
        match self {
            Self::Ternary => ternary(stream, small),
            Self::Signs => signs(stream, small),
        }
    }
}

/// How many primes are wanted, and how large.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PrimeChoice {
    /// Number of primes.
    pub count: usize,
    /// The primes are the largest below 2^`bits`, at most 50; need not be whole.
    pub bits: f64,
}

/// What [`crate::Parameters::new`] makes parameters from.
///
/// Primes are chosen deterministically: the large ones of q first, then those of P, then the small ones of q,
/// then the auxiliary ones (the largest below 2^50), each the largest below their limit that suit the ring and are not yet taken.
#[derive(Debug, Clone, PartialEq)]
pub struct ParametersSpec {
    /// A name for people, at most 64 bytes; it has no influence on anything else.
    pub name: String,
    /// FrameKind of the ring.
    pub ring: RingKind,
    /// Dimension of the ring.
    pub n: usize,
    /// Plaintext modulus.
    pub t: u64,
    /// The limbs of q; its large primes, if there are small ones.
    pub limbs: PrimeChoice,
    /// Small primes of q, at most 8, for moduli in finer steps than a large prime: see
    /// [`crate::Parameters::q_at`].
    pub small: Option<PrimeChoice>,
    /// The primes of P; `None` but for hybrid key switching.
    pub special: Option<PrimeChoice>,
    /// How keys are switched.
    pub key_switching: KeySwitching,
    /// Deviation of the errors: of each of the Gaussians that are folded ([`Ring::unfolded_len`]).
    pub sigma: f64,
    /// Distribution of the secret.
    pub secret: SecretDistribution,
    /// See [`crate::Parameters::secret_bound`]; `None` for [`ParametersSpec::default_secret_bound`].
    pub secret_bound: Option<f64>,
    /// Take parameters below 128 bits of security too.
    pub allow_insecure: bool,
}

impl ParametersSpec {
    /// ln(n/2) - 0.7, rounded to tenths: about one secret in seven stays below, at every n, so that
    /// rejection costs under 3 bits of the key's entropy.
    #[must_use]
    pub fn default_secret_bound(n: usize) -> f64 {
        (((n.max(2) as f64 / 2.0).ln() - 0.7) * 10.0).round() / 10.0
    }
}
