use std::fmt;

use ringmill_arith::{Basis, Modulus};
use ringmill_device::DeviceError;
use ringmill_ring::Domain;

use super::store::Words;

/// A polynomial in the GPU's memory: limb after limb of canonical residues.
pub struct CudaPoly {
    basis: Basis,
    domain: Domain,
    words: Words,
}

impl CudaPoly {
    pub(super) fn new(basis: Basis, domain: Domain, words: Words) -> Self {
        Self { basis, domain, words }
    }

    pub(super) fn basis(&self) -> &Basis {
        &self.basis
    }

    pub(super) fn domain(&self) -> Domain {
        self.domain
    }

    pub(super) fn set_domain(&mut self, domain: Domain) {
        self.domain = domain;
    }

    pub(super) fn words(&self) -> &Words {
        &self.words
    }

    /// The position of a prime's limb, counted in limbs.
    pub(super) fn position(&self, q: &Modulus) -> Result<usize, DeviceError> {
        self.basis.position(q).ok_or(DeviceError::MissingLimb(q.value()))
    }
}

/// Shows only the shape, because the words may be secret.
impl fmt::Debug for CudaPoly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CudaPoly")
            .field("limbs", &self.basis.len())
            .field("domain", &self.domain)
            .finish_non_exhaustive()
    }
}
