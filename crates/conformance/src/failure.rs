use ringmill_arith::ArithError;
use ringmill_ring::{Domain, RingError};
use thiserror::Error;

use super::Operation;
use ringmill_device::DeviceError;

/// The way in which a device does not conform.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Failure {
    /// A word of a result is wrong.
    #[error(
        "{operation} ({case}): word {index} of limb {limb} (modulo {modulus}) is {got}, should be {expected}"
    )]
    Word {
        /// The operation.
        operation: Operation,
        /// The inputs, in words.
        case: String,
        /// Position of the limb.
        limb: usize,
        /// Its prime.
        modulus: u64,
        /// Position in the limb.
        index: usize,
        /// The word by definition.
        expected: u64,
        /// The device's word.
        got: u64,
    },
    /// The values at all roots add up to a wrong number: some value is wrong.
    #[error(
        "{operation} ({case}): the values of limb {limb} (modulo {modulus}) sum to {got}, should to {expected}"
    )]
    Total {
        /// The operation.
        operation: Operation,
        /// The inputs, in words.
        case: String,
        /// Position of the limb.
        limb: usize,
        /// Its prime.
        modulus: u64,
        /// The sum by definition.
        expected: u64,
        /// The sum of the device's values.
        got: u64,
    },
    /// A result is in the wrong domain.
    #[error("{operation} ({case}): the result says it is in {got:?} domain, should be in {expected:?}")]
    Domain {
        /// The operation.
        operation: Operation,
        /// The inputs, in words.
        case: String,
        /// The domain by definition.
        expected: Domain,
        /// The device's domain.
        got: Domain,
    },
    /// A result is over the wrong basis.
    #[error("{operation} ({case}): the result is over the primes {got:?}, should be over {expected:?}")]
    Basis {
        /// The operation.
        operation: Operation,
        /// The inputs, in words.
        case: String,
        /// The primes by definition.
        expected: Vec<u64>,
        /// The device's primes.
        got: Vec<u64>,
    },
    /// A result has too few or too many words or polynomials.
    #[error("{operation} ({case}): expected {expected} words or polynomials, got {got}")]
    Count {
        /// The operation.
        operation: Operation,
        /// The inputs, in words.
        case: String,
        /// The number by definition.
        expected: usize,
        /// The device's number.
        got: usize,
    },
    /// The device refused good operands.
    #[error("{operation} ({case}) failed: {error}")]
    Refused {
        /// The operation.
        operation: Operation,
        /// The inputs, in words.
        case: String,
        /// What the device said.
        error: DeviceError,
    },
    /// The device did not refuse bad operands.
    #[error("{operation} ({case}) succeeded, should fail: {expected}")]
    Accepted {
        /// The operation.
        operation: Operation,
        /// The inputs, in words.
        case: String,
        /// What the device should have said.
        expected: String,
    },
    /// The device refused bad operands for a wrong reason.
    #[error("{operation} ({case}) failed with {got:?}, should with: {expected}")]
    Error {
        /// The operation.
        operation: Operation,
        /// The inputs, in words.
        case: String,
        /// What the device should have said.
        expected: String,
        /// What it said.
        got: DeviceError,
    },
    /// The device's ring has too few primes for the suite.
    #[error("no inputs could be made: {0}")]
    Inputs(#[from] RingError),
}

impl From<ArithError> for Failure {
    fn from(error: ArithError) -> Self {
        Self::Inputs(error.into())
    }
}

impl Failure {
    /// The operation at fault; `None` if the suite could not start.
    #[must_use]
    pub fn operation(&self) -> Option<Operation> {
        match self {
            Self::Word { operation, .. }
            | Self::Total { operation, .. }
            | Self::Domain { operation, .. }
            | Self::Basis { operation, .. }
            | Self::Count { operation, .. }
            | Self::Refused { operation, .. }
            | Self::Accepted { operation, .. }
            | Self::Error { operation, .. } => Some(*operation),
            Self::Inputs(_) => None,
        }
    }
}
