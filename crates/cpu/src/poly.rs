use std::fmt;

use ringmill_arith::{Basis, Modulus};
use ringmill_ring::Domain;

use super::pool::Words;
use ringmill_device::DeviceError;

/// A polynomial in host memory: one limb of canonical residues after another.
pub struct CpuPoly {
    basis: Basis,
    domain: Domain,
    words: Words,
}

impl CpuPoly {
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

    pub(super) fn words(&self) -> &[u64] {
        &self.words
    }

    pub(super) fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }

    pub(super) fn limb(&self, q: &Modulus, n: usize) -> Result<&[u64], DeviceError> {
        let missing = DeviceError::MissingLimb(q.value());
        let position = self.basis.position(q).ok_or(missing.clone())?;
        self.words.get(position * n..(position + 1) * n).ok_or(missing)
    }

    pub(super) fn wipe(self) {
        self.words.wipe();
    }
}

/// Shape only: the words may be secret.
impl fmt::Debug for CpuPoly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CpuPoly")
            .field("limbs", &self.basis.len())
            .field("domain", &self.domain)
            .finish_non_exhaustive()
    }
}
