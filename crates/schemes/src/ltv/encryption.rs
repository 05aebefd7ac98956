use ringmill_arith::sampling::{Seed, Stream};
use ringmill_device::Device;
use ringmill_fv::{Plaintext, SecretDistribution, TRUSTED};
use ringmill_ring::Domain;
use zeroize::Zeroizing;

use super::{Ciphertext, Context};
use crate::ntru::{NtruError, PublicKey, SecretKey, T};

impl<D: Device> Context<D> {
    /// Encrypts at a level: h s + e + round(q m / 2). `seed` must be secret and fresh.
    ///
    /// # Errors
    /// [`NtruError::BadLevel`]; if the plaintext is of another ring.
    pub fn encrypt(
        &self,
        key: &PublicKey<D>,
        plaintext: &Plaintext,
        level: usize,
        seed: &Seed,
    ) -> Result<Ciphertext<D>, NtruError> {
        self.base.require_plaintext(plaintext)?;
        let (device, basis) = (self.device(), self.base.parameters().q_at(level)?);
        let mut stream = Stream::new(&seed.derive("message", 0));
        let mut sampler = self.base.sampler();
        let mask = sampler.secret(&mut stream, basis, SecretDistribution::Ternary)?;
        let message = Some((self.scaling(level)?, plaintext));
        let error = sampler.error(&mut stream, basis, message)?;
        let products = device.products(vec![mask], &[&key.h])?;
        let product = products
            .into_iter()
            .flatten()
            .next()
            .ok_or(NtruError::NoOperands)?;
        let sum = device.sum(&[&product, &error]);
        [product, error].into_iter().for_each(|poly| device.wipe(poly));
        let poly = device.transform(sum?, Domain::Evaluation)?;
        Ok(Ciphertext::new(poly, level))
    }

    /// Decrypts.
    ///
    /// # Errors
    /// [`NtruError::NoiseOverflow`] if a coefficient of the phase is so large that the result could be wrong:
    /// the key is not the ciphertext's, or its noise budget is spent.
    pub fn decrypt(&self, key: &SecretKey<D>, ciphertext: &Ciphertext<D>) -> Result<Plaintext, NtruError> {
        let words = self.half_phase(key, ciphertext)?;
        let (coefficients, fraction) = self.scaling(ciphertext.level())?.round(words);
        if fraction > TRUSTED {
            return Err(NtruError::NoiseOverflow { fraction });
        }
        Ok(Plaintext::new(coefficients, T)?)
    }

    /// f b modulo q, half of the phase: the words of its coefficients.
    pub(super) fn half_phase(
        &self,
        key: &SecretKey<D>,
        ciphertext: &Ciphertext<D>,
    ) -> Result<Zeroizing<Vec<u64>>, NtruError> {
        let device = self.device();
        let product = device.dot(&[(&ciphertext.0.poly, key.evaluated()?)], Domain::Coefficient)?;
        let words = Zeroizing::new(device.download(&product)?);
        device.wipe(product);
        Ok(words)
    }
}
