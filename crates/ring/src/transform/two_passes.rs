use ringmill_arith::lanes::{Rows, prefetch};

use super::passes::{COLUMNS, GROUP, Passes, ROW, Twiddles};

/// An operator whose table is the product of a factor for each place in a row and one for each row.
pub(super) struct Factors<'a> {
    pub first: &'a Twiddles,
    pub along: &'a [[u64; 2]],
    pub down: &'a [[u64; 2]],
    pub second: &'a Twiddles,
}

/// The two passes over memory of such an operator: along the rows, then down the columns, each with its transform, its
/// factors and its transform back.
///
/// Bounds for the floating-point lanes: a row enters with 1 or less, else as with a table; columns tidy what they
/// load.
impl<L: Rows> Passes<L> {
    /// Along the rows, from canonical residues at `from`, which may be the array, to lazy ones.
    #[inline(always)]
    pub(super) unsafe fn rows_by_factors(&self, from: *const u64, rows: usize, factors: &Factors<'_>) {
        for row in (0..rows).step_by(GROUP) {
            // SAFETY: rows is a multiple of GROUP and that of the width; the caller vouches for the
            // rest.
            unsafe {
                self.transpose_in(from.add(row * ROW));
                for i in (0..ROW * GROUP).step_by(L::WIDTH) {
                    let place = self.scratch.add(i);
                    L::load(self.field, place).store_lazy(place);
                }
                self.split::<false>(self.scratch, ROW, GROUP, factors.first);
                self.multiply(ROW, GROUP, factors.along);
                self.join::<false>(self.scratch, ROW, GROUP, factors.second);
                self.transpose_out(self.data.add(row * ROW));
            }
        }
    }

    /// Down the columns, from lazy to canonical residues.
    #[inline(always)]
    pub(super) unsafe fn columns_by_factors(&self, rows: usize, orders: &[usize], factors: &Factors<'_>) {
        for c in (0..ROW).step_by(COLUMNS) {
            // SAFETY: c + COLUMNS <= ROW, so every access is within a row; the caller vouches for
            // the rest.
            unsafe {
                self.each(rows, c, |field, data, scratch, _| {
                    prefetch(data.wrapping_add(COLUMNS));
                    L::load_lazy(data).reduce_lazy(field).store_lazy(scratch);
                });
                let mut step = rows * COLUMNS;
                for &m in orders {
                    step /= m;
                    for outer in 0..rows * COLUMNS / (m * step) {
                        self.split::<true>(self.scratch.add(outer * m * step), m, step, factors.first);
                    }
                }
                self.multiply(rows, COLUMNS, factors.down);
                for &m in orders.iter().rev() {
                    for outer in 0..rows * COLUMNS / (m * step) {
                        self.join::<true>(self.scratch.add(outer * m * step), m, step, factors.second);
                    }
                    step *= m;
                }
                self.each(rows, c, |field, data, scratch, _| {
                    L::load_lazy(scratch).store(field, data);
                });
            }
        }
    }

    /// Multiplies each of `count` elements of `step` words in scratch by its factor.
    #[inline(always)]
    unsafe fn multiply(&self, count: usize, step: usize, factors: &[[u64; 2]]) {
        for (k, factor) in factors.iter().take(count).enumerate() {
            // SAFETY: the caller vouches for count * step words.
            unsafe {
                let factor = L::factor(factor);
                for i in (0..step).step_by(L::WIDTH) {
                    let place = self.scratch.add(k * step + i);
                    L::load_lazy(place).mul(self.field, factor).store_lazy(place);
                }
            }
        }
    }
}
