//! Values in the slots of an element modulo 2: bits, bytes and rows of bytes.

mod field;
mod rows;
#[cfg(test)]
mod tests;

pub use rows::{RowEntry, RowTerm, Rows};

use ringmill_arith::Simd;
use ringmill_arith::secret::Secret;

use crate::transform::{Direction, Operator, prove, spectrum};
use crate::{FermatRing, RingError, units};
use field::Field;

/// Bits and bytes in the slots of a Fermat ring modulo 2.
///
/// R/2 is a product of n/u fields GF(2^u), u the order of 2 modulo d (16 or 32). Slot i belongs to a class
/// of units modulo powers of 2; the classes are numbered by their first units in index order. The slot holds
/// the element's value at alpha^(l_i), with alpha of order d in GF(2^u) and l_i a unit of the class, chosen
/// for [`Rows`].
///
/// A slot holds a byte as the element of GF(2^8) < GF(2^u) that the byte is in AES (FIPS 197, section 4), so
/// sums and products in R/2 are sums and products of the bytes. A bit is the byte 0 or 1.
///
/// Take a normal basis theta^(2^j) of GF(2^u), and let E be the element with theta in slot 0, where l = 1,
/// and 0 elsewhere. Then x -> x^(2^j / l_i) applied to E has theta^(2^j) in slot i. So encoding is one
/// convolution over G, of the coordinates of all values with E, and decoding is one correlation with
/// Tr(delta alpha^e), delta theta's dual. Both are modulo 2; they are computed as integers, at most n,
/// modulo one prime above n. An element of GF(2^8) has 8 coordinates, repeated; those of a bit are all
/// equal.
#[derive(Debug, Clone)]
pub struct Slots {
    ring: FermatRing,
    representatives: Vec<u64>,
    /// For the index of a unit: its slot i, and the j with unit = l_i 2^j.
    classes: Vec<(u32, u8)>,
    /// The index of 2^j / l_i, at i u + j: encoding puts coordinate j of slot i there.
    encode_at: Vec<u32>,
    /// The index of l_i / 2^j, at i u + j: decoding finds coordinate j of slot i there.
    decode_at: Vec<u32>,
    /// The coordinates of each byte, and the byte for each set of coordinates.
    coordinates: [u8; 256],
    bytes: [u8; 256],
    encode: Operator,
    decode: Operator,
}

/// The effect of an automorphism on slots: slot i of the result holds the value of slot `source[i]` of the
/// argument, raised to the power 2^`frobenius[i]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlotAction {
    /// The slot from which each slot's value comes.
    pub source: Vec<u32>,
    /// The number of times that each value is squared, below u. For bytes only its residue modulo 8 matters;
    /// bits do not change.
    pub frobenius: Vec<u8>,
}

impl Slots {
    /// Makes the tables for a ring.
    ///
    /// # Errors
    /// [`RingError::Arith`] if the kernel is unfit; there are no others.
    pub fn new(ring: &FermatRing, kernel: Simd) -> Result<Self, RingError> {
        prove(kernel)?;
        let modulus = ring.primes(1 << 50, 1, &[])?.remove(0);
        let field = Field::new(ring.d());
        let (d, u) = (ring.d(), field.degree as usize);
        let representatives = representatives(ring);
        let index = |e: u64| ring.index_of(e).map_or(0, |i| i as u32); // e is a unit
        let mut classes = vec![(0, 0); ring.n()];
        for (i, &l) in representatives.iter().enumerate() {
            for (j, e) in doublings(l, d).enumerate() {
                classes[index(e) as usize] = (i as u32, j as u8);
            }
        }
        let inverse = |&l: &u64| units::inverse(l, ring.d(), ring.n());
        let encode_at = representatives.iter().map(inverse);
        // The powers of l_i / 2^j in reverse order: 2^0 first, then 2^(u-1), ...
        let backwards = |&l: &u64| {
            let class: Vec<u64> = doublings(l, d).collect();
            (0..u).map(move |j| class[(u - j) % u])
        };
        let theta = |k: u64| field.multiply(field.normal, field.powers[(d - k) as usize % d as usize]);
        let encoding: Vec<bool> = (0..d).map(|k| field.trace(theta(k))).collect();
        let encoding = ring.fold_with(&encoding, |a, b| a ^ b)?;
        let weighted = |&e: &u32| field.trace(field.multiply(field.dual, field.powers[e as usize]));
        let decoding: Vec<bool> = ring.exponents().iter().map(weighted).collect();
        let operator = |fixed: &[bool], first| {
            let words: Vec<u64> = fixed.iter().map(|&b| u64::from(b)).collect();
            let table = spectrum(ring, &modulus, &words)?;
            Operator::new(ring, &modulus, kernel, (first, Direction::Down), &table)
        };
        let coordinates: [u8; 256] = std::array::from_fn(|byte| field.coordinates(field.byte(byte as u8)));
        let mut bytes = [0; 256];
        (0..=255).for_each(|byte| bytes[usize::from(coordinates[usize::from(byte)])] = byte);
        Ok(Self {
            encode_at: encode_at.flat_map(|l| doublings(l, d)).map(index).collect(),
            decode_at: representatives.iter().flat_map(backwards).map(index).collect(),
            encode: operator(&encoding, Direction::Up)?,
            decode: operator(&decoding, Direction::Down)?,
            ring: ring.clone(),
            representatives,
            classes,
            coordinates,
            bytes,
        })
    }

