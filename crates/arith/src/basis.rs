use std::sync::Arc;

use num_bigint::BigUint;

use crate::{ArithError, Modulus};

/// An ordered list of distinct primes: the moduli of the limbs of an RNS polynomial. Clones are cheap.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Basis(Arc<[Modulus]>);

impl Basis {
    /// Makes a basis of these primes, in this order.
    ///
    /// # Errors
    /// [`ArithError::BadBasis`] if there are no primes, or one of them occurs twice.
    pub fn new(moduli: &[Modulus]) -> Result<Self, ArithError> {
        let mut values: Vec<u64> = moduli.iter().map(Modulus::value).collect();
        values.sort_unstable();
        if values.is_empty() || values.windows(2).any(|w| w[0] == w[1]) {
            return Err(ArithError::BadBasis);
        }
        Ok(Self(moduli.into()))
    }

    /// The primes.
    #[must_use]
    pub fn moduli(&self) -> &[Modulus] {
        &self.0
    }

    /// The number of limbs.
    #[must_use]
    #[allow(clippy::len_without_is_empty)] // never empty
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The limbs `range` of this basis.
    ///
    /// # Errors
    /// [`ArithError::BadBasis`] if the range is empty or reaches past the end.
    pub fn slice(&self, range: std::ops::Range<usize>) -> Result<Self, ArithError> {
        match self.0.get(range) {
            Some(part) if !part.is_empty() => Ok(Self(part.into())),
            _ => Err(ArithError::BadBasis),
        }
    }

    /// The first `len` limbs of this basis.
    ///
    /// # Errors
    /// [`ArithError::BadBasis`] if `len` is 0 or too large.
    pub fn prefix(&self, len: usize) -> Result<Self, ArithError> {
        self.slice(0..len)
    }

    /// This basis followed by another.
    ///
    /// # Errors
    /// [`ArithError::SharedPrime`] if a prime is in both.
    pub fn concat(&self, other: &Self) -> Result<Self, ArithError> {
        if let Some(shared) = other.0.iter().find(|m| self.0.contains(m)) {
            return Err(ArithError::SharedPrime(shared.value()));
        }
        Ok(Self(self.0.iter().chain(other.0.iter()).copied().collect()))
    }

    /// The position of a prime in the basis; `None` if the basis lacks it.
    #[must_use]
    pub fn position(&self, modulus: &Modulus) -> Option<usize> {
        self.0.iter().position(|m| m == modulus)
    }

    /// The product of the primes.
    #[must_use]
    pub fn product(&self) -> BigUint {
        self.0.iter().map(|m| BigUint::from(m.value())).product()
    }

    /// The product, modulo q, of the primes that another basis lacks.
    #[must_use]
    pub fn product_beyond(&self, inner: &Self, q: &Modulus) -> u64 {
        let further = self.0.iter().filter(|p| inner.position(p).is_none());
        further.fold(1, |product, p| q.mul(product, q.reduce(p.value())))
    }

    /// The log2 of the product.
    #[must_use]
    pub fn log2(&self) -> f64 {
        self.0.iter().map(|m| (m.value() as f64).log2()).sum()
    }
}
