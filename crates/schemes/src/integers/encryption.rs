use num_bigint::BigUint;
use num_traits::One;
use ringmill_arith::Simd;
use ringmill_arith::sampling::{Seed, Stream};

use super::accumulation::Method;
use super::words::uniform;
use super::{Ciphertext, IntegersError, PublicKey, SecretKey};

impl PublicKey {
    /// Encrypts a bit: c = m + 2r + 2 sum_i x_i b_i mod x_0 (paper 5, equation 1), r uniform in
    /// \[-2^rho', 2^rho'\) for [`super::Parameters::fresh_rho`], b_i in \[0, 2^alpha).
    ///
    /// On all threads of the present pool of `rayon`.
    ///
    /// # Errors
    /// [`IntegersError::Arith`] without randomness.
    pub fn encrypt(&self, bit: bool, kernel: Simd) -> Result<Ciphertext, IntegersError> {
        self.encrypt_by(bit, self.parameters.fastest(kernel), kernel)
    }

    /// As [`PublicKey::encrypt`], by a method of choice: it does not show in the ciphertext.
    ///
    /// # Errors
    /// As [`PublicKey::encrypt`].
    pub fn encrypt_by(&self, bit: bool, method: Method, kernel: Simd) -> Result<Ciphertext, IntegersError> {
        Ok(self.encrypt_terms(&self.terms(bit)?, method, kernel))
    }
}

impl SecretKey {
    /// Encrypts a bit with far less noise than [`PublicKey::encrypt`]: m + 2r plus a random multiple of p, modulo x_0,
    /// r uniform in \[-2^rho, 2^rho), so that products decrypt.
    ///
    /// # Errors
    /// [`IntegersError::Mismatch`] if the public key is another's; [`IntegersError::Arith`] without randomness.
    pub fn encrypt(&self, public: &PublicKey, bit: bool) -> Result<Ciphertext, IntegersError> {
        self.check("the public key", public.fingerprint())?;
        let parameters = &self.parameters;
        let (p, modulus) = (self.p(), public.barrett.modulus());
        let mut stream = Stream::new(&Seed::random()?);
        let multiple = loop {
            let candidate = uniform(&mut stream, parameters.gamma());
            if candidate < *modulus {
                break &candidate - &candidate % p;
            }
        };
        let noise = uniform(&mut stream, parameters.rho() + 1);
        let value = multiple + (noise << 1) + u32::from(bit) + modulus;
        Ok(Ciphertext {
            value: (value - (BigUint::one() << (parameters.rho() + 1))) % modulus,
            noise: parameters.secret_noise(),
            key: self.key,
        })
    }

    /// Decrypts: (c mod p, centred) mod 2.
    ///
    /// # Errors
    /// [`IntegersError::Mismatch`] if the ciphertext is another key's.
    pub fn decrypt(&self, ciphertext: &Ciphertext) -> Result<bool, IntegersError> {
        Ok(self.noise(ciphertext)?.bit(0))
    }

    /// log2 of the magnitude of a ciphertext's noise, c mod p centred; 0 for none.
    ///
    /// # Errors
    /// [`IntegersError::Mismatch`] if the ciphertext is another key's.
    pub fn measured_noise(&self, ciphertext: &Ciphertext) -> Result<f64, IntegersError> {
        let magnitude = self.noise(ciphertext)?;
        let cut = magnitude.bits().saturating_sub(64);
        let top = (&magnitude >> cut).iter_u64_digits().next().unwrap_or(1);
        Ok(cut as f64 + (top as f64).log2())
    }

    /// The magnitude of c mod p, centred; its parity is that of the number.
    fn noise(&self, ciphertext: &Ciphertext) -> Result<BigUint, IntegersError> {
        self.check("the ciphertext", &ciphertext.key)?;
        let p = self.p();
        let rest = &ciphertext.value % &p;
        Ok(if rest > &p >> 1 { p - rest } else { rest })
    }

    fn check(&self, what: &'static str, key: &[u8; 32]) -> Result<(), IntegersError> {
        IntegersError::compare(what, "another key", key, &self.key)
    }
}
