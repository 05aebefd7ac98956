use ringmill_arith::sampling::{Seed, Stream};
use ringmill_device::Device;
use ringmill_fv::noise::largest_log2;
use ringmill_fv::{Plaintext, TRUSTED};
use ringmill_ring::Domain;
use zeroize::Zeroizing;

use super::{Ciphertext, Context};
use crate::ntru::{Leveled, NtruError, PublicKey, SecretKey, T};

impl<D: Device> Context<D> {
    /// Encrypts at a level: round(q m/2) + e + h s, s uniform ternary. `seed` must be secret and fresh.
    ///
    /// # Errors
    /// [`NtruError::BadLevel`]; a plaintext of another ring.
    pub fn encrypt(
        &self,
        key: &PublicKey<D>,
        plaintext: &Plaintext,
        level: usize,
        seed: &Seed,
    ) -> Result<Ciphertext<D>, NtruError> {
        self.base().require_plaintext(plaintext)?;
        let (device, basis) = (self.device(), self.parameters().q_at(level)?);
        let mut stream = Stream::new(seed);
        let mask = self.base().drawn(&mut stream, basis)?;
        let message = Some((self.scaling(level)?, plaintext));
        let error = self.base().sampler().error(&mut stream, basis, message)?;
        let masked = device.dot(&[(&mask, &key.h)], Domain::Coefficient)?;
        let poly = device.sum(&[&masked, &error]);
        [mask, error, masked]
            .into_iter()
            .for_each(|poly| device.wipe(poly));
        Ok(Ciphertext(Leveled { poly: poly?, level }))
    }

    /// Decrypts: round((2/q) \[f c\]) mod 2.
    ///
    /// # Errors
    /// [`NtruError::NoiseOverflow`] if a coefficient is so far from every multiple of q/2 that the result could
    /// be wrong: the key is not the ciphertext's, or its noise budget is spent.
    pub fn decrypt(&self, key: &SecretKey<D>, ciphertext: &Ciphertext<D>) -> Result<Plaintext, NtruError> {
        let value = self.value(key, ciphertext)?;
        let words = Zeroizing::new(self.device().download(&value)?);
        self.device().wipe(value);
        let (coefficients, fraction) = self.scaling(ciphertext.level())?.round(words);
        if fraction > TRUSTED {
            return Err(NtruError::NoiseOverflow { fraction });
        }
        Ok(Plaintext::new(coefficients, T)?)
    }

    /// log2 of the largest coefficient of the invariant noise v, given what the ciphertext should hold. A value
    /// of -1 or above means that it decrypts to something else.
    ///
    /// # Errors
    /// If the plaintext is of another ring.
    pub fn measure_noise(
        &self,
        key: &SecretKey<D>,
        ciphertext: &Ciphertext<D>,
        expected: &Plaintext,
    ) -> Result<f64, NtruError> {
        let (device, level) = (self.device(), ciphertext.level());
        let value = self.value(key, ciphertext)?;
        let rest = device.sub(&value, &self.message(level, expected)?)?;
        let words = Zeroizing::new(device.download(&rest)?);
        device.wipe(value);
        device.wipe(rest);
        let basis = self.parameters().q_at(level)?;
        Ok(largest_log2(basis, &words, self.base().n()) + 1.0 - basis.log2())
    }

    /// f c in coefficient domain.
    fn value(&self, key: &SecretKey<D>, ciphertext: &Ciphertext<D>) -> Result<D::Poly, NtruError> {
        let c = self.base().in_domain(&ciphertext.0.poly, Domain::Evaluation)?;
        Ok(self
            .device()
            .dot(&[(&c, key.evaluated()?)], Domain::Coefficient)?)
    }
}
