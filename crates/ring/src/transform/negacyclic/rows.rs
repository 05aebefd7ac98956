use ringmill_arith::lanes::Vector;

use super::passes::{self, Canonical, Extent, Lazy, Place};
use super::tables::Table;
use super::{Butterflies, tiles};

/// The row pass: each row is a transform with its own factors.
pub(super) struct RowPass<'a, V: Vector> {
    tables: &'a Butterflies,
    pub(super) field: V::Field,
}

impl<'a, V: Vector> RowPass<'a, V> {
    /// The tables must have been made for these vectors.
    #[inline(always)]
    pub(super) unsafe fn new(tables: &'a Butterflies) -> Self {
        Self {
            tables,
            // SAFETY: the caller saw the instructions.
            field: unsafe { V::field(&tables.modulus) },
        }
    }

    /// Transforms a row of `from`, down to the nodes of tiles, into scratch.
    #[inline(always)]
    pub(super) unsafe fn ahead<P: Place<V>>(&self, row: usize, from: *const P::Word, scratch: *mut V::Word) {
        let extent = self.extent();
        // SAFETY: the caller vouches for a row of words on each side.
        unsafe {
            let factors = self.tables.ahead.rows.as_ptr::<[V::Word; 2]>();
            let factors = factors.add(row * ((1 << extent.levels) - 1));
            passes::forward::<V, P>(self.field, from, scratch, extent, factors);
        }
    }

    /// Does the remaining levels and writes the values in the order of tiles.
    #[inline(always)]
    pub(super) unsafe fn tiles_ahead<P: Place<V>>(
        &self,
        row: usize,
        scratch: *const V::Word,
        to: *mut P::Word,
    ) {
        // SAFETY: the caller vouches for a row of words on each side.
        unsafe {
            let table = self.tiles(&self.tables.ahead.tiles, row, tiles::FACTORS, tiles::BLOCK);
            tiles::forward::<V, P>(self.field, scratch, to, self.extent().len, table);
        }
    }

    /// The inverse of [`Self::tiles_ahead`].
    #[inline(always)]
    pub(super) unsafe fn tiles_back(&self, row: usize, from: *const u64, scratch: *mut V::Word) {
        // SAFETY: the caller vouches for a row of words on each side.
        unsafe {
            let table = self.tiles(&self.tables.back.tiles, row, tiles::FACTORS, tiles::BLOCK);
            tiles::back::<V, Canonical, false>(self.field, from, scratch, self.extent().len, table, table);
        }
    }

    /// Does the same to lazy values after multiplying them by a fixed factor.
    #[inline(always)]
    pub(super) unsafe fn product(
        &self,
        row: usize,
        values: *const V::Word,
        factor: &Table,
        scratch: *mut V::Word,
    ) {
        // SAFETY: the caller vouches for a row of words on each side and n residues in `factor`.
        unsafe {
            let table = self.tiles(&self.tables.back.tiles, row, tiles::FACTORS, tiles::BLOCK);
            let factor = self.tiles(factor, row, 1, 1);
            tiles::back::<V, Lazy, true>(self.field, values, scratch, self.extent().len, table, factor);
        }
    }

    /// The inverse of [`Self::ahead`], with 1/n if `SCALE`.
    #[inline(always)]
    pub(super) unsafe fn back<P: Place<V>, const SCALE: bool>(
        &self,
        row: usize,
        scratch: *mut V::Word,
        to: *mut P::Word,
    ) {
        let (extent, last) = (self.extent(), &self.tables.last);
        // SAFETY: the caller vouches for a row of words on each side.
        unsafe {
            let factors = self.tables.back.rows.as_ptr::<[V::Word; 2]>();
            let factors = factors.add(row * ((1 << extent.levels) - 1));
            let last = match (self.tables.shape.rows, SCALE) {
                (1, true) => last.scaled.as_ptr(),
                (1, false) => last.plain.as_ptr(),
                _ => last
                    .rows
                    .as_ptr::<[V::Word; 2]>()
                    .add(row * passes::last_factors(extent.levels)),
            };
            passes::back::<V, P, SCALE>(self.field, scratch, to, extent, factors, last);
        }
    }

    /// The extent of the passes over a row.
    #[inline(always)]
    fn extent(&self) -> Extent {
        Extent {
            len: self.tables.shape.row(),
            levels: self.tables.shape.row_levels(),
        }
    }

    /// The part of a table for `mul_table` that belongs to one row: `factors` residues take `words` words.
    #[inline(always)]
    unsafe fn tiles(&self, table: &Table, row: usize, factors: usize, words: usize) -> *const V::Word {
        let start = row * self.tables.shape.row() / words * factors * V::TABLE_WORDS;
        // SAFETY: the caller vouches for the row.
        unsafe { table.as_ptr::<V::Word>().add(start) }
    }
}
