use ringmill_device::Device;

use crate::{Context, FvError, Plaintext};

impl<D: Device> Context<D> {
    /// A plaintext with these bytes, elements of GF(2^8), in its first slots and 0 in the others.
    ///
    /// # Errors
    /// [`FvError::NotBinary`] unless t = 2; more bytes than slots.
    pub fn encode_bytes(&self, bytes: &[u8]) -> Result<Plaintext, FvError> {
        self.require_binary()?;
        Ok(Plaintext::new(self.slots()?.encode_bytes(bytes)?, 2)?)
    }

    /// The bytes in all slots of a plaintext.
    ///
    /// # Errors
    /// [`FvError::NotBinary`] unless t = 2; a plaintext of another ring; a slot with something else than a
    /// byte, which no right ciphertext has.
    pub fn decode_bytes(&self, plaintext: &Plaintext) -> Result<Vec<u8>, FvError> {
        self.require_binary()?;
        Ok(self.slots()?.decode_bytes_checked(plaintext.coefficients())?)
    }
}
