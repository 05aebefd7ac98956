use super::Transform;
use crate::RingError;

/// A fixed factor of products, in evaluation domain, as [`Transform::products`] wants it.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// Canonical residues, each with its companion ([`ringmill_arith::Modulus::shoup`]).
    values: Vec<(u64, u64)>,
}

impl Transform {
    /// Prepares a factor, n canonical residues in evaluation domain, for many products.
    ///
    /// # Errors
    /// [`RingError::WrongLength`] unless there are n of them.
    pub fn prepare(&self, values: &[u64]) -> Result<Prepared, RingError> {
        self.require(values)?;
        let q = &self.modulus;
        Ok(Prepared {
            values: values.iter().map(|&w| (w, q.shoup(w))).collect(),
        })
    }

    /// `products[j]` = `a` times `factors[j]`, from coefficients to coefficients, canonical residues in
    /// and out: one transform of `a`, then a pointwise product and a transform back for each factor.
    ///
    /// # Errors
    /// [`RingError::WrongLength`] unless all have n words, and there are as many products as factors.
    pub fn products(
        &self,
        a: &[u64],
        factors: &[&Prepared],
        products: &mut [&mut [u64]],
    ) -> Result<(), RingError> {
        self.require(a)?;
        if factors.len() != products.len() {
            return Err(RingError::WrongLength {
                expected: factors.len(),
                got: products.len(),
            });
        }
        let mut values = a.to_vec();
        self.evaluate(&mut values)?;
        for (factor, product) in factors.iter().zip(products) {
            self.require(product)?;
            for (to, (&x, &(w, companion))) in product.iter_mut().zip(values.iter().zip(&factor.values)) {
                *to = self.modulus.mul_shoup(x, w, companion);
            }
            self.interpolate(product)?;
        }
        Ok(())
    }
}
