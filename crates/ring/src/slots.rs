use ringmill_arith::Kernel;

use crate::transform::{Direction, Operator};
use crate::{FermatRing, RingError};

/// Primitive polynomials over GF(2), bit i the coefficient of y^i: degree 16 for d | 65535, degree
/// 32 for d with the factor 65537.
const PRIMITIVE_16: u64 = 0x1_100B;
const PRIMITIVE_32: u64 = 0x1_0040_0007;

/// Bits in the slots of a Fermat ring modulo 2.
///
/// R/2 is a product of n/u fields GF(2^u), u the order of 2 modulo d (16 or 32); a slot holds a bit
/// as the element 0 or 1 of its field. Slot i belongs to the unit l_i, the first of its class
/// modulo powers of 2 in index order.
///
/// With alpha of order d in GF(2^u), Tr the trace, Tr(beta) = 1 and E the primitive idempotent of
/// the class of 1, encoding is the convolution over G of the bits, put at l_i^-1, with E, and
/// decoding the correlation with Tr(beta alpha^e), both modulo 2: computed as integers, at most n,
/// modulo one prime above n.
#[derive(Debug, Clone)]
pub struct Slots {
    ring: FermatRing,
    representatives: Vec<u64>,
    /// Index of l_i^-1: where encoding puts bit i.
    encode_at: Vec<u32>,
    /// Index of l_i: where decoding finds bit i.
    decode_at: Vec<u32>,
    encode: Operator,
    decode: Operator,
}

impl Slots {
    /// Tables for a ring.
    ///
    /// # Errors
    /// Only if the kernel is unfit ([`RingError::Arith`]).
    pub fn new(ring: &FermatRing, kernel: Kernel) -> Result<Self, RingError> {
        let modulus = ring.primes(1 << 50, 1, &[])?.remove(0);
        let field = Field::new(ring.d());
        let representatives = representatives(ring);
        let index = |e: u64| ring.index_of(e).map_or(0, |i| i as u32); // e is a unit
        let inverse = |l: &u64| index(crate::automorphism::inverse(ring, *l).unwrap_or(1));
        let traces: Vec<bool> = field.powers.iter().map(|&x| field.trace(x)).collect();
        let d = traces.len();
        let idempotent: Vec<bool> = (0..d).map(|k| traces[(d - k) % d]).collect();
        let idempotent = ring.fold_with(&idempotent, |a, b| a ^ b)?;
        let weighted = |&e: &u32| field.trace(field.multiply(field.beta, field.powers[e as usize]));
        let decoding: Vec<bool> = ring.exponents().iter().map(weighted).collect();
        let operator = |fixed: &[bool], first| {
            let words: Vec<u64> = fixed.iter().map(|&b| u64::from(b)).collect();
            let table = crate::transform::spectrum(ring, &modulus, &words)?;
            Operator::new(ring, &modulus, kernel, (first, Direction::Down), &table)
        };
        Ok(Self {
            encode_at: representatives.iter().map(inverse).collect(),
            decode_at: representatives.iter().map(|&l| index(l)).collect(),
            encode: operator(&idempotent, Direction::Up)?,
            decode: operator(&decoding, Direction::Down)?,
            ring: ring.clone(),
            representatives,
        })
    }

    /// Number of slots.
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

    /// The element of R/2 with these bits in its first slots and 0 in the others: n coefficients
    /// 0 or 1 in the normal basis.
    ///
    /// # Errors
    /// [`RingError::TooManyBits`].
    pub fn encode(&self, bits: &[bool]) -> Result<Vec<u64>, RingError> {
        if bits.len() > self.len() {
            return Err(RingError::TooManyBits {
                got: bits.len(),
                slots: self.len(),
            });
        }
        let mut data = vec![0; self.ring.n()];
        for (&bit, &at) in bits.iter().zip(&self.encode_at) {
            data[at as usize] = u64::from(bit);
        }
        self.encode.apply(&mut data)?;
        data.iter_mut().for_each(|x| *x &= 1);
        Ok(data)
    }

