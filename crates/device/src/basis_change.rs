use num_bigint::BigUint;
use num_traits::ToPrimitive;
use ringmill_arith::{Basis, Modulus};

use crate::DeviceError;

/// The change from one basis to another that [`Device::rescale`](crate::Device::rescale) makes: (U a - r)/D with r the
/// representative of U a modulo D nearest to 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BasisChange {
    /// The limbs that are dropped, in order; `None` if there are none.
    pub dropped: Option<Basis>,
    /// U, the product of the new limbs.
    pub up: BigUint,
    /// D, the product of the dropped limbs.
    pub down: BigUint,
}

impl BasisChange {
    /// The change from one basis to another.
    ///
    /// # Errors
    /// No basis causes one.
    pub fn new(from: &Basis, to: &Basis) -> Result<Self, DeviceError> {
        let missing = |a: &Basis, b: &Basis| {
            let moduli = a.moduli().iter().filter(|q| b.position(q).is_none());
            moduli.copied().collect::<Vec<Modulus>>()
        };
        let product = |moduli: &[Modulus]| moduli.iter().map(Modulus::value).product::<BigUint>();
        let (dropped, new) = (missing(from, to), missing(to, from));
        let (up, down) = (product(&new), product(&dropped));
        let dropped = match dropped.as_slice() {
            [] => None,
            moduli => Some(Basis::new(moduli)?),
        };
        Ok(Self { dropped, up, down })
    }

    /// U / D modulo a prime of the new basis.
    #[must_use]
    pub fn factor(&self, q: &Modulus) -> u64 {
        let residue = |x: &BigUint| (x % q.value()).to_u64().unwrap_or(0);
        // D is a product of other primes, so it is invertible.
        q.mul(residue(&self.up), q.inv(residue(&self.down)).unwrap_or(0))
    }
}
