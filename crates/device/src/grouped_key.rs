//! Relinearization with small words and a key cut into groups of limbs.

use ringmill_arith::{Basis, Modulus};

use crate::{DeviceError, Digits};

/// A key that words of a polynomial are multiplied with (Kim, Lee, Seo, Song, "Accelerating HE operations from
/// key decomposition technique", Crypto 2023).
///
/// Words are small, so it would be a waste to transform each of them modulo every prime of a long basis.
/// The key Z_k is cut instead: of each group G of limbs it holds the centred value of Z_k modulo the product
/// of G, an integer polynomial much smaller than q, over a short auxiliary basis T. The sum
/// sum_k d_k \[Z_k\]_G is computed modulo T, exactly if T is large enough ([`GroupedKey::auxiliary_bits`]), and
/// then reduced modulo the primes of G. Words are transformed modulo T only, whatever the number of limbs.
#[derive(Debug)]
pub struct GroupedKey<P> {
    /// Bits of a word, as in [`Digits::BaseTwo`].
    pub bits: u32,
    /// The primes T.
    pub auxiliary: Basis,
    /// The groups; no prime is in two of them or in T.
    pub groups: Vec<KeyGroup<P>>,
}

/// The part of a [`GroupedKey`] that belongs to some limbs.
#[derive(Debug)]
pub struct KeyGroup<P> {
    /// The primes of the group.
    pub limbs: Basis,
    /// For each word the centred value of its key element modulo the product of the group, over T in
    /// evaluation domain.
    pub elements: Vec<P>,
}

/// A group of a key that has limbs of a polynomial, and which of its limbs these are.
pub type UsedGroup<'a, P> = (&'a KeyGroup<P>, Basis);

impl<P> GroupedKey<P> {
    /// log2 that the product of T must reach so that sums of `words` products with a group of `group_bits`
    /// bits are exact in a ring of this [`ringmill_ring::Ring::expansion`]: a sum is at most
    /// words * expansion * 2^(bits-1) * 2^(group_bits-1), and centred values reach half the product.
    #[must_use]
    pub fn auxiliary_bits(bits: u32, words: usize, group_bits: f64, expansion: u64) -> f64 {
        (words as f64 * expansion as f64).log2() + f64::from(bits) + group_bits - 1.0
    }

    /// The words of a polynomial over this basis.
    #[must_use]
    pub fn words(&self, basis: &Basis) -> usize {
        Digits::BaseTwo { bits: self.bits }.elements(basis).len()
    }

    /// The groups that have limbs of `basis`, and which these are, in order.
    ///
    /// # Errors
    /// [`DeviceError::MissingLimb`] for a limb that is in no group; [`DeviceError::ShortKey`] if a group has
    /// fewer elements than polynomials over this basis have words.
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
