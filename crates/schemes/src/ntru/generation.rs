//! Keys by inversion in evaluation domain.

use std::marker::PhantomData;
use std::sync::Arc;

use rayon::prelude::*;
use ringmill_arith::sampling::{Seed, Stream, ternary};
use ringmill_arith::secret::Secret;
use ringmill_arith::{Basis, Modulus};
use ringmill_device::{Device, SecretPoly};
use ringmill_ring::{Domain, embedding};
use ringmill_rlwe::SecretDistribution;

use super::spec::T;
use super::{Context, EvaluationKey, NtruError, NtruScheme, PublicKey, SecretKey};

/// Secrets tried before generation gives up; about one in seven is kept.
const ATTEMPTS: u64 = 10_000;

impl<S: NtruScheme, D: Device> Context<S, D> {
    /// A secret key f = 2 f' + 1, f' uniform ternary, a function of the seed.
    ///
    /// Drawn again until f is invertible modulo every prime of the pool and no root of it is larger than
    /// [`super::Parameters::secret_bound`] allows, which keeps about one in seven.
    ///
    /// # Errors
    /// [`NtruError::NoSecret`] if none was found.
    pub fn generate_secret_key(&self, seed: &Seed) -> Result<SecretKey<S, D>, NtruError> {
        for attempt in 0..ATTEMPTS {
            let mut small = Secret::zeros(self.n());
            ternary(&mut Stream::new(&seed.derive("secret", attempt)), &mut small);
            if let Some(key) = self.secret_key(small)? {
                return Ok(key);
            }
        }
        Err(NtruError::NoSecret(self.parameters().secret_bound()))
    }

    /// The key of these coefficients of f', unless its f is too large at a root or not invertible.
    pub(super) fn secret_key(
        &self,
        coefficients: Secret<Vec<i8>>,
    ) -> Result<Option<SecretKey<S, D>>, NtruError> {
        let f = self.secret_element(&coefficients)?;
        let real = Secret::collect(f.iter().map(|&x| x as f64));
        let powers = embedding::powers(self.parameters().ring(), &real)?;
        if !self.noise_model().covers(&powers) {
            return Ok(None);
        }
        let f = self.sampler().small(self.parameters().pool(), &f)?;
        let f = SecretPoly::new(Arc::clone(self.shared_device()), f.into_inner());
        let key = SecretKey {
            evaluated: f.transform(Domain::Evaluation)?,
            coefficients,
            scheme: PhantomData,
        };
        Ok(self.inverse(&key)?.map(|_| key))
    }

    /// 2 f' + 1 in the normal basis, in which 1 is not an element of its own.
    fn secret_element(&self, coefficients: &[i8]) -> Result<Secret<Vec<i64>>, NtruError> {
        let ring = self.parameters().ring();
        let mut one = vec![0; ring.unfolded_len()];
        one[0] = 1;
        let one = ring.fold(&one)?;
        let terms = coefficients.iter().zip(one);
        Ok(Secret::collect(
            terms.map(|(&x, one)| T as i64 * i64::from(x) + one),
        ))
    }

    /// 1/f over the pool, the words of its evaluation domain; `None` if some value of f is 0.
    fn inverse(&self, key: &SecretKey<S, D>) -> Result<Option<Secret<Vec<u64>>>, NtruError> {
        let mut words = key.evaluated.download()?;
        let limbs = words.par_chunks_exact_mut(self.n());
        let moduli = self.parameters().pool().moduli().par_iter();
        let invertible = limbs
            .zip(moduli)
            .map(|(limb, q)| invert(q, limb))
            .all(|done| done);
        Ok(invertible.then_some(words))
    }

    /// The public key h = 2 g / f for a secret one; g is uniform ternary. `seed` must be secret and fresh.
    ///
    /// # Errors
    /// If the device fails.
    pub fn generate_public_key(
        &self,
        secret: &SecretKey<S, D>,
        seed: &Seed,
    ) -> Result<PublicKey<S, D>, NtruError> {
        let (device, pool) = (self.device(), self.parameters().pool());
        let inverse = self.inverse(secret)?.ok_or(NtruError::BadSecret)?;
        let inverse = device.upload(pool, Domain::Evaluation, &inverse)?;
        let inverse = SecretPoly::new(device, inverse);
        let mut stream = Stream::new(&seed.derive("public key", 0));
        let g = self.drawn(&mut stream, pool)?;
        let mut product = device.inner_products(&[vec![(&*g, &*inverse)]], T, Domain::Evaluation)?;
        let h = product.pop().ok_or(NtruError::NoOperands)?;
        Ok(PublicKey {
            h,
            scheme: PhantomData,
        })
    }

