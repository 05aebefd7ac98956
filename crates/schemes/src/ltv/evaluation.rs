use ringmill_device::Device;
use ringmill_fv::Plaintext;
use ringmill_ring::Domain;

use super::{Context, EvaluationKey};
use crate::ntru::{Leveled, NtruError, T, require_level};

/// An LTV ciphertext: b = c / 2 over the primes of its level, in evaluation domain.
pub struct Ciphertext<D: Device>(pub(super) Leveled<D>);

impl<D: Device> Ciphertext<D> {
    /// Its level: see [`crate::ntru::Parameters::levels`].
    #[must_use]
    pub fn level(&self) -> usize {
        self.0.level
    }
}

/// A sum of products of ciphertexts, under f^2 until it is relinearized; in coefficient domain.
pub struct Product<D: Device>(Leveled<D>);

impl<D: Device> Context<D> {
    /// The sum of ciphertexts of one level: XOR.
    ///
    /// # Errors
    /// [`NtruError::NoOperands`], [`NtruError::LevelMismatch`].
    pub fn sum(&self, terms: &[&Ciphertext<D>]) -> Result<Ciphertext<D>, NtruError> {
        let terms: Vec<&Leveled<D>> = terms.iter().map(|term| &term.0).collect();
        Ok(Ciphertext(self.base.sum(&terms)?))
    }

    /// Adds a plaintext.
    ///
    /// # Errors
    /// If it is of another ring.
    pub fn add_plain(&self, a: &Ciphertext<D>, plaintext: &Plaintext) -> Result<Ciphertext<D>, NtruError> {
        self.base.require_plaintext(plaintext)?;
        let (device, level) = (self.device(), a.level());
        let basis = self.base.parameters().q_at(level)?;
        let mut words = vec![0; basis.len() * self.base.n()];
        self.scaling(level)?.add_all(plaintext.coefficients(), &mut words);
        let message = device.upload(basis, Domain::Coefficient, &words)?;
        let message = device.transform(message, Domain::Evaluation)?;
        let poly = device.sum(&[&a.0.poly, &message])?;
        Ok(Ciphertext(Leveled { poly, level }))
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
        let bits: Vec<i8> = plaintext.coefficients().iter().map(|&x| x as i8).collect();
        let factor = self.base.sampler().small(basis, &bits)?;
        let factor = device.transform(factor, Domain::Evaluation)?;
        let poly = device.dot(&[(&a.0.poly, &factor)], Domain::Evaluation)?;
        Ok(Ciphertext(Leveled { poly, level }))
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

    /// Relinearizes products of one level with one pass over the key, and switches them to a level that is
    /// theirs or a lower one.
    ///
    /// # Errors
    /// [`NtruError::LevelMismatch`], [`NtruError::BadLevel`].
    pub fn relinearize_all(
        &self,
        key: &EvaluationKey<D>,
        products: &[Product<D>],
        level: usize,
    ) -> Result<Vec<Ciphertext<D>>, NtruError> {
        let Some(first) = products.first() else {
            return Ok(Vec::new());
        };
        let from = first.0.level;
        products
            .iter()
            .try_for_each(|product| require_level(from, product.0.level))?;
        if level > from {
            return Err(NtruError::BadLevel { level, levels: from });
        }
        let device = self.device();
        let batch: Vec<&D::Poly> = products.iter().map(|product| &product.0.poly).collect();
        let to = self.base.parameters().q_at(level)?;
        let switched = device.word_switch(&batch, &key.key, Domain::Coefficient)?;
        let results = switched.into_iter().map(|poly| {
            let poly = match to == device.basis(&poly) {
                true => device.transform(poly, Domain::Evaluation)?,
                false => device.rescale(&poly, to, Domain::Evaluation)?,
            };
            Ok(Ciphertext(Leveled { poly, level }))
        });
        results.collect()
    }

    /// Brings a ciphertext to its own level or a lower one.
    ///
    /// # Errors
    /// [`NtruError::BadLevel`].
    pub fn switch(&self, a: &Ciphertext<D>, level: usize) -> Result<Ciphertext<D>, NtruError> {
        Ok(Ciphertext(self.base.switch(&a.0, level)?))
    }
}
