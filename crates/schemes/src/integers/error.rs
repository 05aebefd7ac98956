use ringmill_arith::ArithError;
use ringmill_format::FormatError;
use thiserror::Error;

/// The errors of this module.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum IntegersError {
    /// No set has this name.
    #[error("there is no set of parameters {name:?}; known: {known}")]
    UnknownSet {
        /// The name asked for.
        name: String,
        /// All names.
        known: String,
    },
    /// The result of an operation might not decrypt.
    #[error(
        "after this {operation} the noise may have {bits:.1} bits, where {limit} decrypt for certain; \
         use fewer operations, or inputs with less noise (encrypted with the secret key)"
    )]
    TooNoisy {
        /// The operation.
        operation: &'static str,
        /// log2 of the bound on the noise.
        bits: f64,
        /// The most bits that decrypt for certain.
        limit: u32,
    },
    /// Two objects were made with different parameters or different keys.
    #[error("{what} was made with {others} (hash {got}, expected {expected})")]
    Mismatch {
        /// The object.
        what: &'static str,
        /// "other parameters" or "another key".
        others: &'static str,
        /// First bytes of the hash that it carries, in hexadecimal.
        got: String,
        /// First bytes of the hash needed, in hexadecimal.
        expected: String,
    },
    /// A ciphertext that was computed elsewhere is none of this key's.
    #[error(
        "the ciphertext is not below the key's x_0: what computed it did not reduce it, or not modulo this x_0"
    )]
    NotReduced,
    /// A file is damaged, or reading or writing failed.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// No randomness, or a kernel that this machine does not have.
    #[error(transparent)]
    Arith(#[from] ArithError),
}

impl IntegersError {
    /// [`IntegersError::Mismatch`] unless two hashes are the same.
    pub(super) fn compare(
        what: &'static str,
        others: &'static str,
        got: &[u8; 32],
        expected: &[u8; 32],
    ) -> Result<(), Self> {
        if got == expected {
            return Ok(());
        }
        let start = |hash: &[u8; 32]| hash[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        Err(Self::Mismatch {
            what,
            others,
            got: start(got),
            expected: start(expected),
        })
    }
}
