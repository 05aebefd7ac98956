//! Relinearization with small digits and a key that is cut into groups of limbs.

use ringmill_arith::{Basis, Modulus};

use crate::{DeviceError, Digits};

/// A key by which the digits of a polynomial are multiplied (Kim, Lee, Seo, Song, "Accelerating HE operations from
/// key decomposition technique", Crypto 2023).
///
/// The digits are small, so it would be a waste to transform each of them modulo every prime of a long basis.
/// Instead, the key Z_k is cut: for each group G of limbs it holds the centred value of Z_k modulo the product
/// of G, an integer polynomial much smaller than q, over a short auxiliary basis T. The device computes
/// sum_k d_k \[Z_k\]_G modulo T, which is exact if T is large enough ([`GroupedKey::auxiliary_bits`]), and then
/// reduces it modulo the primes of G. So it transforms the digits modulo T only, whatever the number of limbs.
#[derive(Debug)]
pub struct GroupedKey<P> {
    /// The bits of a digit, as in [`Digits::BaseTwo`].
    pub bits: u32,
    /// The primes of T.
    pub auxiliary: Basis,
    /// The groups. No prime is in two of them, or in one of them and in T.
    pub groups: Vec<KeyGroup<P>>,
}

/// The part of a [`GroupedKey`] that belongs to some limbs.
#[derive(Debug)]
pub struct KeyGroup<P> {
    /// The primes of the group.
    pub limbs: Basis,
    /// For each digit, the centred value of its key element modulo the product of the group, over T and in
    /// evaluation domain.
    pub elements: Vec<P>,
}

/// A group of a key that has limbs of a polynomial, and those limbs.
pub type UsedGroup<'a, P> = (&'a KeyGroup<P>, Basis);

impl<P> GroupedKey<P> {
    /// The log2 that the product of T must reach for sums of `words` products with a group of `group_bits` bits to
    /// be exact in a ring of this [`ringmill_ring::Ring::expansion`]: a sum is at most
    /// words * expansion * 2^(bits-1) * 2^(group_bits-1), and centred values reach half the product.
    #[must_use]
    pub fn auxiliary_bits(bits: u32, words: usize, group_bits: f64, expansion: u64) -> f64 {
        (words as f64 * expansion as f64).log2() + f64::from(bits) + group_bits - 1.0
    }

    /// The number of digits of a polynomial over this basis.
    #[must_use]
    pub fn words(&self, basis: &Basis) -> usize {
        Digits::BaseTwo { bits: self.bits }.elements(basis).len()
    }

    /// The groups that have limbs of `basis`, each with those limbs, in order.
    ///
    /// # Errors
    /// [`DeviceError::MissingLimb`] for a limb that is in no group; [`DeviceError::ShortKey`] if a group has
    /// fewer elements than a polynomial over this basis has digits.
    pub fn used(&self, basis: &Basis) -> Result<Vec<UsedGroup<'_, P>>, DeviceError> {
        let grouped = |q: &Modulus| self.groups.iter().any(|group| group.limbs.position(q).is_some());
        if let Some(q) = basis.moduli().iter().find(|q| !grouped(q)) {
            return Err(DeviceError::MissingLimb(q.value()));
        }
        let needed = self.words(basis);
        let mut used = Vec::new();
        for group in &self.groups {
            let own = group
                .limbs
                .moduli()
                .iter()
                .filter(|q| basis.position(q).is_some());
            let own: Vec<Modulus> = own.copied().collect();
            if own.is_empty() {
                continue;
            }
            let got = group.elements.len();
            if got < needed {
                return Err(DeviceError::ShortKey { needed, got });
            }
            used.push((group, Basis::new(&own)?));
        }
        Ok(used)
    }
}
