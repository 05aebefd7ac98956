//! Sums of many words: carry-save columns, products, and counts of ones.
//!
//! A full adder takes three bits of a column and leaves their sum there and their majority in the next
//! column. The sum is an XOR and no deeper than its operands; only the majority takes an AND, one for each
//! pair of bits removed. Taking the three shallowest bits first therefore halves a column at each depth,
//! whereas a Wallace tree leaves two thirds of it.

use super::carry::Wanted;
use crate::{Builder, Wire, Word};

impl Builder {
    /// The product of two unsigned words, as wide as both together.
    ///
    /// It consists of carry-save columns of the partial products, followed by one prefix adder that takes
    /// into account how deep each column is.
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
    /// The partial products of one sign bit with the other word count negatively. By `-b = (not b) - 1` they
    /// are complemented, and constants compensate for the ones (Baugh and Wooley).
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
        // The ones at places m-1 to m+n-3 and n-1 to m+n-3 sum up to 2^(m+n-1) - 2^(m-1) - 2^(n-1), and
        // 2^(m+n-1) is its own negative modulo 2^(m+n).
        let one = self.constant(true);
        for place in [m - 1, n - 1, m + n - 1] {
            columns.push(place, one);
        }
        columns.total(self)
    }

    /// The sum of unsigned words of any widths, wide enough for every possible value. The sum of no words
    /// has one bit, 0.
    pub fn sum_all(&mut self, words: &[Word]) -> Word {
        let largest = words.iter().map(|word| word.width()).max().unwrap_or_default();
        let grown = (usize::BITS - words.len().saturating_sub(1).leading_zeros()) as usize;
        self.sum_modulo(words, (largest + grown).max(1))
    }

    /// The sum of unsigned words of any widths, modulo 2 to the power of `width`.
    pub fn sum_modulo(&mut self, words: &[Word], width: usize) -> Word {
        let mut columns = Columns::new(width);
        for word in words {
            columns.add(0, word);
        }
        columns.total(self)
    }

    /// The number of a word's bits that are 1, just wide enough for the word's width. It takes at most one
    /// AND less than there are bits. Bit `i` has depth `i` if the word's bits have depth 0.
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
                    None => self.half_adder(first, second),
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

    /// The sum and the product of two bits.
    fn half_adder(&mut self, first: Wire, second: Wire) -> (Wire, Wire) {
        (self.xor(first, second), self.and(first, second))
    }
}

/// The height to which columns are reduced within one level of depth, in the manner of Dadda: 2, 3, 5, 9,
/// .... Each becomes the one before it, because `2 h - 1` bits leave their sum and `h - 1` carries.
fn next_height(height: usize) -> usize {
    let mut next = 2;
    while 2 * next - 1 < height {
        next = 2 * next - 1;
    }
    next
}

/// The bits to be summed, by place.
pub(crate) struct Columns(Vec<Vec<Wire>>);

impl Columns {
    /// No bits yet.
    pub(crate) fn new(width: usize) -> Self {
        Self(vec![Vec::new(); width])
    }

    /// Adds a word times 2 to the power of `place`. Bits beyond the width are dropped, so sums are modulo 2
    /// to the power of the width.
    pub(crate) fn add(&mut self, place: usize, word: &Word) {
        for (column, wire) in self.0.iter_mut().skip(place).zip(word.wires()) {
            column.push(*wire);
        }
    }

    fn push(&mut self, place: usize, wire: Wire) {
        if let Some(column) = self.0.get_mut(place) {
            column.push(wire);
        }
    }

    /// Adds another bit beside each.
    pub(crate) fn double(&mut self, mut other: impl FnMut(Wire) -> Wire) {
        for column in &mut self.0 {
            let others: Vec<Wire> = column.iter().map(|wire| other(*wire)).collect();
            column.extend(others);
        }
    }

    /// Reduces columns to two bits, at the least depth.
    pub(crate) fn reduce(&mut self, builder: &mut Builder) {
        let mut depth = 0;
        while self.height() > 2 {
            self.compress(builder, depth, next_height(self.height()));
            depth += 1;
        }
    }

    /// The sum of everything.
    pub(crate) fn total(mut self, builder: &mut Builder) -> Word {
        self.reduce(builder);
        let zero = builder.constant(false);
        let row = |index: usize| {
            let bit = |column: &Vec<Wire>| column.get(index).copied().unwrap_or(zero);
            Word::new(self.0.iter().map(bit).collect())
        };
        let (first, second) = (row(0), row(1));
        builder.sum(&first, &second, zero, Wanted::Inner).0
    }

    /// The number of bits in the fullest column.
    fn height(&self) -> usize {
        self.0.iter().map(Vec::len).max().unwrap_or_default()
    }

    /// Reduces columns to `height`, as far as that is possible with bits of depth `depth` at most. Carries
    /// are deeper, so none of them goes on into a third column. A half adder is used where this needs one;
    /// otherwise columns of two bits would pass a single carry on from end to end.
    pub(crate) fn compress(&mut self, builder: &mut Builder, depth: u32, height: usize) {
        for place in 0..self.0.len() {
            let column = self.0.get_mut(place).map(std::mem::take).unwrap_or_default();
            let is_ready = |wire: &Wire| builder.and_depth(*wire) <= depth;
            let (ready, mut late): (Vec<Wire>, Vec<Wire>) = column.into_iter().partition(is_ready);
            let mut ready = Self::shallowest_last(builder, ready);
            while ready.len() + late.len() > height {
                let (sum, carry) = match (ready.pop(), ready.pop(), ready.pop()) {
                    (Some(first), Some(second), Some(third)) => builder.full_adder(first, second, third),
                    (Some(first), Some(second), None) => builder.half_adder(first, second),
                    (first, ..) => {
                        late.extend(first);
                        break;
                    }
                };
                ready.push(sum);
                self.push(place + 1, carry);
            }
            if let Some(column) = self.0.get_mut(place) {
                ready.append(&mut late);
                *column = ready;
            }
        }
    }

    /// The bits of a column in the order in which they are taken from its end.
    fn shallowest_last(builder: &Builder, mut column: Vec<Wire>) -> Vec<Wire> {
        column.sort_by_key(|wire| std::cmp::Reverse(builder.and_depth(*wire)));
        column
    }
}
