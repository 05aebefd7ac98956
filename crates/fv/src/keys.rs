use std::fmt;
use std::sync::Arc;

use ringmill_arith::sampling::Seed;
use ringmill_arith::secret::Secret;
use ringmill_device::{Device, SecretPoly};

/// The secret key: small coefficients of s in the normal basis, and s on the device in evaluation
/// domain over all of q and the special primes. Wiped when dropped.
pub struct SecretKey<D: Device> {
    pub(crate) coefficients: Secret<Vec<i8>>,
    pub(crate) evaluated: SecretPoly<Arc<D>>,
}

/// Says only that it is one.
impl<D: Device> fmt::Debug for SecretKey<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretKey(..)")
    }
}

/// The public key (b, a), b = -(a s + e), over q in evaluation domain; a expanded from a seed.
pub struct PublicKey<D: Device> {
    pub(crate) seed: Seed,
    pub(crate) b: D::Poly,
    pub(crate) a: D::Poly,
}

/// A key that switches from some s' to some s: for each digit (b_i, a_i), b_i = g_i s' - (a_i s + e_i),
/// over q and the special primes in evaluation domain, g_i as [`ringmill_device::Digits`] says; all
/// a_i expanded from one seed.
pub(crate) struct SwitchingKey<D: Device> {
    pub(crate) seed: Seed,
    pub(crate) digits: Vec<(D::Poly, D::Poly)>,
}

/// The key that relinearizes: switches from s^2.
pub struct RelinearizationKey<D: Device>(pub(crate) SwitchingKey<D>);

/// The key for one automorphism x -> x^k: switches from s to s(x^(1/k)), which the automorphism then turns
/// back into s (see [`ringmill_device::Device::rotate`]).
pub struct GaloisKey<D: Device> {
    pub(crate) exponent: u64,
    pub(crate) key: SwitchingKey<D>,
}

impl<D: Device> GaloisKey<D> {
    /// The exponent k.
    #[must_use]
    pub fn exponent(&self) -> u64 {
        self.exponent
    }
}
