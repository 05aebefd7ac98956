use ringmill_device::{Device, Pair, Rotatable, RotatedTerm};
use ringmill_ring::Domain;

use crate::{Ciphertext, Context, FvError, GaloisKey};

/// A ciphertext made ready for automorphisms: c_0 in evaluation domain, c_1 and its digits, once for all
/// automorphisms of it.
pub struct Decomposed<D: Device> {
    first: D::Poly,
    second: D::Poly,
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
pub struct ExtendedCiphertext<D: Device> {
    parts: Pair<D::Poly>,
    level: usize,
}

impl<D: Device> ExtendedCiphertext<D> {
    /// The level of the ciphertext it was made from.
    #[must_use]
    pub fn level(&self) -> usize {
        self.level
    }
}

/// A plaintext made ready to be a factor: small coefficients over all of q and P, in evaluation domain.
pub struct PlaintextOperand<D: Device>(D::Poly);

/// An image of a ciphertext under an automorphism, as a term of a [`RotationSum`].
pub struct Rotation<'a, D: Device> {
    /// The ciphertext's number among those that the sums are of.
    pub operand: usize,
    /// The key's number; none for the ciphertext itself.
    pub key: Option<usize>,
    /// What the image is multiplied with.
    pub factor: Option<&'a PlaintextOperand<D>>,
}

/// A sum of images of ciphertexts, divided by P, and of addends, brought to a level.
pub struct RotationSum<'a, D: Device> {
    /// At least one.
    pub terms: Vec<Rotation<'a, D>>,
    /// Ciphertexts of two parts of the level of those that the sums are of, in either domain.
    pub addends: Vec<&'a Ciphertext<D>>,
    /// The level of the result, not higher.
    pub level: usize,
}

/// A sum of extended ciphertexts, each multiplied by its factor if it has one, and of addends, to be brought
/// to a level.
pub struct Combination<'a, D: Device> {
    /// At least one, all of one level.
    pub terms: Vec<(&'a ExtendedCiphertext<D>, Option<&'a PlaintextOperand<D>>)>,
    /// Ciphertexts of two parts of the same level, in either domain.
    pub addends: Vec<&'a Ciphertext<D>>,
    /// The level of the result, not higher.
    pub level: usize,
}

