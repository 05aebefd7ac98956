use std::sync::Arc;

use ringmill_device::Device;
use ringmill_fv::Plaintext;
use ringmill_ring::Domain;

use super::{Context, EvaluationKey};
use crate::ntru::{Leveled, NtruError, T, require_level};

/// An LTV ciphertext: b = c / 2 over the primes of its level, in evaluation domain. Cheap to clone.
pub struct Ciphertext<D: Device>(pub(super) Arc<Leveled<D>>);

impl<D: Device> Ciphertext<D> {
    pub(super) fn new(poly: D::Poly, level: usize) -> Self {
        Self(Arc::new(Leveled { poly, level }))
    }

    /// Its level: see [`crate::ntru::Parameters::levels`].
    #[must_use]
    pub fn level(&self) -> usize {
        self.0.level
    }
}

impl<D: Device> Clone for Ciphertext<D> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// A sum of products of ciphertexts, under f^2 until it is relinearized; in coefficient domain.
pub struct Product<D: Device>(Leveled<D>);

impl<D: Device> Context<D> {
    /// The sum of ciphertexts of one level: XOR of their slots.
    ///
    /// # Errors
    /// [`NtruError::NoOperands`], [`NtruError::LevelMismatch`].
    pub fn sum(&self, terms: &[&Ciphertext<D>]) -> Result<Ciphertext<D>, NtruError> {
        self.sum_with(terms, false)
    }

    /// The sum of ciphertexts of one level, plus 1 in every slot if `complement`.
    ///
    /// # Errors
    /// As [`Context::sum`].
    pub fn sum_with(&self, terms: &[&Ciphertext<D>], complement: bool) -> Result<Ciphertext<D>, NtruError> {
        let first = terms.first().ok_or(NtruError::NoOperands)?;
        let level = first.level();
        if let ([only], false) = (terms, complement) {
            return Ok((*only).clone());
        }
        let ones = match complement {
            true => Some(
                self.device()
                    .restrict(&self.ones, self.base.parameters().q_at(level)?)?,
            ),
            false => None,
        };
        let mut polys = Vec::with_capacity(terms.len() + 1);
        for term in terms {
            require_level(level, term.level())?;
            polys.push(&term.0.poly);
        }
        polys.extend(&ones);
        Ok(Ciphertext::new(self.device().sum(&polys)?, level))
    }

    /// Adds a plaintext.
    ///
    /// # Errors
    /// If it is of another ring.
    pub fn add_plain(&self, a: &Ciphertext<D>, plaintext: &Plaintext) -> Result<Ciphertext<D>, NtruError> {
        let message = self.message(a.level(), plaintext)?;
        let poly = self.device().sum(&[&a.0.poly, &message])?;
        Ok(Ciphertext::new(poly, a.level()))
    }

    /// Multiplies by a plaintext, at the same level.
    ///
    /// # Errors
    /// If it is of another ring.
    pub fn multiply_plain(
        &self,
        a: &Ciphertext<D>,
        plaintext: &Plaintext,
    ) -> Result<Ciphertext<D>, NtruError> {
        self.base.require_plaintext(plaintext)?;
        let (device, level) = (self.device(), a.level());
        let basis = self.base.parameters().q_at(level)?;
        let factor = self.base.sampler().small(basis, &plaintext.centred(T))?;
        let factor = device.transform(factor, Domain::Evaluation)?;
        let poly = device.dot(&[(&a.0.poly, &factor)], Domain::Evaluation)?;
        Ok(Ciphertext::new(poly, level))
    }

    /// The sum of products of ciphertexts of one level, each 2 b b'.
    ///
    /// # Errors
    /// [`NtruError::NoOperands`], [`NtruError::LevelMismatch`].
    pub fn multiply(&self, pairs: &[(&Ciphertext<D>, &Ciphertext<D>)]) -> Result<Product<D>, NtruError> {
        let (first, _) = pairs.first().ok_or(NtruError::NoOperands)?;
        let level = first.level();
        for (a, b) in pairs {
            require_level(level, a.level())?;
            require_level(level, b.level())?;
        }
        let pairs = pairs.iter().map(|(a, b)| (&a.0.poly, &b.0.poly)).collect();
        let mut sums = self.device().dots(&[pairs], T, Domain::Coefficient)?;
        let poly = sums.pop().ok_or(NtruError::NoOperands)?;
        Ok(Product(Leveled { poly, level }))
    }

    /// Relinearizes products of one level with one pass over the key, adds ciphertexts of that level to each,
    /// and switches the sums to `level`, which is that level or a lower one.
    ///
    /// # Errors
    /// [`NtruError::LevelMismatch`], [`NtruError::BadLevel`].
    pub fn relinearize_all(
        &self,
        key: &EvaluationKey<D>,
        sums: &[(&Product<D>, &[&Ciphertext<D>])],
        level: usize,
    ) -> Result<Vec<Ciphertext<D>>, NtruError> {
        let Some((first, _)) = sums.first() else {
            return Ok(Vec::new());
        };
        let from = first.0.level;
        if level > from {
            return Err(NtruError::BadLevel { level, levels: from });
        }
        for (product, terms) in sums {
            require_level(from, product.0.level)?;
            terms
                .iter()
                .try_for_each(|term| require_level(from, term.level()))?;
        }
        let batch: Vec<&D::Poly> = sums.iter().map(|(product, _)| &product.0.poly).collect();
        let switched = self.device().word_switch(&batch, &key.key, Domain::Coefficient)?;
        let finished = switched.into_iter().zip(sums);
        finished
            .map(|(poly, (_, terms))| self.finish(poly, terms, level))
            .collect()
    }

    /// Adds ciphertexts to a relinearized product, in coefficient domain, and switches it.
    fn finish(
        &self,
        poly: D::Poly,
        terms: &[&Ciphertext<D>],
        level: usize,
    ) -> Result<Ciphertext<D>, NtruError> {
        let (device, to) = (self.device(), self.base.parameters().q_at(level)?);
        let poly = match terms {
            [] => poly,
            terms => {
                let terms: Vec<&D::Poly> = terms.iter().map(|term| &term.0.poly).collect();
                let terms = device.transform(device.sum(&terms)?, Domain::Coefficient)?;
                device.sum(&[&poly, &terms])?
            }
        };
        let poly = match to == device.basis(&poly) {
            true => device.transform(poly, Domain::Evaluation)?,
            false => device.rescale(&poly, to, Domain::Evaluation)?,
        };
        Ok(Ciphertext::new(poly, level))
    }

    /// Brings a ciphertext to its own level or a lower one.
    ///
    /// # Errors
    /// [`NtruError::BadLevel`].
    pub fn switch(&self, a: &Ciphertext<D>, level: usize) -> Result<Ciphertext<D>, NtruError> {
        if level == a.level() {
            return Ok(a.clone());
        }
        Ok(Ciphertext(Arc::new(self.base.switch(&a.0, level)?)))
    }
}
