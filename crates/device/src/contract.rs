use ringmill_arith::Basis;
use ringmill_ring::{Domain, FermatRing};

use crate::DeviceError;

/// How a polynomial is cut into small digits for key switching.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Digits {
    /// Hybrid key switching. Over q_0 ... q_(l-1), digit i is the centred value of a modulo the
    /// product of the limbs i `size` to (i + 1) `size` (the last digit may have fewer), lifted to
    /// q_0 ... q_(l-1) and the special primes.
    ///
    /// Element i of a key for s' encrypts P mod q_j in the limbs j of digit i and 0 in all others,
    /// times s', P the product of the special primes: then sum_i digit_i key_i encrypts P a s',
    /// whatever the number of limbs.
    Limbs {
        /// Limbs of a digit.
        size: usize,
        /// The special primes.
        special: Basis,
    },
    /// Digits of the representative in [0, q), base 2^bits, each in (-2^(bits-1), 2^(bits-1)],
    /// from the lowest: ceil(log2(q) / bits) of them, and one more for a last carry.
    /// Element i of a key encrypts 2^(bits i) s'.
    Words {
        /// Bits of a digit, 2 to 60.
        bits: u32,
    },
}

impl Digits {
    /// Digits of a polynomial over `basis`.
    #[must_use]
    pub fn count(&self, basis: &Basis) -> usize {
        match self {
            Self::Limbs { size, .. } => basis.len().div_ceil((*size).max(1)),
            Self::Words { bits } => basis.product().bits().div_ceil(u64::from((*bits).max(1))) as usize + 1,
        }
    }
}

/// Two polynomials: an element (b_i, a_i) of a switching key, or what key switching gives.
pub type Pair<P> = (P, P);

/// The elements of a switching key, evaluation domain, one for each digit.
pub type SwitchingKey<P> = [Pair<P>];

/// A memory of residue polynomials and operations on them.
///
/// A polynomial is an element of a Fermat ring modulo the product of a [`Basis`]: for each prime a
/// limb of n canonical residues, either coefficients in the normal basis or values at the roots
/// ([`Domain`]). Operations take whole polynomials; they take `&self` and may run in parallel. All
/// are exact, so all devices return the same bits.
///
/// Every operation fails on operands of unfit basis or domain; errors leave the operands unchanged.
pub trait Device: Send + Sync {
    /// A polynomial in the device's memory; dropping it frees it.
    type Poly: Send + Sync;

    /// The ring of all polynomials.
    fn ring(&self) -> &FermatRing;

    /// What a person calls this device.
    fn name(&self) -> String;

