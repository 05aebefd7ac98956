//! The pass down the columns.

use ringmill_arith::lanes::{Rows, prefetch};

use super::super::passes::{COLUMNS, Passes, ROW};
use super::super::radix;
use super::super::twiddles::{Factor, Joining};
use super::{ColumnShape, Factors};

/// The words of four rows in scratch.
const QUARTER: usize = 4 * COLUMNS;
/// From the first of four rows to the others: those of four quarters of sixteen rows, and neighbours.
const QUARTERS: [usize; 3] = [QUARTER, 2 * QUARTER, 3 * QUARTER];
const SINGLES: [usize; 3] = [COLUMNS, 2 * COLUMNS, 3 * COLUMNS];

impl<L: Rows> Passes<L> {
    /// Down the columns, from lazy to canonical residues.
    #[inline(always)]
    pub(super) unsafe fn down_columns(&self, shape: ColumnShape, factors: &Factors<'_>) {
        for c in (0..ROW).step_by(COLUMNS) {
            // SAFETY: c + COLUMNS <= ROW, so every access is within a row; the caller vouches for
            // the rest.
            unsafe {
                let columns = self.data.add(c);
                let i = (&factors.first.units[0], &factors.second.units[0]);
                match shape.head {
                    1 => self.head::<1>(columns, shape.rows(), i.0),
                    2 => self.head::<2>(columns, shape.rows(), i.0),
                    4 => self.head::<4>(columns, shape.rows(), i.0),
                    _ => self.head::<8>(columns, shape.rows(), i.0),
                }
                if shape.has_sixteen {
                    for (outer, down) in factors.down.chunks_exact(16).enumerate() {
                        self.sixteen(self.scratch.add(outer * 4 * QUARTER), down, factors);
                    }
                } else {
                    self.multiply(shape.rows(), factors.down);
                }
                match shape.head {
                    1 => self.head_back::<1>(columns, shape.rows(), i.1),
                    2 => self.head_back::<2>(columns, shape.rows(), i.1),
                    4 => self.head_back::<4>(columns, shape.rows(), i.1),
                    _ => self.head_back::<8>(columns, shape.rows(), i.1),
                }
            }
        }
    }

    /// The dimensions of the head, from a block of columns to scratch.
    #[inline(always)]
    unsafe fn head<const HEAD: usize>(&self, columns: *const u64, rows: usize, i: &Factor) {
        let step = rows / HEAD;
        for row in 0..step {
            for k in 0..HEAD {
                let next = columns.wrapping_add((k * step + row + 1) * ROW);
                prefetch(next);
                prefetch(next.wrapping_add(8));
            }
            for lane in (0..COLUMNS).step_by(L::WIDTH) {
                // SAFETY: the caller vouches for the rows, and for rows * COLUMNS words of scratch.
                unsafe {
                    let from = columns.add(row * ROW + lane);
                    let x = radix::load::<L, HEAD>(from, step * ROW);
                    let x = radix::head(self.field, radix::tidy(self.field, x), i);
                    radix::store(x, self.scratch.add(row * COLUMNS + lane), step * COLUMNS);
                }
            }
        }
    }

    /// The dimensions of the head, from scratch to a block of columns of canonical residues.
    #[inline(always)]
    unsafe fn head_back<const HEAD: usize>(&self, columns: *mut u64, rows: usize, i: &Factor) {
        let step = rows / HEAD;
        for row in 0..step {
            for lane in (0..COLUMNS).step_by(L::WIDTH) {
                // SAFETY: as in `head`.
                unsafe {
                    let from = self.scratch.add(row * COLUMNS + lane);
                    let x = radix::load::<L, HEAD>(from, step * COLUMNS);
                    let x = radix::head_back(self.field, radix::tidy(self.field, x), i);
                    let to = columns.add(row * ROW + lane);
                    for (k, x) in x.into_iter().enumerate() {
                        x.store(self.field, to.add(k * step * ROW));
                    }
                }
            }
        }
    }

    /// The dimension of order 16 of sixteen rows in scratch: there, factors, and back.
    #[inline(always)]
    unsafe fn sixteen(&self, rows: *mut u64, down: &[Factor], factors: &Factors<'_>) {
        // SAFETY: the caller vouches for the rows.
        unsafe {
            for lane in (0..QUARTER).step_by(L::WIDTH) {
                self.four_unit::<true>(rows.add(lane), QUARTERS, &factors.first.units[0]);
            }
            for (node, w) in factors.first.fours.iter().take(4).enumerate() {
                for lane in (0..COLUMNS).step_by(L::WIDTH) {
                    let at = rows.add(node * QUARTER + lane);
                    if node == 0 {
                        self.four_unit::<true>(at, SINGLES, &factors.first.units[0]);
                    } else {
                        self.four::<false>(at, SINGLES, w);
                    }
                }
            }
            for (node, down) in down.chunks_exact(4).enumerate() {
                self.factors_and_fours(rows.add(node * QUARTER), down, factors.second);
            }
            // Those of h = 4 come after the one of h = 1.
            for (j, w) in factors.second.fours.iter().skip(1).take(4).enumerate() {
                for lane in (0..COLUMNS).step_by(L::WIDTH) {
                    let at = rows.add(j * COLUMNS + lane);
                    if j == 0 {
                        self.four_unit::<true>(at, radix::joined(QUARTERS), &factors.second.units[0]);
                    } else {
                        self.four::<false>(at, radix::joined(QUARTERS), w);
                    }
                }
            }
        }
    }

    /// Multiplies four rows in scratch by their factors and joins them.
    #[inline(always)]
    unsafe fn factors_and_fours(&self, rows: *mut u64, down: &[Factor], joining: &Joining) {
        for lane in (0..COLUMNS).step_by(L::WIDTH) {
            // SAFETY: the caller vouches for the rows.
            unsafe {
                let mut x = radix::load::<L, 4>(rows.add(lane), COLUMNS);
                for (x, factor) in x.iter_mut().zip(down) {
                    *x = x.mul(self.field, L::factor(factor));
                }
                let x = radix::four_unit(self.field, radix::four_reversed(x), &joining.units[0]);
                radix::store(radix::four_reversed(x), rows.add(lane), COLUMNS);
            }
        }
    }

    /// Multiplies each row in scratch by its factor.
    #[inline(always)]
    unsafe fn multiply(&self, rows: usize, factors: &[Factor]) {
        for (row, factor) in factors.iter().take(rows).enumerate() {
            for lane in (0..COLUMNS).step_by(L::WIDTH) {
                // SAFETY: the caller vouches for rows * COLUMNS words.
                unsafe {
                    let place = self.scratch.add(row * COLUMNS + lane);
                    let x = L::load_lazy(place).mul(self.field, L::factor(factor));
                    x.store_lazy(place);
                }
            }
        }
    }
}