    /// The evaluation key for a secret and its public key. `seed` must be secret and fresh.
    ///
    /// # Errors
    /// If the device fails.
    pub fn generate_evaluation_key(
        &self,
        secret: &SecretKey<S, D>,
        public: &PublicKey<S, D>,
        seed: &Seed,
    ) -> Result<EvaluationKey<S, D>, NtruError> {
        let f = secret.evaluated.download()?;
        let mut elements = S::no_elements(self);
        for k in 0..self.key_elements() as u64 {
            let element = self.key_element(&f, public, k, &seed.derive("evaluation key", k))?;
            S::push_element(self, &mut elements, element)?;
        }
        Ok(EvaluationKey { elements })
    }

    /// w^k f + e + h s over the pool, in evaluation domain.
    fn key_element(
        &self,
        f: &[u64],
        public: &PublicKey<S, D>,
        k: u64,
        seed: &Seed,
    ) -> Result<D::Poly, NtruError> {
        let (device, pool) = (self.device(), self.parameters().pool());
        let mut stream = Stream::new(seed);
        let mask = self.drawn(&mut stream, pool)?;
        let error = self.sampler().error(&mut stream, pool, None)?;
        let error = error.transform(Domain::Evaluation)?;
        let mut scaled = Secret::copy_of(f);
        for (limb, q) in scaled.chunks_exact_mut(self.n()).zip(pool.moduli()) {
            let factor = q.pow(2, u64::from(self.parameters().digit_bits()) * k);
            let companion = q.shoup(factor);
            limb.iter_mut()
                .for_each(|x| *x = q.mul_shoup(*x, factor, companion));
        }
        let scaled = SecretPoly::new(device, device.upload(pool, Domain::Evaluation, &scaled)?);
        let masked = device.inner_product(&[(&*mask, &public.h)], Domain::Evaluation)?;
        let masked = SecretPoly::new(device, masked);
        Ok(device.sum(&[&scaled, &error, &masked])?)
    }

    /// A uniform ternary polynomial, in evaluation domain.
    pub(super) fn drawn(&self, stream: &mut Stream, basis: &Basis) -> Result<SecretPoly<&D>, NtruError> {
        let small = self
            .sampler()
            .secret(stream, basis, SecretDistribution::Ternary)?;
        Ok(small.transform(Domain::Evaluation)?)
    }
}

/// Replaces residues by their inverses, all by one inversion (Montgomery's trick: Math. Comp. 48, 1987, section
/// 10.3.1): with the products p_i = x_0 ... x_i it is 1/x_i = p_(i-1) / p_i, and 1/p_(i-1) = x_i / p_i.
///
/// No branch or address depends on the residues, but for the result: false, with the residues spoilt, if one
/// was 0.
fn invert(q: &Modulus, residues: &mut [u64]) -> bool {
    let mut products = Secret::with_capacity(residues.len());
    let mut product = 1;
    for &x in residues.iter() {
        products.push(product);
        product = q.mul(product, x);
    }
    let Some(mut inverse) = q.inv(product) else {
        return false;
    };
    for (x, &before) in residues.iter_mut().zip(products.iter()).rev() {
        let next = q.mul(inverse, *x);
        *x = q.mul(inverse, before);
        inverse = next;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn residues_are_inverted_or_refused() {
        let q = Modulus::new(838_848_001).unwrap();
        let residues: Vec<u64> = (1..1000).map(|i| q.pow(3, i)).collect();
        let mut inverses = residues.clone();
        assert!(invert(&q, &mut inverses));
        let pairs = residues.iter().zip(&inverses);
        assert!(pairs.into_iter().all(|(&x, &y)| q.mul(x, y) == 1));
        assert!(!invert(&q, &mut [5, 0, 7]));
    }
}
