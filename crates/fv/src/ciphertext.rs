use ringmill_arith::sampling::Seed;
use ringmill_device::Device;

/// An FV ciphertext on a device: parts c_0, c_1 (and c_2 after a product) over the first `level`
/// limbs of q, in coefficient domain. Its value at the secret key is (q/t) (m + v) modulo q, v the
/// noise.
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

    /// Number of limbs of its modulus.
    #[must_use]
    pub fn level(&self) -> usize {
        self.level
    }

    /// 2, or 3 between a product and its relinearization.
    #[must_use]
    pub fn parts(&self) -> usize {
        self.parts.len()
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
