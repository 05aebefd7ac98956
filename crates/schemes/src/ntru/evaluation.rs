use std::sync::Arc;

use ringmill_device::Device;
use ringmill_ring::Domain;
use ringmill_rlwe::Plaintext;

use super::spec::T;
use super::{Context, EvaluationKey, Leveled, NtruError, NtruScheme, require_level};

/// A ciphertext on a device: one polynomial over the primes of its level, in the domain of the scheme
/// ([`NtruScheme::DOMAIN`]). Cheap to clone.
pub struct Ciphertext<S, D: Device>(pub(crate) Arc<Leveled<S, D>>);

/// A ciphertext made ready to be a factor, once for all the products it is used in.
pub struct PreparedOperand<S, D: Device>(pub(crate) Arc<Leveled<S, D>>);

/// A sum of products, which f^2 decrypts until it is relinearized; in coefficient domain.
pub struct Product<S, D: Device>(pub(crate) Leveled<S, D>);

/// Two factors to be multiplied.
pub type Pair<'a, S, D> = (&'a PreparedOperand<S, D>, &'a PreparedOperand<S, D>);

/// A product to be relinearized, and ciphertexts of its level to be added to it.
pub type Terms<'a, S, D> = (&'a Product<S, D>, &'a [&'a Ciphertext<S, D>]);

impl<S, D: Device> Ciphertext<S, D> {
    pub(super) fn new(poly: D::Poly, level: usize) -> Self {
        Self(Arc::new(Leveled::new(poly, level)))
    }

    /// Its level: see [`crate::ntru::Parameters::q_at`].
    #[must_use]
    pub fn level(&self) -> usize {
        self.0.level
    }
}

impl<S, D: Device> Clone for Ciphertext<S, D> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<S: NtruScheme, D: Device> Context<S, D> {
    /// The sum of ciphertexts of one level: XOR of their slots.
    ///
    /// # Errors
    /// [`NtruError::LevelMismatch`], [`NtruError::NoOperands`].
    pub fn sum(&self, terms: &[&Ciphertext<S, D>]) -> Result<Ciphertext<S, D>, NtruError> {
        self.sum_with(terms, false)
    }

    /// The sum of ciphertexts of one level, plus 1 in every slot if `complement`.
    ///
    /// # Errors
    /// As [`Context::sum`].
    pub fn sum_with(
        &self,
        terms: &[&Ciphertext<S, D>],
        complement: bool,
    ) -> Result<Ciphertext<S, D>, NtruError> {
        let level = terms.first().ok_or(NtruError::NoOperands)?.level();
        if let ([only], false) = (terms, complement) {
            return Ok((*only).clone());
        }
        let mut polys = polys(level, terms)?;
        if complement {
            polys.push(self.ones(level)?);
        }
        Ok(Ciphertext::new(self.device().sum(&polys)?, level))
    }

    /// A public plaintext as a ciphertext of a level, which hides nothing and has no noise: a term of sums.
    ///
    /// # Errors
    /// A plaintext of another ring; a level that is not there.
    pub fn trivial(&self, plaintext: &Plaintext, level: usize) -> Result<Ciphertext<S, D>, NtruError> {
        let message = self.message(level, plaintext)?.transform(S::DOMAIN)?;
        Ok(Ciphertext::new(message.into_inner(), level))
    }

    /// Adds a plaintext.
    ///
    /// # Errors
    /// A plaintext of another ring.
    pub fn add_plain(
        &self,
        a: &Ciphertext<S, D>,
        plaintext: &Plaintext,
    ) -> Result<Ciphertext<S, D>, NtruError> {
        self.sum_with(&[a, &self.trivial(plaintext, a.level())?], false)
    }

    /// Multiplies by a plaintext, taken with small coefficients ([`Plaintext::centred`]), at the same level.
    ///
    /// # Errors
    /// A plaintext of another ring.
    pub fn multiply_plain(
        &self,
        a: &Ciphertext<S, D>,
        plaintext: &Plaintext,
    ) -> Result<Ciphertext<S, D>, NtruError> {
        self.require_plaintext(plaintext)?;
        let (device, level) = (self.device(), a.level());
        let basis = self.parameters().q_at(level)?;
        let factor = self.sampler().small(basis, &plaintext.centred(T))?;
        let factor = factor.transform(Domain::Evaluation)?;
        let a = self.in_domain(&a.0.poly, Domain::Evaluation)?;
        Ok(Ciphertext::new(
            device.inner_product(&[(&a, &factor)], S::DOMAIN)?,
            level,
        ))
    }

    /// Makes a ciphertext ready for products.
    ///
    /// # Errors
    /// If the device fails.
    pub fn factor(&self, a: &Ciphertext<S, D>) -> Result<PreparedOperand<S, D>, NtruError> {
        S::factor(self, a)
    }

