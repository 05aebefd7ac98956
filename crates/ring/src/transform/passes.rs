use std::marker::PhantomData;

use ringmill_arith::Modulus;
use ringmill_arith::lanes::{Rows, prefetch};

use super::radix;
use super::twiddles::{Factor, Joining, Splitting};

/// The length of a row: the last dimension, or the fast half of one of 2^16.
pub(super) const ROW: usize = 256;
/// The number of columns processed at a time: two cache lines, so that twiddles serve several vectors and
/// the pass visits half as many pages.
pub(super) const COLUMNS: usize = 16;
/// The number of rows processed at a time: a multiple of every width.
pub(super) const GROUP: usize = 8;

/// The three passes over memory of an operator: down the columns, along the rows with the table in the
/// middle, and down the columns again.
///
/// Vectors run across columns in the first and last pass and, after a transposition in registers, across
/// rows in the middle one. No butterfly shuffles lanes, and all its factors are the same in every lane.
/// Between the passes the array holds lazy residues.
///
/// Bounds for the floating-point lanes (A is the bound of the input, R(A) = 1/2 + A/8 that of a
/// product; `tests` runs these loops on bounds):
/// * `four_unit` (all twiddles 1 but one i): 4A; after tidying its inputs 2.
/// * `four`: B + R(B) with B = A + R(A); after tidying the addends at most 0.5 + R(A) for B.
/// * A row enters with A <= 2 and takes its four passes untidied (8), tidied (2.75), and twice
///   untidied (4.6, 6.9); the table gives R(6.9) = 1.4; the four passes back give 5.5, 2.4, 4.2, 6.2.
/// * Columns are reduced lazily (`reduce_lazy`) in passes 0 and 1: at most 2 for orders up to 16. An order
///   of 256 leaves 6; the product with the table between follows it.
pub(super) struct Passes<L: Rows> {
    pub(super) field: L::Field,
    pub(super) data: *mut u64,
    pub(super) scratch: *mut u64,
    lanes: PhantomData<L>,
}

impl<L: Rows> Passes<L> {
    /// `data` holds the array, `scratch` what the passes need: `rows * COLUMNS` words, `ROW * GROUP`, and for two
    /// passes `PITCH * GROUP`.
    #[inline(always)]
    pub(super) unsafe fn new(q: &Modulus, data: *mut u64, scratch: *mut u64) -> Self {
        Self {
            // SAFETY: the caller saw the instructions.
            field: unsafe { L::field(q) },
            data,
            scratch,
            lanes: PhantomData,
        }
    }

    /// The column pass from canonical to lazy residues.
    #[inline(always)]
    pub(super) unsafe fn columns_forward(
        &self,
        rows: usize,
        orders: &[usize],
        splitting: &Splitting,
        between: &[u64],
    ) {
        for c in (0..ROW).step_by(COLUMNS) {
            // SAFETY: c + COLUMNS <= ROW, so every access is within a row; the caller vouches for
            // the rest.
            unsafe {
                self.each(rows, c, |field, data, scratch, _| {
                    prefetch(data.wrapping_add(COLUMNS));
                    L::load(field, data).store_lazy(scratch);
                });
                let mut step = rows * COLUMNS;
                for &m in orders {
                    step /= m;
                    for outer in 0..rows * COLUMNS / (m * step) {
                        self.split::<true>(self.scratch.add(outer * m * step), m, step, splitting);
                    }
                }
                self.each(rows, c, |field, data, scratch, place| {
                    let x = L::load_lazy(scratch);
                    if between.is_empty() {
                        x.store_lazy(data);
                    } else {
                        let place = place * L::TABLE_WORDS % between.len();
                        x.mul_table(field, between.as_ptr().add(place)).store_lazy(data);
                    }
                });
            }
        }
    }

    /// The row pass: forward, table, back. Input and output are lazy residues.
    #[inline(always)]
    pub(super) unsafe fn rows(&self, rows: usize, first: &Splitting, table: &[u64], second: &Joining) {
        for row in (0..rows).step_by(GROUP) {
            // SAFETY: rows is a multiple of GROUP and that of the width; the caller vouches for the
            // rest.
            unsafe {
                let data = self.data.add(row * ROW);
                self.transpose_in(data);
                self.split::<false>(self.scratch, ROW, GROUP, first);
                let table = table.as_ptr().add(row * ROW * L::TABLE_WORDS);
                for i in (0..ROW * GROUP).step_by(L::WIDTH) {
                    let place = self.scratch.add(i);
                    let x = L::load_lazy(place);
                    x.mul_table(self.field, table.add(i * L::TABLE_WORDS))
                        .store_lazy(place);
                }
                self.join::<false>(self.scratch, ROW, GROUP, second);
                self.transpose_out(data);
            }
        }
    }

