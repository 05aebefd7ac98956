//! Comparisons, and the minimum and maximum of two words.

use super::carry::{Wanted, carries};
use super::same_width;
use crate::{Builder, CircuitError, Wire, Word};

/// The way in which the bits of a word are read as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Signedness {
    /// An unsigned number from 0 to `2^w - 1`.
    Unsigned,
    /// A number in two's complement, from `-2^(w-1)` to `2^(w-1) - 1`.
    Signed,
}

impl Builder {
    /// Whether `left < right`. For `left > right` swap the operands; `left >= right` is the complement.
    ///
    /// # Errors
    ///
    /// [`CircuitError::WidthMismatch`] if the widths differ.
    pub fn less(&mut self, left: &Word, right: &Word, signedness: Signedness) -> Result<Wire, CircuitError> {
        same_width(left, right)?;
        let mut complement = self.not_word(left).wires().to_vec();
        let mut right = right.wires().to_vec();
        if signedness == Signedness::Signed
            && let (Some(left), Some(right)) = (complement.last_mut(), right.last_mut())
        {
            // The sign counts negatively; adding 2^(w-1) to both sides complements it.
            (*left, *right) = (self.not(*left), self.not(*right));
        }
        let borrow = self.constant(false);
        let borrows = carries(self, &complement, &right, borrow, Wanted::Last);
        Ok(borrows.last().copied().unwrap_or(borrow))
    }

    /// Whether `left > right`.
    ///
    /// # Errors
    ///
    /// [`CircuitError::WidthMismatch`] if the widths differ.
    pub fn greater(
        &mut self,
        left: &Word,
        right: &Word,
        signedness: Signedness,
    ) -> Result<Wire, CircuitError> {
        self.less(right, left, signedness)
    }

    /// Whether two words are equal. Words without bits are.
    ///
    /// # Errors
    ///
    /// [`CircuitError::WidthMismatch`] if the widths differ.
    pub fn equal(&mut self, left: &Word, right: &Word) -> Result<Wire, CircuitError> {
        let differences = self.xor_words(left, right)?;
        Ok(self.is_zero(&differences))
    }

    /// Whether all bits of a word are 0. This holds for a word without bits.
    pub fn is_zero(&mut self, word: &Word) -> Wire {
        let complement = self.not_word(word);
        self.and_all(complement.wires())
    }

    /// The lesser of two words.
    ///
    /// # Errors
    ///
    /// [`CircuitError::WidthMismatch`] if the widths differ.
    pub fn min(&mut self, left: &Word, right: &Word, signedness: Signedness) -> Result<Word, CircuitError> {
        Ok(self.min_max(left, right, signedness)?.0)
    }

    /// The greater of two words.
    ///
    /// # Errors
    ///
    /// [`CircuitError::WidthMismatch`] if the widths differ.
    pub fn max(&mut self, left: &Word, right: &Word, signedness: Signedness) -> Result<Word, CircuitError> {
        Ok(self.min_max(left, right, signedness)?.1)
    }

    /// The lesser and the greater of two words, for the cost of one of them.
    ///
    /// # Errors
    ///
    /// [`CircuitError::WidthMismatch`] if the widths differ.
    pub fn min_max(
        &mut self,
        left: &Word,
        right: &Word,
        signedness: Signedness,
    ) -> Result<(Word, Word), CircuitError> {
        let exchange = self.less(right, left, signedness)?;
        let differences = self.xor_words(left, right)?;
        let changes = self.mask(exchange, &differences);
        Ok((self.xor_words(left, &changes)?, self.xor_words(right, &changes)?))
    }
}
