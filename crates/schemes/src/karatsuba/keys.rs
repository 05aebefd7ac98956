use std::fmt;

use ringmill_arith::sampling::Seed;

use super::Parameters;
use ringmill_arith::secret::Secret;

/// A secret key of this family: n binary coefficients in the power basis. Wiped when dropped.
pub struct SecretKey {
    pub(super) parameters: Parameters,
    pub(super) coefficients: Secret<Vec<u8>>,
}

/// Says only that it is one.
impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretKey(..)")
    }
}

/// A public key (b, a), b = -(a s + e), of this family: residues of coefficients, limb after limb; a expanded
/// from a seed.
#[derive(Debug, Clone)]
pub struct PublicKey {
    pub(super) parameters: Parameters,
    pub(super) seed: Seed,
    pub(super) b: Vec<u64>,
    pub(super) a: Vec<u64>,
}

/// A ciphertext of this family: (c_0, c_1) with c_0 + c_1 s = floor(q/2) m + noise; residues of coefficients, limb
/// after limb.
#[derive(Debug, Clone)]
pub struct Ciphertext {
    pub(super) parameters: Parameters,
    pub(super) parts: [Vec<u64>; 2],
}

impl Ciphertext {
    /// Both polynomials: residues of coefficients, limb after limb.
    #[must_use]
    pub const fn parts(&self) -> &[Vec<u64>; 2] {
        &self.parts
    }
}
