use std::hint::black_box;

use ringmill_arith::secret::Secret;

use super::Cyclotomic;
use super::binary::Binary;
use crate::RingError;

/// Bits in the slots of a ring modulo 2, by the Chinese remainder theorem (paper 4, eq. 2-3).
///
/// Phi_m modulo 2 is the product of distinct phi_1, ..., phi_k of equal degree. Slot i of an element M is
/// M mod phi_i; here it holds a bit. Sums and products of elements are sums and products slot by slot,
/// modulo 2.
#[derive(Debug, Clone)]
pub struct Batching {
    n: usize,
    factors: Vec<Binary>,
    /// S_i Phi_i of the paper: 1 modulo phi_i, 0 modulo the others; ceil(n / 64) words each.
    idempotents: Vec<Vec<u64>>,
}

impl Batching {
    /// Factors Phi_m modulo 2 and precomputes the idempotents. The factors' bits, read as numbers, order the
    /// slots.
    ///
    /// # Errors
    /// [`RingError::NoSlots`] if Phi_m is irreducible modulo 2: then there is a single slot and nothing to
    /// batch.
    pub fn new(ring: &Cyclotomic) -> Result<Self, RingError> {
        if ring.slots() < 2 {
            return Err(RingError::NoSlots { m: ring.m() });
        }
        let n = ring.n();
        let odd = ring.terms().iter().filter(|(_, c)| c % 2 != 0);
        let phi = Binary::of(odd.map(|&(exponent, _)| exponent));
        let factors = factors(ring, &phi);
        let idempotents = factors.iter().map(|factor| {
            let others = phi.divide(factor).0;
            // Phi_m has no double factor modulo 2 for odd m, so the inverse exists.
            let inverse = others.inverse(factor).ok_or(RingError::NoSlots { m: ring.m() })?;
            Ok(inverse.times(&others).into_words(n.div_ceil(64)))
        });
        let idempotents: Result<_, RingError> = idempotents.collect();
        Ok(Self {
            n,
            idempotents: idempotents?,
            factors,
        })
    }

    /// The number of slots, that is, of bits that an element holds.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.factors.len()
    }

    /// Encodes these bits in the first slots of an element and 0 in the others. The result is n coefficients
    /// 0 or 1, packed 64 to a word, lowest first. Each slot costs one conditional addition (paper 4, sec.
    /// 3.2.4), done with masks: neither time nor memory accesses depend on the bits.
    ///
    /// # Errors
    /// [`RingError::TooManyBits`] if there are more bits than slots.
    pub fn encode(&self, bits: &[bool]) -> Result<Vec<u64>, RingError> {
        if bits.len() > self.slots() {
            return Err(RingError::TooManyBits {
                got: bits.len(),
                slots: self.slots(),
            });
        }
        let mut sum = vec![0; self.n.div_ceil(64)];
        for (&bit, idempotent) in bits.iter().zip(&self.idempotents) {
            let mask = black_box(u64::from(bit)).wrapping_neg();
            for (word, &x) in sum.iter_mut().zip(idempotent) {
                *word ^= x & mask;
            }
        }
        Ok(sum)
    }

    /// Decodes the bits in all slots of an element in the format of [`Batching::encode`].
    ///
    /// # Errors
    /// [`RingError::WrongLength`] if the number of words is wrong; [`RingError::NotABit`] if a slot holds
    /// another element of its field, as happens after a wrong decryption.
    pub fn decode(&self, element: &[u64]) -> Result<Vec<bool>, RingError> {
        let expected = self.n.div_ceil(64);
        if element.len() != expected {
            return Err(RingError::WrongLength {
                expected,
                got: element.len(),
            });
        }
        let mut value = Secret::copy_of(element);
        let slots = self.factors.iter().enumerate().map(|(slot, factor)| {
            value.copy_from_slice(element);
            factor.reduce(&mut value);
            match value.split_first() {
                Some((first, others)) if *first < 2 && others.iter().all(|&word| word == 0) => {
                    Ok(*first == 1)
                }
                _ => Err(RingError::NotABit { slot }),
            }
        });
        slots.collect()
    }
}

/// Finds the irreducible factors of Phi_m modulo 2 by Berlekamp's method, without its linear algebra: the
/// elements that squaring fixes modulo x^m - 1 are the sums of x^i over the cosets {i 2^j}, so they are
/// known. Such an element is 0 or 1 modulo each factor, so its common divisor with a product of factors
/// splits that product. All these elements together separate all factors.
fn factors(ring: &Cyclotomic, phi: &Binary) -> Vec<Binary> {
    let m = ring.m() as usize;
    let (mut factors, mut seen) = (vec![phi.clone()], vec![false; m]);
    for first in 1..m {
        if factors.len() == ring.slots() {
            break;
        }
        if seen[first] {
            continue;
        }
        let coset = std::iter::successors(Some(first), |&i| Some(2 * i % m).filter(|&next| next != first));
        let coset: Vec<usize> = coset.collect();
        coset.iter().for_each(|&i| seen[i] = true);
        let fixed = Binary::of(coset);
        factors = factors.iter().flat_map(|factor| split(factor, &fixed)).collect();
    }
    factors.sort_by_cached_key(|factor| {
        let words = factor.clone().into_words(0);
        words.into_iter().rev().collect::<Vec<_>>()
    });
    factors
}

/// Splits a polynomial into one or two factors, by an element that is 0 or 1 modulo each irreducible factor.
fn split(factor: &Binary, fixed: &Binary) -> Vec<Binary> {
    let common = factor.common(&fixed.modulo(factor));
    if common.is_one() || common == *factor {
        return vec![factor.clone()];
    }
    let other = factor.divide(&common).0;
    vec![common, other]
}
