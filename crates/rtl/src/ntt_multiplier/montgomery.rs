use ringmill_arith::Modulus;

use super::Shape;
use super::shape::WORD_BITS;
use crate::RtlError;

/// The arithmetic of a unit. All operands and results are canonical residues of a prime q = 1 mod 2n.
///
/// Because q = q_H 2^w + 1, -1/q is -1 modulo 2^w, and a step of the reduction is one multiplication by q_H
/// (algorithm 6 of the paper).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Montgomery {
    modulus: Modulus,
    step_bits: u32,
    steps: u32,
}

impl Montgomery {
    /// Prepares the arithmetic of a machine's units modulo a prime.
    ///
    /// # Errors
    /// [`RtlError::BadModulus`] unless the prime has 22 to 32 bits and is 1 modulo 2n.
    pub fn new(shape: Shape, modulus: &Modulus) -> Result<Self, RtlError> {
        let congruence = 1u64 << shape.step_bits();
        if !(22..=WORD_BITS).contains(&modulus.bits()) || modulus.value() % congruence != 1 {
            return Err(RtlError::BadModulus {
                modulus: modulus.value(),
                congruence,
            });
        }
        Ok(Self {
            modulus: *modulus,
            step_bits: shape.step_bits(),
            steps: shape.steps(),
        })
    }

    /// The prime.
    #[must_use]
    pub const fn modulus(&self) -> &Modulus {
        &self.modulus
    }

    /// Computes a R mod q, R = 2^(L w). The machine keeps factors in this form, so that products with them
    /// are exact.
    #[must_use]
    pub const fn raise(&self, a: u64) -> u32 {
        let r = self.modulus.reduce_wide(1 << (self.steps * self.step_bits));
        self.modulus.mul(a, r) as u32
    }

    /// Computes a b / R mod q as the unit does.
    ///
    /// The product is below q^2. L steps divide it by R and add less than q. One subtraction is enough,
    /// because R > q.
    #[must_use]
    pub const fn mul(&self, a: u32, b: u32) -> u32 {
        let mask = (1u64 << self.step_bits) - 1;
        let top = 1u64 << (self.step_bits - 1);
        let q_high = self.modulus.value() >> self.step_bits;
        let mut t = a as u64 * b as u64;
        let mut step = 0;
        while step < self.steps {
            let low = t & mask;
            let complement = low.wrapping_neg() & mask;
            // The low parts sum to 2^w unless both are 0: then one of them has the top bit.
            let carry = ((complement | low) & top != 0) as u64;
            t = (t >> self.step_bits) + q_high * complement + carry;
            step += 1;
        }
        if t >= self.modulus.value() {
            (t - self.modulus.value()) as u32
        } else {
            t as u32
        }
    }

    /// Computes a + b mod q.
    #[must_use]
    pub const fn add(&self, a: u32, b: u32) -> u32 {
        self.modulus.add(a as u64, b as u64) as u32
    }

    /// Computes a - b mod q.
    #[must_use]
    pub const fn sub(&self, a: u32, b: u32) -> u32 {
        self.modulus.sub(a as u64, b as u64) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use ringmill_arith::prime::primes_below;

    /// One unit for each size of primes that a machine for n accepts.
    fn units(n: usize) -> Vec<Montgomery> {
        let shape = Shape::new(n, 8, 1).unwrap();
        (22..=32)
            .map(|bits| {
                let q = primes_below(1 << bits, 2 * n as u64, 1, &[]).unwrap()[0];
                Montgomery::new(shape, &q).unwrap()
            })
            .collect()
    }

    #[test]
    fn products_with_raised_factors_are_exact() {
        for n in [64, 256, 1024, 4096, 32768] {
            for unit in units(n) {
                let q = unit.modulus().value();
                let edges = [0, 1, 2, q / 2, q / 2 + 1, q - 2, q - 1];
                for (a, b) in edges.into_iter().flat_map(|a| edges.map(|b| (a, b))) {
                    let product = unit.mul(a as u32, unit.raise(b));
                    assert_eq!(u128::from(product), u128::from(a) * u128::from(b) % u128::from(q));
                }
            }
        }
    }

    proptest! {
        #[test]
        fn random_products(a: u64, b: u64, size in 0..11usize) {
            let unit = units(1024)[size];
            let q = unit.modulus().value();
            let (a, b) = (a % q, b % q);
            let product = unit.mul(a as u32, unit.raise(b));
            prop_assert_eq!(u128::from(product), u128::from(a) * u128::from(b) % u128::from(q));
        }
    }

    #[test]
    fn refuses_primes_it_cannot_reduce_by() {
        let wide = primes_below(1 << 33, 2048, 1, &[]).unwrap()[0].value();
        // These are too small, not 1 modulo 2048, and too large.
        for q in [12289, 4_294_967_291, wide] {
            let q = Modulus::new(q).unwrap();
            let refused = Montgomery::new(Shape::PAPER, &q);
            assert!(matches!(refused, Err(RtlError::BadModulus { .. })), "{q:?}");
        }
    }
}
