//! Butterflies of several levels on vectors in registers.
//!
//! The names say how many vectors they take. All take natural order and leave bit-reversed order, as transforms by
//! splitting do. Transforms by decimation in time take bit-reversed order and leave natural order: with names of vectors
//! exchanged, they are the same.
//!
//! As in [`Vector`], the caller answers for instructions and pointers.

use ringmill_arith::lanes::Vector;

use super::twiddles::Factor;

/// Four vectors with the middle ones exchanged: from bit-reversed to natural order and back.
#[inline(always)]
pub(super) const fn four_reversed<T: Copy>([a, b, c, d]: [T; 4]) -> [T; 4] {
    [a, c, b, d]
}

/// The places of three vectors after a first one, in the order in which joining takes them.
#[inline(always)]
pub(super) const fn joined([b, c, d]: [usize; 3]) -> [usize; 3] {
    [c, b, d]
}

/// Eight vectors from bit-reversed to natural order and back.
#[inline(always)]
pub(super) const fn eight_reversed<T: Copy>([a, b, c, d, e, f, g, h]: [T; 8]) -> [T; 8] {
    [a, e, c, g, b, f, d, h]
}

/// Vectors of small bound.
#[inline(always)]
pub(super) unsafe fn tidy<L: Vector, const N: usize>(field: L::Field, mut x: [L; N]) -> [L; N] {
    for x in &mut x {
        // SAFETY: the caller saw the instructions.
        *x = unsafe { x.reduce_lazy(field) };
    }
    x
}

/// Loads `N` lazy vectors that lie `step` words apart.
#[inline(always)]
pub(super) unsafe fn load<L: Vector, const N: usize>(from: *const L::Word, step: usize) -> [L; N] {
    // SAFETY: the caller vouches for the vectors.
    let mut x = [unsafe { L::load_lazy(from) }; N];
    for (k, x) in x.iter_mut().enumerate() {
        // SAFETY: as above.
        *x = unsafe { L::load_lazy(from.add(k * step)) };
    }
    x
}

/// Stores lazy vectors `step` words apart.
#[inline(always)]
pub(super) unsafe fn store<L: Vector, const N: usize>(x: [L; N], to: *mut L::Word, step: usize) {
    for (k, x) in x.into_iter().enumerate() {
        // SAFETY: the caller vouches for the vectors.
        unsafe { x.store_lazy(to.add(k * step)) };
    }
}

/// Two levels: (x0, x2) and (x1, x3) with the first factor, then (x0, x1) and (x2, x3) with the others.
#[inline(always)]
pub(super) unsafe fn four<L>(field: L::Field, x: [L; 4], w: &[Factor; 3]) -> [L; 4]
where
    L: Vector<Word = u64>,
{
    let [x0, x1, x2, x3] = x;
    // SAFETY: the caller saw the instructions.
    unsafe {
        let first = L::factor(&w[0]);
        let (y0, y2) = L::butterfly(field, x0, x2, first);
        let (y1, y3) = L::butterfly(field, x1, x3, first);
        let (z0, z1) = L::butterfly(field, y0, y1, L::factor(&w[1]));
        let (z2, z3) = L::butterfly(field, y2, y3, L::factor(&w[2]));
        [z0, z1, z2, z3]
    }
}

/// [`four`] with a vector of factors for each: three vectors from `table` on.
#[inline(always)]
pub(super) unsafe fn four_along<L>(field: L::Field, x: [L; 4], table: *const u64) -> [L; 4]
where
    L: Vector<Word = u64>,
{
    let [x0, x1, x2, x3] = x;
    let vector = L::WIDTH * L::TABLE_WORDS;
    // SAFETY: the caller saw the instructions and vouches for the table.
    unsafe {
        let (y0, y2) = L::butterfly_table(field, x0, x2, table);
        let (y1, y3) = L::butterfly_table(field, x1, x3, table);
        let (z0, z1) = L::butterfly_table(field, y0, y1, table.add(vector));
        let (z2, z3) = L::butterfly_table(field, y2, y3, table.add(2 * vector));
        [z0, z1, z2, z3]
    }
}

/// [`four`] with the factors 1; 1, i.
#[inline(always)]
pub(super) unsafe fn four_unit<L>(field: L::Field, x: [L; 4], i: &Factor) -> [L; 4]
where
    L: Vector<Word = u64>,
{
    let [x0, x1, x2, x3] = x;
    // SAFETY: the caller saw the instructions.
    unsafe {
        let (y0, y2) = L::butterfly_unit(field, x0, x2);
        let (y1, y3) = L::butterfly_unit(field, x1, x3);
        let (z0, z1) = L::butterfly_unit(field, y0, y1);
        let (z2, z3) = L::butterfly(field, y2, y3, L::factor(i));
        [z0, z1, z2, z3]
    }
}

/// Three levels: (x0, x4), (x1, x5), (x2, x6) and (x3, x7) with the first factor, then each half as [`four`] with its own
/// three of the others, in the order of levels.
#[inline(always)]
pub(super) unsafe fn eight<L>(field: L::Field, x: [L; 8], w: &[Factor; 7]) -> [L; 8]
where
    L: Vector<Word = u64>,
{
    let [x0, x1, x2, x3, x4, x5, x6, x7] = x;
    let [first, low, high, w0, w1, w2, w3] = w;
    // SAFETY: the caller saw the instructions.
    unsafe {
        let first = L::factor(first);
        let (x0, x4) = L::butterfly(field, x0, x4, first);
        let (x1, x5) = L::butterfly(field, x1, x5, first);
        let (x2, x6) = L::butterfly(field, x2, x6, first);
        let (x3, x7) = L::butterfly(field, x3, x7, first);
        let [x0, x1, x2, x3] = four(field, [x0, x1, x2, x3], &[*low, *w0, *w1]);
        let [x4, x5, x6, x7] = four(field, [x4, x5, x6, x7], &[*high, *w2, *w3]);
        [x0, x1, x2, x3, x4, x5, x6, x7]
    }
}

