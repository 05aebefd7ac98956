//! Polynomials over GF(2) with one bit for each coefficient. They serve to make tables: nothing here is
//! constant time but [`Binary::reduce`], which decodes with them.

use std::hint::black_box;

/// A polynomial over GF(2); its highest word is not 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Binary(Vec<u64>);

impl Binary {
    /// The sum of x^e over these exponents e.
    pub fn of(exponents: impl IntoIterator<Item = usize>) -> Self {
        let mut words = Vec::new();
        for e in exponents {
            if words.len() <= e / 64 {
                words.resize(e / 64 + 1, 0);
            }
            words[e / 64] ^= 1 << (e % 64);
        }
        Self(words).trimmed()
    }

    /// Returns the words, padded with zeros to at least `count` words.
    pub fn into_words(mut self, count: usize) -> Vec<u64> {
        self.0.resize(count.max(self.0.len()), 0);
        self.0
    }

    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the polynomial is 1.
    pub fn is_one(&self) -> bool {
        self.0 == [1]
    }

    /// The degree; constants, including 0, have degree 0.
    pub fn degree(&self) -> usize {
        match self.0.last() {
            None => 0,
            Some(word) => 64 * self.0.len() - 1 - word.leading_zeros() as usize,
        }
    }

    fn trimmed(mut self) -> Self {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        self
    }

    /// Adds x^shift times another polynomial.
    fn add_shifted(&mut self, other: &Self, shift: usize) {
        let (words, bits) = (shift / 64, shift % 64);
        let len = other.0.len() + words + 1;
        if self.0.len() < len {
            self.0.resize(len, 0);
        }
        for (i, &word) in other.0.iter().enumerate() {
            self.0[i + words] ^= word << bits;
            if bits > 0 {
                self.0[i + words + 1] ^= word >> (64 - bits);
            }
        }
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }

    pub fn times(&self, other: &Self) -> Self {
        let mut product = Self(Vec::new());
        for (i, &word) in self.0.iter().enumerate() {
            let bits = (0..64).filter(|bit| word >> bit & 1 == 1);
            bits.for_each(|bit| product.add_shifted(other, 64 * i + bit));
        }
        product
    }

    /// Divides by a nonzero polynomial and returns quotient and remainder.
    pub fn divide(&self, divisor: &Self) -> (Self, Self) {
        let (mut quotient, mut rest) = (Self(Vec::new()), self.clone());
        while !rest.is_zero() && rest.degree() >= divisor.degree() {
            let shift = rest.degree() - divisor.degree();
            rest.add_shifted(divisor, shift);
            quotient.add_shifted(&Self(vec![1]), shift);
        }
        (quotient, rest)
    }

    /// Reduces another polynomial, given by words, lowest bit first, modulo this one: in place, and in a time that does
    /// not depend on it.
    pub fn reduce(&self, words: &mut [u64]) {
        let degree = self.degree();
        for at in (degree..64 * words.len()).rev() {
            let mask = black_box(words[at / 64] >> (at % 64) & 1).wrapping_neg();
            let (start, bits) = ((at - degree) / 64, (at - degree) % 64);
            for (i, &word) in self.0.iter().enumerate() {
                let shifted = u128::from(word & mask) << bits;
                words[start + i] ^= shifted as u64;
                if let Some(next) = words.get_mut(start + i + 1) {
                    *next ^= (shifted >> 64) as u64;
                }
            }
        }
    }

    pub fn modulo(&self, divisor: &Self) -> Self {
        self.divide(divisor).1
    }

    /// The greatest common divisor of two polynomials.
    pub fn common(&self, other: &Self) -> Self {
        let (mut a, mut b) = (self.clone(), other.clone());
        while !b.is_zero() {
            (a, b) = (b.clone(), a.modulo(&b));
        }
        a
    }

    /// The inverse modulo `modulus`, or `None` if the two have a common factor.
    pub fn inverse(&self, modulus: &Self) -> Option<Self> {
        let (mut a, mut b) = (modulus.clone(), self.modulo(modulus));
        let (mut x, mut y) = (Self(Vec::new()), Self(vec![1]));
        while !b.is_zero() {
            let (quotient, rest) = a.divide(&b);
            let mut next = x;
            next.add_shifted(&quotient.times(&y), 0);
            (a, b, x, y) = (b, rest, y, next);
        }
        a.is_one().then(|| x.modulo(modulus))
    }
}
