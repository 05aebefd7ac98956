//! The greatest of numbers over records.

use super::Gatherer;
use crate::{CircuitError, Signedness, Wire, Word};

/// Steps that are taken together: eight records at a time. Their comparisons are made at once, so that three steps take
/// little more depth than one; more records at a time would take too many comparisons.
const STEPS_AT_A_TIME: usize = 3;

impl Gatherer<'_> {
    /// The greatest number over all records that are there; the least there is if there are none.
    pub(super) fn greatest(&mut self, value: &Word, signedness: Signedness) -> Result<Word, CircuitError> {
        let unsigned = self.flip_sign(value, signedness);
        // Records that are not there count as the least number.
        let mut greatest = self.builder.mask(self.present, &unsigned);
        let steps = self.group.steps();
        for first in (0..steps).step_by(STEPS_AT_A_TIME) {
            let count = STEPS_AT_A_TIME.min(steps - first);
            greatest = self.greatest_of_some(&greatest, first, count)?;
        }
        Ok(self.flip_sign(&greatest, signedness))
    }

    /// Signed numbers as unsigned ones in the same order, and back.
    fn flip_sign(&mut self, value: &Word, signedness: Signedness) -> Word {
        let mut bits = value.wires().to_vec();
        if let (Signedness::Signed, Some(sign)) = (signedness, bits.last_mut()) {
            *sign = self.builder.not(*sign);
        }
        Word::new(bits)
    }

    /// The greatest of the numbers to which `count` steps lead. It is the same in all records to which earlier steps lead.
    ///
    /// Number i, below 2^count, is that of the record to which the product of the steps in i leads. Only comparisons with
    /// number 0 are made; those of i with j are comparisons of other records. Then the greater half of two is chosen, of
    /// four, and so on: each choice among the comparisons of the greatest of both halves, by the choices before.
    fn greatest_of_some(&mut self, own: &Word, first: usize, count: usize) -> Result<Word, CircuitError> {
        let mut at_least = Vec::new();
        for other in 1..1 << count {
            let other = self.moved_word(own, other << first);
            let less = self.builder.less(own, &other, Signedness::Unsigned)?;
            at_least.push(self.builder.not(less));
        }
        let mut greatest = own.clone();
        let mut choices = Vec::new();
        for step in 0..count {
            let choice = self.choice(&at_least, &choices, first);
            let other = self.moved_word(&greatest, 1 << (first + step));
            greatest = self.builder.select(choice, &greatest, &other)?;
            choices.push(choice);
        }
        Ok(greatest)
    }

    /// Whether the greatest of the first 2^k numbers is at least that of the next ones, k being the number of choices
    /// that are known: the same for the first 1, 2, 4, ....
    fn choice(&mut self, at_least: &[Wire], choices: &[Wire], first: usize) -> Wire {
        let half = 1 << choices.len();
        // A row for each number of the first half, with a comparison for each of the second.
        let mut rows: Vec<Vec<Wire>> = Vec::new();
        for i in 0..half {
            let row = (half..2 * half).map(|j| {
                // Numbers are the same wherever earlier steps lead, so those bits do not matter.
                let ratio = self.group.ratio(i << first, j << first) >> first;
                let comparison = at_least
                    .get(ratio.wrapping_sub(1))
                    .copied()
                    .unwrap_or(self.present);
                self.moved(comparison, i << first)
            });
            rows.push(row.collect());
        }
        for (size, choice) in choices.iter().enumerate() {
            let mut pick = |block: usize, offset: usize| {
                let start = offset + (block << (size + 1));
                self.moved(*choice, start << first)
            };
            let of_rows: Vec<Wire> = (0..rows.len() / 2).map(|block| pick(block, 0)).collect();
            let of_columns: Vec<Wire> = (0..rows.len() / 2).map(|block| pick(block, half)).collect();
            let chosen = rows
                .chunks_exact(2)
                .zip(of_rows)
                .filter_map(|(pair, choice)| match pair {
                    [one, other] => Some(self.chosen(choice, one.iter().zip(other))),
                    _ => None,
                });
            let chosen: Vec<Vec<Wire>> = chosen.collect();
            let row = |row: Vec<Wire>| {
                let pairs = row.chunks_exact(2).zip(&of_columns);
                let chosen = pairs.flat_map(|(pair, choice)| match pair {
                    [one, other] => self.chosen(*choice, std::iter::once((one, other))),
                    _ => Vec::new(),
                });
                chosen.collect()
            };
            rows = chosen.into_iter().map(row).collect();
        }
        let last = rows.first().and_then(|row| row.first());
        last.copied().unwrap_or(self.present)
    }

    /// Of each pair the first if the choice is 1.
    fn chosen<'a>(&mut self, choice: Wire, pairs: impl Iterator<Item = (&'a Wire, &'a Wire)>) -> Vec<Wire> {
        let pick = |(one, other): (&Wire, &Wire)| {
            let difference = self.builder.xor(*one, *other);
            let change = self.builder.and(choice, difference);
            self.builder.xor(*other, change)
        };
        pairs.map(pick).collect()
    }
}