impl<D: Device> Combination<'_, D> {
    fn from(&self) -> Result<usize, FvError> {
        Ok(self.terms.first().ok_or(FvError::NoOperands)?.0.level)
    }

    fn check(&self, context: &Context<D>) -> Result<(), FvError> {
        let from = self.from()?;
        for (term, _) in &self.terms {
            context.require_level(from, term.level)?;
        }
        context.target(from, self.level)?;
        context.pairs(from, &self.addends)?;
        Ok(())
    }

    /// Adds what is not multiplied to the sums of products of both sides, and rescales.
    fn finish(
        &self,
        context: &Context<D>,
        products: Vec<Option<D::Poly>>,
        domain: Domain,
    ) -> Result<Ciphertext<D>, FvError> {
        let from = self.from()?;
        let to = context.target(from, self.level)?;
        let addends = context.pairs(from, &self.addends)?;
        let mut parts = Vec::with_capacity(2);
        for (side, product) in products.into_iter().enumerate() {
            let mut owned: Vec<D::Poly> = product.into_iter().collect();
            for addend in &addends {
                owned.push(context.extended([addend.0, addend.1][side])?);
            }
            let plain = self.terms.iter().filter(|(_, factor)| factor.is_none());
            let plain = plain.map(|(term, _)| [&term.parts.0, &term.parts.1][side]);
            let all: Vec<&D::Poly> = plain.chain(&owned).collect();
            let sum = match all.len() {
                1 => None,
                _ => Some(context.device.sum(&all)?),
            };
            let sum = sum.as_ref().or(all.first().copied()).ok_or(FvError::NoOperands)?;
            parts.push(context.device.rescale(sum, &to, domain)?);
        }
        Ok(Ciphertext::new(parts, self.level))
    }
}

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
            second: device.copy(second)?,
            digits: device.decompose(second, self.digits()?)?,
            level: a.level,
        })
    }

    /// Makes a ciphertext of two parts, in either domain, a term of sums that no automorphism moves.
    ///
    /// # Errors
    /// [`FvError::WrongParts`].
    pub fn unmoved(&self, a: &Ciphertext<D>) -> Result<Decomposed<D>, FvError> {
        let [first, second] = a.two_parts()?;
        Ok(Decomposed {
            first: self.device.copy(first)?,
            second: self.device.copy(second)?,
            digits: Vec::new(),
            level: a.level,
        })
    }

    /// x -> x^k with the key for k, extended; moves slots as [`ringmill_ring::Slots::permutation`] says.
    ///
    /// The key switches from s to s(x^(1/k)) before the automorphism turns that back into s
    /// (Halevi and Shoup, "Faster homomorphic linear transformations in HElib", 2018): so the digits are
    /// those of a, whatever k is.
    ///
    /// # Errors
    /// If the device fails.
    pub fn rotate(&self, a: &Decomposed<D>, key: &GaloisKey<D>) -> Result<ExtendedCiphertext<D>, FvError> {
        let key_digits = &key.key.digits;
        let parts = self
            .device
            .rotate(&a.first, &a.digits, self.digits()?, key_digits, key.exponent)?;
        Ok(ExtendedCiphertext {
            parts,
            level: a.level,
        })
    }

    /// P times a ciphertext of two parts, in either domain.
    ///
    /// # Errors
    /// [`FvError::WrongParts`].
    pub fn extend_by_p(&self, a: &Ciphertext<D>) -> Result<ExtendedCiphertext<D>, FvError> {
        let [first, second] = a.two_parts()?;
        Ok(ExtendedCiphertext {
            parts: (self.extended(first)?, self.extended(second)?),
            level: a.level,
        })
    }

    fn extended(&self, part: &D::Poly) -> Result<D::Poly, FvError> {
        let extended = self.device.extend_by_p(part, self.digits()?)?;
        Ok(self.device.transform(extended, Domain::Evaluation)?)
    }

    /// Makes a plaintext ready to be a factor of extended ciphertexts of any level. It is given by any
    /// coefficients that are congruent to it modulo t: noise grows by their power, which
    /// [`ringmill_ring::embedding::small_lift`] keeps small.
    ///
    /// # Errors
    /// [`FvError::WrongPlaintext`] unless there are n coefficients.
    pub fn factor(&self, coefficients: &[i64]) -> Result<PlaintextOperand<D>, FvError> {
        if coefficients.len() != self.n() {
            return Err(FvError::WrongPlaintext {
                expected: self.n(),
                got: coefficients.len(),
            });
        }
        let factor = self.sampler().small(self.key_basis(), coefficients)?;
        Ok(PlaintextOperand(
            factor.transform(Domain::Evaluation)?.into_inner(),
        ))
    }

    /// The sum of extended ciphertexts, each multiplied by its factor if it has one, divided by P, plus the
    /// addends: all of one level, brought to `level`, which is not higher, in the domain asked for. The
    /// addends have two parts, in either domain.
    ///
    /// # Errors
    /// [`FvError::NoOperands`] if there are no terms; [`FvError::LevelMismatch`], [`FvError::BadLevel`],
    /// [`FvError::WrongParts`].
    pub fn combine(
        &self,
        terms: &[(&ExtendedCiphertext<D>, Option<&PlaintextOperand<D>>)],
        addends: &[&Ciphertext<D>],
        level: usize,
        domain: Domain,
    ) -> Result<Ciphertext<D>, FvError> {
        let combination = Combination {
            terms: terms.to_vec(),
            addends: addends.to_vec(),
            level,
        };
        let mut results = self.combine_all(&[combination], domain)?;
        results.pop().ok_or(FvError::NoOperands)
    }

    /// Several sums at once, each as [`Context::combine`]: extended ciphertexts that they have in common are
    /// read once.
    ///
    /// # Errors
    /// As [`Context::combine`].
    pub fn combine_all(
        &self,
        combinations: &[Combination<'_, D>],
        domain: Domain,
    ) -> Result<Vec<Ciphertext<D>>, FvError> {
        let mut sums = Vec::new();
        for combination in combinations {
            combination.check(self)?;
            let products = |side: for<'a> fn(&'a Pair<D::Poly>) -> &'a D::Poly| {
                let terms = combination.terms.iter();
                let pairs = terms.filter_map(|(term, factor)| Some((side(&term.parts), &factor.as_ref()?.0)));
                pairs.collect::<Vec<_>>()
            };
            sums.push(products(|pair| &pair.0));
            sums.push(products(|pair| &pair.1));
        }
        let wanted: Vec<Vec<_>> = sums.iter().filter(|sum| !sum.is_empty()).cloned().collect();
        let mut products = if wanted.is_empty() {
            Vec::new()
        } else {
            self.device.inner_products(&wanted, 1, Domain::Evaluation)?
        }
        .into_iter();
        let mut results = Vec::with_capacity(combinations.len());
        for (combination, sums) in combinations.iter().zip(sums.chunks_exact(2)) {
            let mut own = Vec::with_capacity(2);
            for sum in sums {
                own.push(if sum.is_empty() { None } else { products.next() });
            }
            results.push(combination.finish(self, own, domain)?);
        }
        Ok(results)
    }

    /// Sums of images of ciphertexts of one level under the automorphisms of some keys, each image multiplied by its factor
    /// if it has one, divided by P, plus the addends, in coefficient domain: [`Context::rotate`] and
    /// [`Context::combine_all`] in one, in which each key is read once for all ciphertexts.
    ///
    /// # Errors
    /// [`FvError::NoOperands`] without ciphertexts or terms; [`FvError::LevelMismatch`], [`FvError::BadLevel`],
    /// [`FvError::WrongParts`]; if the device refuses terms.
    pub fn sum_rotations(
        &self,
        operands: &[&Decomposed<D>],
        keys: &[&GaloisKey<D>],
        sums: &[RotationSum<'_, D>],
    ) -> Result<Vec<Ciphertext<D>>, FvError> {
        let level = operands.first().ok_or(FvError::NoOperands)?.level;
        for operand in operands {
            self.require_level(level, operand.level)?;
        }
        for sum in sums {
            self.target(level, sum.level)?;
            self.pairs(level, &sum.addends)?;
        }
        let rotatable = operands.iter().map(|operand| Rotatable {
            first: &operand.first,
            second: &operand.second,
            parts: &operand.digits,
        });
        let rotatable: Vec<_> = rotatable.collect();
        let keys: Vec<_> = keys
            .iter()
            .map(|key| (key.exponent, key.key.digits.as_slice()))
            .collect();
        let terms = sums.iter().map(|sum| {
            let terms = sum.terms.iter().map(|term| RotatedTerm {
                operand: term.operand,
                key: term.key,
                factor: term.factor.map(|factor| &factor.0),
            });
            terms.collect()
        });
        let terms: Vec<Vec<_>> = terms.collect();
        let images = self
            .device
            .rotated_sums(&rotatable, self.digits()?, &keys, &terms)?;
        let finished = images.into_iter().zip(sums).map(|((b, a), sum)| {
            let to = self.target(level, sum.level)?;
            let addends = self.pairs(level, &sum.addends)?;
            let mut parts = Vec::with_capacity(2);
            for (side, image) in [b, a].into_iter().enumerate() {
                // Its division begins so too, and addends need no transforms.
                let image = self.device.transform(image, Domain::Coefficient)?;
                let mut owned = vec![image];
                for addend in &addends {
                    let addend = [addend.0, addend.1][side];
                    let extended = self.device.extend_by_p(addend, self.digits()?)?;
                    owned.push(self.device.transform(extended, Domain::Coefficient)?);
                }
                let added = match owned.as_slice() {
                    [_] => None,
                    terms => Some(self.device.sum(&terms.iter().collect::<Vec<_>>())?),
                };
                let sum = added.as_ref().or(owned.first()).ok_or(FvError::NoOperands)?;
                parts.push(self.device.rescale(sum, &to, Domain::Coefficient)?);
            }
            Ok(Ciphertext::new(parts, sum.level))
        });
        finished.collect()
    }

    /// x -> x^k with the key for k, at the same level in the same domain; moves slots as
    /// [`ringmill_ring::Slots::permutation`] says.
    ///
    /// # Errors
    /// [`FvError::WrongParts`] unless it has two.
    pub fn automorphism(&self, a: &Ciphertext<D>, key: &GaloisKey<D>) -> Result<Ciphertext<D>, FvError> {
        let extended = self.rotate(&self.decompose(a)?, key)?;
        self.combine(&[(&extended, None)], &[], a.level, a.domain(&self.device))
    }
}
