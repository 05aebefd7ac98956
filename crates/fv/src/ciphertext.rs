use ringmill_arith::sampling::Seed;
use ringmill_device::Device;
use ringmill_ring::Domain;

use crate::FvError;

/// An FV ciphertext on a device: parts c_0, c_1 (and c_2 after a product) over the limbs of its level, all
/// in the same domain. Its value at the secret key is (q/t) (m + v) modulo q, v the noise.
pub struct Ciphertext<D: Device> {
    pub(crate) parts: Vec<D::Poly>,
    pub(crate) level: usize,
    /// Of a fresh secret-key encryption: what c_1 is expanded from, so that a file need not hold it.
    pub(crate) seed: Option<Seed>,
}

impl<D: Device> Ciphertext<D> {
    pub(crate) fn new(parts: Vec<D::Poly>, level: usize) -> Self {
        Self {
            parts,
            level,
            seed: None,
        }
    }

    /// Its level: see [`crate::Parameters::levels`].
    #[must_use]
    pub fn level(&self) -> usize {
        self.level
    }

    /// 2, or 3 between a product and its relinearization.
    #[must_use]
    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    pub(crate) fn two_parts(&self) -> Result<[&D::Poly; 2], FvError> {
        match self.parts.as_slice() {
            [first, second] => Ok([first, second]),
            parts => Err(FvError::WrongParts(parts.len())),
        }
    }

    /// The domain of its words: coefficients after encryption, until an operation says otherwise.
    #[must_use]
    pub fn domain(&self, device: &D) -> Domain {
        self.parts
            .first()
            .map_or(Domain::Coefficient, |part| device.domain(part))
    }
}

/// A ciphertext made ready to be a factor: lifted to the larger basis and transformed, once for all
/// the products it is used in.
pub struct Lifted<D: Device> {
    pub(crate) parts: [D::Poly; 2],
    pub(crate) level: usize,
}

impl<D: Device> Lifted<D> {
    /// The level of the ciphertext it was made from.
    #[must_use]
    pub fn level(&self) -> usize {
        self.level
    }
}
