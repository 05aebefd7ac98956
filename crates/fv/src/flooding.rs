use ringmill_arith::sampling::{Seed, Stream};
use ringmill_device::{Device, SecretPoly};
use ringmill_ring::Domain;

use crate::{Ciphertext, Context, FvError, Plaintext, PublicKey};

impl<D: Device> Context<D> {
    /// Hides where a ciphertext comes from: adds an encryption of zero under the public key, and to c_0 a polynomial of
    /// coefficients uniform in [-2^k, 2^k), k being `log2_amplitude`. What it decrypts to stays, as long as the noise
    /// does not grow too large, which is for the caller to see. In coefficient domain. `seed` must be secret and fresh.
    ///
    /// Two ciphertexts of one plaintext whose noise, with that of the encryption of zero, is below B as integers (B t/q
    /// relative to the plaintext's step) differ for the owner of the secret key by a statistical distance of at most
    /// n B 2^-k, beside what distinguishes c_1 from uniform (ring-LWE). The noise is drowned in either form of
    /// products: whatever is added to c(s), t times as much is added to the noise as the BGV form counts it.
    ///
    /// # Errors
    /// [`FvError::WrongParts`] before relinearization; if the device fails.
    pub fn flood(
        &self,
        key: &PublicKey<D>,
        ciphertext: &Ciphertext<D>,
        log2_amplitude: u32,
        seed: &Seed,
    ) -> Result<Ciphertext<D>, FvError> {
        let device = &*self.device;
        let nothing = Plaintext::new(vec![0; self.n()], self.parameters().t())?;
        let zero = self.encrypt(key, &nothing, ciphertext.level(), &seed.derive("zero", 0))?;
        let mut stream = Stream::new(&seed.derive("flood", 0));
        let basis = self.basis(ciphertext.level())?;
        let flood = self.sampler().uniform(&mut stream, &basis, log2_amplitude)?;
        let coefficients = |part| {
            let part = device.transform(device.copy(part)?, Domain::Coefficient)?;
            Ok::<_, FvError>(SecretPoly::new(device, part))
        };
        let [first, second] = ciphertext.two_parts()?;
        let [zero_first, zero_second] = zero.two_parts()?;
        let parts = vec![
            device.sum(&[&*coefficients(first)?, zero_first, &flood])?,
            device.sum(&[&*coefficients(second)?, zero_second])?,
        ];
        Ok(Ciphertext::new(parts, ciphertext.level()))
    }
}
