use num_bigint::BigUint;
use num_traits::ToPrimitive;
use ringmill_arith::Basis;
use ringmill_arith::sampling::Seed;
use ringmill_device::Device;
use ringmill_ring::Domain;
use zeroize::Zeroizing;

use crate::{Ciphertext, Context, FvError, Plaintext, PublicKey, SecretKey};

/// The largest fraction |v| with which a decryption is believed. Planned circuits stay below it
/// except with probability far below 2^-40; under a wrong key or a spent noise budget fractions are
/// uniform in (-1/2, 1/2), and one of the n coefficients exceeds it almost surely.
const TRUSTED: f64 = 0.45;

impl<D: Device> Context<D> {
    /// Encrypts under the public key at a level, in coefficient domain: (b u + e_0 + round(q m/t), a u + e_1).
    /// `seed` must be secret and fresh.
    ///
    /// # Errors
    /// [`FvError::BadLevel`], [`FvError::WrongPlaintext`].
    pub fn encrypt(
        &self,
        key: &PublicKey<D>,
        plaintext: &Plaintext,
        level: usize,
        seed: &Seed,
    ) -> Result<Ciphertext<D>, FvError> {
        let (device, basis) = (&self.device, self.basis(level)?);
        let mask = self.upload_small(&basis, &self.sample_secret(&seed.derive("mask", 0)), None)?;
        let mask = device.transform(mask, Domain::Evaluation)?;
        let mut parts = Vec::with_capacity(2);
        for (i, half) in [&key.b, &key.a].into_iter().enumerate() {
            let product = device.dot(&[(&mask, half)], Domain::Coefficient)?;
            let error = self.sample_error(&seed.derive("error", i as u64))?;
            let message = Some(plaintext).filter(|_| i == 0);
            let error = self.upload_small(&basis, &error, message)?;
            parts.push(device.sum(&[&product, &error])?);
            device.wipe(product);
            device.wipe(error);
        }
        device.wipe(mask);
        Ok(Ciphertext::new(parts, level))
    }

    /// Encrypts under the secret key at a level, in coefficient domain: (round(q m/t) + e - a s, a), a
    /// from a public seed that stands for c_1 in files. `seed` must be secret and fresh.
    ///
    /// # Errors
    /// [`FvError::BadLevel`], [`FvError::WrongPlaintext`].
    pub fn encrypt_with_secret(
        &self,
        key: &SecretKey<D>,
        plaintext: &Plaintext,
        level: usize,
        seed: &Seed,
    ) -> Result<Ciphertext<D>, FvError> {
        let (device, basis) = (&self.device, self.basis(level)?);
        let public = seed.derive("ciphertext uniform", 0);
        let a = self.expand(&public, &basis)?;
        let product = device.dot(&[(&a, key.evaluated()?)], Domain::Coefficient)?;
        let error = self.sample_error(&seed.derive("error", 0))?;
        let error = self.upload_small(&basis, &error, Some(plaintext))?;
        let first = device.sub(&error, &product)?;
        device.wipe(product);
        device.wipe(error);
        Ok(Ciphertext {
            parts: vec![first, device.transform(a, Domain::Coefficient)?],
            level,
            seed: Some(public),
        })
    }

    /// Decrypts a ciphertext in either domain: round(t c(s) / q) mod t.
    ///
    /// # Errors
    /// [`FvError::NoiseOverflow`] if a coefficient is so far from every multiple of q/t that the
    /// result could be wrong: the key is not the ciphertext's, or its noise budget is spent.
    pub fn decrypt(&self, key: &SecretKey<D>, ciphertext: &Ciphertext<D>) -> Result<Plaintext, FvError> {
        let value = self.value(key, ciphertext)?;
        let words = Zeroizing::new(self.device.download(&value)?);
        self.device.wipe(value);
        let basis = self.basis(ciphertext.level)?;
        let (coefficients, worst) = round_to_plaintext(&basis, self.parameters.t(), &words, self.n());
        if worst > TRUSTED {
            return Err(FvError::NoiseOverflow { fraction: worst });
        }
        Plaintext::new(coefficients, self.parameters.t())
    }

    /// log2 of the largest coefficient of the noise v, given what the ciphertext should hold. A
    /// value of -1 or above means that it decrypts to something else.
    ///
    /// # Errors
    /// If the plaintext is of another ring.
    pub fn measure_noise(
        &self,
        key: &SecretKey<D>,
        ciphertext: &Ciphertext<D>,
        expected: &Plaintext,
    ) -> Result<f64, FvError> {
        let basis = self.basis(ciphertext.level)?;
        let zero = vec![0i64; self.n()];
        let message = self.upload_small(&basis, &zero, Some(expected))?;
        let value = self.value(key, ciphertext)?;
        let rest = self.device.sub(&value, &message)?;
        let words = Zeroizing::new(self.device.download(&rest)?);
        self.device.wipe(value);
        self.device.wipe(rest);
        let largest = largest_magnitude(&basis, &words, self.n());
        Ok(log2(&largest) + (self.parameters.t() as f64).log2() - basis.log2())
    }

