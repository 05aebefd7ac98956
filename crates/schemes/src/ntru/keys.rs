use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use ringmill_arith::secret::Secret;
use ringmill_device::{Device, SecretPoly};

use super::NtruScheme;

/// The secret key f = 2 f' + 1: the ternary coefficients of f' in the normal basis, and f on the device in
/// evaluation domain over the whole pool. Wiped when dropped.
pub struct SecretKey<S, D: Device> {
    pub(super) coefficients: Secret<Vec<i8>>,
    pub(super) evaluated: SecretPoly<Arc<D>>,
    pub(super) scheme: PhantomData<S>,
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
