use ringmill_device::{Device, Pair};
use ringmill_ring::Domain;

use crate::{Ciphertext, Context, FvError, GaloisKey};

/// A ciphertext made ready for automorphisms: c_0 in evaluation domain and the digits of c_1, once for all
/// automorphisms of it.
pub struct Decomposed<D: Device> {
    first: D::Poly,
    digits: Vec<D::Poly>,
    level: usize,
}

impl<D: Device> Decomposed<D> {
    /// The level of the ciphertext it was made from.
    #[must_use]
    pub fn level(&self) -> usize {
        self.level
    }
}

/// P times a ciphertext of two parts, over its limbs and the primes of P, in evaluation domain: what key
/// switching gives before the division by P. Plaintext factors and sums come cheapest here, and the
/// rounding of the division once for all of them.
pub struct Raised<D: Device> {
    parts: Pair<D::Poly>,
    level: usize,
}

impl<D: Device> Raised<D> {
    /// The level of the ciphertext it was made from.
    #[must_use]
    pub fn level(&self) -> usize {
        self.level
    }
}

/// A plaintext made ready to be a factor: small coefficients over all of q and P, in evaluation domain.
pub struct Factor<D: Device>(D::Poly);

impl<D: Device> Context<D> {
    /// Makes a ciphertext of two parts, in either domain, ready for automorphisms.
    ///
    /// # Errors
    /// [`FvError::WrongParts`].
    pub fn decompose(&self, a: &Ciphertext<D>) -> Result<Decomposed<D>, FvError> {
        let [first, second] = a.two_parts()?;
        let device = &self.device;
        Ok(Decomposed {
            first: device.transform(device.copy(first)?, Domain::Evaluation)?,
            digits: device.decompose(second, self.digits())?,
            level: a.level,
        })
    }

    /// x -> x^k with the key for k, raised; moves slots as [`ringmill_ring::Slots::permutation`] says.
    ///
    /// The key switches from s to s(x^(1/k)) before the automorphism turns that back into s
    /// (Halevi and Shoup, "Faster homomorphic linear transformations in HElib", 2018): so the digits are
    /// those of a, whatever k is.
    ///
    /// # Errors
    /// If the device fails.
    pub fn rotate(&self, a: &Decomposed<D>, key: &GaloisKey<D>) -> Result<Raised<D>, FvError> {
        let key_digits = &key.key.digits;
        let parts = self
            .device
            .rotate(&a.first, &a.digits, self.digits(), key_digits, key.exponent)?;
        Ok(Raised {
            parts,
            level: a.level,
        })
    }

    /// P times a ciphertext of two parts, in either domain.
    ///
    /// # Errors
    /// [`FvError::WrongParts`].
    pub fn raise(&self, a: &Ciphertext<D>) -> Result<Raised<D>, FvError> {
        let [first, second] = a.two_parts()?;
        Ok(Raised {
            parts: (self.raised(first)?, self.raised(second)?),
            level: a.level,
        })
    }

    fn raised(&self, part: &D::Poly) -> Result<D::Poly, FvError> {
        let raised = self.device.raise(part, self.digits())?;
        Ok(self.device.transform(raised, Domain::Evaluation)?)
    }

    /// Makes a plaintext ready to be a factor of raised ciphertexts of any level. It is given by any
    /// coefficients that are congruent to it modulo t: noise grows by their power, which
    /// [`ringmill_ring::embedding::small_lift`] keeps small.
    ///
    /// # Errors
    /// [`FvError::WrongPlaintext`] unless there are n coefficients.
    pub fn factor(&self, coefficients: &[i64]) -> Result<Factor<D>, FvError> {
        if coefficients.len() != self.n() {
            return Err(FvError::WrongPlaintext {
                expected: self.n(),
                got: coefficients.len(),
            });
        }
        let factor = self.upload_small(self.key_basis(), coefficients, None)?;
        Ok(Factor(self.device.transform(factor, Domain::Evaluation)?))
    }

    /// The sum of raised ciphertexts, each multiplied by its factor if it has one, divided by P, plus the
    /// addends: all of one level, brought to `level`, which is not higher, in the domain asked for. The
    /// addends have two parts, in either domain.
    ///
    /// # Errors
    /// [`FvError::NoOperands`] if there are no terms; [`FvError::LevelMismatch`], [`FvError::BadLevel`],
    /// [`FvError::WrongParts`].
    pub fn combine(
        &self,
        terms: &[(&Raised<D>, Option<&Factor<D>>)],
        addends: &[&Ciphertext<D>],
        level: usize,
        domain: Domain,
    ) -> Result<Ciphertext<D>, FvError> {
        let from = terms.first().ok_or(FvError::NoOperands)?.0.level;
        for (term, _) in terms {
            self.require_level(from, term.level)?;
        }
        let to = self.target(from, level)?;
        let addends = self.pairs(from, addends)?;
        let side = |side: for<'a> fn(&'a Pair<D::Poly>) -> &'a D::Poly, addends: Vec<&D::Poly>| {
            let mut owned = Vec::with_capacity(addends.len() + 1);
            let products = terms.iter().filter_map(|(term, factor)| {
                let factor = factor.as_ref()?;
                Some((side(&term.parts), &factor.0))
            });
            let products: Vec<_> = products.collect();
            if !products.is_empty() {
                owned.push(self.device.dot(&products, Domain::Evaluation)?);
            }
            for addend in addends {
                owned.push(self.raised(addend)?);
            }
            let plain = terms.iter().filter(|(_, factor)| factor.is_none());
            let sum: Vec<&D::Poly> = plain.map(|(term, _)| side(&term.parts)).chain(&owned).collect();
            let sum = self.device.sum(&sum)?;
            Ok::<_, FvError>(self.device.rescale(&sum, &to, domain)?)
        };
        let parts = vec![
            side(|pair| &pair.0, addends.iter().map(|pair| pair.0).collect())?,
            side(|pair| &pair.1, addends.iter().map(|pair| pair.1).collect())?,
        ];
        Ok(Ciphertext::new(parts, level))
    }

    /// x -> x^k with the key for k, at the same level in the same domain; moves slots as
    /// [`ringmill_ring::Slots::permutation`] says.
    ///
    /// # Errors
    /// [`FvError::WrongParts`] unless it has two.
    pub fn automorphism(&self, a: &Ciphertext<D>, key: &GaloisKey<D>) -> Result<Ciphertext<D>, FvError> {
        let raised = self.rotate(&self.decompose(a)?, key)?;
        self.combine(&[(&raised, None)], &[], a.level, a.domain(&self.device))
    }
}
