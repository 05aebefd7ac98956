use ringmill_arith::Modulus;

use crate::RtlError;

/// The arithmetic of a butterfly unit for one prime: canonical residues, and factors in Montgomery's form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unit {
    modulus: Modulus,
    width: u32,
    word: u32,
    radix: u64,
    inverse_radix: u64,
}

impl Unit {
    /// Prepares the arithmetic of units for words of `width` bits that reduce `word` bits in a step:
    /// R = 2^(word ceil(width / word)).
    ///
    /// # Errors
    /// [`RtlError::BadTransformModulus`] unless the prime has at most `width` bits and is 1 modulo 2^word.
    pub fn new(modulus: &Modulus, width: u32, word: u32) -> Result<Self, RtlError> {
        let bad = RtlError::BadTransformModulus {
            modulus: modulus.value(),
            bits: width,
            congruence: 1u64.checked_shl(word).unwrap_or(0),
        };
        if word == 0 || word >= width || modulus.bits() > width || modulus.value() % (1 << word) != 1 {
            return Err(bad);
        }
        let radix = modulus.pow(2, u64::from(word * width.div_ceil(word)));
        Ok(Self {
            modulus: *modulus,
            width,
            word,
            radix,
            inverse_radix: modulus.inv(radix).ok_or(bad)?,
        })
    }

    /// The prime.
    #[must_use]
    pub const fn modulus(&self) -> &Modulus {
        &self.modulus
    }

    /// The bits of a word.
    #[must_use]
    pub const fn width(&self) -> u32 {
        self.width
    }

    /// The bits that a step of the reduction takes off.
    #[must_use]
    pub const fn word(&self) -> u32 {
        self.word
    }

    /// Computes a R: the form that factors have.
    #[must_use]
    pub const fn raise(&self, a: u64) -> u64 {
        self.modulus.mul(a, self.radix)
    }

    /// Computes a b / R as the unit's multiplier does.
    #[must_use]
    pub const fn mul(&self, a: u64, b: u64) -> u64 {
        self.modulus.mul(self.modulus.mul(a, b), self.inverse_radix)
    }

    /// Computes u + v and u - v.
    #[must_use]
    pub const fn both(&self, u: u64, v: u64) -> [u64; 2] {
        [self.modulus.add(u, v), self.modulus.sub(u, v)]
    }

    /// The forward butterfly: u + v w and u - v w.
    #[must_use]
    pub const fn combine(&self, [u, v]: [u64; 2], factor: u64) -> [u64; 2] {
        self.both(u, self.mul(v, factor))
    }

    /// The inverse butterfly: u + v and (u - v) w.
    #[must_use]
    pub const fn decimate(&self, [u, v]: [u64; 2], factor: u64) -> [u64; 2] {
        let [sum, difference] = self.both(u, v);
        [sum, self.mul(difference, factor)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringmill_arith::prime::primes_below;

    #[test]
    fn products_with_raised_factors_are_exact() {
        for (width, word, congruence) in [(50, 17, 65535 << 17), (32, 11, 3855 << 11), (30, 15, 1 << 15)] {
            let q = primes_below(1 << width, congruence, 1, &[]).unwrap()[0];
            let unit = Unit::new(&q, width, word).unwrap();
            for a in [0, 1, q.value() / 3, q.value() - 1] {
                for b in [0, 1, q.value() / 7, q.value() - 1] {
                    let product = u128::from(a) * u128::from(b) % u128::from(q.value());
                    assert_eq!(u128::from(unit.mul(a, unit.raise(b))), product);
                }
            }
        }
    }

    #[test]
    fn primes_that_do_not_fit_are_refused() {
        let refused = |q: &Modulus| match Unit::new(q, 50, 17) {
            Err(error) => error.to_string(),
            Ok(unit) => panic!("{unit:?}"),
        };
        let fermat = primes_below(1 << 50, 65535 << 8, 8, &[]).unwrap();
        let plain = fermat.iter().find(|q| q.value() % (1 << 17) != 1).unwrap();
        assert!(refused(plain).contains("1 modulo 131072"));
        let wide = primes_below(1 << 51, 65535 << 17, 1, &[]).unwrap()[0];
        assert!(refused(&wide).contains("at most 50 bits"));
    }
}
