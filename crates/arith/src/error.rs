use thiserror::Error;

/// The errors of this crate.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ArithError {
    /// A modulus must be an odd prime below 2^62.
    #[error("{0} is not an odd prime below 2^62")]
    BadModulus(u64),
    /// The multiplicative group modulo `modulus` has no element of order `order`.
    #[error("there is no root of unity of order {order} modulo {modulus}")]
    NoRoot {
        /// The prime.
        modulus: u64,
        /// The order asked for.
        order: u64,
    },
    /// A basis has no primes, or the same prime twice.
    #[error("a residue basis needs at least one prime, each once")]
    BadBasis,
    /// The source and the target of a conversion share a prime.
    #[error("the prime {0} is in both bases of a conversion")]
    SharedPrime(u64),
    /// Fewer primes exist below the limit than were asked for.
    #[error("only {found} primes = 1 mod {congruence} below {limit}, {wanted} wanted")]
    TooFewPrimes {
        /// The exclusive upper limit.
        limit: u64,
        /// The primes are 1 modulo this.
        congruence: u64,
        /// How many there are.
        found: usize,
        /// How many were asked for.
        wanted: usize,
    },
    /// The chosen kernel cannot run here.
    #[error("kernel {name} is not available on this machine (available: {available})")]
    KernelUnavailable {
        /// The kernel asked for.
        name: String,
        /// The names that would work.
        available: String,
    },
    /// A kernel does not compute what the portable one does.
    #[error(
        "kernel {kernel} is wrong on this machine, in {operation}; nothing was computed with it. \
         RINGMILL_KERNEL={instead} goes on without it. Please report this, with the machine's processor"
    )]
    WrongKernel {
        /// The kernel.
        kernel: &'static str,
        /// The first operation that it computed wrong.
        operation: &'static str,
        /// The best kernel that computes it right.
        instead: &'static str,
    },
    /// A slice of the wrong length was given.
    #[error("expected {expected} residues, got {got}")]
    WrongLength {
        /// Residues needed.
        expected: usize,
        /// Residues given.
        got: usize,
    },
    /// A sampler was asked for a distribution it cannot produce.
    #[error("standard deviation {0} is outside what the sampler supports (0.5 to 64)")]
    BadDeviation(String),
    /// The operating system gave no randomness.
    #[error("the operating system's random source failed: {0}")]
    NoEntropy(String),
}
