use std::fmt;
use std::sync::Arc;

use ringmill_arith::{Basis, Modulus};
use ringmill_ring::Domain;

use super::places::Limb;
use crate::RtlError;

/// A polynomial in a core's memory. Polynomials share limbs: a copy, or one with fewer or more limbs, takes no memory.
pub struct CorePoly {
    pub(super) basis: Basis,
    pub(super) domain: Domain,
    pub(super) limbs: Vec<Arc<Limb>>,
}

impl CorePoly {
    /// A polynomial with the same limbs.
    pub(super) fn shared(&self) -> Self {
        self.with_limbs(&self.basis, self.limbs.clone())
    }

    /// A polynomial in the same domain.
    pub(super) fn with_limbs(&self, basis: &Basis, limbs: Vec<Arc<Limb>>) -> Self {
        Self {
            basis: basis.clone(),
            domain: self.domain,
            limbs,
        }
    }

    /// The places of its limbs, with their primes.
    pub(super) fn places(&self) -> impl Iterator<Item = (&Modulus, u64)> {
        let places = self.limbs.iter().map(|limb| limb.place());
        self.basis.moduli().iter().zip(places)
    }

    /// The limb modulo a prime.
    pub(super) fn limb(&self, modulus: &Modulus) -> Result<&Arc<Limb>, RtlError> {
        let limb = self.basis.position(modulus).and_then(|at| self.limbs.get(at));
        limb.ok_or(RtlError::MissingLimb(modulus.value()))
    }

    /// Has the words of its limbs overwritten when nothing needs them any more.
    pub(super) fn mark_secret(&self) {
        self.limbs.iter().for_each(|limb| limb.mark_secret());
    }
}

/// Without its words.
impl fmt::Debug for CorePoly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CorePoly")
            .field("basis", &self.basis)
            .field("domain", &self.domain)
            .finish_non_exhaustive()
    }
}
