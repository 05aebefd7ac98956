use ringmill_arith::lanes::Vector;

/// The format that the first pass over an array reads and the last one writes.
pub(super) trait Place<V: Vector> {
    type Word: Copy;
    unsafe fn read(field: V::Field, from: *const Self::Word) -> V;
    unsafe fn write(x: V, field: V::Field, to: *mut Self::Word);
}

/// Canonical residues in 64-bit words.
pub(super) struct Canonical;

impl<V: Vector> Place<V> for Canonical {
    type Word = u64;

    #[inline(always)]
    unsafe fn read(field: V::Field, from: *const u64) -> V {
        // SAFETY: the caller vouches for the words.
        unsafe { V::load(field, from) }
    }

    #[inline(always)]
    unsafe fn write(x: V, field: V::Field, to: *mut u64) {
        // SAFETY: the caller vouches for the words.
        unsafe { x.store(field, to) }
    }
}

/// Lazy residues of bound at most 1.
pub(super) struct Lazy;

impl<V: Vector> Place<V> for Lazy {
    type Word = V::Word;

    #[inline(always)]
    unsafe fn read(_: V::Field, from: *const V::Word) -> V {
        // SAFETY: the caller vouches for the words.
        unsafe { V::load_lazy(from) }
    }

    #[inline(always)]
    unsafe fn write(x: V, field: V::Field, to: *mut V::Word) {
        // SAFETY: the caller vouches for the words.
        unsafe { x.reduce_lazy(field).store_lazy(to) }
    }
}

/// The extent of a pass.
#[derive(Clone, Copy)]
pub(super) struct Extent {
    /// The number of words that it transforms.
    pub(super) len: usize,
    /// The number of levels that it does.
    pub(super) levels: usize,
}

/// Does the first `levels` levels of a transform of `len` words, from `from` to `to`, which may be the same
/// words: x^len - z^2 is split into 2^`levels` factors, in bit-reversed order. `factors` are those of the
/// nodes of the tree, z for the first, then level by level in pairs: see [`super::tables::tree`].
///
/// The first pass has radix 8 if `levels` is odd; all others have radix 4. Bounds of the floating-point
/// lanes, with A the bound of the input and R(A) = 1/2 + A/8 that of a product: a level leaves A + R(A), so
/// the first pass leaves at most 3.2; every second pass brings its addends to 1/2 first. No pass leaves more
/// than 3.7, and the three levels of tiles leave at most 7.
#[inline(always)]
pub(super) unsafe fn forward<V: Vector, P: Place<V>>(
    field: V::Field,
    from: *const P::Word,
    to: *mut V::Word,
    extent: Extent,
    factors: *const [V::Word; 2],
) {
    let Extent { len, levels } = extent;
    // SAFETY: the caller vouches for len words on each side and 2^levels - 1 factors; len / 2^levels is a
    // multiple of the width.
    unsafe {
        let mut blocks = if levels.is_multiple_of(2) {
            first_four::<V, P>(field, from, to, len, factors);
            4
        } else {
            first_eight::<V, P>(field, from, to, len, factors);
            8
        };
        let mut reduce_lazy = true;
        while blocks < 1 << levels {
            let factors = factors.add(blocks - 1);
            if reduce_lazy {
                fours::<V, true>(field, to, len, blocks, factors);
            } else {
                fours::<V, false>(field, to, len, blocks, factors);
            }
            reduce_lazy = !reduce_lazy;
            blocks *= 4;
        }
    }
}

#[inline(always)]
unsafe fn first_four<V: Vector, P: Place<V>>(
    field: V::Field,
    from: *const P::Word,
    to: *mut V::Word,
    len: usize,
    factors: *const [V::Word; 2],
) {
    let quarter = len / 4;
    // SAFETY: the caller's promises.
    unsafe {
        let w = [
            V::factor(factors),
            V::factor(factors.add(1)),
            V::factor(factors.add(2)),
        ];
        for i in (0..quarter).step_by(V::WIDTH) {
            let x = [
                P::read(field, from.add(i)),
                P::read(field, from.add(i + quarter)),
                P::read(field, from.add(i + 2 * quarter)),
                P::read(field, from.add(i + 3 * quarter)),
            ];
            put_four(split_four(field, x, w), to.add(i), quarter);
        }
    }
}