/// [`eight`] with a vector of factors for each: seven vectors from `table` on.
#[inline(always)]
pub(super) unsafe fn eight_along<L>(field: L::Field, x: [L; 8], table: *const u64) -> [L; 8]
where
    L: Vector<Word = u64>,
{
    let [x0, x1, x2, x3, x4, x5, x6, x7] = x;
    let vector = L::WIDTH * L::TABLE_WORDS;
    // SAFETY: the caller saw the instructions and vouches for the table.
    unsafe {
        let (x0, x4) = L::butterfly_table(field, x0, x4, table);
        let (x1, x5) = L::butterfly_table(field, x1, x5, table);
        let (x2, x6) = L::butterfly_table(field, x2, x6, table);
        let (x3, x7) = L::butterfly_table(field, x3, x7, table);
        let [low, high] = [table.add(vector), table.add(2 * vector)];
        let (x0, x2) = L::butterfly_table(field, x0, x2, low);
        let (x1, x3) = L::butterfly_table(field, x1, x3, low);
        let (x4, x6) = L::butterfly_table(field, x4, x6, high);
        let (x5, x7) = L::butterfly_table(field, x5, x7, high);
        let (x0, x1) = L::butterfly_table(field, x0, x1, table.add(3 * vector));
        let (x2, x3) = L::butterfly_table(field, x2, x3, table.add(4 * vector));
        let (x4, x5) = L::butterfly_table(field, x4, x5, table.add(5 * vector));
        let (x6, x7) = L::butterfly_table(field, x6, x7, table.add(6 * vector));
        [x0, x1, x2, x3, x4, x5, x6, x7]
    }
}

/// [`eight`] with the factors 1; 1, i; 1, i, zeta, i zeta.
#[inline(always)]
pub(super) unsafe fn eight_unit<L>(field: L::Field, x: [L; 8], units: &[Factor; 3]) -> [L; 8]
where
    L: Vector<Word = u64>,
{
    let [i, zeta, i_zeta] = units;
    // SAFETY: the caller saw the instructions.
    unsafe {
        let [x0, x1, x2, x3, x4, x5, x6, x7] = halves(field, x);
        let [x0, x1, x2, x3] = four_unit(field, [x0, x1, x2, x3], i);
        let [x4, x5, x6, x7] = four(field, [x4, x5, x6, x7], &[*i, *zeta, *i_zeta]);
        [x0, x1, x2, x3, x4, x5, x6, x7]
    }
}

/// The dimension of order 2 of (x0, x4), (x1, x5), (x2, x6) and (x3, x7).
#[inline(always)]
pub(super) unsafe fn halves<L: Vector>(field: L::Field, x: [L; 8]) -> [L; 8] {
    let [x0, x1, x2, x3, x4, x5, x6, x7] = x;
    // SAFETY: the caller saw the instructions.
    unsafe {
        let (x0, x4) = L::butterfly_unit(field, x0, x4);
        let (x1, x5) = L::butterfly_unit(field, x1, x5);
        let (x2, x6) = L::butterfly_unit(field, x2, x6);
        let (x3, x7) = L::butterfly_unit(field, x3, x7);
        [x0, x1, x2, x3, x4, x5, x6, x7]
    }
}

/// The dimensions of order 2 and 4 that make up N: one, both, in this order, or neither.
#[inline(always)]
pub(super) unsafe fn head<L, const N: usize>(field: L::Field, mut x: [L; N], i: &Factor) -> [L; N]
where
    L: Vector<Word = u64>,
{
    // SAFETY: the caller saw the instructions.
    unsafe {
        match &mut x[..] {
            [x0, x1] => (*x0, *x1) = L::butterfly_unit(field, *x0, *x1),
            [x0, x1, x2, x3] => [*x0, *x1, *x2, *x3] = four_unit(field, [*x0, *x1, *x2, *x3], i),
            [x0, x1, x2, x3, x4, x5, x6, x7] => {
                let [y0, y1, y2, y3, y4, y5, y6, y7] =
                    halves(field, [*x0, *x1, *x2, *x3, *x4, *x5, *x6, *x7]);
                [*x0, *x1, *x2, *x3] = four_unit(field, [y0, y1, y2, y3], i);
                [*x4, *x5, *x6, *x7] = four_unit(field, [y4, y5, y6, y7], i);
            }
            _ => {}
        }
    }
    x
}

/// The inverse order: the dimension of order 4 from bit-reversed to natural order, then that of order 2.
#[inline(always)]
pub(super) unsafe fn head_back<L, const N: usize>(field: L::Field, mut x: [L; N], i: &Factor) -> [L; N]
where
    L: Vector<Word = u64>,
{
    // SAFETY: the caller saw the instructions.
    unsafe {
        match &mut x[..] {
            [x0, x1] => (*x0, *x1) = L::butterfly_unit(field, *x0, *x1),
            [x0, x1, x2, x3] => [*x0, *x2, *x1, *x3] = four_unit(field, [*x0, *x2, *x1, *x3], i),
            [x0, x1, x2, x3, x4, x5, x6, x7] => {
                let [y0, y2, y1, y3] = four_unit(field, [*x0, *x2, *x1, *x3], i);
                let [y4, y6, y5, y7] = four_unit(field, [*x4, *x6, *x5, *x7], i);
                [*x0, *x1, *x2, *x3, *x4, *x5, *x6, *x7] = halves(field, [y0, y1, y2, y3, y4, y5, y6, y7]);
            }
            _ => {}
        }
    }
    x
}
