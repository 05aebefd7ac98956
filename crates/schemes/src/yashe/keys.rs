use ringmill_arith::sampling::{Seed, Stream};
use ringmill_device::Device;
use ringmill_ring::Domain;
use zeroize::Zeroizing;

use super::Context;
use crate::ntru::{NtruError, PublicKey, SecretKey};

/// The key that brings products back to f: for each digit w^i f + e_i + h s_i, over the pool in evaluation
/// domain. Restricted to fewer primes it is that of a smaller modulus.
pub struct EvaluationKey<D: Device> {
    pub(super) elements: Vec<D::Poly>,
}

impl<D: Device> Context<D> {
    /// A secret key, a function of the seed: see [`crate::ntru::Base::generate_secret_key`].
    ///
    /// # Errors
    /// [`NtruError::NoSecret`].
    pub fn generate_secret_key(&self, seed: &Seed) -> Result<SecretKey<D>, NtruError> {
        self.base().generate_secret_key(seed)
    }

    /// The public key for a secret one. `seed` must be secret and fresh.
    ///
    /// # Errors
    /// If the device fails.
    pub fn generate_public_key(&self, secret: &SecretKey<D>, seed: &Seed) -> Result<PublicKey<D>, NtruError> {
        self.base().generate_public_key(secret, seed)
    }

    /// The evaluation key for a secret and its public key. `seed` must be secret and fresh.
    ///
    /// # Errors
    /// If the device fails.
    pub fn generate_evaluation_key(
        &self,
        secret: &SecretKey<D>,
        public: &PublicKey<D>,
        seed: &Seed,
    ) -> Result<EvaluationKey<D>, NtruError> {
        let f = Zeroizing::new(self.device().download(secret.evaluated()?)?);
        let element = |i| self.element(&f, public, i, &seed.derive("evaluation key", u64::from(i)));
        let elements = (0..self.key_elements() as u32)
            .map(element)
            .collect::<Result<_, _>>()?;
        Ok(EvaluationKey { elements })
    }

    /// w^i f + e + h s.
    fn element(&self, f: &[u64], public: &PublicKey<D>, i: u32, seed: &Seed) -> Result<D::Poly, NtruError> {
        let (device, pool) = (self.device(), self.parameters().pool());
        let mut stream = Stream::new(seed);
        let mask = self.base().drawn(&mut stream, pool)?;
        let error = self.base().sampler().error(&mut stream, pool, None)?;
        let error = device.transform(error, Domain::Evaluation)?;
        let mut scaled = Zeroizing::new(f.to_vec());
        for (limb, q) in scaled.chunks_exact_mut(self.base().n()).zip(pool.moduli()) {
            let factor = q.pow(2, u64::from(self.parameters().digit_bits()) * u64::from(i));
            let companion = q.shoup(factor);
            limb.iter_mut()
                .for_each(|x| *x = q.mul_shoup(*x, factor, companion));
        }
        let scaled = device.upload(pool, Domain::Evaluation, &scaled)?;
        let masked = device.dot(&[(&mask, &public.h)], Domain::Evaluation)?;
        let sum = device.sum(&[&scaled, &error, &masked]);
        [mask, error, scaled, masked]
            .into_iter()
            .for_each(|poly| device.wipe(poly));
        Ok(sum?)
    }
}
