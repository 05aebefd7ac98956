use ringmill_arith::ArithError;
use ringmill_device::DeviceError;
use ringmill_ring::RingError;
use thiserror::Error;

/// The errors of this crate.
#[derive(Debug, Error)]
pub enum RlweError {
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
    /// The device refused something.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The ring refused something.
    #[error(transparent)]
    Ring(#[from] RingError),
    /// A sampler was refused.
    #[error(transparent)]
    Arith(#[from] ArithError),
}