    /// The bits in the slots of an element of R/2, given by coefficients 0 or 1.
    ///
    /// # Errors
    /// [`RingError::WrongLength`] unless there are n coefficients.
    pub fn decode(&self, element: &[u64]) -> Result<Vec<bool>, RingError> {
        let mut data = element.to_vec();
        self.decode.apply(&mut data)?;
        Ok(self
            .decode_at
            .iter()
            .map(|&at| data[at as usize] & 1 == 1)
            .collect())
    }

    /// How x -> x^`exponent` moves bits: slot i of the result holds what slot `permutation[i]` of
    /// the argument held.
    ///
    /// # Errors
    /// [`RingError::NotAUnit`].
    pub fn permutation(&self, exponent: u64) -> Result<Vec<usize>, RingError> {
        let d = self.ring.d();
        let mut slot_of = vec![usize::MAX; d as usize];
        for (i, &l) in self.representatives.iter().enumerate() {
            for e in doublings(l, d) {
                slot_of[e as usize] = i;
            }
        }
        let images = self
            .representatives
            .iter()
            .map(|l| slot_of[(l * (exponent % d) % d) as usize]);
        let images: Vec<usize> = images.collect();
        if images.contains(&usize::MAX) {
            return Err(RingError::NotAUnit { exponent, d });
        }
        Ok(images)
    }
}

/// l, 2l, 4l, ... modulo d, until it comes back.
fn doublings(l: u64, d: u64) -> impl Iterator<Item = u64> {
    let mut next = Some(l);
    std::iter::from_fn(move || {
        let e = next?;
        next = Some(2 * e % d).filter(|&f| f != l);
        Some(e)
    })
}

fn representatives(ring: &FermatRing) -> Vec<u64> {
    let mut seen = vec![false; ring.d() as usize];
    let mut found = Vec::new();
    for &e in ring.exponents() {
        if !seen[e as usize] {
            found.push(e.into());
            doublings(e.into(), ring.d()).for_each(|f| seen[f as usize] = true);
        }
    }
    found
}

/// GF(2^u) with an element alpha of order d and its powers. Set-up only.
struct Field {
    degree: u32,
    polynomial: u64,
    /// Tr(y^i) at bit i: the trace is linear.
    traces: u64,
    powers: Vec<u64>,
    beta: u64,
}

impl Field {
    fn new(d: u64) -> Self {
        let (degree, polynomial) = if d.is_multiple_of(65537) {
            (32, PRIMITIVE_32)
        } else {
            (16, PRIMITIVE_16)
        };
        let mut field = Self {
            degree,
            polynomial,
            traces: 0,
            powers: Vec::new(),
            beta: 1,
        };
        field.traces = (0..degree)
            .filter(|&i| field.conjugate_sum(1 << i) == 1)
            .fold(0, |t, i| t | 1 << i);
        // y generates the field's group, of order 2^u - 1, a multiple of d.
        let alpha = field.power(2, ((1u64 << degree) - 1) / d);
        let next = |&x: &u64| Some(field.multiply(x, alpha));
        field.powers = std::iter::successors(Some(1), next).take(d as usize).collect();
        // The trace is not zero, so it is 1 on some power of y below u.
        field.beta = 1 << field.traces.trailing_zeros();
        field
    }

    fn multiply(&self, a: u64, b: u64) -> u64 {
        (0..self.degree).rev().fold(0, |product, i| {
            let doubled = product << 1;
            let reduced = doubled ^ (self.polynomial * (doubled >> self.degree & 1));
            reduced ^ (a * (b >> i & 1))
        })
    }

    fn power(&self, base: u64, exponent: u64) -> u64 {
        (0..u64::BITS).rev().fold(1, |power, i| {
            let square = self.multiply(power, power);
            if exponent >> i & 1 == 1 {
                self.multiply(square, base)
            } else {
                square
            }
        })
    }

