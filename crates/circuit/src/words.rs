//! Arithmetic on words: methods of [`Builder`](crate::Builder).
//!
//! All operations have the least known AND depth, which costs encrypted evaluation the most, and, among
//! forms of that depth, few ANDs. They look at the depths of their operands and use late operands late.
//!
//! | operation | AND depth on inputs of width `w` |
//! |---|---|
//! | add, subtract, negate | `log2 w`, with carry out `log2 (w + 1)` |
//! | less, min and max | `log2 (w + 1)`, then 1 for min and max |
//! | equal, is_zero, and_all, or_all | `log2 w` |
//! | select | 1 |
//! | shift and rotate by a word of `k` bits | `log2 (k + 1)` |
//! | popcount of `w` bits | `log2 w` |
//! | lookup at an index of `k` bits | `log2 k` |
//!
//! All depths are rounded up. By the degree of the polynomials over GF(2), none of these can be shallower,
//! except min and max by that last 1.

mod arithmetic;
mod carry;
mod choose;
mod columns;
mod compare;
mod sort;
mod table;
mod trees;

pub(crate) use columns::Columns;
pub use compare::Signedness;

use crate::{CircuitError, Word};

/// Checks that two words have the same width.
fn same_width(left: &Word, right: &Word) -> Result<(), CircuitError> {
    if left.width() == right.width() {
        return Ok(());
    }
    Err(CircuitError::WidthMismatch {
        left: left.width(),
        right: right.width(),
    })
}
