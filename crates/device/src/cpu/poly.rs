use std::fmt;
use std::sync::Arc;

use ringmill_arith::{Basis, Modulus};
use ringmill_ring::Domain;
use zeroize::Zeroize;

use super::pool::Pool;
use crate::DeviceError;

/// A polynomial in host memory: limb after limb of canonical residues.
pub struct CpuPoly {
    basis: Basis,
    domain: Domain,
    words: Vec<u64>,
    pool: Arc<Pool>,
}

impl CpuPoly {
    pub(super) fn new(basis: Basis, domain: Domain, words: Vec<u64>, pool: &Arc<Pool>) -> Self {
        Self {
            basis,
            domain,
            words,
            pool: Arc::clone(pool),
        }
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

    pub(super) fn wipe(mut self) {
        self.words.zeroize();
    }
}

impl Drop for CpuPoly {
    fn drop(&mut self) {
        // A wiped polynomial has no words left to recycle.
        if !self.words.is_empty() {
            self.pool.give(std::mem::take(&mut self.words));
        }
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