    /// The sum of products of factors of one level: AND of the slots, XOR of the products.
    ///
    /// # Errors
    /// [`NtruError::LevelMismatch`], [`NtruError::NoOperands`].
    pub fn multiply(&self, pairs: &[Pair<'_, S, D>]) -> Result<Product<S, D>, NtruError> {
        let level = pairs.first().ok_or(NtruError::NoOperands)?.0.0.level;
        for (a, b) in pairs {
            require_level(level, a.0.level)?;
            require_level(level, b.0.level)?;
        }
        let pairs: Vec<_> = pairs.iter().map(|(a, b)| (&a.0.poly, &b.0.poly)).collect();
        Ok(Product(Leveled::new(S::multiply(self, &pairs, level)?, level)))
    }

    /// Brings a product back to f, adds ciphertexts of its level, and switches the sum to `level`, not above
    /// that.
    ///
    /// # Errors
    /// [`NtruError::LevelMismatch`], [`NtruError::BadLevel`].
    pub fn relinearize(
        &self,
        key: &EvaluationKey<S, D>,
        product: &Product<S, D>,
        addends: &[&Ciphertext<S, D>],
        level: usize,
    ) -> Result<Ciphertext<S, D>, NtruError> {
        let mut results = self.relinearize_all(key, &[(product, addends)], level)?;
        results.pop().ok_or(NtruError::NoOperands)
    }

    /// As [`Context::relinearize`] for products of one level, which schemes with a large key do with one pass
    /// over it.
    ///
    /// # Errors
    /// As [`Context::relinearize`].
    pub fn relinearize_all(
        &self,
        key: &EvaluationKey<S, D>,
        sums: &[Terms<'_, S, D>],
        level: usize,
    ) -> Result<Vec<Ciphertext<S, D>>, NtruError> {
        let Some((first, _)) = sums.first() else {
            return Ok(Vec::new());
        };
        let from = first.0.level;
        if level > from {
            return Err(NtruError::BadLevel { level, levels: from });
        }
        let (mut products, mut addends) = (Vec::new(), Vec::new());
        for (product, terms) in sums {
            require_level(from, product.0.level)?;
            products.push(&product.0.poly);
            addends.push(polys(from, terms)?);
        }
        let switched = S::switch_keys(self, &key.elements, &products)?;
        let sums = switched.into_iter().zip(&addends);
        sums.map(|(product, addends)| self.finish(self.add(product, addends)?, level))
            .collect()
    }

    /// Adds polynomials of ciphertexts to one in coefficient domain; there is at most one transform.
    fn add(&self, product: D::Poly, addends: &[&D::Poly]) -> Result<D::Poly, NtruError> {
        let device = self.device();
        if addends.is_empty() {
            return Ok(product);
        }
        if S::DOMAIN == Domain::Coefficient {
            return Ok(device.sum(&[&[&product], addends].concat())?);
        }
        let addends = device.transform(device.sum(addends)?, Domain::Coefficient)?;
        Ok(device.sum(&[&product, &addends])?)
    }

    /// Switches a polynomial in coefficient domain to a level.
    fn finish(&self, poly: D::Poly, level: usize) -> Result<Ciphertext<S, D>, NtruError> {
        let (device, to) = (self.device(), self.parameters().q_at(level)?);
        let poly = if to == device.basis(&poly) {
            device.transform(poly, S::DOMAIN)?
        } else {
            device.rescale(&poly, to, S::DOMAIN)?
        };
        Ok(Ciphertext::new(poly, level))
    }

    /// Switches to a modulus that is not larger, with rounding; the plaintext stays.
    ///
    /// # Errors
    /// [`NtruError::BadLevel`] if the ciphertext's level is lower.
    pub fn switch(&self, a: &Ciphertext<S, D>, level: usize) -> Result<Ciphertext<S, D>, NtruError> {
        let levels = a.level();
        if level > levels {
            return Err(NtruError::BadLevel { level, levels });
        }
        if level == levels {
            return Ok(a.clone());
        }
        let (device, to) = (self.device(), self.parameters().q_at(level)?);
        let poly = if to == device.basis(&a.0.poly) {
            device.copy(&a.0.poly)?
        } else {
            device.rescale(&a.0.poly, to, S::DOMAIN)?
        };
        Ok(Ciphertext::new(poly, level))
    }
}

/// The polynomials of ciphertexts of a level.
fn polys<'a, S, D: Device>(
    level: usize,
    terms: &[&'a Ciphertext<S, D>],
) -> Result<Vec<&'a D::Poly>, NtruError> {
    let polys = terms.iter().map(|term| {
        require_level(level, term.level())?;
        Ok(&term.0.poly)
    });
    polys.collect()
}
