//! Sums over records.

use super::Gatherer;
use crate::words::Columns;
use crate::{Signedness, Word};

impl Gatherer<'_> {
    /// The sum over all records that are there, of `width` bits.
    ///
    /// Numbers of several bits stay two rows of bits until the end, so that no carry goes through a number at each step:
    /// of the four rows of two records two full adders one after the other make two again. Single bits are counted: there
    /// bit i of a count has depth i at every step, and adding two counts with carries from bit to bit keeps it so.
    pub(super) fn sum(&mut self, value: &Word, signedness: Signedness, width: usize) -> Word {
        let present = self.builder.mask(self.present, value);
        // A sign bit counts negatively: -s = (1 - s) - 1. So complemented it adds 2^(w-1) to each of the 2^k records, which
        // is 2^(width-1) in all, and taken off by a complement again.
        let is_signed = signedness == Signedness::Signed;
        let mut bits = present.wires().to_vec();
        if let (true, Some(sign)) = (is_signed, bits.last_mut()) {
            *sign = self.builder.not(*sign);
        }
        let mut columns = Columns::new(width);
        columns.add(0, &Word::new(bits));
        for step in 0..self.group.steps() {
            columns.double(|wire| self.step(wire, step));
            match value.width() {
                1 => columns.compress(&mut self.builder, u32::MAX, 1),
                _ => columns.reduce(&mut self.builder),
            }
        }
        let total = columns.total(&mut self.builder);
        let mut bits = total.wires().to_vec();
        if let (true, Some(sign)) = (is_signed, bits.last_mut()) {
            *sign = self.builder.not(*sign);
        }
        Word::new(bits)
    }
}
