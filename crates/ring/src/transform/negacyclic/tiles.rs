use ringmill_arith::lanes::Vector;

use super::passes::Place;

/// The number of words in a block, whose transform runs across vectors. It is also the distance between the values of one
/// vector of a group and those of the next.
pub(super) const BLOCK: usize = 8;

/// The number of vectors of factors in a group.
pub(super) const FACTORS: usize = BLOCK - 1;

/// Does the last three levels, on blocks of eight words. Blocks are the lanes of eight vectors, and each has
/// its own factors.
///
/// Words come in groups of eight vectors. In the order of tiles, the values of vector m of group g belong at
/// `place(g) + m * BLOCK`.
#[inline(always)]
pub(super) unsafe fn forward<V: Vector, P: Place<V>>(
    field: V::Field,
    from: *const V::Word,
    to: *mut P::Word,
    len: usize,
    table: *const V::Word,
) {
    for group in 0..len / (BLOCK * V::WIDTH) {
        // SAFETY: the caller vouches for len words on each side and the vectors of factors of each group.
        unsafe {
            let columns = V::transposed(V::load_blocks(from.add(group * BLOCK * V::WIDTH)));
            let table = table.add(group * FACTORS * V::WIDTH * V::TABLE_WORDS);
            let [a, b, c, d, e, f, g, h] = split::<V>(field, columns, table);
            let to = to.add(place::<V>(group));
            P::write(a, field, to);
            P::write(b, field, to.add(BLOCK));
            P::write(c, field, to.add(2 * BLOCK));
            P::write(d, field, to.add(3 * BLOCK));
            P::write(e, field, to.add(4 * BLOCK));
            P::write(f, field, to.add(5 * BLOCK));
            P::write(g, field, to.add(6 * BLOCK));
            P::write(h, field, to.add(7 * BLOCK));
        }
    }
}

/// The inverse up to a factor 8; `table` holds the inverses of the factors.
/// With `PRODUCT` the values are first multiplied by those of `factor`, a table in the order of groups and
/// vectors.
#[inline(always)]
pub(super) unsafe fn back<V: Vector, P: Place<V>, const PRODUCT: bool>(
    field: V::Field,
    from: *const P::Word,
    to: *mut V::Word,
    len: usize,
    table: *const V::Word,
    factor: *const V::Word,
) {
    let vector = V::WIDTH * V::TABLE_WORDS;
    for group in 0..len / (BLOCK * V::WIDTH) {
        // SAFETY: as in `forward`; with `PRODUCT` the caller vouches for a factor of len residues.
        unsafe {
            let from = from.add(place::<V>(group));
            let mut x = [
                P::read(field, from),
                P::read(field, from.add(BLOCK)),
                P::read(field, from.add(2 * BLOCK)),
                P::read(field, from.add(3 * BLOCK)),
                P::read(field, from.add(4 * BLOCK)),
                P::read(field, from.add(5 * BLOCK)),
                P::read(field, from.add(6 * BLOCK)),
                P::read(field, from.add(7 * BLOCK)),
            ];
            if PRODUCT {
                let factor = factor.add(group * BLOCK * vector);
                x = [
                    x[0].mul_table(field, factor),
                    x[1].mul_table(field, factor.add(vector)),
                    x[2].mul_table(field, factor.add(2 * vector)),
                    x[3].mul_table(field, factor.add(3 * vector)),
                    x[4].mul_table(field, factor.add(4 * vector)),
                    x[5].mul_table(field, factor.add(5 * vector)),
                    x[6].mul_table(field, factor.add(6 * vector)),
                    x[7].mul_table(field, factor.add(7 * vector)),
                ];
            }
            let columns = join::<V>(field, x, table.add(group * FACTORS * vector));
            V::store_blocks(V::transposed(columns), to.add(group * BLOCK * V::WIDTH));
        }
    }
}

/// The place where the values of a group begin: groups of narrow vectors share a tile.
pub(super) const fn place<V: Vector>(group: usize) -> usize {
    const { assert!(V::WIDTH <= BLOCK) };
    let first = group * V::WIDTH;
    first / BLOCK * (BLOCK * BLOCK) + first % BLOCK
}

/// Does three levels; `table` holds the factors of a node, of its two children and of their four.
#[inline(always)]
unsafe fn split<V: Vector>(field: V::Field, x: [V; 8], table: *const V::Word) -> [V; 8] {
    let w = V::WIDTH * V::TABLE_WORDS;
    // SAFETY: the caller's promises.
    unsafe {
        let (x0, x4) = V::butterfly_table(field, x[0], x[4], table);
        let (x1, x5) = V::butterfly_table(field, x[1], x[5], table);
        let (x2, x6) = V::butterfly_table(field, x[2], x[6], table);
        let (x3, x7) = V::butterfly_table(field, x[3], x[7], table);
        let (x0, x2) = V::butterfly_table(field, x0, x2, table.add(w));
        let (x1, x3) = V::butterfly_table(field, x1, x3, table.add(w));
        let (x4, x6) = V::butterfly_table(field, x4, x6, table.add(2 * w));
        let (x5, x7) = V::butterfly_table(field, x5, x7, table.add(2 * w));
        let (x0, x1) = V::butterfly_table(field, x0, x1, table.add(3 * w));
        let (x2, x3) = V::butterfly_table(field, x2, x3, table.add(4 * w));
        let (x4, x5) = V::butterfly_table(field, x4, x5, table.add(5 * w));
        let (x6, x7) = V::butterfly_table(field, x6, x7, table.add(6 * w));
        [x0, x1, x2, x3, x4, x5, x6, x7]
    }
}

/// The inverse of [`split`] up to a factor 8. Bounds of the floating-point lanes: an input of 1.5 gives 6
/// for sums of four, which are brought to 1/2, and in the end 3.5 and 2.5 in the second and third, which are
/// too. The others are below 1.5.
#[inline(always)]
unsafe fn join<V: Vector>(field: V::Field, x: [V; 8], table: *const V::Word) -> [V; 8] {
    let w = V::WIDTH * V::TABLE_WORDS;
    // SAFETY: the caller's promises.
    unsafe {
        let (x0, x1) = add_sub_back(field, x[0], x[1], table.add(3 * w));
        let (x2, x3) = add_sub_back(field, x[2], x[3], table.add(4 * w));
        let (x4, x5) = add_sub_back(field, x[4], x[5], table.add(5 * w));
        let (x6, x7) = add_sub_back(field, x[6], x[7], table.add(6 * w));
        let (x0, x2) = add_sub_back(field, x0, x2, table.add(w));
        let (x1, x3) = add_sub_back(field, x1, x3, table.add(w));
        let (x4, x6) = add_sub_back(field, x4, x6, table.add(2 * w));
        let (x5, x7) = add_sub_back(field, x5, x7, table.add(2 * w));
        let (x0, x4) = add_sub_back(field, x0.reduce_lazy(field), x4.reduce_lazy(field), table);
        let (x1, x5) = add_sub_back(field, x1, x5, table);
        let (x2, x6) = add_sub_back(field, x2, x6, table);
        let (x3, x7) = add_sub_back(field, x3, x7, table);
        [
            x0,
            x1.reduce_lazy(field),
            x2.reduce_lazy(field),
            x3,
            x4,
            x5,
            x6,
            x7,
        ]
    }
}

#[inline(always)]
unsafe fn add_sub_back<V: Vector>(field: V::Field, u: V, v: V, table: *const V::Word) -> (V, V) {
    // SAFETY: the caller's promises.
    unsafe {
        let (sum, difference) = V::add_sub_back(field, u, v);
        (sum, difference.mul_table(field, table))
    }
}
