use rayon::prelude::*;
use ringmill_arith::sampling::{Seed, Stream};
use ringmill_arith::secret::Secret;
use ringmill_device::{Device, SecretPoly};
use ringmill_ring::{Domain, embedding};
use ringmill_rlwe::{MAX_NOISE_FRACTION, largest_log2, scaled};

use crate::{Ciphertext, Context, FvError, Plaintext, PublicKey, SecretKey};

/// Words of a part of the ciphertexts that one thread makes together: enough that the cost of a call of the
/// device does not matter, few enough that they stay in cache.
const TOGETHER: usize = 1 << 15;

impl<D: Device> Context<D> {
    /// Encrypts under the public key at a level, in coefficient domain: [`Context::encrypt_many`] of one.
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
        let mut ciphertexts = self.encrypt_many(key, std::slice::from_ref(plaintext), level, seed)?;
        ciphertexts.pop().ok_or(FvError::NoOperands)
    }

    /// Encrypts under the public key (b, a) at a level, in coefficient domain and in order: for each
    /// plaintext m (b u + e_0 + round(q m/t), a u + e_1) (paper 2, algorithm 5). `seed` must be secret and
    /// fresh.
    ///
    /// u, e_0 and e_1 of plaintext i are drawn, in this order, from the stream of `seed.derive("message", i)`;
    /// both products of u come from one transform ([`Device::multiply_fixed`]). Parallel over the plaintexts.
    ///
    /// # Errors
    /// [`FvError::BadLevel`], [`FvError::WrongPlaintext`].
    pub fn encrypt_many(
        &self,
        key: &PublicKey<D>,
        plaintexts: &[Plaintext],
        level: usize,
        seed: &Seed,
    ) -> Result<Vec<Ciphertext<D>>, FvError> {
        let basis = self.basis(level)?;
        plaintexts
            .iter()
            .try_for_each(|plaintext| self.require_plaintext(plaintext))?;
        let together = (TOGETHER / (basis.len() * self.n())).max(1) * rayon::current_num_threads();
        let mut ciphertexts = Vec::with_capacity(plaintexts.len());
        for plaintexts in plaintexts.chunks(together) {
            let seeds = (ciphertexts.len() as u64..).map(|i| seed.derive("message", i));
            let seeded: Vec<_> = plaintexts.iter().zip(seeds).collect();
            ciphertexts.extend(self.encrypt_together(key, &seeded, level)?);
        }
        Ok(ciphertexts)
    }

    /// Encrypts plaintexts, each from its seed, with one call of [`Device::multiply_fixed`].
    fn encrypt_together(
        &self,
        key: &PublicKey<D>,
        seeded: &[(&Plaintext, Seed)],
        level: usize,
    ) -> Result<Vec<Ciphertext<D>>, FvError> {
        let (device, basis, scaling) = (&self.device, self.basis(level)?, self.scaling(level)?);
        let drawn = seeded.par_iter().map_init(
            || self.sampler(),
            |sampler, (plaintext, seed)| {
                let mut stream = Stream::new(seed);
                let mask = sampler.secret(&mut stream, &basis, self.parameters.secret())?;
                let first = sampler.error(&mut stream, &basis, Some((scaling, plaintext)))?;
                Ok((mask, [first, sampler.error(&mut stream, &basis, None)?]))
            },
        );
        let (masks, errors): (Vec<_>, Vec<_>) =
            drawn.collect::<Result<Vec<_>, FvError>>()?.into_iter().unzip();
        // The device overwrites the masks.
        let masks = masks.into_iter().map(SecretPoly::into_inner).collect();
        let products = device.multiply_fixed(masks, &[&key.b, &key.a])?;
        let secret = |product| SecretPoly::new(&**device, product);
        let secret = |products: Vec<D::Poly>| products.into_iter().map(secret).collect::<Vec<_>>();
        let products: Vec<_> = products.into_iter().map(secret).collect();
        let finish = |(products, errors): (Vec<SecretPoly<&D>>, [SecretPoly<&D>; 2])| {
            let parts = products.into_iter().zip(errors);
            let parts = parts.map(|(product, error)| device.sum(&[&product, &error]));
            Ok(Ciphertext::new(parts.collect::<Result<_, _>>()?, level))
        };
        products.into_par_iter().zip(errors).map(finish).collect()
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
        self.require_plaintext(plaintext)?;
        let (device, basis) = (&self.device, self.basis(level)?);
        let public = seed.derive("ciphertext uniform", 0);
        let a = self.expand(&public, &basis)?;
        let product = device.inner_product(&[(&a, &key.evaluated)], Domain::Coefficient)?;
        let product = SecretPoly::new(&**device, product);
        let message = Some((self.scaling(level)?, plaintext));
        let mut stream = Stream::new(&seed.derive("error", 0));
        let error = self.sampler().error(&mut stream, &basis, message)?;
        let first = device.sub(&error, &product)?;
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
        let words = self.value(key, ciphertext)?.download()?;
        let (plaintext, worst) = self.scaling(ciphertext.level)?.round(words);
        if worst > MAX_NOISE_FRACTION {
            return Err(FvError::NoiseOverflow { fraction: worst });
        }
        Ok(plaintext)
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
        let largest = largest_log2(&basis, &self.rest(key, ciphertext, expected)?, self.n());
        Ok(largest + (self.parameters.t() as f64).log2() - basis.log2())
    }

    /// log2 of |v(zeta^e)|^2 for the noise v at every position of evaluation domain, given what the ciphertext should
    /// hold: for surveys of noise. What it says is as secret as the key.
    ///
    /// # Errors
    /// If the plaintext is of another ring.
    pub fn measure_noise_powers(
        &self,
        key: &SecretKey<D>,
        ciphertext: &Ciphertext<D>,
        expected: &Plaintext,
    ) -> Result<Secret<Vec<f64>>, FvError> {
        let basis = self.basis(ciphertext.level)?;
        let (rest, shift) = scaled(&basis, &self.rest(key, ciphertext, expected)?, self.n());
        let unit = shift + (self.parameters.t() as f64).log2() - basis.log2();
        let powers = embedding::powers(self.parameters.ring(), &rest)?;
        Ok(Secret::collect(
            powers.iter().map(|power| power.log2() + 2.0 * unit),
        ))
    }

    /// |s(zeta^e)|^2 of the secret s over its mean, at every position of evaluation domain: for surveys of noise. As
    /// secret as the key.
    ///
    /// # Errors
    /// If the key is of another ring.
    pub fn secret_powers(&self, key: &SecretKey<D>) -> Result<Secret<Vec<f64>>, FvError> {
        self.parameters.secret_powers(&key.coefficients)
    }

    /// c(s) without the message: round(q m/t) + (q/t) v - that, in coefficients.
    fn rest(
        &self,
        key: &SecretKey<D>,
        ciphertext: &Ciphertext<D>,
        expected: &Plaintext,
    ) -> Result<Secret<Vec<u64>>, FvError> {
        let message = self.upload_message(ciphertext.level, expected)?;
        let value = self.value(key, ciphertext)?;
        let rest = SecretPoly::new(&*self.device, self.device.sub(&value, &message)?);
        Ok(rest.download()?)
    }

    /// c(s) in coefficient domain.
    fn value(&self, key: &SecretKey<D>, ciphertext: &Ciphertext<D>) -> Result<SecretPoly<&D>, FvError> {
        let device = &*self.device;
        let Some((first, rest)) = ciphertext.parts.split_first() else {
            return Err(FvError::WrongParts(0));
        };
        let rest = match (rest, device.domain(first)) {
            ([second], Domain::Coefficient) => {
                let products = device.multiply_fixed(vec![device.copy(second)?], &[&key.evaluated])?;
                let product = products.into_iter().flatten().next().ok_or(FvError::NoOperands)?;
                SecretPoly::new(device, product)
            }
            (rest, _) => self.horner(key, rest)?.transform(Domain::Coefficient)?,
        };
        let value = match device.domain(first) {
            Domain::Coefficient => device.sum(&[first, &rest])?,
            Domain::Evaluation => {
                let first = device.transform(device.copy(first)?, Domain::Coefficient)?;
                device.sum(&[&first, &rest])?
            }
        };
        Ok(SecretPoly::new(device, value))
    }

    /// c_1 s + c_2 s^2 + ... in evaluation domain: (... + c_2) s + c_1) s.
    fn horner(&self, key: &SecretKey<D>, rest: &[D::Poly]) -> Result<SecretPoly<&D>, FvError> {
        let device = &*self.device;
        let times_secret = |a: &D::Poly| device.inner_product(&[(a, &key.evaluated)], Domain::Evaluation);
        let mut sum: Option<SecretPoly<&D>> = None;
        for part in rest.iter().rev() {
            let part = device.transform(device.copy(part)?, Domain::Evaluation)?;
            let product = match sum {
                Some(sum) => times_secret(&SecretPoly::new(device, device.sum(&[&sum, &part])?))?,
                None => times_secret(&part)?,
            };
            sum = Some(SecretPoly::new(device, product));
        }
        sum.ok_or(FvError::WrongParts(1))
    }
}
