use num_bigint::BigUint;
use ringmill_arith::{Basis, Modulus};

use crate::DeviceError;

/// The way from one basis to another, as [`Device::rescale`](crate::Device::rescale) goes it: (U a - r)/D with r = U a
/// modulo D, centred.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BasisChange {
    /// Limbs given up, in their order; `None` if there are none.
    pub dropped: Option<Basis>,
    /// U, the product of the new limbs.
    pub up: BigUint,
    /// D, that of the limbs given up.
    pub down: BigUint,
}

impl BasisChange {
    /// From one basis to another.
    ///
    /// # Errors
    /// None that a basis can cause.
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
}
