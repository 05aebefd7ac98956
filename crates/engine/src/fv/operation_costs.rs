//! The costs of single operations, for evaluators that follow no plan of a circuit.

use ringmill_fv::{FvError, Parameters};

use crate::fv::calibration::Work;
use crate::fv::cost::Costs;
use crate::fv::product_form::ProductForm;
use crate::schedule::memory::Sizes;
use crate::{Operation, Side, ValueId};

/// Work and memory of operations in the BFV form, by level, under one set of parameters.
#[derive(Debug, Clone)]
pub struct OperationCosts {
    costs: Costs,
}

/// Of any two ciphertexts.
fn product() -> Operation {
    Operation::Product {
        pairs: vec![(ValueId(0), ValueId(1))],
        terms: Vec::new(),
        clear: None,
    }
}

impl OperationCosts {
    /// With keys for so many automorphisms in memory.
    ///
    /// # Errors
    /// [`FvError::NoKeySwitching`] for parameters without auxiliary or special primes.
    pub fn new(parameters: &Parameters, galois_keys: usize) -> Result<Self, FvError> {
        let costs = Costs::of_operations(parameters, ProductForm::Bfv, galois_keys)?;
        Ok(Self { costs })
    }

    /// Work of a product of two ciphertexts or a square, relinearized and brought to a level.
    #[must_use]
    pub fn product(&self, at: usize, to: usize) -> Work {
        let factors = Side::DIFFERENT.map(|side| self.costs.factor(at, side));
        factors[0] + factors[1] + self.costs.operation(&product(), at, to)
    }

    /// Work of a product of a ciphertext with a plaintext, encoding included.
    #[must_use]
    pub fn plain_product(&self, at: usize) -> Work {
        self.costs.plain_product(at)
    }

    /// Work of a sum of so many ciphertexts, and of a plaintext if there is one.
    #[must_use]
    pub fn sum(&self, terms: usize, with_clear: bool, at: usize) -> Work {
        self.costs.sum(terms, with_clear, at)
    }

    /// Work of an automorphism, brought to a level.
    #[must_use]
    pub fn automorphism(&self, at: usize, to: usize) -> Work {
        self.costs.decompose(at) + self.costs.rotate(at) + self.costs.to_level(at, to)
    }

    /// Work of bringing a ciphertext to a lower level.
    #[must_use]
    pub fn switch(&self, at: usize, to: usize) -> Work {
        self.costs.switch(at, to)
    }

    /// Bytes of keys, tables and the process.
    #[must_use]
    pub fn fixed_bytes(&self) -> u64 {
        self.costs.fixed()
    }

    /// Bytes of a ciphertext in memory.
    #[must_use]
    pub fn ciphertext_bytes(&self, level: usize) -> u64 {
        self.costs.ciphertext_bytes(level)
    }

    /// Bytes that a product needs while it is computed, with its factors.
    #[must_use]
    pub fn product_bytes(&self, level: usize) -> u64 {
        2 * self.costs.factor_bytes(level) + self.costs.workspace(&product(), level)
    }

    /// Bytes that an automorphism needs while it is computed.
    #[must_use]
    pub fn automorphism_bytes(&self, level: usize) -> u64 {
        self.costs.digits_bytes(level) + self.costs.extended_bytes(level)
    }
}
