use ringmill_arith::sampling::Seed;
use ringmill_device::{Device, SecretPoly};
use ringmill_ring::Domain;
use ringmill_rlwe::{MAX_NOISE_FRACTION, Plaintext};

use super::{Ciphertext, Context, NtruError, NtruScheme, PublicKey, SecretKey};

impl<S: NtruScheme, D: Device> Context<S, D> {
    /// Encrypts at a level: round(q m/2) + e + h s, s uniform ternary. `seed` must be secret and fresh.
    ///
    /// # Errors
    /// [`NtruError::BadLevel`]; a plaintext of another ring.
    pub fn encrypt(
        &self,
        key: &PublicKey<S, D>,
        plaintext: &Plaintext,
        level: usize,
        seed: &Seed,
    ) -> Result<Ciphertext<S, D>, NtruError> {
        self.require_plaintext(plaintext)?;
        let (device, basis) = (self.device(), self.parameters().q_at(level)?);
        let mut stream = S::stream(seed);
        let mask = self.drawn(&mut stream, basis)?;
        let message = Some((self.scaling(level)?, plaintext));
        let error = self.sampler().error(&mut stream, basis, message)?;
        let masked = device.inner_product(&[(&*mask, &key.h)], Domain::Coefficient)?;
        let masked = SecretPoly::new(device, masked);
        let sum = device.sum(&[&masked, &error])?;
        Ok(Ciphertext::new(device.transform(sum, S::DOMAIN)?, level))
    }

    /// Decrypts: round((2/q) \[f c\]) mod 2.
    ///
    /// # Errors
    /// [`NtruError::NoiseOverflow`] if a coefficient is so far from every multiple of q/2 that the result could
    /// be wrong: the key is not the ciphertext's, or its noise budget is spent.
    pub fn decrypt(
        &self,
        key: &SecretKey<S, D>,
        ciphertext: &Ciphertext<S, D>,
    ) -> Result<Plaintext, NtruError> {
        let words = self.value(key, ciphertext)?.download()?;
        let (plaintext, fraction) = self.scaling(ciphertext.level())?.round(words);
        if fraction > MAX_NOISE_FRACTION {
            return Err(NtruError::NoiseOverflow { fraction });
        }
        Ok(plaintext)
    }

    /// f c, in coefficient domain.
    pub(crate) fn value(
        &self,
        key: &SecretKey<S, D>,
        ciphertext: &Ciphertext<S, D>,
    ) -> Result<SecretPoly<&D>, NtruError> {
        let (device, c) = (
            self.device(),
            self.in_domain(&ciphertext.0.poly, Domain::Evaluation)?,
        );
        let value = device.inner_product(&[(&c, &key.evaluated)], Domain::Coefficient)?;
        Ok(SecretPoly::new(device, value))
    }
}