    /// A group of rows to scratch, transposed.
    #[inline(always)]
    unsafe fn transpose_in(&self, data: *const u64) {
        for c in (0..ROW).step_by(L::WIDTH) {
            for g in (0..GROUP).step_by(L::WIDTH) {
                // SAFETY: the caller vouches for a group of rows, and as many words of scratch.
                unsafe { L::transpose(data.add(g * ROW + c), ROW, self.scratch.add(c * GROUP + g), GROUP) };
            }
        }
    }

    /// A group of rows back from scratch.
    #[inline(always)]
    unsafe fn transpose_out(&self, data: *mut u64) {
        for c in (0..ROW).step_by(L::WIDTH) {
            for g in (0..GROUP).step_by(L::WIDTH) {
                // SAFETY: the caller vouches for a group of rows, and as many words of scratch.
                unsafe { L::transpose(self.scratch.add(c * GROUP + g), GROUP, data.add(g * ROW + c), ROW) };
            }
        }
    }

    /// The column pass from lazy to canonical residues.
    #[inline(always)]
    pub(super) unsafe fn columns_back(
        &self,
        rows: usize,
        orders: &[usize],
        joining: &Joining,
        between: &[u64],
    ) {
        for c in (0..ROW).step_by(COLUMNS) {
            // SAFETY: as in `columns_forward`.
            unsafe {
                self.each(rows, c, |field, data, scratch, place| {
                    let x = L::load_lazy(data);
                    if between.is_empty() {
                        x.store_lazy(scratch);
                    } else {
                        let place = place * L::TABLE_WORDS % between.len();
                        x.mul_table(field, between.as_ptr().add(place))
                            .store_lazy(scratch);
                    }
                });
                let mut step = COLUMNS;
                for &m in orders.iter().rev() {
                    for outer in 0..rows * COLUMNS / (m * step) {
                        self.join::<true>(self.scratch.add(outer * m * step), m, step, joining);
                    }
                    step *= m;
                }
                self.each(rows, c, |field, data, scratch, _| {
                    L::load_lazy(scratch).store(field, data);
                });
            }
        }
    }

    /// Visits the vectors of a block of columns with pointers into the array and into scratch, and the
    /// position in the array.
    #[inline(always)]
    unsafe fn each(&self, rows: usize, column: usize, visit: impl Fn(L::Field, *mut u64, *mut u64, usize)) {
        for row in 0..rows {
            for lane in (0..COLUMNS).step_by(L::WIDTH) {
                let place = row * ROW + column + lane;
                // SAFETY: the caller vouches for the array and for rows * COLUMNS words of scratch.
                let (data, scratch) =
                    unsafe { (self.data.add(place), self.scratch.add(row * COLUMNS + lane)) };
                visit(self.field, data, scratch, place);
            }
        }
    }

    /// Cyclic transforms of order m by splitting, from natural to bit-reversed order. Element k of the
    /// transform in column i is at `at[k * step + i]`; there are `step` columns. With `FIRST`, the first
    /// pass applies `reduce_lazy` to its inputs.
    #[inline(always)]
    unsafe fn split<const FIRST: bool>(&self, at: *mut u64, m: usize, step: usize, splitting: &Splitting) {
        // SAFETY: the caller vouches for m * step words; the blocks below tile them.
        unsafe {
            if m == 2 {
                // This is the first dimension of columns that have just been loaded: bound 1.
                return self.two::<false>(at, step);
            }
            let (mut blocks, mut quarter) = (1, m / 4 * step);
            while quarter >= step {
                let others = [1, 2, 3].map(|k| k * quarter);
                for i in (0..quarter).step_by(L::WIDTH) {
                    if blocks > 1 || FIRST {
                        self.four_unit::<true>(at.add(i), others, &splitting.units[0]);
                    } else {
                        self.four_unit::<false>(at.add(i), others, &splitting.units[0]);
                    }
                }
                for block in 1..blocks {
                    let at = at.add(block * 4 * quarter);
                    let w = &splitting.fours[block];
                    for i in (0..quarter).step_by(L::WIDTH) {
                        if blocks == 4 {
                            self.four::<true>(at.add(i), others, w);
                        } else {
                            self.four::<false>(at.add(i), others, w);
                        }
                    }
                }
                blocks *= 4;
                quarter /= 4;
            }
        }
    }

