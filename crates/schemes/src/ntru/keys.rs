use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use ringmill_device::Device;
use zeroize::Zeroizing;

use super::{NtruError, NtruScheme};

/// The secret key f = 2 f' + 1: the ternary coefficients of f' in the normal basis, and f on the device in
/// evaluation domain over the whole pool. Wiped when dropped.
pub struct SecretKey<S, D: Device> {
    pub(super) coefficients: Zeroizing<Vec<i8>>,
    pub(super) device: Arc<D>,
    /// `None` only while it is being dropped.
    pub(super) evaluated: Option<D::Poly>,
    pub(super) scheme: PhantomData<S>,
}

impl<S, D: Device> SecretKey<S, D> {
    /// f in evaluation domain over the pool.
    pub(crate) fn evaluated(&self) -> Result<&D::Poly, NtruError> {
        self.evaluated.as_ref().ok_or(NtruError::WipedKey)
    }
}

impl<S, D: Device> Drop for SecretKey<S, D> {
    fn drop(&mut self) {
        if let Some(evaluated) = self.evaluated.take() {
            self.device.wipe(evaluated);
        }
    }
}

/// Says only that it is one.
impl<S, D: Device> fmt::Debug for SecretKey<S, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretKey(..)")
    }
}

/// The public key h = 2 g / f, g ternary, over the pool in evaluation domain.
pub struct PublicKey<S, D: Device> {
    pub(crate) h: D::Poly,
    pub(super) scheme: PhantomData<S>,
}

/// The key that brings products from f^2 back to f: for each digit, in base w, the element
/// w^k f + e_k + h s_k over the pool. It serves every level: restricted to fewer primes it is the key of a smaller
/// modulus.
pub struct EvaluationKey<S: NtruScheme, D: Device> {
    pub(crate) elements: S::Elements<D>,
}
