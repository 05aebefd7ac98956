use std::ops::Range;

use super::{Configuration, Fault, Row};
use crate::ntt_engine::xor_banks::Shape;

/// The most rows of a buffer, as a logarithm.
const MOST_LOG_ROWS: u8 = 5;

/// How buffers are divided in rows: 2^log of them, each the slots of a strip in all banks. Row r has the slots from r times
/// its depth on; words stay in their banks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rows {
    shape: Shape,
    log: u8,
}

impl Rows {
    /// The division of a buffer in 2^`log` rows.
    ///
    /// # Errors
    /// [`Fault::Instruction`] where words are not in XOR banks; [`Fault::Rows`] for more than 32 rows, and for more than a
    /// bank has words.
    pub(super) fn new(configuration: &Configuration, log: u8) -> Result<Self, Fault> {
        if log > MOST_LOG_ROWS || 1 << log > configuration.depth() {
            return Err(Fault::Rows);
        }
        let shape = *configuration.engine().xor_banks().ok_or(Fault::Instruction)?;
        Ok(Self { shape, log })
    }

    /// The rows of a buffer, and the strips of a limb.
    pub(super) const fn count(self) -> usize {
        1 << self.log
    }

    /// The words of a row.
    pub(super) const fn words(self) -> usize {
        self.shape.n() >> self.log
    }

    /// The buffer and the row in it that are so many rows behind a row.
    pub(super) fn behind(self, first: Row, rows: usize) -> (usize, usize) {
        let row = usize::from(first.row) + rows;
        (usize::from(first.buffer) + (row >> self.log), row % self.count())
    }

    /// The words of a row in those of its buffer, bank by bank for each slot; the words of a strip in those of its limb.
    pub(super) const fn range(self, row: usize) -> Range<usize> {
        row * self.words()..(row + 1) * self.words()
    }

    /// The place of each word of a limb in its buffer, bank by bank for each slot.
    pub(super) fn in_banks(self) -> impl Iterator<Item = usize> {
        let places = (0..self.shape.n()).map(move |index| self.shape.place(index));
        places.map(move |place| place.address * self.shape.banks() + place.bank)
    }

    /// The place in a row of each word of a strip, in the order of their indices.
    pub(super) fn places(self, strip: usize) -> impl Iterator<Item = usize> {
        let (shape, indices) = (self.shape, self.range(strip));
        let first = indices.start;
        indices.map(move |index| {
            let place = shape.place(index);
            place.address * shape.banks() + place.bank - first
        })
    }
}
