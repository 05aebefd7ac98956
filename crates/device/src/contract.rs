use ringmill_arith::Basis;
use ringmill_ring::{Domain, Ring};

use crate::{DeviceError, Digits, GroupedKey, Rotatable, RotatedTerm, Tensor};

/// Two polynomials: an element (b_i, a_i) of a switching key, or the result of a key switch.
pub type Pair<P> = (P, P);

/// The elements of a switching key, in evaluation domain: one for each digit.
pub type SwitchingKey<P> = [Pair<P>];

/// A memory of residue polynomials and operations on them.
///
/// A polynomial is an element of a [`Ring`] modulo the product of a [`Basis`]: for each prime a limb of n
/// canonical residues, either coefficients or values at the roots ([`Domain`]), in the ring's order. Operations
/// take whole polynomials. They take `&self` and may run in parallel. All are exact, so all devices return the same
/// bits.
///
/// Every operation fails on operands whose basis or domain does not fit, and leaves them unchanged when it fails. All
/// devices refuse the same operands: the checks are written once, in [`refusals`](crate::refusals), and are the first
/// line of an operation.
///
/// No operation has a definition here. A device writes its own, takes one that is made of other operations
/// ([`provide!`](crate::provide)), or leaves it to another device ([`delegate!`](crate::delegate)). Each of these names
/// the operation, so a new operation in the contract is a compile error in every device until someone decides.
pub trait Device: Send + Sync {
    /// A polynomial in the device's memory; dropping it frees it.
    type Poly: Send + Sync;

    /// The ring of all polynomials.
    fn ring(&self) -> &Ring;

    /// The device's name, for people.
    fn name(&self) -> String;

    /// Bytes of the device's own memory; `None` if the device uses the host's.
    fn memory(&self) -> Option<u64>;

    /// What a transform modulo a prime below 2^48 takes of the time of one modulo a larger prime: 1, or clearly less.
    fn narrow_transform_time(&self) -> f64;

