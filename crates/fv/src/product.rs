//! Relinearized products, of one factor modulo q and one modulo B.
//!
//! This is the product of Kim, Polyakov and Zucca, "Revisiting homomorphic encryption schemes for finite fields" (2021),
//! section 3.2, in which one factor is scaled before the tensor product instead of the product behind it. Beyond that, the
//! relinearization shares the division: its special primes are among those of B.

use ringmill_device::{Device, Tensor};
use ringmill_ring::Domain;

use crate::{Ciphertext, Context, FvError, RelinearizationKey};

/// A ciphertext made ready to be the first factor of products: lifted from q to q B, in evaluation domain.
pub struct FirstFactor<D: Device> {
    parts: [D::Poly; 2],
    level: usize,
}

/// A ciphertext made ready to be the second factor of products: switched from q to B with rounding, then lifted to q B, in
/// evaluation domain.
pub struct SecondFactor<D: Device> {
    parts: [D::Poly; 2],
    level: usize,
}

/// A pair of factors.
type Factors<'a, D> = (&'a FirstFactor<D>, &'a SecondFactor<D>);

/// A sum of products that is not relinearized: its third part, and the factors, of which the others are made.
pub struct Product<'a, D: Device> {
    factors: Vec<Factors<'a, D>>,
    /// Over q, in coefficient domain.
    third: D::Poly,
    level: usize,
}

impl<D: Device> Context<D> {
    /// Makes a ciphertext of two parts, in either domain, ready to be a first factor.
    ///
    /// # Errors
    /// [`FvError::WrongParts`].
    pub fn first_factor(&self, a: &Ciphertext<D>) -> Result<FirstFactor<D>, FvError> {
        let parts = a.two_parts()?;
        let extension = self.parameters.factor_basis(a.level)?;
        Ok(FirstFactor {
            parts: self.lifted(parts, &extension)?,
            level: a.level,
        })
    }

    /// Makes a ciphertext of two parts, in either domain, ready to be a second factor.
    ///
    /// # Errors
    /// [`FvError::WrongParts`].
    pub fn second_factor(&self, a: &Ciphertext<D>) -> Result<SecondFactor<D>, FvError> {
        let [first, second] = a.two_parts()?;
        let (device, basis) = (&self.device, self.parameters.factor_basis(a.level)?);
        let switch = |part| device.rescale(part, &basis, Domain::Coefficient);
        let (first, second) = (switch(first)?, switch(second)?);
        let q = self.basis(a.level)?;
        Ok(SecondFactor {
            parts: self.lifted([&first, &second], &q)?,
            level: a.level,
        })
    }

    /// The sum of products, AND of the slots for t = 2, for [`Context::relinearize_product`].
    ///
    /// A first factor a has the phase a(s) = (q/t) (m + v) + q k, a second one b(s) = (B/t) (m' + v') + B k'. So
    /// (t/B) a b(s) = (q/t) (m m' + ...) modulo q, as a product of FV has it, and t a b is needed modulo q B only.
    ///
    /// # Errors
    /// [`FvError::LevelMismatch`], [`FvError::NoOperands`].
    pub fn product<'a>(&self, factors: &[Factors<'a, D>]) -> Result<Product<'a, D>, FvError> {
        let level = factors.first().ok_or(FvError::NoOperands)?.0.level;
        for (a, b) in factors {
            self.require_level(level, a.level)?;
            self.require_level(level, b.level)?;
        }
        let pairs = factors.iter().map(|(a, b)| (&a.parts[1], &b.parts[1]));
        let (sums, t) = ([pairs.collect()], self.parameters.t());
        let wide = self.device.inner_products(&sums, t, Domain::Coefficient)?;
        let wide = wide.first().ok_or(FvError::NoOperands)?;
        Ok(Product {
            factors: factors.to_vec(),
            third: self
                .device
                .rescale(wide, &self.basis(level)?, Domain::Coefficient)?,
            level,
        })
    }

    /// The product of two ciphertexts of one level, or the square of one, relinearized and switched to `level`:
    /// [`Context::product`] of factors that serve no other product.
    ///
    /// # Errors
    /// As [`Context::relinearize_product`].
    pub fn multiply_relinearize(
        &self,
        [a, b]: [&Ciphertext<D>; 2],
        key: &RelinearizationKey<D>,
        level: usize,
        domain: Domain,
    ) -> Result<Ciphertext<D>, FvError> {
        let (first, second) = (self.first_factor(a)?, self.second_factor(b)?);
        let product = self.product(&[(&first, &second)])?;
        self.relinearize_product(&product, &[], key, level, domain)
    }

    /// Brings a product to two parts, adds ciphertexts, and switches the sum to `level`, not above the product's, in
    /// the domain asked for: all with one rounding.
    ///
    /// The addends have two parts each, at the product's level; they may be in either domain.
    ///
    /// # Errors
    /// [`FvError::WrongParts`], [`FvError::LevelMismatch`], [`FvError::BadLevel`].
    pub fn relinearize_product(
        &self,
        product: &Product<'_, D>,
        addends: &[&Ciphertext<D>],
        key: &RelinearizationKey<D>,
        level: usize,
        domain: Domain,
    ) -> Result<Ciphertext<D>, FvError> {
        let to = self.target(product.level, level)?;
        let addends = self.pairs(product.level, addends)?;
        let part = |i: usize, j: usize| {
            let factors = product.factors.iter();
            factors.map(move |(a, b)| (&a.parts[i], &b.parts[j]))
        };
        let tensor = Tensor {
            sums: [part(0, 0).collect(), part(0, 1).chain(part(1, 0)).collect()],
            multiplier: self.parameters.t(),
            third: &product.third,
        };
        let key = &key.0.digits;
        let (first, second) = self
            .device
            .relinearize(&tensor, &addends, self.digits()?, key, &to, domain)?;
        Ok(Ciphertext::new(vec![first, second], level))
    }
}
