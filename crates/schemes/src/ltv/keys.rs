use ringmill_arith::sampling::{Seed, Stream};
use ringmill_device::{Device, WordGroup, WordKey};
use ringmill_ring::Domain;
use zeroize::Zeroizing;

use super::Context;
use crate::ntru::{NtruError, PublicKey, SecretKey};

/// The key that leads products back to f: the elements zeta_k = h s_k + e_k + 2^(r k) f, r the bits of a word,
/// cut into groups of primes.
pub struct EvaluationKey<D: Device> {
    pub(super) key: WordKey<D::Poly>,
}

impl<D: Device> Context<D> {
    /// The evaluation key, for all levels. `seed` must be secret and fresh.
    ///
    /// # Errors
    /// If the device fails.
    pub fn generate_evaluation_key(
        &self,
        secret: &SecretKey<D>,
        public: &PublicKey<D>,
        seed: &Seed,
    ) -> Result<EvaluationKey<D>, NtruError> {
        let mut key = self.empty_key();
        for k in 0..self.words() {
            let seed = seed.derive("evaluation key", k as u64);
            self.push(&mut key, &self.element(secret, public, k, &seed)?)?;
        }
        Ok(key)
    }

    /// zeta_k over the pool, in evaluation domain.
    fn element(
        &self,
        secret: &SecretKey<D>,
        public: &PublicKey<D>,
        k: usize,
        seed: &Seed,
    ) -> Result<D::Poly, NtruError> {
        let (device, pool) = (self.device(), self.base.parameters().pool());
        let mut stream = Stream::new(seed);
        let mask = self.base.drawn(&mut stream, pool)?;
        let error = self.base.sampler().error(&mut stream, pool, None)?;
        let error = device.transform(error, Domain::Evaluation)?;
        let mut words = Zeroizing::new(device.download(secret.evaluated()?)?);
        let exponent = u64::from(self.base.parameters().digit_bits()) * k as u64;
        for (limb, q) in words.chunks_exact_mut(self.base.n()).zip(pool.moduli()) {
            let factor = q.pow(2, exponent);
            let companion = q.shoup(factor);
            limb.iter_mut()
                .for_each(|x| *x = q.mul_shoup(*x, factor, companion));
        }
        let gadget = device.upload(pool, Domain::Evaluation, &words)?;
        let product = device.dot(&[(&public.h, &mask)], Domain::Evaluation)?;
        let sum = device.sum(&[&product, &error, &gadget])?;
        [mask, error, gadget, product]
            .into_iter()
            .for_each(|secret| device.wipe(secret));
        Ok(sum)
    }

    /// A key without elements.
    pub(super) fn empty_key(&self) -> EvaluationKey<D> {
        let groups = self.groups.iter().map(|limbs| WordGroup {
            limbs: limbs.clone(),
            elements: Vec::new(),
        });
        EvaluationKey {
            key: WordKey {
                bits: self.base.parameters().digit_bits(),
                auxiliary: self.base.parameters().auxiliary().clone(),
                groups: groups.collect(),
            },
        }
    }

    /// Adds an element to a key: for each group its centred value there, over the auxiliary primes.
    pub(super) fn push(&self, key: &mut EvaluationKey<D>, element: &D::Poly) -> Result<(), NtruError> {
        let device = self.device();
        let auxiliary = key.key.auxiliary.clone();
        let element = self.base.in_domain(element, Domain::Coefficient)?;
        for group in &mut key.key.groups {
            let own = device.restrict(&element, &group.limbs)?;
            let lifted = device.lift(&own, &auxiliary, Domain::Coefficient)?;
            let cut = device.restrict(&lifted, &auxiliary)?;
            group.elements.push(device.transform(cut, Domain::Evaluation)?);
        }
        Ok(())
    }

    /// An element put together again, over the pool in evaluation domain.
    pub(super) fn joined(&self, key: &EvaluationKey<D>, k: usize) -> Result<D::Poly, NtruError> {
        let device = self.device();
        let mut limbs = Vec::new();
        for group in &key.key.groups {
            let cut = group.elements.get(k).ok_or(NtruError::NoOperands)?;
            let cut = self.base.in_domain(cut, Domain::Coefficient)?;
            let lifted = device.lift(&cut, &group.limbs, Domain::Coefficient)?;
            limbs.push(device.restrict(&lifted, &group.limbs)?);
        }
        let joined = device.join(&limbs.iter().collect::<Vec<_>>())?;
        Ok(device.transform(joined, Domain::Evaluation)?)
    }
}
