use std::fmt;

use ringmill_ring::PrimeRule;
use ringmill_rlwe::PrimeChoice;

/// The plaintext modulus of both schemes: slots hold bits.
pub(crate) const T: u64 = 2;

/// A scheme over NTRU rings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// Bos, Lauter, Loftus and Naehrig (IMACC 2013).
    Yashe,
    /// Lopez-Alt, Tromer and Vaikuntanathan (STOC 2012).
    Ltv,
}

impl Scheme {
    /// How the names of its sets begin.
    pub(super) fn prefix(self) -> &'static str {
        match self {
            Self::Yashe => "yashe-",
            Self::Ltv => "ltv-",
        }
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Yashe => "YASHE",
            Self::Ltv => "LTV",
        })
    }
}

/// The input from which [`super::Parameters::new`] makes parameters.
///
/// Primes are chosen deterministically, each the largest below its limit that suits the ring and is not yet
/// taken: the large ones, then the small ones, then the auxiliary ones.
#[derive(Debug, Clone, PartialEq)]
pub struct Spec {
    /// A name for people, at most 64 bytes, that begins with the scheme's: `yashe-` or `ltv-`.
    pub name: String,
    /// The scheme.
    pub scheme: Scheme,
    /// Dimension of the Fermat ring.
    pub n: usize,
    /// What is asked of all primes beside what the ring needs.
    pub prime_rule: PrimeRule,
    /// The large primes of the pool.
    pub large: PrimeChoice,
    /// Its small primes, for moduli in finer steps than a large prime.
    pub small: Option<PrimeChoice>,
    /// Number of levels, the highest.
    pub levels: usize,
    /// log2 of the modulus of level 1.
    pub floor: f64,
    /// log2 of the ratio of the moduli of neighbouring levels. See [`super::Parameters::q_at`].
    pub step: f64,
    /// Bits of a digit of key switching.
    pub digit_bits: u32,
    /// Auxiliary primes, the largest below 2^48, for exact sums beyond the modulus.
    pub auxiliary: usize,
    /// Deviation of each of the Gaussians that are folded to an error.
    pub sigma: f64,
}
