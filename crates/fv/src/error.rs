use ringmill_arith::ArithError;
use ringmill_device::DeviceError;
use ringmill_ring::{Domain, RingError};
use ringmill_rlwe::RlweError;
use thiserror::Error;

use crate::RingKind;
use ringmill_format::FormatError;

/// The errors of this crate.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FvError {
    /// A parameter has a value with which nothing would work; the text says which and what would.
    #[error("parameter {name}: {problem}")]
    BadParameter {
        /// The parameter.
        name: &'static str,
        /// What is wrong and what would be right.
        problem: String,
    },
    /// A set below 128 bits of security that was not asked for as such.
    #[error(
        "parameters {name} are insecure: {warning}; enlarge n, shrink q, or set `allow_insecure` to use them all the same"
    )]
    Insecure {
        /// Name of the set.
        name: String,
        /// Why it is insecure.
        warning: String,
    },
    /// No preset has this name.
    #[error("there is no preset {name:?}; known: {known}")]
    UnknownPreset {
        /// The name asked for.
        name: String,
        /// All names.
        known: String,
    },
    /// A level that the parameters do not have, or above that of a ciphertext to be brought there.
    #[error("level {level} is not possible here: choose 1 to {levels}")]
    BadLevel {
        /// The level asked for.
        level: usize,
        /// The highest possible.
        levels: usize,
    },
    /// A basis was asked for in which more products are summed than the auxiliary primes can hold.
    #[error(
        "a sum of {products} products at level {level} overflows the auxiliary primes; they hold at most {most}"
    )]
    TooManyProducts {
        /// The products.
        products: u64,
        /// Their level.
        level: usize,
        /// As many would have done.
        most: u64,
    },
    /// Two objects were made with different parameters.
    #[error("{what}: made with other parameters, or damaged (hash {got}, expected {expected})")]
    ParameterMismatch {
        /// The object.
        what: &'static str,
        /// Bytes of the parameter hash that it carries, the first unless those agree, in hexadecimal.
        got: String,
        /// The same bytes of the parameter hash needed, in hexadecimal.
        expected: String,
    },
    /// A plaintext coefficient is not below t.
    #[error("plaintext coefficient {index} is not below {t}")]
    PlaintextOutOfRange {
        /// Its index.
        index: usize,
        /// Its value.
        value: u64,
        /// The plaintext modulus.
        t: u64,
    },
    /// A plaintext of another ring.
    #[error("the plaintext has {got} coefficients, the ring {expected}")]
    WrongPlaintext {
        /// The ring's dimension.
        expected: usize,
        /// Coefficients given.
        got: usize,
    },
    /// Bits, and products in the BGV form, need plaintext modulus 2.
    #[error("bits and products in the BGV form need plaintext modulus 2, these parameters have {0}")]
    NotBinary(u64),
    /// Bits and bytes have slots in Fermat rings only.
    #[error(
        "the ring x^n + 1 of parameters {name} has no slots for bits and bytes; choose a set over a Fermat ring"
    )]
    NoBitSlots {
        /// Name of the set.
        name: String,
    },
    /// Integers have slots modulo x^n + 1 and a prime t = 1 modulo 2n only.
    #[error(
        "parameters {name} have no slots for integers: these take a ring x^n + 1 and a prime t = 1 modulo 2n"
    )]
    NoIntegerSlots {
        /// Name of the set.
        name: String,
    },
    /// More integers than slots.
    #[error("{got} integers do not fit {slots} slots")]
    TooManyIntegers {
        /// Integers given.
        got: usize,
        /// Slots there are.
        slots: usize,
    },
    /// Parameters and device disagree.
    #[error("the device works in the ring {got:?}, the parameters in {expected:?}")]
    WrongRing {
        /// Ring of the parameters, of this kind and dimension.
        expected: (RingKind, usize),
        /// Ring of the device.
        got: (RingKind, usize),
    },
    /// Hybrid key switching without special primes or another with them.
    #[error("hybrid key switching needs special primes, any other none")]
    BadSwitching,
    /// Key switching was asked of a set without it.
    #[error(
        "parameters {name} have no key switching, so no relinearization and no automorphisms; \
         choose a set with a larger ring"
    )]
    NoKeySwitching {
        /// Name of the set.
        name: String,
    },
    /// Ciphertexts of different levels were combined.
    #[error("ciphertexts of levels {expected} and {got} were combined; switch the higher one down first")]
    LevelMismatch {
        /// Level of the first.
        expected: usize,
        /// Level of the other.
        got: usize,
    },
    /// Ciphertexts in different domains were combined, or an operation needs the other domain.
    #[error(
        "a ciphertext in {got:?} domain was given where {expected:?} domain is needed; transform it first"
    )]
    DomainMismatch {
        /// The domain needed: that of the first operand.
        expected: Domain,
        /// The other.
        got: Domain,
    },
    /// A factor in the clear that makes noise grow more than plans allow for.
    #[error(
        "the values of a public input, as one factor for all records, make noise grow more than the plan allows for \
         ({times:.1} times as much); no random values do, so look at where they come from, or make that input private"
    )]
    HeavyPlaintext {
        /// How much more at the worst root, in amplitude.
        times: f64,
    },
    /// An operation over nothing.
    #[error("the operation needs at least one operand")]
    NoOperands,
    /// A ciphertext with the wrong number of parts.
    #[error(
        "the operation does not take a ciphertext of {0} parts (products have 3 until they are relinearized)"
    )]
    WrongParts(usize),
    /// No secret with small enough embedding was found.
    #[error("no secret key within the bound {0} of the parameters was found; raise the bound")]
    NoSecretWithinBound(f64),
    /// No secret was found under which a plan's noise keeps its reserve.
    #[error(
        "none of {refused} secrets leaves the job's noise the margin that its probability of failure needs; plan the job \
         anew, and make keys for the new plan"
    )]
    NoSecretAdmitted {
        /// Secrets refused.
        refused: usize,
    },
    /// A secret key under which a plan's noise does not keep its reserve. How much is missing is a secret.
    #[error(
        "this secret key does not suit the job: under it results would be wrong more often than the job allows; make keys \
         for the job, and encrypt its inputs with them"
    )]
    KeyNotAdmitted,
    /// A decryption that cannot be trusted. Its noise is a secret of the key's owner, so the text does not say it.
    #[error(
        "decryption failed: the noise is too large; the secret key is not the one of this ciphertext, or its noise \
         budget is spent"
    )]
    NoiseOverflow {
        /// Largest distance from a multiple of q/t, in units of q/t.
        fraction: f64,
    },
    /// The device refused something.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// A file or what is in it.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// The ring refused something.
    #[error(transparent)]
    Ring(#[from] RingError),
    /// A prime, a basis or a sampler was refused.
    #[error(transparent)]
    Arith(#[from] ArithError),
}

impl From<RlweError> for FvError {
    /// Makes a refusal of the layer below this scheme's own.
    fn from(error: RlweError) -> Self {
        match error {
            RlweError::PlaintextOutOfRange { index, value, t } => {
                Self::PlaintextOutOfRange { index, value, t }
            }
            RlweError::Device(error) => Self::Device(error),
            RlweError::Ring(error) => Self::Ring(error),
            RlweError::Arith(error) => Self::Arith(error),
        }
    }
}
