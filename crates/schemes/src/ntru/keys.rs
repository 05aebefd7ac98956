use std::fmt;
use std::sync::Arc;

use ringmill_device::Device;
use zeroize::Zeroizing;

use super::NtruError;

/// The secret key f = 2 f' + 1: the ternary coefficients of f' in the normal basis, and f on the device in
/// evaluation domain over the whole pool. Wiped when dropped.
pub struct SecretKey<D: Device> {
    pub(super) coefficients: Zeroizing<Vec<i8>>,
    pub(super) device: Arc<D>,
    /// `None` only while it is being dropped.
    pub(super) evaluated: Option<D::Poly>,
}

impl<D: Device> SecretKey<D> {
    /// f in evaluation domain over the pool.
    pub(crate) fn evaluated(&self) -> Result<&D::Poly, NtruError> {
        self.evaluated.as_ref().ok_or(NtruError::WipedKey)
    }
}

impl<D: Device> Drop for SecretKey<D> {
    fn drop(&mut self) {
        if let Some(evaluated) = self.evaluated.take() {
            self.device.wipe(evaluated);
        }
    }
}

/// Says only that it is one.
impl<D: Device> fmt::Debug for SecretKey<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretKey(..)")
    }
}

/// The public key h = 2 g / f, g ternary, over the pool in evaluation domain.
pub struct PublicKey<D: Device> {
    pub(crate) h: D::Poly,
}