#[inline(always)]
unsafe fn first_eight<V: Vector, P: Place<V>>(
    field: V::Field,
    from: *const P::Word,
    to: *mut V::Word,
    len: usize,
    factors: *const [V::Word; 2],
) {
    let eighth = len / 8;
    // SAFETY: the caller's promises.
    unsafe {
        for i in (0..eighth).step_by(V::WIDTH) {
            let (w, from, to) = (V::factor(factors), from.add(i), to.add(i));
            let (x0, x4) = spread::<V, P>(field, from, 4 * eighth, w);
            let (x1, x5) = spread::<V, P>(field, from.add(eighth), 4 * eighth, w);
            let (x2, x6) = spread::<V, P>(field, from.add(2 * eighth), 4 * eighth, w);
            let (x3, x7) = spread::<V, P>(field, from.add(3 * eighth), 4 * eighth, w);
            let w = [
                V::factor(factors.add(1)),
                V::factor(factors.add(3)),
                V::factor(factors.add(4)),
            ];
            put_four(split_four(field, [x0, x1, x2, x3], w), to, eighth);
            let w = [
                V::factor(factors.add(2)),
                V::factor(factors.add(5)),
                V::factor(factors.add(6)),
            ];
            put_four(split_four(field, [x4, x5, x6, x7], w), to.add(4 * eighth), eighth);
        }
    }
}

/// A butterfly of the vector at `from` and the one `distance` words further on.
#[inline(always)]
unsafe fn spread<V: Vector, P: Place<V>>(
    field: V::Field,
    from: *const P::Word,
    distance: usize,
    w: V::Factor,
) -> (V, V) {
    // SAFETY: the caller's promises.
    unsafe { V::butterfly(field, P::read(field, from), P::read(field, from.add(distance)), w) }
}

/// A radix-4 pass in place over `blocks` nodes, with three factors each.
#[inline(always)]
unsafe fn fours<V: Vector, const TIDY: bool>(
    field: V::Field,
    at: *mut V::Word,
    len: usize,
    blocks: usize,
    factors: *const [V::Word; 2],
) {
    let quarter = len / (4 * blocks);
    for block in 0..blocks {
        // SAFETY: the caller's promises; the blocks tile the words.
        unsafe {
            let (at, factors) = (at.add(4 * quarter * block), factors.add(3 * block));
            let w = [
                V::factor(factors),
                V::factor(factors.add(1)),
                V::factor(factors.add(2)),
            ];
            for i in (0..quarter).step_by(V::WIDTH) {
                let at = at.add(i);
                let mut x = four::<V>(at, quarter);
                if TIDY {
                    (x[0], x[1]) = (x[0].reduce_lazy(field), x[1].reduce_lazy(field));
                }
                put_four(split_four(field, x, w), at, quarter);
            }
        }
    }
}

#[inline(always)]
unsafe fn four<V: Vector>(at: *const V::Word, distance: usize) -> [V; 4] {
    // SAFETY: the caller's promises.
    unsafe {
        [
            V::load_lazy(at),
            V::load_lazy(at.add(distance)),
            V::load_lazy(at.add(2 * distance)),
            V::load_lazy(at.add(3 * distance)),
        ]
    }
}

#[inline(always)]
unsafe fn put_four<V: Vector>([a, b, c, d]: [V; 4], at: *mut V::Word, distance: usize) {
    // SAFETY: the caller's promises.
    unsafe {
        a.store_lazy(at);
        b.store_lazy(at.add(distance));
        c.store_lazy(at.add(2 * distance));
        d.store_lazy(at.add(3 * distance));
    }
}

