//! The two passes over memory of an operator whose table is a product: along the rows, then down the columns, each
//! with its transform, its factors and its transform back.
//!
//! Each pass goes six times over scratch memory. What loads from the array, stores to it, transposes or multiplies by
//! factors does butterflies on the way.
//!
//! The table has the largest bounds after each step. In floating-point lanes a product is below 1/2 + A/8, one with a
//! vector of factors below 1/2 + 3A/16; in loose lanes a product or a tidied vector is at most 1. `tests` runs these loops
//! on bounds.
//!
//! | step | floating-point | loose |
//! |---|---|---|
//! | first four of a row, of canonical residues | 4 | 4 |
//! | split by eights, the first tidied | 7.4 | 8 |
//! | last eight, addends tidied | 3.5 | 4 |
//! | factors and first eight back | 7.5 | 8 |
//! | join by eights, addends tidied | 4.5 | 4 |
//! | last four of a row | 7.5 | 6 |
//! | head of a column, tidied | 4 | 8 |
//! | four, tidied | 2 | 4 |
//! | four, the first tidied | 3.7 | 6 |
//! | factors and four back | 3.9 | 4 |
//! | four, the first tidied | 6 | 6 |
//! | head back, tidied | 4 | 8 |

mod columns;
mod rows;

use ringmill_arith::lanes::Rows;

use super::passes::{Passes, ROW};
use super::twiddles::{Factor, Joining, Splitting};

/// An operator whose table is the product of a factor for each place in a row and one for each row.
pub(super) struct Factors<'a> {
    pub first: &'a Splitting,
    pub along: &'a [Factor],
    pub down: &'a [Factor],
    pub second: &'a Joining,
}

/// The dimensions along columns: of order 2, 4, both or neither, whose product is `head`, and perhaps of order 16.
#[derive(Debug, Clone, Copy)]
pub(super) struct ColumnShape {
    head: usize,
    has_sixteen: bool,
}

impl ColumnShape {
    /// The shape of these orders, if they have one.
    pub(super) fn of(orders: &[usize]) -> Option<Self> {
        let (head, has_sixteen) = match orders {
            [head @ .., 16] => (head, true),
            head => (head, false),
        };
        let head = match head {
            [] if has_sixteen => 1,
            [2] if has_sixteen => 2,
            [4] if has_sixteen => 4,
            [2, 4] => 8,
            _ => return None,
        };
        Some(Self { head, has_sixteen })
    }

    /// The number of rows.
    pub(super) const fn rows(self) -> usize {
        if self.has_sixteen {
            16 * self.head
        } else {
            self.head
        }
    }
}

/// The words from a row in scratch to the next: more than a row, because loads that follow a store to the same place in
/// another page of 4 KiB wait for it.
pub(super) const PITCH: usize = ROW + 32;

impl<L: Rows> Passes<L> {
    /// Both passes, from canonical residues at `from`, which may be the array, to canonical ones in the array.
    #[inline(always)]
    pub(super) unsafe fn by_factors(&self, from: *const u64, shape: ColumnShape, factors: &Factors<'_>) {
        // SAFETY: the caller's promises are the callees'.
        unsafe {
            self.along_rows(from, shape.rows(), factors);
            self.down_columns(shape, factors);
        }
    }
}
