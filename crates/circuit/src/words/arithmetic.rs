//! Sums and differences of two words.

use super::carry::{Wanted, carries};
use super::same_width;
use crate::{Builder, CircuitError, Wire, Word};

impl Builder {
    /// The sum of two words modulo 2 to the power of their width, signed or unsigned.
    ///
    /// # Errors
    ///
    /// [`CircuitError::WidthMismatch`] if the widths differ.
    pub fn add(&mut self, left: &Word, right: &Word) -> Result<Word, CircuitError> {
        same_width(left, right)?;
        let carry = self.constant(false);
        Ok(self.sum(left, right, carry, Wanted::Inner).0)
    }

    /// The sum of two words and a carry, and the carry out. Together they are the whole sum of the words as
    /// unsigned numbers.
    ///
    /// # Errors
    ///
    /// [`CircuitError::WidthMismatch`] if the widths differ.
    pub fn add_with_carry(
        &mut self,
        left: &Word,
        right: &Word,
        carry: Wire,
    ) -> Result<(Word, Wire), CircuitError> {
        same_width(left, right)?;
        Ok(self.sum(left, right, carry, Wanted::All))
    }

    /// The difference `left - right` modulo 2 to the power of their width, signed or unsigned.
    ///
    /// # Errors
    ///
    /// [`CircuitError::WidthMismatch`] if the widths differ.
    pub fn subtract(&mut self, left: &Word, right: &Word) -> Result<Word, CircuitError> {
        same_width(left, right)?;
        let borrow = self.constant(false);
        Ok(self.difference(left, right, borrow, Wanted::Inner).0)
    }

    /// The difference `left - right - borrow`, and the borrow out, which is 1 exactly if the difference of
    /// unsigned numbers is negative.
    ///
    /// # Errors
    ///
    /// [`CircuitError::WidthMismatch`] if the widths differ.
    pub fn subtract_with_borrow(
        &mut self,
        left: &Word,
        right: &Word,
        borrow: Wire,
    ) -> Result<(Word, Wire), CircuitError> {
        same_width(left, right)?;
        Ok(self.difference(left, right, borrow, Wanted::All))
    }

    /// The word subtracted from 0, modulo 2 to the power of its width.
    pub fn negate(&mut self, word: &Word) -> Word {
        let zero = self.constant_word(word.wires().iter().map(|_| false));
        let borrow = self.constant(false);
        self.difference(&zero, word, borrow, Wanted::Inner).0
    }

    /// The word plus a carry, modulo 2 to the power of its width.
    pub fn increment(&mut self, word: &Word, carry: Wire) -> Word {
        let zero = self.constant_word(word.wires().iter().map(|_| false));
        self.sum(word, &zero, carry, Wanted::Inner).0
    }

    /// The word extended with zeros to `width` bits, or cut off if it is wider.
    pub fn extend_unsigned(&mut self, word: &Word, width: usize) -> Word {
        let zero = self.constant(false);
        let bits = word.wires().iter().copied().chain(std::iter::repeat(zero));
        Word::new(bits.take(width).collect())
    }

    /// The word extended with copies of its highest bit to `width` bits, or cut off if it is wider. A word
    /// without bits counts as 0.
    pub fn extend_signed(&mut self, word: &Word, width: usize) -> Word {
        let sign = match word.wires().last() {
            Some(sign) => *sign,
            None => self.constant(false),
        };
        let bits = word.wires().iter().copied().chain(std::iter::repeat(sign));
        Word::new(bits.take(width).collect())
    }

    /// The sum of words of equal width, and the carry out if it is wanted.
    pub(super) fn sum(&mut self, left: &Word, right: &Word, carry: Wire, wanted: Wanted) -> (Word, Wire) {
        let (x, y) = (left.wires(), right.wires());
        let carries = carries(self, x, y, carry, wanted);
        let bits = x.iter().zip(y).zip(&carries).map(|((x, y), carry)| {
            let sum = self.xor(*x, *y);
            self.xor(sum, *carry)
        });
        let bits = Word::new(bits.collect());
        (bits, carries.last().copied().unwrap_or(carry))
    }

    /// The same as [`sum`](Self::sum) for the difference. The borrow is the majority of the first operand's
    /// complement, the second operand and the borrow.
    fn difference(&mut self, left: &Word, right: &Word, borrow: Wire, wanted: Wanted) -> (Word, Wire) {
        let complement = self.not_word(left);
        let borrows = carries(self, complement.wires(), right.wires(), borrow, wanted);
        let pairs = left.wires().iter().zip(right.wires());
        let bits = pairs.zip(&borrows).map(|((left, right), borrow)| {
            let sum = self.xor(*left, *right);
            self.xor(sum, *borrow)
        });
        let bits = Word::new(bits.collect());
        (bits, borrows.last().copied().unwrap_or(borrow))
    }
}