    /// The primes of a polynomial's limbs.
    fn basis<'a>(&self, a: &'a Self::Poly) -> &'a Basis;

    /// What a polynomial's words are.
    fn domain(&self, a: &Self::Poly) -> Domain;

    /// Moves words in: limb after limb, n canonical residues each.
    ///
    /// # Errors
    /// [`DeviceError::WrongLength`], [`DeviceError::OutOfRange`].
    fn upload(&self, basis: &Basis, domain: Domain, words: &[u64]) -> Result<Self::Poly, DeviceError>;

    /// Moves words out, in the order of [`Device::upload`].
    ///
    /// # Errors
    /// If the device fails.
    fn download(&self, a: &Self::Poly) -> Result<Vec<u64>, DeviceError>;

    /// A second polynomial with the same words.
    ///
    /// # Errors
    /// If the device fails.
    fn copy(&self, a: &Self::Poly) -> Result<Self::Poly, DeviceError>;

    /// Frees a polynomial after overwriting its memory: for secrets.
    fn wipe(&self, a: Self::Poly);

    /// The limbs of some of the primes, as they are.
    ///
    /// # Errors
    /// [`DeviceError::MissingLimb`].
    fn restrict(&self, a: &Self::Poly, to: &Basis) -> Result<Self::Poly, DeviceError>;

    /// Transforms or transforms back; nothing if it is in that domain already.
    ///
    /// # Errors
    /// If the device fails.
    fn transform(&self, a: Self::Poly, to: Domain) -> Result<Self::Poly, DeviceError>;

    /// The sum of polynomials of one basis and domain.
    ///
    /// # Errors
    /// [`DeviceError::NoOperands`], [`DeviceError::BasisMismatch`], [`DeviceError::WrongDomain`].
    fn sum(&self, terms: &[&Self::Poly]) -> Result<Self::Poly, DeviceError>;

    /// a - b.
    ///
    /// # Errors
    /// As [`Device::sum`].
    fn sub(&self, a: &Self::Poly, b: &Self::Poly) -> Result<Self::Poly, DeviceError>;

    /// -a.
    ///
    /// # Errors
    /// If the device fails.
    fn negate(&self, a: &Self::Poly) -> Result<Self::Poly, DeviceError>;

    /// The sum of the products of pairs in evaluation domain, in the domain asked for. The result
    /// has the basis of the first operands; the second operands may have further limbs.
    ///
    /// # Errors
    /// As [`Device::sum`]; [`DeviceError::MissingLimb`].
    fn dot(&self, pairs: &[(&Self::Poly, &Self::Poly)], to: Domain) -> Result<Self::Poly, DeviceError>;

    /// Several sums of products at once, each as [`Device::dot`]: a device can share what they have in
    /// common, as the three sums of a tensor product do.
    ///
    /// # Errors
    /// As [`Device::dot`].
    fn dots(
        &self,
        sums: &[Vec<(&Self::Poly, &Self::Poly)>],
        to: Domain,
    ) -> Result<Vec<Self::Poly>, DeviceError> {
        sums.iter().map(|pairs| self.dot(pairs, to)).collect()
    }

    /// x -> x^exponent, in the operand's domain.
    ///
    /// # Errors
    /// If the exponent is not a unit modulo d.
    fn automorphism(&self, a: &Self::Poly, exponent: u64) -> Result<Self::Poly, DeviceError>;

    /// Lift: a (coefficient domain), in its centred representation in (-q/2, q/2), over its basis
    /// and then the extension, in the domain asked for.
    ///
    /// # Errors
    /// [`DeviceError::WrongDomain`]; if the bases share a prime.
    fn lift(&self, a: &Self::Poly, extension: &Basis, to: Domain) -> Result<Self::Poly, DeviceError>;

    /// Several lifts at once, of polynomials of one basis, each as [`Device::lift`].
    ///
    /// # Errors
    /// As [`Device::lift`]; [`DeviceError::BasisMismatch`].
    fn lifts(
        &self,
        polys: &[&Self::Poly],
        extension: &Basis,
        to: Domain,
    ) -> Result<Vec<Self::Poly>, DeviceError> {
        polys.iter().map(|a| self.lift(a, extension, to)).collect()
    }

    /// Scale: for c (coefficient domain) over q, its first `keep` limbs, and B, the others:
    /// round(\[t c\] / q) over q, where \[t c\] is the centred representative modulo q B. The
    /// quotient is itself taken centred modulo B; where |t c| < q B / 2 nothing wraps.
    ///
    /// # Errors
    /// [`DeviceError::WrongDomain`], [`DeviceError::BadLimbCount`].
    fn scale(&self, c: &Self::Poly, t: u64, keep: usize) -> Result<Self::Poly, DeviceError>;

    /// Modulus drop: round(a / D), D the product of all limbs but the first `keep`, over those; a
    /// (coefficient domain) in its centred representation.
    ///
    /// # Errors
    /// [`DeviceError::WrongDomain`], [`DeviceError::BadLimbCount`].
    fn drop_limbs(&self, a: &Self::Poly, keep: usize) -> Result<Self::Poly, DeviceError>;

    /// Digit decomposition of a (coefficient domain), in evaluation domain: over the basis of a and
    /// the special primes for [`Digits::Limbs`], over the basis of a for [`Digits::Words`].
    ///
    /// # Errors
    /// [`DeviceError::WrongDomain`], [`DeviceError::BadDigits`].
    fn decompose(&self, a: &Self::Poly, digits: &Digits) -> Result<Vec<Self::Poly>, DeviceError>;

    /// Key switching of a (coefficient domain): the sums of digits times key elements, for
    /// [`Digits::Limbs`] divided by P; over the basis of a, in coefficient domain.
    ///
    /// # Errors
    /// As [`Device::decompose`]; [`DeviceError::ShortKey`].
    fn key_switch(
        &self,
        a: &Self::Poly,
        digits: &Digits,
        key: &SwitchingKey<Self::Poly>,
    ) -> Result<Pair<Self::Poly>, DeviceError> {
        let limbs = self.basis(a).len();
        let parts = self.decompose(a, digits)?;
        if key.len() < parts.len() {
            return Err(DeviceError::ShortKey {
                needed: parts.len(),
                got: key.len(),
            });
        }
        let sum = |side: fn(&Pair<Self::Poly>) -> &Self::Poly| {
            let pairs: Vec<_> = parts.iter().zip(key.iter().map(side)).collect();
            let sum = self.dot(&pairs, Domain::Coefficient)?;
            match digits {
                Digits::Limbs { .. } => self.drop_limbs(&sum, limbs),
                Digits::Words { .. } => Ok(sum),
            }
        };
        Ok((sum(|pair| &pair.0)?, sum(|pair| &pair.1)?))
    }
}
