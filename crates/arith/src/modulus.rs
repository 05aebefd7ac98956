use crate::ArithError;
use crate::prime::is_prime;

/// An odd prime below 2^62, with the constant of Barrett's reduction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Modulus {
    value: u64,
    /// floor(2^128 / value), high and low word.
    barrett: (u64, u64),
}

impl Modulus {
    /// Makes a modulus of an odd prime.
    ///
    /// # Errors
    /// [`ArithError::BadModulus`] if `value` is not an odd prime below 2^62.
    pub fn new(value: u64) -> Result<Self, ArithError> {
        if !(3..1 << 62).contains(&value) || !is_prime(value) {
            return Err(ArithError::BadModulus(value));
        }
        // value is odd, so it does not divide 2^128 and the floor of (2^128 - 1) / value is the same.
        let ratio = u128::MAX / u128::from(value);
        Ok(Self {
            value,
            barrett: ((ratio >> 64) as u64, ratio as u64),
        })
    }

    /// The prime itself.
    #[must_use]
    #[inline]
    pub const fn value(&self) -> u64 {
        self.value
    }

    /// The bits of the prime: ceil(log2).
    #[must_use]
    pub const fn bits(&self) -> u32 {
        64 - self.value.leading_zeros()
    }

    /// a + b for residues a, b.
    #[must_use]
    #[inline]
    pub const fn add(&self, a: u64, b: u64) -> u64 {
        self.less_one(a + b)
    }

    /// a - b for residues a, b.
    #[must_use]
    #[inline]
    pub const fn sub(&self, a: u64, b: u64) -> u64 {
        let (difference, borrow) = a.overflowing_sub(b);
        difference.wrapping_add(self.value & (borrow as u64).wrapping_neg())
    }

    /// -a for a residue a.
    #[must_use]
    #[inline]
    pub const fn neg(&self, a: u64) -> u64 {
        self.sub(0, a)
    }

    /// a * b for residues a, b.
    #[must_use]
    #[inline]
    pub const fn mul(&self, a: u64, b: u64) -> u64 {
        self.reduce_wide(a as u128 * b as u128)
    }

    /// Reduces any word.
    #[must_use]
    #[inline]
    pub const fn reduce(&self, a: u64) -> u64 {
        self.reduce_wide(a as u128)
    }

    /// Reduces any double word (Barrett with a 128-bit ratio).
    ///
    /// The quotient estimate floor(a * floor(2^128/q) / 2^128), computed without the lowest
    /// partial product's carry, is at most 2 too small; q < 2^62 leaves room for the remainder.
    #[must_use]
    #[inline]
    pub const fn reduce_wide(&self, a: u128) -> u64 {
        let (lo, hi) = (a as u64, (a >> 64) as u64);
        let (ratio_hi, ratio_lo) = self.barrett;
        let low = ((lo as u128 * ratio_lo as u128) >> 64) as u64;
        let middle_1 = lo as u128 * ratio_hi as u128;
        let middle_2 = hi as u128 * ratio_lo as u128;
        let (sum, carry_1) = (middle_1 as u64).overflowing_add(middle_2 as u64);
        let (_, carry_2) = sum.overflowing_add(low);
        let quotient = hi
            .wrapping_mul(ratio_hi)
            .wrapping_add((middle_1 >> 64) as u64)
            .wrapping_add((middle_2 >> 64) as u64)
            .wrapping_add(carry_1 as u64)
            .wrapping_add(carry_2 as u64);
        let rest = lo.wrapping_sub(quotient.wrapping_mul(self.value));
        self.less_one(self.less_one(rest))
    }

    /// x - q if that is not negative, otherwise x; without a branch, because x may depend on secrets.
    #[inline]
    const fn less_one(&self, x: u64) -> u64 {
        let (less, borrow) = x.overflowing_sub(self.value);
        less.wrapping_add(self.value & (borrow as u64).wrapping_neg())
    }

    /// Shoup's companion of a fixed factor w: floor(w * 2^64 / q).
    #[must_use]
    #[inline]
    pub const fn shoup(&self, w: u64) -> u64 {
        (((w as u128) << 64) / self.value as u128) as u64
    }

