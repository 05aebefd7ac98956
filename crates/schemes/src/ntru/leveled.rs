use std::marker::PhantomData;

use ringmill_device::Device;

use super::NtruError;

/// A polynomial over the primes of a level, of one scheme: what ciphertexts, factors and products are.
pub(crate) struct Leveled<S, D: Device> {
    pub poly: D::Poly,
    pub level: usize,
    scheme: PhantomData<S>,
}

impl<S, D: Device> Leveled<S, D> {
    pub fn new(poly: D::Poly, level: usize) -> Self {
        Self {
            poly,
            level,
            scheme: PhantomData,
        }
    }
}

/// Sees that two levels are the same.
pub(crate) fn require_level(expected: usize, got: usize) -> Result<(), NtruError> {
    if expected == got {
        Ok(())
    } else {
        Err(NtruError::LevelMismatch { expected, got })
    }
}
