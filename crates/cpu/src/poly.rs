use std::fmt;

use ringmill_arith::{Basis, Modulus};
use ringmill_ring::Domain;

use super::pool::Limb;
use ringmill_device::DeviceError;

/// A polynomial in host memory: limbs of canonical residues, in the order of its basis.
pub struct CpuPoly {
    basis: Basis,
    domain: Domain,
    limbs: Vec<Limb>,
}

impl CpuPoly {
    pub(super) fn new(basis: Basis, domain: Domain, limbs: Vec<Limb>) -> Self {
        Self { basis, domain, limbs }
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

    pub(super) fn limbs(&self) -> &[Limb] {
        &self.limbs
    }

    pub(super) fn limbs_mut(&mut self) -> &mut [Limb] {
        &mut self.limbs
    }

    pub(super) fn into_limbs(self) -> Vec<Limb> {
        self.limbs
    }

    pub(super) fn limb(&self, q: &Modulus) -> Result<&[u64], DeviceError> {
        let position = self.basis.position(q);
        let limb = position.and_then(|position| self.limbs.get(position));
        Ok(limb.ok_or(DeviceError::MissingLimb(q.value()))?)
    }

    pub(super) fn wipe(mut self) {
        self.limbs.iter_mut().for_each(Limb::wipe);
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