    /// Shoup's companion of a fixed factor w for half words: floor(w * 2^32 / q), for q < 2^32.
    ///
    /// floor(2^64 / q) gives a quotient that is at most 1 too small.
    #[must_use]
    #[inline]
    pub const fn shoup_half(&self, w: u64) -> u64 {
        let wide = w << 32;
        let quotient = ((wide as u128 * self.barrett.0 as u128) >> 64) as u64;
        let rest = wide.wrapping_sub(quotient.wrapping_mul(self.value));
        quotient + (rest >= self.value) as u64
    }

    /// a * w in [0, 2q) for any word a, a residue w and its companion [`Modulus::shoup`].
    #[must_use]
    #[inline]
    pub const fn mul_shoup_lazy(&self, a: u64, w: u64, companion: u64) -> u64 {
        let quotient = ((a as u128 * companion as u128) >> 64) as u64;
        a.wrapping_mul(w).wrapping_sub(quotient.wrapping_mul(self.value))
    }

    /// a * w reduced, for any word a, a residue w and its companion [`Modulus::shoup`].
    #[must_use]
    #[inline]
    pub const fn mul_shoup(&self, a: u64, w: u64, companion: u64) -> u64 {
        let rest = self.mul_shoup_lazy(a, w, companion);
        if rest >= self.value {
            rest - self.value
        } else {
            rest
        }
    }

    /// base^exponent.
    #[must_use]
    pub const fn pow(&self, base: u64, exponent: u64) -> u64 {
        let (mut result, mut square, mut rest) = (1, self.reduce(base), exponent);
        while rest > 0 {
            if rest & 1 == 1 {
                result = self.mul(result, square);
            }
            square = self.mul(square, square);
            rest >>= 1;
        }
        result
    }

    /// a^-1, by Fermat's little theorem; `None` for 0.
    #[must_use]
    pub const fn inv(&self, a: u64) -> Option<u64> {
        let a = self.reduce(a);
        if a == 0 {
            None
        } else {
            Some(self.pow(a, self.value - 2))
        }
    }

    /// The representative of a residue in (-q/2, q/2).
    #[must_use]
    #[inline]
    pub const fn center(&self, a: u64) -> i64 {
        if a > self.value / 2 {
            a as i64 - self.value as i64
        } else {
            a as i64
        }
    }

    /// The residue of a signed word.
    #[must_use]
    #[inline]
    pub const fn from_signed(&self, a: i64) -> u64 {
        let magnitude = self.reduce(a.unsigned_abs());
        if a < 0 { self.neg(magnitude) } else { magnitude }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PRIMES: [u64; 5] = [3, 65537, 838_848_001, 1_125_899_906_842_597, (1 << 61) - 1];

    #[test]
    fn rejects_composites_and_giants() {
        for bad in [0, 1, 2, 4, 9, 838_848_003, u64::MAX, 1 << 62] {
            assert_eq!(Modulus::new(bad), Err(ArithError::BadModulus(bad)));
        }
    }

    proptest! {
        #[test]
        fn agrees_with_wide_remainder(a: u128, b: u64, c: u64, i in 0..PRIMES.len()) {
            let q = Modulus::new(PRIMES[i]).unwrap();
            let wide = u128::from(q.value());
            prop_assert_eq!(u128::from(q.reduce_wide(a)), a % wide);
            let (x, y) = (q.reduce(b), q.reduce(c));
            prop_assert_eq!(u128::from(q.mul(x, y)), u128::from(x) * u128::from(y) % wide);
            prop_assert_eq!(q.mul_shoup(b, y, q.shoup(y)), q.mul(x, y));
            prop_assert_eq!(u128::from(q.add(x, y)), (u128::from(x) + u128::from(y)) % wide);
            prop_assert_eq!(q.add(q.sub(x, y), y), x);
            prop_assert_eq!(q.add(q.neg(x), x), 0);
            prop_assert_eq!(q.from_signed(q.center(x)), x);
            if x != 0 {
                prop_assert_eq!(q.mul(x, q.inv(x).unwrap()), 1);
            }
            if q.bits() <= 32 {
                for w in [x, q.value() - 1] {
                    prop_assert_eq!(q.shoup_half(w), (w << 32) / q.value());
                }
            }
        }
    }
}