    /// The inverse order: cyclic transforms by decimation in time, from bit-reversed to natural order.
    #[inline(always)]
    unsafe fn join<const FIRST: bool>(&self, at: *mut u64, m: usize, step: usize, joining: &Joining) {
        // SAFETY: the caller vouches for m * step words; the blocks below tile them.
        unsafe {
            if m == 2 {
                // This is the last dimension of columns, perhaps after one of 256: bound 6.
                return self.two::<true>(at, step);
            }
            let (mut h, mut first_entry) = (1, 0);
            while h < m {
                let quarter = h * step;
                let others = radix::joined([quarter, 2 * quarter, 3 * quarter]);
                for block in 0..m / (4 * h) {
                    let at = at.add(block * 4 * quarter);
                    for i in (0..step).step_by(L::WIDTH) {
                        if h > 1 || FIRST {
                            self.four_unit::<true>(at.add(i), others, &joining.units[0]);
                        } else {
                            self.four_unit::<false>(at.add(i), others, &joining.units[0]);
                        }
                    }
                }
                for j in 1..h {
                    let w = &joining.fours[first_entry + j];
                    for block in 0..m / (4 * h) {
                        let at = at.add(block * 4 * quarter + j * step);
                        for i in (0..step).step_by(L::WIDTH) {
                            if h == 4 {
                                self.four::<true>(at.add(i), others, w);
                            } else {
                                self.four::<false>(at.add(i), others, w);
                            }
                        }
                    }
                }
                first_entry += h;
                h *= 4;
            }
        }
    }

    /// A dimension of order 2. With `TIDY` the inputs may be up to 8.
    #[inline(always)]
    unsafe fn two<const TIDY: bool>(&self, at: *mut u64, step: usize) {
        let field = self.field;
        for i in (0..step).step_by(L::WIDTH) {
            // SAFETY: the caller vouches for 2 * step words.
            unsafe {
                let (low, high) = (at.add(i), at.add(step + i));
                let (mut u, mut v) = (L::load_lazy(low), L::load_lazy(high));
                if TIDY {
                    (u, v) = (u.reduce_lazy(field), v.reduce_lazy(field));
                }
                let (u, v) = L::butterfly_unit(field, u, v);
                u.store_lazy(low);
                v.store_lazy(high);
            }
        }
    }

    /// [`radix::four`] on the vectors at 0 and at the offsets `others`, in place.
    ///
    /// Splitting takes them in order, joining as [`radix::joined`] says.
    #[inline(always)]
    pub(super) unsafe fn four<const TIDY: bool>(&self, at: *mut u64, others: [usize; 3], w: &[Factor; 3]) {
        let field = self.field;
        // SAFETY: the caller vouches for the four vectors.
        unsafe {
            let places = [at, at.add(others[0]), at.add(others[1]), at.add(others[2])];
            let [mut x0, mut x1, x2, x3] = places.map(|p| L::load_lazy(p));
            if TIDY {
                [x0, x1] = radix::tidy(field, [x0, x1]);
            }
            let z = radix::four(field, [x0, x1, x2, x3], w);
            z.into_iter()
                .zip(places)
                .for_each(|(z, place)| z.store_lazy(place));
        }
    }

    /// [`radix::four_unit`] in the same way.
    #[inline(always)]
    pub(super) unsafe fn four_unit<const TIDY: bool>(&self, at: *mut u64, others: [usize; 3], i: &Factor) {
        let field = self.field;
        // SAFETY: the caller vouches for the four vectors.
        unsafe {
            let places = [at, at.add(others[0]), at.add(others[1]), at.add(others[2])];
            let mut x = places.map(|p| L::load_lazy(p));
            if TIDY {
                x = radix::tidy(field, x);
            }
            let z = radix::four_unit(field, x, i);
            z.into_iter()
                .zip(places)
                .for_each(|(z, place)| z.store_lazy(place));
        }
    }
}
