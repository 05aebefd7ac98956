use ringmill_arith::sampling::{Stream, signs, ternary};

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
    pub fn draw(self, stream: &mut Stream, small: &mut [i8]) {
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

/// ln(n/2) - 0.7, rounded to tenths: about one secret in seven stays below, at every n, so that
/// rejection costs under 3 bits of the key's entropy.
#[must_use]
pub fn default_secret_bound(n: usize) -> f64 {
    (((n.max(2) as f64 / 2.0).ln() - 0.7) * 10.0).round() / 10.0
}
