use super::parameters::log2_sum;
use super::{Barrett, Ciphertext, IntegersError, Parameters, PublicKey};

/// Adds and multiplies ciphertexts of one public key.
#[derive(Debug)]
pub struct Evaluator {
    parameters: Parameters,
    barrett: Barrett,
    key: [u8; 32],
}

impl Evaluator {
    /// Prepares the reduction of products modulo x_0.
    #[must_use]
    pub fn new(public: &PublicKey) -> Self {
        let modulus = public.barrett.modulus();
        Self {
            parameters: public.parameters,
            barrett: Barrett::new(modulus, modulus.bits()),
            key: *public.fingerprint(),
        }
    }

    /// XOR of the bits.
    ///
    /// # Errors
    /// [`IntegersError::TooNoisy`] if the result might not decrypt; [`IntegersError::Mismatch`] if a ciphertext is
    /// another key's.
    pub fn add(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, IntegersError> {
        let noise = self.noise("addition", a, b, log2_sum(a.noise, b.noise))?;
        let mut value = &a.value + &b.value;
        if value >= *self.barrett.modulus() {
            value -= self.barrett.modulus();
        }
        let key = self.key;
        Ok(Ciphertext { value, noise, key })
    }

    /// AND of the bits.
    ///
    /// # Errors
    /// As [`Evaluator::add`].
    pub fn multiply(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, IntegersError> {
        let noise = self.noise("multiplication", a, b, a.noise + b.noise)?;
        let value = self.barrett.reduce(&(&a.value * &b.value));
        let key = self.key;
        Ok(Ciphertext { value, noise, key })
    }

    fn noise(
        &self,
        operation: &'static str,
        a: &Ciphertext,
        b: &Ciphertext,
        bits: f64,
    ) -> Result<f64, IntegersError> {
        for ciphertext in [a, b] {
            IntegersError::compare("the ciphertext", "another key", &ciphertext.key, &self.key)?;
        }
        let limit = self.parameters.noise_limit();
        if bits > f64::from(limit) {
            return Err(IntegersError::TooNoisy {
                operation,
                bits,
                limit,
            });
        }
        Ok(bits)
    }
}
