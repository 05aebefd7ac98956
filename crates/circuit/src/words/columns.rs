//! Sums of many words: carry-save columns, products, and counts of ones.
//!
//! A full adder takes three bits of a column and leaves their sum there and
//! their majority in the next column. The sum is an XOR and no deeper than its
//! operands; only the majority takes an AND, one for each pair of bits removed.
//! Taking the three shallowest bits first therefore halves a column at each
//! depth, instead of leaving two thirds of it as in a tree of Wallace.

use super::carry::Wanted;
use crate::{Builder, Wire, Word};

impl Builder {
    /// The product of two unsigned words, as wide as both together.
    ///
    /// Carry-save columns of the partial products, then one prefix adder that
    /// takes into account how deep each column is.
    pub fn multiply(&mut self, left: &Word, right: &Word) -> Word {
        let width = left.width() + right.width();
        let mut columns = Columns::new(width);
        for (place, bit) in right.wires().iter().enumerate() {
            let partial = self.mask(*bit, left);
            columns.add(place, &partial);
        }
        columns.total(self)
    }

    /// The product of two signed words in two's complement, as wide as both
    /// together.
    ///
    /// The partial products of one sign bit with the other word count
    /// negatively: by `-b = (not b) - 1` they are complemented, and constants
    /// make up for the ones (Baugh and Wooley).
    pub fn multiply_signed(&mut self, left: &Word, right: &Word) -> Word {
        let (m, n) = (left.width(), right.width());
        let mut columns = Columns::new(m + n);
        if m == 0 || n == 0 {
            return columns.total(self);
        }
        for (place, bit) in right.wires().iter().enumerate() {
            let partial = self.mask(*bit, left);
            let bits = partial.wires().iter().enumerate().map(|(index, wire)| {
                let negative = (index + 1 == m) != (place + 1 == n);
                if negative { self.not(*wire) } else { *wire }
            });
            let bits = Word::new(bits.collect());
            columns.add(place, &bits);
        }
        // The ones at places m-1 to m+n-3 and n-1 to m+n-3 sum up to
        // 2^(m+n-1) - 2^(m-1) - 2^(n-1), and 2^(m+n-1) is its own negative
        // modulo 2^(m+n).
        let one = self.constant(true);
        for place in [m - 1, n - 1, m + n - 1] {
            columns.push(place, one);
        }
        columns.total(self)
    }

    /// The sum of unsigned words of any widths, wide enough for every value it
    /// can take. The sum of no words has one bit, 0.
    pub fn sum_all(&mut self, words: &[Word]) -> Word {
        let largest = words.iter().map(|word| word.width()).max().unwrap_or_default();
        let grown = (usize::BITS - words.len().saturating_sub(1).leading_zeros()) as usize;
        let mut columns = Columns::new((largest + grown).max(1));
        for word in words {
            columns.add(0, word);
        }
        columns.total(self)
    }

    /// How many of a word's bits are 1, just wide enough for its width. One
    /// AND less than there are bits, at most; bit `i` has depth `i`, if the
    /// word's bits have depth 0.
    pub fn popcount(&mut self, word: &Word) -> Word {
        let mut bits = Vec::new();
        let mut column = word.wires().to_vec();
        while !column.is_empty() {
            let mut carries = Vec::new();
            let mut column_bits = Columns::shallowest_last(self, column);
            while let Some(first) = column_bits.pop() {
                let Some(second) = column_bits.pop() else {
                    bits.push(first);
                    break;
                };
                let (sum, carry) = match column_bits.pop() {
                    Some(third) => self.full_adder(first, second, third),
                    None => (self.xor(first, second), self.and(first, second)),
                };
                column_bits.push(sum);
                carries.push(carry);
            }
            column = carries;
        }
        if bits.is_empty() {
            bits.push(self.constant(false));
        }
        Word::new(bits)
    }

    /// The sum and the majority of three bits, with one AND.
    fn full_adder(&mut self, first: Wire, second: Wire, third: Wire) -> (Wire, Wire) {
        let differs = self.xor(first, second);
        let sum = self.xor(differs, third);
        let other = self.xor(second, third);
        let change = self.and(differs, other);
        (sum, self.xor(second, change))
    }
}

/// Bits to be summed, by place.
struct Columns(Vec<Vec<Wire>>);

impl Columns {
    fn new(width: usize) -> Self {
        Self(vec![Vec::new(); width])
    }

    /// Adds a word times 2 to the power of `place`. What lies beyond the width
    /// is dropped, so that sums are modulo 2 to the power of the width.
    fn add(&mut self, place: usize, word: &Word) {
        for (column, wire) in self.0.iter_mut().skip(place).zip(word.wires()) {
            column.push(*wire);
        }
    }

    fn push(&mut self, place: usize, wire: Wire) {
        if let Some(column) = self.0.get_mut(place) {
            column.push(wire);
        }
    }

    /// The sum of everything.
    fn total(mut self, builder: &mut Builder) -> Word {
        let mut depth = 0;
        while self.0.iter().any(|column| column.len() > 2) {
            self.compress(builder, depth);
            depth += 1;
        }
        let zero = builder.constant(false);
        let row = |index: usize| {
            let bit = |column: &Vec<Wire>| column.get(index).copied().unwrap_or(zero);
            Word::new(self.0.iter().map(bit).collect())
        };
        let (first, second) = (row(0), row(1));
        builder.sum(&first, &second, zero, Wanted::Inner).0
    }

    /// Removes bits in threes as long as a column has more than two, and all
    /// three have depth `depth` at most.
    fn compress(&mut self, builder: &mut Builder, depth: u32) {
        for place in 0..self.0.len() {
            let column = self.0.get_mut(place).map(std::mem::take).unwrap_or_default();
            let mut bits = Self::shallowest_last(builder, column);
            while let [.., third, second, first] = bits.as_slice() {
                let (first, second, third) = (*first, *second, *third);
                if builder.and_depth(third) > depth {
                    break;
                }
                bits.truncate(bits.len() - 3);
                let (sum, carry) = builder.full_adder(first, second, third);
                bits.push(sum);
                self.push(place + 1, carry);
            }
            if let Some(column) = self.0.get_mut(place) {
                *column = bits;
            }
        }
    }

    /// The bits of a column in the order in which they are taken from its end.
    fn shallowest_last(builder: &Builder, mut column: Vec<Wire>) -> Vec<Wire> {
        column.sort_by_key(|wire| std::cmp::Reverse(builder.and_depth(*wire)));
        column
    }
}
