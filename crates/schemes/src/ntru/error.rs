use ringmill_arith::ArithError;
use ringmill_device::DeviceError;
use ringmill_format::FormatError;
use ringmill_ring::RingError;
use ringmill_rlwe::RlweError;
use thiserror::Error;

use super::Scheme;

/// The errors of the schemes over NTRU rings.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NtruError {
    /// A parameter has a value with which nothing would work; the text says which and what would.
    #[error("parameter {name}: {problem}")]
    BadParameter {
        /// The parameter.
        name: &'static str,
        /// What is wrong and what would be right.
        problem: String,
    },
    /// No set has this name.
    #[error("there is no set {name:?}; known: {known}")]
    UnknownSet {
        /// The name asked for.
        name: String,
        /// All names.
        known: String,
    },
    /// Parameters of one scheme were given to another.
    #[error("parameters {name} are for {got}, not for {expected}")]
    WrongScheme {
        /// Name of the set.
        name: String,
        /// The scheme needed.
        expected: Scheme,
        /// The scheme they are for.
        got: Scheme,
    },
    /// Parameters and device disagree.
    #[error(
        "the device works in another ring than the parameters, of dimension {got} where {expected} is needed"
    )]
    WrongRing {
        /// Dimension of the parameters' ring.
        expected: usize,
        /// Dimension of the device's.
        got: usize,
    },
    /// A level that there is not, or above that of a ciphertext to be brought there.
    #[error("level {level} is not possible here: choose 1 to {levels}")]
    BadLevel {
        /// The level asked for.
        level: usize,
        /// The highest possible.
        levels: usize,
    },
    /// Ciphertexts of different levels were combined.
    #[error("ciphertexts of levels {expected} and {got} were combined; switch the higher one down first")]
    LevelMismatch {
        /// Level of the first.
        expected: usize,
        /// Level of the other.
        got: usize,
    },
    /// A circuit is too deep.
    #[error(
        "{depth} products one after the other leave too much noise: parameters {name} stand {most}; \
         choose a set with more levels or a circuit of less depth"
    )]
    TooDeep {
        /// Name of the set.
        name: String,
        /// The depth asked for.
        depth: usize,
        /// The largest depth possible.
        most: usize,
    },
    /// An object was made with other parameters.
    #[error("{what} was made with other parameters (hash {got}, expected {expected})")]
    ParameterMismatch {
        /// The object.
        what: &'static str,
        /// First bytes of the parameter hash that it carries, in hexadecimal.
        got: String,
        /// First bytes of the parameter hash needed, in hexadecimal.
        expected: String,
    },
    /// A value that is not of bits.
    #[error("the slots of these schemes hold bits, not rows of bytes: choose a bit-sliced circuit")]
    NotBits,
    /// An operation over nothing.
    #[error("the operation needs at least one operand")]
    NoOperands,
    /// No secret was found that is invertible and small enough in the embedding.
    #[error("no invertible secret key within the bound {0} of the parameters was found; raise the bound")]
    NoSecret(f64),
    /// A stored secret has no inverse, or is larger in the embedding than the noise model allows.
    #[error("the secret key is not one that key generation makes: the file is of another program")]
    BadSecret,
    /// A decryption that cannot be trusted. Its noise is a secret of the key's owner, so the text does not say it.
    #[error(
        "decryption failed: the noise is too large; the secret key is not the one of this ciphertext, or its noise \
         budget is spent"
    )]
    NoiseOverflow {
        /// Largest distance from a multiple of the plaintext step, in units of it.
        fraction: f64,
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

impl From<RlweError> for NtruError {
    /// Makes a refusal of the layer below the scheme's own.
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