    /// The number of slots.
    #[must_use]
    #[allow(clippy::len_without_is_empty)] // never empty
    pub fn len(&self) -> usize {
        self.representatives.len()
    }

    /// The units l_i.
    #[must_use]
    pub fn representatives(&self) -> &[u64] {
        &self.representatives
    }

    /// Encodes these bits in the first slots of an element of R/2 and 0 in the others. The result is n
    /// coefficients 0 or 1 in the normal basis.
    ///
    /// # Errors
    /// [`RingError::TooManyBits`] if there are more bits than slots.
    pub fn encode(&self, bits: &[bool]) -> Result<Vec<u64>, RingError> {
        if bits.len() > self.len() {
            return Err(RingError::TooManyBits {
                got: bits.len(),
                slots: self.len(),
            });
        }
        self.encode_coordinates(bits.iter().map(|&bit| if bit { u8::MAX } else { 0 }))
    }

    /// Decodes the bits in the slots of an element of R/2, given by coefficients 0 or 1.
    ///
    /// # Errors
    /// [`RingError::WrongLength`] unless there are n coefficients.
    pub fn decode(&self, element: &[u64]) -> Result<Vec<bool>, RingError> {
        let data = self.correlate(element)?;
        let slots = self.decode_at.chunks_exact(self.degree());
        Ok(slots.map(|at| data[at[0] as usize] & 1 == 1).collect())
    }

    /// Encodes these bytes in the first slots of an element of R/2 and 0 in the others. The result is n
    /// coefficients 0 or 1 in the normal basis.
    ///
    /// # Errors
    /// [`RingError::TooManyBytes`] if there are more bytes than slots.
    pub fn encode_bytes(&self, bytes: &[u8]) -> Result<Vec<u64>, RingError> {
        if bytes.len() > self.len() {
            return Err(RingError::TooManyBytes {
                got: bytes.len(),
                slots: self.len(),
            });
        }
        self.encode_coordinates(bytes.iter().map(|&byte| self.coordinates[usize::from(byte)]))
    }

    /// Decodes the bytes in the slots of an element of R/2, given by coefficients 0 or 1.
    ///
    /// The result for a slot that holds no byte is linear in its value; [`Slots::decode_bytes_checked`]
    /// finds such slots.
    ///
    /// # Errors
    /// [`RingError::WrongLength`] unless there are n coefficients.
    pub fn decode_bytes(&self, element: &[u64]) -> Result<Vec<u8>, RingError> {
        let data = self.correlate(element)?;
        let slots = self.decode_at.chunks_exact(self.degree());
        Ok(slots
            .map(|at| self.bytes[usize::from(coordinates(&data, &at[..8]))])
            .collect())
    }

    /// Decodes like [`Slots::decode_bytes`], but requires that every slot hold a byte.
    ///
    /// # Errors
    /// [`RingError::NotAByte`] names the first slot whose value is outside GF(2^8);
    /// [`RingError::WrongLength`] unless there are n coefficients.
    pub fn decode_bytes_checked(&self, element: &[u64]) -> Result<Vec<u8>, RingError> {
        let data = self.correlate(element)?;
        let slots = self.decode_at.chunks_exact(self.degree()).enumerate();
        slots
            .map(|(slot, at)| {
                // x^256 = x holds exactly if a shift by 8 leaves the coordinates as they are.
                let (first, rest) = at.split_at(8);
                let byte = coordinates(&data, first);
                if rest.chunks_exact(8).all(|at| coordinates(&data, at) == byte) {
                    Ok(self.bytes[usize::from(byte)])
                } else {
                    Err(RingError::NotAByte { slot })
                }
            })
            .collect()
    }

    /// The effect of x -> x^`exponent` on slots.
    ///
    /// # Errors
    /// [`RingError::NotAUnit`] if the exponent is not a unit modulo d.
    pub fn action(&self, exponent: u64) -> Result<SlotAction, RingError> {
        let d = self.ring.d();
        // The result's value at alpha^l is the argument's value at alpha^(l exponent).
        let image = |l: &u64| Some(self.classes[self.ring.index_of(l * (exponent % d))?]);
        let images: Option<(Vec<u32>, Vec<u8>)> = self.representatives.iter().map(image).collect();
        let (source, frobenius) = images.ok_or(RingError::NotAUnit { exponent, d })?;
        Ok(SlotAction { source, frobenius })
    }