    fn conjugate_sum(&self, x: u64) -> u64 {
        let conjugates = std::iter::successors(Some(x), |&y| Some(self.multiply(y, y)));
        conjugates.take(self.degree as usize).fold(0, |sum, y| sum ^ y)
    }

    fn trace(&self, x: u64) -> bool {
        (x & self.traces).count_ones() % 2 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Transform;
    use crate::automorphism::{Domain, map};

    fn bits(count: usize, seed: u64) -> Vec<bool> {
        let next = |x: &u64| Some(x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
        std::iter::successors(Some(seed), next)
            .skip(1)
            .take(count)
            .map(|x| x >> 60 & 1 == 1)
            .collect()
    }

    #[test]
    fn products_and_automorphisms_act_on_slots() {
        for (n, slots) in [
            (2048, 128),
            (4096, 256),
            (8192, 512),
            (16384, 1024),
            (32768, 2048),
            (65536, 2048),
            (131_072, 4096),
        ] {
            let ring = FermatRing::new(n).unwrap();
            for kernel in Kernel::available() {
                let encoder = Slots::new(&ring, kernel).unwrap();
                assert_eq!(encoder.len(), slots);
                let (a, b) = (bits(slots, 1), bits(slots, 2));
                let (x, y) = (encoder.encode(&a).unwrap(), encoder.encode(&b).unwrap());
                assert_eq!(encoder.decode(&x).unwrap(), a);
                // Sum and product in R/2 are XOR and AND of the slots.
                let sum: Vec<u64> = x.iter().zip(&y).map(|(x, y)| x ^ y).collect();
                let xor: Vec<bool> = a.iter().zip(&b).map(|(a, b)| a ^ b).collect();
                assert_eq!(encoder.decode(&sum).unwrap(), xor);
                let q = ring.primes(1 << 50, 1, &[]).unwrap()[0];
                let transform = Transform::new(&ring, q, kernel).unwrap();
                let (mut u, mut v) = (x.clone(), y.clone());
                transform.evaluate(&mut u).unwrap();
                transform.evaluate(&mut v).unwrap();
                u.iter_mut().zip(&v).for_each(|(u, &v)| *u = q.mul(*u, v));
                transform.interpolate(&mut u).unwrap();
                u.iter_mut().for_each(|u| *u = q.center(*u).rem_euclid(2) as u64);
                let and: Vec<bool> = a.iter().zip(&b).map(|(a, b)| a & b).collect();
                assert_eq!(encoder.decode(&u).unwrap(), and);
                for k in [2, 7, ring.d() - 2] {
                    let map = map(&ring, k, Domain::Coefficient).unwrap();
                    let moved: Vec<u64> = map.iter().map(|&i| x[i as usize]).collect();
                    let expected: Vec<bool> = encoder.permutation(k).unwrap().iter().map(|&i| a[i]).collect();
                    assert_eq!(encoder.decode(&moved).unwrap(), expected, "n = {n}, k = {k}");
                }
            }
        }
    }

    #[test]
    fn short_inputs_are_padded_and_long_ones_refused() {
        let ring = FermatRing::new(2048).unwrap();
        let encoder = Slots::new(&ring, Kernel::Portable).unwrap();
        let element = encoder.encode(&[true, false, true]).unwrap();
        let decoded = encoder.decode(&element).unwrap();
        assert_eq!(decoded.iter().filter(|&&b| b).count(), 2);
        assert!(decoded[0] && decoded[2]);
        assert!(matches!(
            encoder.encode(&[true; 129]),
            Err(RingError::TooManyBits { .. })
        ));
        assert!(encoder.decode(&[0; 3]).is_err());
        assert!(encoder.permutation(257).is_err());
        // Every slot holding 1 is the element 1 = (-1)^w times the sum of the basis.
        assert!(encoder.encode(&[true; 128]).unwrap().iter().all(|&x| x == 1));
    }
}