    /// c(s) in coefficient domain.
    fn value(&self, key: &SecretKey<D>, ciphertext: &Ciphertext<D>) -> Result<D::Poly, FvError> {
        let (device, s) = (&self.device, key.evaluated()?);
        let Some((first, rest)) = ciphertext.parts.split_first() else {
            return Err(FvError::WrongParts(0));
        };
        // Horner: ((c_2 s) + c_1) s, then + c_0.
        let mut sum: Option<D::Poly> = None;
        for part in rest.iter().rev() {
            let part = device.transform(device.copy(part)?, Domain::Evaluation)?;
            let part = match sum {
                Some(sum) => device.sum(&[&sum, &part])?,
                None => part,
            };
            sum = Some(device.dot(&[(&part, s)], Domain::Evaluation)?);
        }
        match sum {
            Some(sum) => {
                let sum = device.transform(sum, Domain::Coefficient)?;
                let first = device.transform(device.copy(first)?, Domain::Coefficient)?;
                let value = device.sum(&[&sum, &first])?;
                device.wipe(sum);
                Ok(value)
            }
            None => Ok(device.transform(device.copy(first)?, Domain::Coefficient)?),
        }
    }
}

/// round(t x / q) mod t of every coefficient, and the largest distance |t x / q - round(t x / q)|.
///
/// t x = \[t x\]_q + q m with the centred rest, so m = -\[t x\]_q / q modulo t. With
/// z_i = \[t x (q/q_i)^-1\] mod q_i the rest is sum_i z_i q/q_i - v q, v = round(sum_i z_i / q_i): the
/// sum's error, below 2^-38, can only matter where the fraction is a half, which is refused.
fn round_to_plaintext(basis: &Basis, t: u64, words: &[u64], n: usize) -> (Vec<u64>, f64) {
    let product = basis.product();
    let modulo_t = |x: &BigUint| (x % t).to_u64().unwrap_or(0);
    let inverse_q = (1..t).find(|x| u128::from(*x) * u128::from(modulo_t(&product)) % u128::from(t) == 1);
    let minus_inverse = t - inverse_q.unwrap_or(1);
    let limbs = basis.moduli().iter().zip(words.chunks_exact(n)).map(|(q, limb)| {
        let cofactor = &product / q.value();
        // The primes of a basis are distinct: the cofactor is invertible.
        let inverse = q.inv((&cofactor % q.value()).to_u64().unwrap_or(0)).unwrap_or(0);
        let scale = q.mul(q.reduce(t), inverse);
        (
            *q,
            q.shoup(scale),
            scale,
            1.0 / q.value() as f64,
            modulo_t(&cofactor),
            limb,
        )
    });
    let limbs: Vec<_> = limbs.collect();
    let q_mod_t = modulo_t(&product);
    let mut worst = 0.0f64;
    let coefficients = (0..n).map(|c| {
        let (mut fraction, mut rest) = (0.0f64, 0u128);
        for (q, companion, scale, reciprocal, cofactor, limb) in &limbs {
            let z = q.mul_shoup(limb[c], *scale, *companion);
            fraction += z as f64 * reciprocal;
            rest += u128::from(z) * u128::from(*cofactor);
        }
        let turns = (fraction + 0.5).floor();
        worst = worst.max((fraction - turns).abs());
        // rest - turns q, kept positive: turns is at most the number of limbs.
        let turns = turns as u128 * u128::from(t - q_mod_t);
        ((rest + turns) % u128::from(t) * u128::from(minus_inverse) % u128::from(t)) as u64
    });
    (coefficients.collect(), worst)
}

/// The largest magnitude of centred coefficients.
fn largest_magnitude(basis: &Basis, words: &[u64], n: usize) -> BigUint {
    let product = basis.product();
    let cofactors: Vec<(BigUint, u64)> = basis
        .moduli()
        .iter()
        .map(|q| {
            let cofactor = &product / q.value();
            let inverse = q.inv((&cofactor % q.value()).to_u64().unwrap_or(0)).unwrap_or(0);
            (cofactor, inverse)
        })
        .collect();
    let magnitude = |c: usize| {
        let terms = basis.moduli().iter().zip(&cofactors).enumerate();
        let sum: BigUint = terms
            .map(|(i, (q, (cofactor, inverse)))| cofactor * q.mul(words[i * n + c], *inverse))
            .sum();
        let sum = sum % &product;
        let other = &product - &sum;
        sum.min(other)
    };
    (0..n).map(magnitude).max().unwrap_or_default()
}

/// log2 of a large integer; 0 counts as 1.
fn log2(x: &BigUint) -> f64 {
    let shift = x.bits().saturating_sub(60);
    (x >> shift).to_f64().unwrap_or(1.0).max(1.0).log2() + shift as f64
}
