use ringmill_arith::Basis;
use ringmill_ring::{Domain, Ring};

use crate::{DeviceError, Digits, GroupedKey};

/// Two polynomials: an element (b_i, a_i) of a switching key, or what key switching gives.
pub type Pair<P> = (P, P);

/// The elements of a switching key, evaluation domain, one for each digit.
pub type SwitchingKey<P> = [Pair<P>];

/// Bytes of freed polynomials that a device may keep for later ones, at most: plans count them.
pub const MOST_RETAINED: u64 = 384 << 20;

/// A memory of residue polynomials and operations on them.
///
/// A polynomial is an element of a [`Ring`] modulo the product of a [`Basis`]: for each prime a limb of n
/// canonical residues, either coefficients or values at the roots ([`Domain`]), in the ring's order. Operations
/// take whole polynomials; they take `&self` and may run in parallel. All are exact, so all devices return the same
/// bits.
///
/// Every operation fails on operands of unfit basis or domain; errors leave the operands unchanged. What all devices
/// refuse alike is written once, in [`refusals`](crate::refusals): the first line of an operation.
///
/// No operation has a definition here. A device writes its own, takes one that is made of other operations
/// ([`provide!`](crate::provide)), or leaves it to another device ([`delegate!`](crate::delegate)), and says so by
/// the operation's name: one that comes to the contract is missed, by the compiler, in every device.
pub trait Device: Send + Sync {
    /// A polynomial in the device's memory; dropping it frees it.
    type Poly: Send + Sync;

    /// The ring of all polynomials.
    fn ring(&self) -> &Ring;

    /// What a person calls this device.
    fn name(&self) -> String;

    /// Bytes of the device's own memory; `None` where that is the host's.
    fn memory(&self) -> Option<u64>;

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

    /// Waits until all that was asked of the device is done. Operations may return before; a failure of one
    /// shows in a later operation, or here at the latest.
    ///
    /// # Errors
    /// If an earlier operation failed.
    fn finish(&self) -> Result<(), DeviceError>;

    /// Says that a polynomial will not be used for a while: a device that is short of memory may put it
    /// elsewhere before others. It can be used all the same.
    fn hint_idle(&self, a: &Self::Poly);

    /// Says that a polynomial that was at rest will be used soon: a device may bring it back ahead of time.
    fn prefetch(&self, a: &Self::Poly);

    /// Gives memory that a device keeps of freed polynomials back to the system, which is short of it.
    fn release(&self);

    /// The limbs of some of the primes, as they are.
    ///
    /// # Errors
    /// [`DeviceError::MissingLimb`].
    fn restrict(&self, a: &Self::Poly, to: &Basis) -> Result<Self::Poly, DeviceError>;

    /// All limbs of several polynomials of one domain, in order, as one polynomial.
    ///
    /// # Errors
    /// [`DeviceError::NoOperands`], [`DeviceError::WrongDomain`]; if two of them share a prime.
    fn concat_limbs(&self, parts: &[&Self::Poly]) -> Result<Self::Poly, DeviceError>;

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
    fn inner_product(
        &self,
        pairs: &[(&Self::Poly, &Self::Poly)],
        to: Domain,
    ) -> Result<Self::Poly, DeviceError>;

    /// Several sums of products at once, each as [`Device::inner_product`] and multiplied by `multiplier`: a
    /// device can share what they have in common, as the three sums of a tensor product do.
    ///
    /// # Errors
    /// As [`Device::inner_product`].
    fn inner_products(
        &self,
        sums: &[Vec<(&Self::Poly, &Self::Poly)>],
        multiplier: u64,
        to: Domain,
    ) -> Result<Vec<Self::Poly>, DeviceError>;

    /// Products with fixed factors: a_i f_j for every polynomial a_i of a batch, in coefficient domain and of
    /// one basis, and every factor f_j, in evaluation domain and perhaps with further limbs. Entry j of entry
    /// i, in coefficient domain; one transform of a_i serves all its products.
    ///
    /// The batch is used up and, whatever happens, its memory overwritten: it is the masks of encryptions
    /// (paper 2, algorithms 5 and 7).
    ///
    /// # Errors
    /// [`DeviceError::NoOperands`] if there are no factors; [`DeviceError::WrongDomain`],
    /// [`DeviceError::BasisMismatch`], [`DeviceError::MissingLimb`].
    fn multiply_fixed(
        &self,
        batch: Vec<Self::Poly>,
        factors: &[&Self::Poly],
    ) -> Result<Vec<Vec<Self::Poly>>, DeviceError>;

    /// x -> x^exponent, in the operand's domain.
    ///
    /// # Errors
    /// If the exponent is not a unit modulo the conductor.
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
    /// As [`Device::lift`]; [`DeviceError::NoOperands`], [`DeviceError::BasisMismatch`].
    fn lifts(
        &self,
        polys: &[&Self::Poly],
        extension: &Basis,
        to: Domain,
    ) -> Result<Vec<Self::Poly>, DeviceError>;

