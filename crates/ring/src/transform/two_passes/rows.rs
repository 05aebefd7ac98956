//! The pass along the rows.

use ringmill_arith::lanes::{Rows, prefetch};

use super::super::passes::{GROUP, Passes, ROW};
use super::super::radix;
use super::super::twiddles::{Joining, Splitting};
use super::{Factors, PITCH};

impl<L: Rows> Passes<L> {
    /// Along the rows, from canonical residues at `from`, which may be the array, to lazy ones.
    #[inline(always)]
    pub(super) unsafe fn along_rows(&self, from: *const u64, rows: usize, factors: &Factors<'_>) {
        for row in (0..rows).step_by(GROUP) {
            // SAFETY: rows is a multiple of GROUP and that of the width; the caller vouches for the
            // rest.
            unsafe {
                self.first_fours(from.add(row * ROW), factors.first);
                self.split_by_eights(factors.first);
                self.last_eights(from.wrapping_add((row + GROUP) * ROW), factors.first);
                self.factors_and_eights(factors);
                self.join_by_eights(factors.second);
                self.last_fours(self.data.add(row * ROW), factors.second);
            }
        }
    }

    /// From rows of canonical residues to rows in scratch that are split in four.
    #[inline(always)]
    unsafe fn first_fours(&self, from: *const u64, splitting: &Splitting) {
        for row in 0..GROUP {
            for c in (0..ROW / 4).step_by(L::WIDTH) {
                // SAFETY: the caller vouches for a group of rows, here and in scratch.
                unsafe {
                    let from = from.add(row * ROW + c);
                    let x = [
                        L::load(self.field, from),
                        L::load(self.field, from.add(ROW / 4)),
                        L::load(self.field, from.add(ROW / 2)),
                        L::load(self.field, from.add(3 * ROW / 4)),
                    ];
                    let x = radix::four_unit(self.field, x, &splitting.units[0]);
                    radix::store(x, self.scratch.add(row * PITCH + c), ROW / 4);
                }
            }
        }
    }

    /// Splits each quarter of each row in eight.
    #[inline(always)]
    unsafe fn split_by_eights(&self, splitting: &Splitting) {
        for node in 0..4 {
            for row in 0..GROUP {
                for c in (0..ROW / 32).step_by(L::WIDTH) {
                    // SAFETY: the caller vouches for a group of rows in scratch.
                    unsafe {
                        let place = self.scratch.add(row * PITCH + node * (ROW / 4) + c);
                        let mut x = radix::load::<L, 8>(place, ROW / 32);
                        if node == 0 {
                            x = radix::tidy(self.field, x);
                            x = radix::eight_unit(self.field, x, &splitting.units);
                        } else {
                            x = radix::eight(self.field, x, &splitting.eights[node]);
                        }
                        radix::store(x, place, ROW / 32);
                    }
                }
            }
        }
    }

    /// Splits blocks of eight words to the end, with a row in each lane, and leaves these tiles transposed. Prefetches the
    /// group of rows at `next` meanwhile.
    #[inline(always)]
    unsafe fn last_eights(&self, next: *const u64, splitting: &Splitting) {
        for block in 0..ROW / 8 {
            for row in 0..GROUP {
                prefetch(next.wrapping_add(row * ROW + 8 * block));
            }
            for row in (0..GROUP).step_by(L::WIDTH) {
                // SAFETY: the caller vouches for a group of rows in scratch.
                unsafe {
                    let place = self.scratch.add(row * PITCH + 8 * block);
                    let [x0, x1, x2, x3, x4, x5, x6, x7] = L::transposed(Self::load_tile(place));
                    let [x0, x1, x2, x3] = radix::tidy(self.field, [x0, x1, x2, x3]);
                    let x = [x0, x1, x2, x3, x4, x5, x6, x7];
                    let x = radix::eight(self.field, x, &splitting.eights[block]);
                    Self::store_tile(x, place);
                }
            }
        }
    }