    /// The primes of a polynomial's limbs, in order.
    fn basis<'a>(&self, a: &'a Self::Poly) -> &'a Basis;

    /// The domain of a polynomial: whether its words are coefficients or values.
    fn domain(&self, a: &Self::Poly) -> Domain;

    /// Makes a polynomial of words of the host: one limb after another, each of n canonical residues.
    ///
    /// # Errors
    /// [`DeviceError::WrongLength`], [`DeviceError::OutOfRange`].
    fn upload(&self, basis: &Basis, domain: Domain, words: &[u64]) -> Result<Self::Poly, DeviceError>;

    /// Returns the words of a polynomial, in the order of [`Device::upload`].
    ///
    /// # Errors
    /// If the device fails.
    fn download(&self, a: &Self::Poly) -> Result<Vec<u64>, DeviceError>;

    /// Makes a second polynomial with the same words.
    ///
    /// # Errors
    /// If the device fails.
    fn copy(&self, a: &Self::Poly) -> Result<Self::Poly, DeviceError>;

    /// Overwrites a polynomial's memory, then frees it: before anything else can be there, on a device that works ahead
    /// after everything that it was asked to do before. Secrets are held by a [`SecretPoly`](crate::SecretPoly), which
    /// does this.
    fn wipe(&self, a: Self::Poly);

    /// Waits until the device has done everything it was asked to do. Operations may return earlier; if one of them
    /// fails afterwards, a later operation reports it, or this one at the latest.
    ///
    /// # Errors
    /// If an earlier operation failed.
    fn finish(&self) -> Result<(), DeviceError>;

    /// Tells the device that a polynomial will not be used for a while. A device that is short of memory may move it
    /// elsewhere before others. The caller may still use it at any time.
    fn hint_idle(&self, a: &Self::Poly);

    /// Tells the device that an idle polynomial will be used soon. The device may bring it back ahead of time.
    fn prefetch(&self, a: &Self::Poly);

    /// Returns the memory that the device keeps of freed polynomials to the system. The caller asks for this when the
    /// system is short of memory.
    fn release(&self);

    /// The polynomial with only the limbs of the primes in `to`, unchanged.
    ///
    /// # Errors
    /// [`DeviceError::MissingLimb`].
    fn restrict(&self, a: &Self::Poly, to: &Basis) -> Result<Self::Poly, DeviceError>;

    /// One polynomial with all limbs of several polynomials of one domain, in order.
    ///
    /// # Errors
    /// [`DeviceError::NoOperands`], [`DeviceError::WrongDomain`]; if two polynomials share a prime.
    fn concat_limbs(&self, parts: &[&Self::Poly]) -> Result<Self::Poly, DeviceError>;

    /// Brings a polynomial to a domain, by a transform or its inverse. Does nothing if it is in that domain already.
    ///
    /// The operation consumes the polynomial, which may be a secret, and overwrites its memory if it fails.
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

    /// Several sums of products at once, each as [`Device::inner_product`] and then multiplied by `multiplier`. A
    /// device can read operands that the sums share only once, such as those of the three sums of a tensor product.
    ///
    /// # Errors
    /// As [`Device::inner_product`].
    fn inner_products(
        &self,
        sums: &[Vec<(&Self::Poly, &Self::Poly)>],
        multiplier: u64,
        to: Domain,
    ) -> Result<Vec<Self::Poly>, DeviceError>;

    /// Products with fixed factors: a_i f_j for every polynomial a_i of a batch and every factor f_j. The batch is in
    /// coefficient domain and over one basis; the factors are in evaluation domain and may have further limbs. Entry j
    /// of entry i of the result is a_i f_j, in coefficient domain. One transform of a_i serves all its products.
    ///
    /// The operation consumes the batch and overwrites its memory even when it fails, because the batch holds the
    /// masks of encryptions (paper 2, algorithms 5 and 7).
    ///
    /// # Errors
    /// [`DeviceError::NoOperands`] if there are no factors; [`DeviceError::WrongDomain`],
    /// [`DeviceError::BasisMismatch`], [`DeviceError::MissingLimb`].
    fn multiply_fixed(
        &self,
        batch: Vec<Self::Poly>,
        factors: &[&Self::Poly],
    ) -> Result<Vec<Vec<Self::Poly>>, DeviceError>;

    /// The automorphism x -> x^exponent, in the operand's domain.
    ///
    /// # Errors
    /// If the exponent is not a unit modulo the conductor.
    fn automorphism(&self, a: &Self::Poly, exponent: u64) -> Result<Self::Poly, DeviceError>;

    /// Lift: takes the representative of a in (-q/2, q/2), a being in coefficient domain, and returns it over the basis
    /// of a followed by the extension, in the domain asked for.
    ///
    /// # Errors
    /// [`DeviceError::WrongDomain`]; if the bases share a prime.
    fn lift(&self, a: &Self::Poly, extension: &Basis, to: Domain) -> Result<Self::Poly, DeviceError>;

    /// Lifts several polynomials of one basis at once, each as [`Device::lift`] does.
    ///
    /// # Errors
    /// As [`Device::lift`]; [`DeviceError::NoOperands`], [`DeviceError::BasisMismatch`].
    fn lifts(
        &self,
        polys: &[&Self::Poly],
        extension: &Basis,
        to: Domain,
    ) -> Result<Vec<Self::Poly>, DeviceError>;

    /// Scale: returns round(\[t c\] / q) over q, for c in coefficient domain. Here q is the product of the first `keep`
    /// limbs of c, B the product of the others, and \[t c\] the representative of t c modulo q B nearest to 0. The
    /// quotient is in turn reduced to its representative modulo B nearest to 0. Nothing wraps if |t c| < q B / 2.
    ///
    /// # Errors
    /// [`DeviceError::WrongDomain`], [`DeviceError::BadLimbCount`].
    fn scale(&self, c: &Self::Poly, t: u64, keep: usize) -> Result<Self::Poly, DeviceError>;

    /// Modulus switching: returns round(U a / D) over `to`, in the domain asked for. Here D is the product of the primes
    /// of a that are not in `to`, and U the product of the primes in `to` that a does not have. So a as a multiple of
    /// 1/q becomes the nearest multiple of 1/q', with q' = q U / D. If D is 1, the result is U a.
    ///
    /// Exactly, the result is (U a - r)/D with r = U a modulo D in (-D/2, D/2).
    ///
    /// # Errors
    /// If the device fails.
    fn rescale(&self, a: &Self::Poly, to: &Basis, domain: Domain) -> Result<Self::Poly, DeviceError>;

    /// The digits of a, in evaluation domain, over [`Digits::extended`] of its basis.
    ///
    /// # Errors
    /// [`DeviceError::BadDigits`]; [`DeviceError::MissingLimb`] for a limb that is in no group.
    fn decompose(&self, a: &Self::Poly, digits: &Digits) -> Result<Vec<Self::Poly>, DeviceError>;

    /// The digits of a that [`Digits::BaseTwo`] defines, in evaluation domain, over any basis.
    ///
    /// # Errors
    /// [`DeviceError::BadDigits`].
    fn decompose_base_two(
        &self,
        a: &Self::Poly,
        bits: u32,
        over: &Basis,
    ) -> Result<Vec<Self::Poly>, DeviceError>;

    /// For each polynomial a of a batch, sum_k d_k Z_k over its basis, in the domain asked for, where d_k are the digits
    /// of a and Z_k the polynomials of which the key was made. The device computes sum_k d_k \[Z_k\]_G modulo T for each
    /// group G of the key, and reduces its centred representative modulo the limbs of a in G ([`GroupedKey`]).
    ///
    /// The polynomials of a batch are over one basis. The key is long, so a device may read it once for all of them.
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

    /// P a over [`Digits::extended`] of the basis of a, in the domain of a. P is the product of the special primes, so
    /// the result is 0 modulo each of them.
    ///
    /// # Errors
    /// If a special prime is in the basis.
    fn extend_by_p(&self, a: &Self::Poly, digits: &Digits) -> Result<Self::Poly, DeviceError>;

    /// Key switching: sums the digits of a times the key elements, adds the addends, extended by P
    /// ([`Device::extend_by_p`]), and rescales both sums to `to` ([`Device::rescale`]), in the domain asked for.
    ///
    /// The addends are over the basis of a. They and a may each be in either domain.
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

    /// Relinearizes a tensor product over q B and divides it by B: both at once, so there is one division and one
    /// rounding. The primes of B include the special ones, so B = P F.
    ///
    /// The digits of the third part times the key elements give two sums over q P. F times them, plus the first and the
    /// second part of the tensor product, plus B times the addends, are two polynomials over q B. The result is both,
    /// rescaled to `to` ([`Device::rescale`]), in the domain asked for.
    ///
    /// The addends are over q, in either domain.
    ///
    /// # Errors
    /// As [`Device::key_switch`] for the third part, and as [`Device::inner_products`] for the sums;
    /// [`DeviceError::MissingLimb`] for a prime of q P that they lack.
    fn relinearize(
        &self,
        tensor: &Tensor<'_, Self::Poly>,
        addends: &[Pair<&Self::Poly>],
        digits: &Digits,
        key: &SwitchingKey<Self::Poly>,
        to: &Basis,
        domain: Domain,
    ) -> Result<Pair<Self::Poly>, DeviceError>;

    /// The automorphism x -> x^exponent of a ciphertext (first, a), before the division by P. The caller gives the
    /// digits of a (`parts`) and the key that switches from s to s(x^(1/exponent)). The result is the automorphism of
    /// (P first + sum_i digit_i b_i, sum_i digit_i a_i), in evaluation domain over [`Digits::extended`] of the basis of
    /// `first`.
    ///
    /// The digits do not depend on the exponent, so one decomposition serves many automorphisms.
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

    /// Sums of images of ciphertexts under automorphisms, each image times a factor if it has one. A term with a key
    /// stands for what [`Device::rotate`] makes of the ciphertext with this key and exponent, a term without one for P
    /// times the ciphertext. All ciphertexts have one basis; the sums are over this basis and the special primes, in
    /// evaluation domain.
    ///
    /// A device reads each key once for all ciphertexts, and need not store images.
    ///
    /// # Errors
    /// As [`Device::rotate`] for each ciphertext with each key; [`DeviceError::NoOperands`] without ciphertexts, for a sum
    /// without terms, and for a term whose ciphertext or key is not there; [`DeviceError::WrongDomain`] and
    /// [`DeviceError::MissingLimb`] for factors; [`DeviceError::BasisMismatch`] for ciphertexts over several bases.
    fn rotated_sums(
        &self,
        operands: &[Rotatable<'_, Self::Poly>],
        digits: &Digits,
        keys: &[(u64, &SwitchingKey<Self::Poly>)],
        sums: &[Vec<RotatedTerm<'_, Self::Poly>>],
    ) -> Result<Vec<Pair<Self::Poly>>, DeviceError>;
}
