//! Evaluation and interpolation modulo one prime.

mod fermat;
mod negacyclic;
mod operator;
mod passes;
mod products;
mod proof;
mod radix;
#[cfg(test)]
mod tests;
mod twiddles;
mod two_passes;

pub use fermat::diagonals;
pub(crate) use operator::{Direction, Operator, spectrum};
pub use products::Prepared;
pub(crate) use proof::prove;

use ringmill_arith::{Modulus, Simd};

use crate::{Ring, RingError};
use fermat::Correlations;
use negacyclic::Butterflies;

/// The transform of a ring modulo one prime, between coefficients and values at the primitive roots of
/// unity, in the orders that [`Ring`] defines. The root zeta is that of
/// [`ringmill_arith::prime::root_of_unity`] for the ring's conductor.
#[derive(Debug, Clone)]
pub struct Transform {
    n: usize,
    modulus: Modulus,
    kernel: Simd,
    method: Method,
}

#[derive(Debug, Clone)]
enum Method {
    Fermat(Box<Correlations>),
    Negacyclic(Box<Butterflies>),
}

impl Transform {
    /// Makes the tables for one prime and one kernel: about 4n words. The first call in a process for a
    /// kernel checks that the kernel's transforms are right, which takes milliseconds.
    ///
    /// # Errors
    /// The prime must be 1 modulo [`Ring::congruence`] and small enough for the kernel.
    /// [`ringmill_arith::ArithError::WrongKernel`] means that the kernel is wrong on this machine.
    pub fn new(ring: &Ring, modulus: Modulus, kernel: Simd) -> Result<Self, RingError> {
        proof::prove(kernel)?;
        Self::unproven(ring, modulus, kernel)
    }

    /// Does the work of [`Transform::new`] without the check of the kernel, which itself uses it.
    fn unproven(ring: &Ring, modulus: Modulus, kernel: Simd) -> Result<Self, RingError> {
        let method = match ring {
            Ring::Fermat(ring) => Method::Fermat(Box::new(Correlations::new(ring, &modulus, kernel)?)),
            Ring::Negacyclic(ring) => Method::Negacyclic(Box::new(Butterflies::new(ring, &modulus, kernel)?)),
        };
        Ok(Self {
            n: ring.n(),
            modulus,
            kernel,
            method,
        })
    }

    /// The prime of this transform.
    #[must_use]
    pub fn modulus(&self) -> &Modulus {
        &self.modulus
    }

    /// Turns coefficients into values, in place. Input and output are canonical residues.
    ///
    /// # Errors
    /// [`RingError::WrongLength`] unless there are n residues.
    pub fn evaluate(&self, data: &mut [u64]) -> Result<(), RingError> {
        require(self.n, data)?;
        match &self.method {
            Method::Fermat(correlations) => correlations.evaluate(data)?,
            Method::Negacyclic(butterflies) => butterflies.evaluate(self.kernel, data),
        }
        Ok(())
    }

    /// Turns values into coefficients, in place. Input and output are canonical residues.
    ///
    /// # Errors
    /// [`RingError::WrongLength`] unless there are n residues.
    pub fn interpolate(&self, data: &mut [u64]) -> Result<(), RingError> {
        require(self.n, data)?;
        match &self.method {
            Method::Fermat(correlations) => correlations.interpolate(data)?,
            Method::Negacyclic(butterflies) => butterflies.interpolate(self.kernel, data),
        }
        Ok(())
    }

    /// The values of coefficients, which stay as they are.
    ///
    /// # Errors
    /// [`RingError::WrongLength`] unless there are n residues in both.
    pub fn evaluate_to(&self, from: &[u64], to: &mut [u64]) -> Result<(), RingError> {
        require(self.n, from)?;
        require(self.n, to)?;
        match &self.method {
            Method::Fermat(correlations) => correlations.evaluate_to(from, to)?,
            Method::Negacyclic(butterflies) => {
                to.copy_from_slice(from);
                butterflies.evaluate(self.kernel, to);
            }
        }
        Ok(())
    }

    /// The coefficients of values, which stay as they are.
    ///
    /// # Errors
    /// [`RingError::WrongLength`] unless there are n residues in both.
    pub fn interpolate_to(&self, from: &[u64], to: &mut [u64]) -> Result<(), RingError> {
        require(self.n, from)?;
        require(self.n, to)?;
        match &self.method {
            Method::Fermat(correlations) => correlations.interpolate_to(from, to)?,
            Method::Negacyclic(butterflies) => {
                to.copy_from_slice(from);
                butterflies.interpolate(self.kernel, to);
            }
        }
        Ok(())
    }
}

/// Refuses words that are not n residues.
fn require(n: usize, words: &[u64]) -> Result<(), RingError> {
    if words.len() == n {
        return Ok(());
    }
    Err(RingError::WrongLength {
        expected: n,
        got: words.len(),
    })
}