    /// Scale: for c (coefficient domain) over q, its first `keep` limbs, and B, the others:
    /// round(\[t c\] / q) over q, where \[t c\] is the centred representative modulo q B. The
    /// quotient is itself taken centred modulo B; where |t c| < q B / 2 nothing wraps.
    ///
    /// # Errors
    /// [`DeviceError::WrongDomain`], [`DeviceError::BadLimbCount`].
    fn scale(&self, c: &Self::Poly, t: u64, keep: usize) -> Result<Self::Poly, DeviceError>;

    /// Modulus switching: round(U a / D) over `to`, in the domain asked for, D being the product of the
    /// limbs of a that are not in `to` and U that of the limbs of `to` that a does not have: so a,
    /// a multiple of 1/q, becomes the nearest multiple of 1/q', q' = q U / D. Where D is 1 it is U a.
    ///
    /// Exactly: (U a - r)/D with r = U a modulo D in (-D/2, D/2).
    ///
    /// # Errors
    /// If the device fails.
    fn rescale(&self, a: &Self::Poly, to: &Basis, domain: Domain) -> Result<Self::Poly, DeviceError>;

    /// Digit decomposition of a, in evaluation domain, over [`Digits::extended`] of its basis.
    ///
    /// # Errors
    /// [`DeviceError::BadDigits`]; [`DeviceError::MissingLimb`] for a limb that is in no group.
    fn decompose(&self, a: &Self::Poly, digits: &Digits) -> Result<Vec<Self::Poly>, DeviceError>;

    /// The words of a that [`Digits::BaseTwo`] defines, but over any basis, in evaluation domain.
    ///
    /// # Errors
    /// [`DeviceError::BadDigits`].
    fn decompose_base_two(
        &self,
        a: &Self::Poly,
        bits: u32,
        over: &Basis,
    ) -> Result<Vec<Self::Poly>, DeviceError>;

    /// For each polynomial a of a batch sum_k d_k Z_k over its basis, in the domain asked for, d_k its words
    /// and Z_k what the key was made of: for each group of the key sum_k d_k \[Z_k\]_G modulo T, its centred
    /// representative modulo the limbs of a in G ([`GroupedKey`]).
    ///
    /// Polynomials of a batch are over one basis. The key is long: a device may read it once for all of them.
    ///
    /// # Errors
    /// [`DeviceError::BadDigits`], [`DeviceError::MissingLimb`] for a limb that is in no group and for
    /// elements that lack a prime of T, [`DeviceError::ShortKey`], [`DeviceError::WrongDomain`] for elements
    /// in coefficient domain, [`DeviceError::BasisMismatch`].
    fn key_switch_grouped(
        &self,
        batch: &[&Self::Poly],
        key: &GroupedKey<Self::Poly>,
        domain: Domain,
    ) -> Result<Vec<Self::Poly>, DeviceError>;

    /// P a over [`Digits::extended`] of its basis, in its domain, P the product of the special primes: 0
    /// modulo those.
    ///
    /// # Errors
    /// If a special prime is in the basis.
    fn extend_by_p(&self, a: &Self::Poly, digits: &Digits) -> Result<Self::Poly, DeviceError>;

    /// Key switching: the sums of the digits of a times key elements, plus the addends extended
    /// ([`Device::extend_by_p`]), all rescaled to `to` ([`Device::rescale`]) in the domain asked for.
    ///
    /// a and each addend, over the basis of a, may be in either domain.
    ///
    /// # Errors
    /// As [`Device::decompose`]; [`DeviceError::ShortKey`], [`DeviceError::WrongDomain`] and
    /// [`DeviceError::MissingLimb`] for the key; [`DeviceError::BasisMismatch`] for addends over another basis.
    fn key_switch(
        &self,
        a: &Self::Poly,
        addends: &[Pair<&Self::Poly>],
        digits: &Digits,
        key: &SwitchingKey<Self::Poly>,
        to: &Basis,
        domain: Domain,
    ) -> Result<Pair<Self::Poly>, DeviceError>;

    /// The automorphism x -> x^exponent of a ciphertext (first, a), given the digits of a and the key
    /// that switches from s to s(x^(1/exponent)), extended: the automorphism of
    /// (P first + sum_i digit_i b_i, sum_i digit_i a_i), in evaluation domain over
    /// [`Digits::extended`] of the basis of `first`.
    ///
    /// The digits do not depend on the exponent: one decomposition serves many automorphisms.
    ///
    /// # Errors
    /// [`DeviceError::ShortKey`]; [`DeviceError::WrongDigits`] for digits of a polynomial over other
    /// groups, [`DeviceError::BasisMismatch`] over another basis; [`DeviceError::WrongDomain`] for digits or
    /// elements in coefficient domain, [`DeviceError::MissingLimb`] for elements; if the exponent is not a unit
    /// modulo the conductor.
    fn rotate(
        &self,
        first: &Self::Poly,
        parts: &[Self::Poly],
        digits: &Digits,
        key: &SwitchingKey<Self::Poly>,
        exponent: u64,
    ) -> Result<Pair<Self::Poly>, DeviceError>;
}
