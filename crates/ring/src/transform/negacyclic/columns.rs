use ringmill_arith::lanes::Vector;

use super::passes::{self, Extent, Lazy};
use super::{Butterflies, Shape};

/// The number of columns processed at a time: two cache lines of 64-bit words, a multiple of every width.
pub(super) const COLUMNS: usize = 16;

/// The extent of the passes over [`COLUMNS`] columns.
fn extent(tables: &Butterflies) -> Extent {
    Extent {
        len: tables.shape.rows * COLUMNS,
        levels: tables.shape.column_levels(),
    }
}

/// Does the first levels of a long array, down the columns: canonical residues of `from` become lazy ones in
/// `to`, which may be the same. The results of a row are in the first words of its row.
///
/// Words narrower than 64 bits are packed: the results of the columns from c on go to the places of the
/// columns from c/2 on, which have been read before.
#[inline(always)]
pub(super) unsafe fn forward<V: Vector>(
    field: V::Field,
    tables: &Butterflies,
    from: *const u64,
    to: *mut u64,
    scratch: *mut V::Word,
) {
    let extent = extent(tables);
    let rows = tables.shape.rows;
    for c in (0..Shape::ROW).step_by(COLUMNS) {
        // SAFETY: c + COLUMNS <= ROW, so every access is within a row; the caller vouches for the rest.
        unsafe {
            for row in 0..rows {
                let from = from.add(row * Shape::ROW + c);
                for lane in (0..COLUMNS).step_by(V::WIDTH) {
                    let x = V::load(field, from.add(lane));
                    x.store_lazy(scratch.add(row * COLUMNS + lane));
                }
            }
            let factors = tables.ahead.columns.as_ptr();
            passes::forward::<V, Lazy>(field, scratch, scratch, extent, factors);
            for row in 0..rows {
                let to = to.add(row * Shape::ROW).cast::<V::Word>().add(c);
                for lane in (0..COLUMNS).step_by(V::WIDTH) {
                    let x = V::load_lazy(scratch.add(row * COLUMNS + lane));
                    x.reduce_lazy(field).store_lazy(to.add(lane));
                }
            }
        }
    }
}

/// The inverse, with 1/n if `SCALE`, in place. It runs backwards, because packed words lie before the words
/// that they become.
#[inline(always)]
pub(super) unsafe fn back<V: Vector, const SCALE: bool>(
    field: V::Field,
    tables: &Butterflies,
    data: *mut u64,
    scratch: *mut V::Word,
) {
    let extent = extent(tables);
    let rows = tables.shape.rows;
    let last = if SCALE {
        &tables.last.scaled
    } else {
        &tables.last.plain
    };
    for c in (0..Shape::ROW).step_by(COLUMNS).rev() {
        // SAFETY: as in `forward`.
        unsafe {
            for row in 0..rows {
                let from = data.add(row * Shape::ROW).cast::<V::Word>().add(c);
                for lane in (0..COLUMNS).step_by(V::WIDTH) {
                    let x = V::load_lazy(from.add(lane));
                    x.store_lazy(scratch.add(row * COLUMNS + lane));
                }
            }
            let factors = tables.back.columns.as_ptr();
            passes::back::<V, Lazy, SCALE>(field, scratch, scratch, extent, factors, last.as_ptr());
            for row in 0..rows {
                let to = data.add(row * Shape::ROW + c);
                for lane in (0..COLUMNS).step_by(V::WIDTH) {
                    let x = V::load_lazy(scratch.add(row * COLUMNS + lane));
                    x.store(field, to.add(lane));
                }
            }
        }
    }
}
