use std::borrow::Borrow;

use ringmill_arith::{Modulus, Simd};

use super::negacyclic::Table;
use super::{Method, Transform, require};
use crate::RingError;

/// A fixed factor of products, in evaluation domain, prepared for [`Transform::products`].
#[derive(Debug, Clone)]
pub struct Prepared {
    /// The dimension n, the prime and the kernel of its transform.
    owner: (usize, Modulus, Simd),
    values: Values,
}

#[derive(Debug, Clone)]
enum Values {
    /// Canonical residues, each with its companion ([`Modulus::shoup`]).
    Pairs(Vec<(u64, u64)>),
    Table(Table),
}

impl Prepared {
    fn pairs(&self) -> Option<&[(u64, u64)]> {
        match &self.values {
            Values::Pairs(pairs) => Some(pairs),
            Values::Table(_) => None,
        }
    }

    fn table(&self) -> Option<&Table> {
        match &self.values {
            Values::Pairs(_) => None,
            Values::Table(table) => Some(table),
        }
    }
}

impl Transform {
    /// Prepares a factor, n canonical residues in evaluation domain, for many products.
    ///
    /// # Errors
    /// [`RingError::WrongLength`] unless there are n residues.
    pub fn prepare(&self, values: &[u64]) -> Result<Prepared, RingError> {
        require(self.n, values)?;
        let pair = |&w: &u64| (w, self.modulus.shoup(w));
        Ok(Prepared {
            owner: self.owner(),
            values: match &self.method {
                Method::Fermat(_) => Values::Pairs(values.iter().map(pair).collect()),
                Method::Negacyclic(butterflies) => Values::Table(butterflies.prepare(self.kernel, values)),
            },
        })
    }

    /// Sets `others[j]` to `a` times `factors[j + 1]` and `a` to its product with the first factor, from coefficients to
    /// coefficients, with canonical residues in and out. It transforms `a` once; each factor then takes a pointwise
    /// product and a transform back.
    ///
    /// # Errors
    /// [`RingError::WrongLength`] unless all have n words and `others` is one shorter than `factors`;
    /// [`RingError::ForeignFactor`] if a factor was prepared for another ring, prime or kernel.
    pub fn products<F: Borrow<Prepared>>(
        &self,
        a: &mut [u64],
        factors: &[F],
        others: &mut [&mut [u64]],
    ) -> Result<(), RingError> {
        require(self.n, a)?;
        others.iter().try_for_each(|product| require(self.n, product))?;
        if factors.len() != others.len() + 1 {
            return Err(RingError::WrongLength {
                expected: others.len() + 1,
                got: factors.len(),
            });
        }
        let factors = factors.iter().map(Borrow::borrow);
        if let Some(foreign) = factors.clone().find(|factor| factor.owner != self.owner()) {
            return Err(RingError::ForeignFactor {
                modulus: foreign.owner.1.value(),
                n: foreign.owner.0,
            });
        }
        match &self.method {
            Method::Fermat(_) => self.pointwise(a, factors.filter_map(Prepared::pairs), others)?,
            Method::Negacyclic(butterflies) => {
                butterflies.products(self.kernel, a, factors.filter_map(Prepared::table), others);
            }
        }
        Ok(())
    }

    fn pointwise<'a>(
        &self,
        a: &mut [u64],
        mut factors: impl Iterator<Item = &'a [(u64, u64)]>,
        others: &mut [&mut [u64]],
    ) -> Result<(), RingError> {
        self.evaluate(a)?;
        let first = factors.next().unwrap_or_default();
        for (factor, product) in factors.zip(others) {
            for (to, (&x, &(w, companion))) in product.iter_mut().zip(a.iter().zip(factor)) {
                *to = self.modulus.mul_shoup(x, w, companion);
            }
            self.interpolate(product)?;
        }
        for (x, &(w, companion)) in a.iter_mut().zip(first) {
            *x = self.modulus.mul_shoup(*x, w, companion);
        }
        self.interpolate(a)
    }

    fn owner(&self) -> (usize, Modulus, Simd) {
        (self.n, self.modulus, self.kernel)
    }
}
