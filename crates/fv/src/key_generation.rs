use std::ops::Deref;
use std::sync::Arc;

use ringmill_arith::sampling::{Seed, Stream};
use ringmill_arith::secret::Secret;
use ringmill_device::{Device, Digits, SecretPoly};
use ringmill_ring::Domain;

use crate::keys::SwitchingKey;
use crate::{Context, FvError, GaloisKey, PublicKey, RelinearizationKey, SecretKey};

/// Secrets within the bound that are refused for other reasons before generation gives up.
const REFUSALS: usize = 20;

impl<D: Device> Context<D> {
    /// A secret key, a function of the seed.
    ///
    /// Secrets that the noise model does not cover ([`crate::NoiseModel::covers`]) are passed over: a
    /// multiplication multiplies the noise at a root by the secret's power there, so a deep circuit
    /// is as noisy as its worst root. About one secret in seven is kept: three bits of the key's
    /// entropy.
    ///
    /// # Errors
    /// [`FvError::NoSecretWithinBound`] if the bound is too strict.
    pub fn generate_secret_key(&self, seed: &Seed) -> Result<SecretKey<D>, FvError> {
        self.generate_admitted_key(seed, |_| Ok(true))
    }

    /// As [`Context::generate_secret_key`], for secrets only that `admits` admits too, given what
    /// [`Context::secret_powers`] returns of them, which it must keep secret. Refusing the fraction r of secrets costs
    /// log2(1 / (1 - r)) bits of the key's entropy.
    ///
    /// # Errors
    /// [`FvError::NoSecretWithinBound`]; [`FvError::NoSecretAdmitted`] after twenty refusals; those of `admits`.
    pub fn generate_admitted_key(
        &self,
        seed: &Seed,
        admits: impl Fn(&[f64]) -> Result<bool, FvError>,
    ) -> Result<SecretKey<D>, FvError> {
        let candidates = self.parameters.candidates(self.noise_model(), seed);
        for (candidate, refused) in candidates.zip(1..) {
            let candidate = candidate?;
            if admits(candidate.powers())? {
                return self.secret_key(candidate.coefficients);
            }
            if refused == REFUSALS {
                return Err(FvError::NoSecretAdmitted { refused });
            }
        }
        Err(FvError::NoSecretWithinBound(self.parameters.secret_bound()))
    }

    pub(crate) fn secret_key(&self, coefficients: Secret<Vec<i8>>) -> Result<SecretKey<D>, FvError> {
        let poly = self.sampler().small(self.key_basis(), &coefficients)?;
        let poly = SecretPoly::new(Arc::clone(&self.device), poly.into_inner());
        Ok(SecretKey {
            evaluated: poly.transform(Domain::Evaluation)?,
            coefficients,
        })
    }

    /// A public key for a secret one. `seed` must be secret and fresh.
    ///
    /// # Errors
    /// If the device fails.
    pub fn generate_public_key(&self, secret: &SecretKey<D>, seed: &Seed) -> Result<PublicKey<D>, FvError> {
        let public = seed.derive("public key uniform", 0);
        let device = &self.device;
        let basis = self.parameters.q().clone();
        let a = self.expand(&public, &basis)?;
        let b = self.masked(&secret.evaluated, &a, &seed.derive("public key error", 0))?;
        Ok(PublicKey {
            b: device.negate(&b)?,
            a,
            seed: public,
        })
    }

    /// The key that relinearizes products. `seed` must be secret and fresh.
    ///
    /// # Errors
    /// [`FvError::NoKeySwitching`].
    pub fn generate_relinearization_key(
        &self,
        secret: &SecretKey<D>,
        seed: &Seed,
    ) -> Result<RelinearizationKey<D>, FvError> {
        self.digits()?;
        let s = &*secret.evaluated;
        let square = self.device.inner_product(&[(s, s)], Domain::Evaluation)?;
        let square = SecretPoly::new(&*self.device, square);
        let key = self.switching_key(&square, s, &seed.derive("relinearization key", 0))?;
        Ok(RelinearizationKey(key))
    }

    /// The key for the automorphism x -> x^`exponent`. `seed` must be secret and fresh.
    ///
    /// # Errors
    /// If the exponent is not a unit modulo the conductor; [`FvError::NoKeySwitching`].
    pub fn generate_galois_key(
        &self,
        secret: &SecretKey<D>,
        exponent: u64,
        seed: &Seed,
    ) -> Result<GaloisKey<D>, FvError> {
        let ring = self.parameters.ring();
        let exponent = exponent % ring.conductor();
        let inverse = ring.inverse(exponent)?;
        self.digits()?;
        let s = &secret.evaluated;
        let image = SecretPoly::new(&*self.device, self.device.automorphism(s, inverse)?);
        let seed = seed.derive("galois key", exponent);
        let key = self.switching_key(s, &image, &seed)?;
        Ok(GaloisKey { exponent, key })
    }

    /// a s + e over the basis of a, all in evaluation domain.
    fn masked(&self, s: &D::Poly, a: &D::Poly, seed: &Seed) -> Result<D::Poly, FvError> {
        let device = &self.device;
        let error = self
            .sampler()
            .error(&mut Stream::new(seed), device.basis(a), None)?;
        let error = error.transform(Domain::Evaluation)?;
        let product = device.inner_product(&[(a, s)], Domain::Evaluation)?;
        let product = SecretPoly::new(&**device, product);
        Ok(device.sum(&[&product, &error])?)
    }

    /// A switching key from one secret to another, both in evaluation domain over the key basis.
    fn switching_key<H>(
        &self,
        from: &SecretPoly<H>,
        to: &D::Poly,
        seed: &Seed,
    ) -> Result<SwitchingKey<D>, FvError>
    where
        H: Deref<Target = D>,
    {
        let (device, switching) = (&self.device, self.digits()?);
        let public = seed.derive("uniform", 0);
        let words = from.download()?;
        let mut digits = Vec::new();
        for i in 0..self.key_elements() {
            let a = self.expand(&public.derive("digit", i as u64), self.key_basis())?;
            let masked = self.masked(to, &a, &seed.derive("error", i as u64))?;
            let gadget = self.gadget(switching, &words, i);
            let gadget = device.upload(self.key_basis(), Domain::Evaluation, &gadget)?;
            let gadget = SecretPoly::new(&**device, gadget);
            digits.push((device.sub(&gadget, &masked)?, a));
        }
        Ok(SwitchingKey { seed: public, digits })
    }

    /// Element i of the gadget ([`Digits`]) times `words`, a polynomial over the key basis.
    fn gadget(&self, digits: &Digits, words: &[u64], i: usize) -> Secret<Vec<u64>> {
        let mut result = Secret::zeros(words.len());
        let n = self.n();
        let limbs = result.chunks_exact_mut(n).zip(words.chunks_exact(n));
        for ((target, source), q) in limbs.zip(self.key_basis().moduli()) {
            let factor = match digits {
                Digits::Limbs { groups, special } if groups[i].position(q).is_some() => special
                    .moduli()
                    .iter()
                    .fold(1, |product, p| q.mul(product, q.reduce(p.value()))),
                Digits::Limbs { .. } => 0,
                Digits::BaseTwo { bits } => q.pow(2, u64::from(*bits) * i as u64),
            };
            let companion = q.shoup(factor);
            target
                .iter_mut()
                .zip(source)
                .for_each(|(x, &y)| *x = q.mul_shoup(y, factor, companion));
        }
        result
    }
}
