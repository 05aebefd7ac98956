//! The part of a scheme that an execution needs to keep ciphertexts in files, beside [`Scheme`](crate::Scheme).

use crate::error::Failure;

/// Ciphertexts as bytes.
pub(crate) trait Codec<C>: Sync {
    /// The bytes of a ciphertext.
    fn write(&self, a: &C) -> Result<Vec<u8>, Failure>;

    /// The ciphertext of these bytes.
    fn read(&self, bytes: &[u8]) -> Result<C, Failure>;

    /// Gives memory of freed ciphertexts back to the system.
    fn release(&self) {}
}

/// None: for schemes whose values all stay in memory.
pub(crate) struct NoCodec;

const NO_CODEC: &str = "ciphertexts of this scheme cannot be kept in files";

impl<C> Codec<C> for NoCodec {
    fn write(&self, _: &C) -> Result<Vec<u8>, Failure> {
        Err(NO_CODEC.into())
    }

    fn read(&self, _: &[u8]) -> Result<C, Failure> {
        Err(NO_CODEC.into())
    }
}