    /// Multiplies transposed tiles by factors, joins their blocks of eight words, and transposes them back.
    ///
    /// In one step with [`Self::last_eights`] the chain of products would be so long that processors see too little of the
    /// next tile while they wait for it. It is the same with [`Self::sixteen`].
    #[inline(always)]
    unsafe fn factors_and_eights(&self, factors: &Factors<'_>) {
        for block in 0..ROW / 8 {
            for row in (0..GROUP).step_by(L::WIDTH) {
                // SAFETY: the caller vouches for a group of rows in scratch, and for ROW factors.
                unsafe {
                    let place = self.scratch.add(row * PITCH + 8 * block);
                    let mut x = Self::load_tile(place);
                    let along = factors.along.as_ptr().add(8 * block);
                    for (k, x) in x.iter_mut().enumerate() {
                        *x = x.mul(self.field, L::factor(along.add(k)));
                    }
                    let x = radix::eight_unit(self.field, radix::eight_reversed(x), &factors.second.units);
                    Self::store_tile(L::transposed(radix::eight_reversed(x)), place);
                }
            }
        }
    }

    /// Loads eight words of each of `WIDTH` rows, as blocks.
    #[inline(always)]
    unsafe fn load_tile(from: *const u64) -> [L; 8] {
        // SAFETY: the caller vouches for the words.
        let mut x = [unsafe { L::load_lazy(from) }; 8];
        for (v, x) in x.iter_mut().enumerate() {
            let place = v % L::WIDTH * PITCH + v / L::WIDTH * L::WIDTH;
            // SAFETY: as above.
            *x = unsafe { L::load_lazy(from.add(place)) };
        }
        x
    }

    /// Stores blocks as [`Self::load_tile`] found them.
    #[inline(always)]
    unsafe fn store_tile(x: [L; 8], to: *mut u64) {
        for (v, x) in x.into_iter().enumerate() {
            let place = v % L::WIDTH * PITCH + v / L::WIDTH * L::WIDTH;
            // SAFETY: the caller vouches for the words.
            unsafe { x.store_lazy(to.add(place)) };
        }
    }

    /// Joins each quarter of each row from eight parts.
    #[inline(always)]
    unsafe fn join_by_eights(&self, joining: &Joining) {
        for c in (0..ROW / 32).step_by(L::WIDTH) {
            for row in 0..GROUP {
                for node in 0..4 {
                    // SAFETY: the caller vouches for a group of rows in scratch; the table has seven vectors for
                    // each of c.
                    unsafe {
                        let table = joining.eights_along.as_ptr().add(7 * c * L::TABLE_WORDS);
                        let place = self.scratch.add(row * PITCH + node * (ROW / 4) + c);
                        let x = radix::eight_reversed(radix::load::<L, 8>(place, ROW / 32));
                        let [x0, x1, x2, x3, x4, x5, x6, x7] = x;
                        let [x0, x1, x2, x3] = radix::tidy(self.field, [x0, x1, x2, x3]);
                        let x = [x0, x1, x2, x3, x4, x5, x6, x7];
                        let x = radix::eight_along(self.field, x, table);
                        radix::store(radix::eight_reversed(x), place, ROW / 32);
                    }
                }
            }
        }
    }

    /// Joins rows from four parts, from scratch to the array.
    #[inline(always)]
    unsafe fn last_fours(&self, to: *mut u64, joining: &Joining) {
        for c in (0..ROW / 4).step_by(L::WIDTH) {
            for row in 0..GROUP {
                // SAFETY: the caller vouches for a group of rows, here and in scratch; the table has three
                // vectors for each of c.
                unsafe {
                    let table = joining.fours_along.as_ptr().add(3 * c * L::TABLE_WORDS);
                    let x = radix::load::<L, 4>(self.scratch.add(row * PITCH + c), ROW / 4);
                    let x = radix::four_along(self.field, radix::four_reversed(x), table);
                    radix::store(radix::four_reversed(x), to.add(row * ROW + c), ROW / 4);
                }
            }
        }
    }
}