/// Does two levels: a node and its children.
#[inline(always)]
unsafe fn split_four<V: Vector>(field: V::Field, x: [V; 4], w: [V::Factor; 3]) -> [V; 4] {
    // SAFETY: the caller saw the instructions.
    unsafe {
        let (y0, y2) = V::butterfly(field, x[0], x[2], w[0]);
        let (y1, y3) = V::butterfly(field, x[1], x[3], w[0]);
        let (z0, z1) = V::butterfly(field, y0, y1, w[1]);
        let (z2, z3) = V::butterfly(field, y2, y3, w[2]);
        [z0, z1, z2, z3]
    }
}

/// The inverse of [`forward`] up to a factor 2^`levels`, from `at`, which it overwrites, to `to`. `factors`
/// are the inverses of the factors of [`forward`]. The last pass uses `last` instead
/// ([`super::tables::last`]); with `SCALE` it multiplies all values by a constant in that table.
///
/// The radix is 4, and 8 in the last pass if `levels` is odd. Bounds: the sum of all four inputs, 4 A, is
/// brought to 1/2; the others are at most 1 + A/2, so A <= 2 is preserved. In radix 8 the sums of four are
/// brought to 1/2.
#[inline(always)]
pub(super) unsafe fn back<V: Vector, P: Place<V>, const SCALE: bool>(
    field: V::Field,
    at: *mut V::Word,
    to: *mut P::Word,
    extent: Extent,
    factors: *const [V::Word; 2],
    last: *const [V::Word; 2],
) {
    let Extent { len, levels } = extent;
    // SAFETY: as in `forward`.
    unsafe {
        let mut blocks = (1 << levels) / 4;
        while blocks >= if levels.is_multiple_of(2) { 4 } else { 8 } {
            fours_back::<V>(field, at, len, blocks, factors.add(blocks - 1));
            blocks /= 4;
        }
        if levels.is_multiple_of(2) {
            last_four::<V, P, SCALE>(field, at, to, len, last);
        } else {
            last_eight::<V, P, SCALE>(field, at, to, len, last);
        }
    }
}

/// The number of factors that `last` holds for this many levels.
pub(super) const fn last_factors(levels: usize) -> usize {
    if levels.is_multiple_of(2) { 5 } else { 11 }
}

#[inline(always)]
unsafe fn fours_back<V: Vector>(
    field: V::Field,
    at: *mut V::Word,
    len: usize,
    blocks: usize,
    factors: *const [V::Word; 2],
) {
    let quarter = len / (4 * blocks);
    for block in 0..blocks {
        // SAFETY: the caller's promises; the blocks tile the words.
        unsafe {
            let (at, factors) = (at.add(4 * quarter * block), factors.add(3 * block));
            let w = [
                V::factor(factors),
                V::factor(factors.add(1)),
                V::factor(factors.add(2)),
            ];
            for i in (0..quarter).step_by(V::WIDTH) {
                let at = at.add(i);
                let x = four::<V>(at, quarter);
                let (y0, y1) = V::butterfly_back(field, x[0], x[1], w[1]);
                let (y2, y3) = V::butterfly_back(field, x[2], x[3], w[2]);
                let (z0, z2) = V::butterfly_back(field, y0, y2, w[0]);
                let (z1, z3) = V::butterfly_back(field, y1, y3, w[0]);
                put_four([z0.reduce_lazy(field), z1, z2, z3], at, quarter);
            }
        }
    }
}