    /// The effect of x -> x^`exponent` on bits: slot i of the result holds the bit of slot `permutation[i]`
    /// of the argument. These are the sources of [`Slots::action`].
    ///
    /// # Errors
    /// [`RingError::NotAUnit`] if the exponent is not a unit modulo d.
    pub fn permutation(&self, exponent: u64) -> Result<Vec<usize>, RingError> {
        let source = self.action(exponent)?.source;
        Ok(source.into_iter().map(|slot| slot as usize).collect())
    }

    /// Whether the ring has roots of order 3, powers of zeta_d. They have one of the two elements of order 3 of GF(2^8) in
    /// the slots whose unit l_i is 1 modulo 3, and the other in those whose unit is 2.
    #[must_use]
    pub fn has_roots_of_order_3(&self) -> bool {
        self.ring.d().is_multiple_of(3)
    }

    /// The exponent 2^`times` modulo d of the automorphism that squares every slot's value `times` times and
    /// moves none.
    #[must_use]
    pub fn frobenius(&self, times: u32) -> u64 {
        (0..times).fold(1, |e, _| 2 * e % self.ring.d())
    }

    /// The exponent of the automorphism that does what two others do one after the other.
    #[must_use]
    pub fn product(&self, a: u64, b: u64) -> u64 {
        let d = self.ring.d();
        (a % d) * (b % d) % d
    }

    /// The degree u of the slots' field.
    fn degree(&self) -> usize {
        self.ring.n() / self.len()
    }

    /// The element with these coordinates in its first slots; each 8 coordinates are repeated.
    fn encode_coordinates(&self, values: impl Iterator<Item = u8>) -> Result<Vec<u64>, RingError> {
        let mut data = vec![0; self.ring.n()];
        for (bits, slot) in values.zip(self.encode_at.chunks_exact(self.degree())) {
            for (j, &at) in slot.iter().enumerate() {
                data[at as usize] = u64::from(bits >> (j % 8) & 1);
            }
        }
        self.encode.apply(&mut data)?;
        data.iter_mut().for_each(|x| *x &= 1);
        Ok(data)
    }

    /// Integers whose lowest bits are all coordinates of all slots.
    fn correlate(&self, element: &[u64]) -> Result<Secret<Vec<u64>>, RingError> {
        let mut data = Secret::copy_of(element);
        self.decode.apply(&mut data)?;
        Ok(data)
    }
}

/// The lowest bits of eight words, in order.
fn coordinates(data: &[u64], at: &[u32]) -> u8 {
    let bits = at.iter().rev().map(|&at| data[at as usize] as u8 & 1);
    bits.fold(0, |byte, bit| byte << 1 | bit)
}

/// The sequence l, 2l, 4l, ... modulo d, until it returns to l.
fn doublings(l: u64, d: u64) -> impl Iterator<Item = u64> {
    let mut next = Some(l);
    std::iter::from_fn(move || {
        let e = next?;
        next = Some(2 * e % d).filter(|&f| f != l);
        Some(e)
    })
}

/// Chooses one unit of each class modulo powers of 2, with the classes in the order of their first units.
///
/// Where 17 divides d, 2 has order 8 modulo 17 and Z\[zeta_17\]/2 is two fields GF(2^8). If all units are 1
/// or 3 modulo 17, an element with the same byte in all slots lies in this small ring, so products with it
/// add hardly any noise. With 85 the row of a byte ([`Rows`]) is the logarithm of its unit modulo 5, so a
/// constant that depends only on the row lies in Z\[zeta_85\]. The remaining freedom serves to let moves
/// along rows of 16 square as few values as possible: the choice is one unit, times the unit of each
/// position.
fn representatives(ring: &FermatRing) -> Vec<u64> {
    let d = ring.d();
    let mut class_of = vec![usize::MAX; d as usize];
    let mut firsts = Vec::new();
    for &e in ring.exponents() {
        if class_of[e as usize] == usize::MAX {
            doublings(e.into(), d).for_each(|f| class_of[f as usize] = firsts.len());
            firsts.push(u64::from(e));
        }
    }
    let starts_row = |l: &u64| match (d.is_multiple_of(17), d.is_multiple_of(85)) {
        (true, four_rows) => matches!(l % 17, 1 | 3) && (!four_rows || l % 5 == 1),
        _ => true,
    };
    let positions = rows::positions(ring, rows::LONGEST);
    let mut units = vec![0; firsts.len()];
    for (class, first) in firsts.into_iter().enumerate() {
        let start = doublings(first, d).find(starts_row).filter(|_| units[class] == 0);
        for unit in start
            .iter()
            .flat_map(|start| positions.iter().map(move |p| start * p % d))
        {
            units[class_of[unit as usize]] = unit;
        }
    }
    units
}
