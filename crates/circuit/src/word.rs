//! A group of wires that is read as a number.

use crate::Wire;

/// Several wires in order, least significant bit first.
/// The methods here only rearrange wires, which costs no gates. Operations that need gates are on
/// [`Builder`](crate::Builder).
/// need gates are on [`Builder`](crate::Builder).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word(Vec<Wire>);

impl Word {
    /// The word with the given bits, least significant first.
    #[must_use]
    pub fn new(wires: Vec<Wire>) -> Self {
        Self(wires)
    }

    /// The bits, least significant first.
    #[must_use]
    pub fn wires(&self) -> &[Wire] {
        &self.0
    }

    /// The number of bits.
    #[must_use]
    pub fn width(&self) -> usize {
        self.0.len()
    }

    /// The word rotated by `count` bits towards the most significant end, as
    /// `u32::rotate_left` does: bit `i` moves to bit `i + count` modulo the
    /// width. Any `count` is allowed.
    #[must_use]
    pub fn rotate_left(&self, count: usize) -> Self {
        let mut wires = self.0.clone();
        // The slice method moves elements towards index 0, which is the least significant bit; hence the
        // opposite direction.
        if !wires.is_empty() {
            wires.rotate_right(count % self.width());
        }
        Self(wires)
    }

    /// The word rotated by `count` bits towards the least significant end, as
    /// `u32::rotate_right` does. Any `count` is allowed.
    #[must_use]
    pub fn rotate_right(&self, count: usize) -> Self {
        let mut wires = self.0.clone();
        if !wires.is_empty() {
            wires.rotate_left(count % self.width());
        }
        Self(wires)
    }

    /// This word with the bits of `high` above its own. The width is the sum of both widths.
    #[must_use]
    pub fn concat(&self, high: &Self) -> Self {
        Self(self.0.iter().chain(&high.0).copied().collect())
    }

    /// The word cut into `N` pieces of equal width, lowest first. If `N` does not divide the width, the
    /// pieces have the quotient rounded up, and the highest ones are narrower or even empty.
    #[must_use]
    pub fn split<const N: usize>(&self) -> [Self; N] {
        let width = self.width().div_ceil(N.max(1));
        std::array::from_fn(|piece| {
            let wires = self.0.iter().skip(piece * width).take(width);
            Self(wires.copied().collect())
        })
    }
}