/// `last` holds two factors of the children and the node's factor; with `SCALE` also the node's factor times
/// the scale, and the scale. Factors of the children already contain it.
#[inline(always)]
unsafe fn last_four<V: Vector, P: Place<V>, const SCALE: bool>(
    field: V::Field,
    at: *mut V::Word,
    to: *mut P::Word,
    len: usize,
    last: *const [V::Word; 2],
) {
    let quarter = len / 4;
    // SAFETY: the caller's promises.
    unsafe {
        for i in (0..quarter).step_by(V::WIDTH) {
            let x = four::<V>(at.add(i), quarter);
            let to = to.add(i);
            let (y0, y1) = V::butterfly_back(field, x[0], x[1], V::factor(last));
            let (y2, y3) = V::butterfly_back(field, x[2], x[3], V::factor(last.add(1)));
            let (z1, z3) = V::butterfly_back(field, y1, y3, V::factor(last.add(2)));
            let (z0, z2) = finish::<V, SCALE>(field, y0, y2, last.add(2));
            P::write(z0, field, to);
            P::write(z1, field, to.add(quarter));
            P::write(z2, field, to.add(2 * quarter));
            P::write(z3, field, to.add(3 * quarter));
        }
    }
}

/// `last` holds four factors of the grandchildren, two of the children, the same times the scale, and three
/// as for [`last_four`].
#[inline(always)]
unsafe fn last_eight<V: Vector, P: Place<V>, const SCALE: bool>(
    field: V::Field,
    at: *mut V::Word,
    to: *mut P::Word,
    len: usize,
    last: *const [V::Word; 2],
) {
    let eighth = len / 8;
    // SAFETY: the caller's promises.
    unsafe {
        for i in (0..eighth).step_by(V::WIDTH) {
            let (at, to) = (at.add(i), to.add(i));
            let x = join_four::<V, SCALE>(field, four(at, eighth), last, 0);
            let y = join_four::<V, SCALE>(field, four(at.add(4 * eighth), eighth), last, 1);
            let w = V::factor(last.add(8));
            let (z0, z4) = finish::<V, SCALE>(field, x[0], y[0], last.add(8));
            P::write(z0, field, to);
            P::write(z4, field, to.add(4 * eighth));
            let (z1, z5) = V::butterfly_back(field, x[1], y[1], w);
            P::write(z1, field, to.add(eighth));
            P::write(z5, field, to.add(5 * eighth));
            let (z2, z6) = V::butterfly_back(field, x[2], y[2], w);
            P::write(z2, field, to.add(2 * eighth));
            P::write(z6, field, to.add(6 * eighth));
            let (z3, z7) = V::butterfly_back(field, x[3], y[3], w);
            P::write(z3, field, to.add(3 * eighth));
            P::write(z7, field, to.add(7 * eighth));
        }
    }
}

/// Does two of the three levels of [`last_eight`], for one child of the node.
#[inline(always)]
unsafe fn join_four<V: Vector, const SCALE: bool>(
    field: V::Field,
    x: [V; 4],
    last: *const [V::Word; 2],
    child: usize,
) -> [V; 4] {
    // SAFETY: the caller's promises.
    unsafe {
        let (y0, y1) = V::butterfly_back(field, x[0], x[1], V::factor(last.add(2 * child)));
        let (y2, y3) = V::butterfly_back(field, x[2], x[3], V::factor(last.add(2 * child + 1)));
        let scaled = if SCALE { 6 } else { 4 };
        let (z0, z2) = V::butterfly_back(field, y0, y2, V::factor(last.add(scaled + child)));
        let (z1, z3) = V::butterfly_back(field, y1, y3, V::factor(last.add(4 + child)));
        [z0.reduce_lazy(field), z1, z2, z3]
    }
}

/// The last butterfly of values that no factor has scaled yet.
#[inline(always)]
unsafe fn finish<V: Vector, const SCALE: bool>(
    field: V::Field,
    u: V,
    v: V,
    last: *const [V::Word; 2],
) -> (V, V) {
    // SAFETY: the caller's promises.
    unsafe {
        if SCALE {
            let (sum, difference) = V::butterfly_back(field, u, v, V::factor(last.add(1)));
            (sum.mul(field, V::factor(last.add(2))), difference)
        } else {
            V::butterfly_back(field, u, v, V::factor(last))
        }
    }
}
