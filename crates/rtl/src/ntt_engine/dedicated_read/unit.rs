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

    /// The forward butterfly: u + v w and u - v w.
    #[must_use]
    pub const fn combine(&self, word: [u64; 2], factor: u64) -> [u64; 2] {
        let term = self.mul(word[1], factor);
        [self.modulus.add(word[0], term), self.modulus.sub(word[0], term)]
    }

    /// The inverse butterfly: u + v and (u - v) w.
    #[must_use]
    pub const fn decimate(&self, word: [u64; 2], factor: u64) -> [u64; 2] {
        let difference = self.modulus.sub(word[0], word[1]);
        [self.modulus.add(word[0], word[1]), self.mul(difference, factor)]
    }
}
