use ringmill_arith::sampling::Seed;
use ringmill_device::Device;
use ringmill_ring::Domain;
use ringmill_rlwe::{MAX_NOISE_FRACTION, Plaintext};
use zeroize::Zeroizing;

use super::spec::T;
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
        let masked = device.inner_product(&[(&mask, &key.h)], Domain::Coefficient)?;
        let sum = device.sum(&[&masked, &error]);
        [mask, error, masked]
            .into_iter()
            .for_each(|poly| device.wipe(poly));
        Ok(Ciphertext::new(device.transform(sum?, S::DOMAIN)?, level))
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
        let value = self.value(key, ciphertext)?;
        let words = Zeroizing::new(self.device().download(&value)?);
        self.device().wipe(value);
        let (coefficients, fraction) = self.scaling(ciphertext.level())?.round(words);
        if fraction > MAX_NOISE_FRACTION {
            return Err(NtruError::NoiseOverflow { fraction });
        }
        Ok(Plaintext::new(coefficients, T)?)
    }

    /// f c, in coefficient domain.
    pub(crate) fn value(
        &self,
        key: &SecretKey<S, D>,
        ciphertext: &Ciphertext<S, D>,
    ) -> Result<D::Poly, NtruError> {
        let c = self.in_domain(&ciphertext.0.poly, Domain::Evaluation)?;
        Ok(self
            .device()
            .inner_product(&[(&c, key.evaluated()?)], Domain::Coefficient)?)
    }
}
