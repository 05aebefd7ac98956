use std::collections::BTreeMap;

use ringmill_arith::sampling::Seed;
use ringmill_device::Device;
use ringmill_fv::{Context, FvError, GaloisKey, RelinearizationKey, SecretKey};

use crate::{EngineError, Plan};

/// The keys that an evaluator needs of the owner of the secret key.
pub struct EvaluationKeys<D: Device> {
    relinearization: RelinearizationKey<D>,
    galois: BTreeMap<u64, GaloisKey<D>>,
}

impl<D: Device> EvaluationKeys<D> {
    /// From keys that were made one by one.
    #[must_use]
    pub fn new(
        relinearization: RelinearizationKey<D>,
        galois: impl IntoIterator<Item = GaloisKey<D>>,
    ) -> Self {
        Self {
            relinearization,
            galois: galois.into_iter().map(|key| (key.exponent(), key)).collect(),
        }
    }

    /// Makes the keys that a plan needs. `seed` must be secret and fresh.
    ///
    /// # Errors
    /// If the scheme refuses.
    pub fn generate(
        plan: &Plan,
        context: &Context<D>,
        secret: &SecretKey<D>,
        seed: &Seed,
    ) -> Result<Self, FvError> {
        let exponents = plan.galois_exponents().into_iter();
        let galois = exponents.map(|exponent| context.generate_galois_key(secret, exponent, seed));
        Ok(Self::new(
            context.generate_relinearization_key(secret, seed)?,
            galois.collect::<Result<Vec<_>, _>>()?,
        ))
    }

    /// The key that products are relinearized with.
    #[must_use]
    pub fn relinearization(&self) -> &RelinearizationKey<D> {
        &self.relinearization
    }

    /// The keys of automorphisms.
    pub fn galois(&self) -> impl Iterator<Item = &GaloisKey<D>> {
        self.galois.values()
    }

    pub(crate) fn rotation(&self, exponent: u64) -> Option<&GaloisKey<D>> {
        self.galois.get(&exponent)
    }

    /// Sees that all automorphisms of a plan have keys.
    pub(crate) fn check(&self, plan: &Plan) -> Result<(), EngineError> {
        let mut needed = plan.galois_exponents().into_iter();
        match needed.find(|exponent| !self.galois.contains_key(exponent)) {
            Some(exponent) => Err(EngineError::MissingGaloisKey { exponent }),
            None => Ok(()),
        }
    }
}
