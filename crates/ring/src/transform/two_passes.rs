use ringmill_arith::lanes::Lanes;

use super::passes::{COLUMNS, GROUP, Passes, ROW, Twiddles, prefetch};

/// The factors of an operator whose table is their products: for each place in a row, and for each row.
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
/// load. The factors' products are at most R(7).
impl<L: Lanes> Passes<L> {
    /// Whether there are registers for sixteen vectors and their factors: kernels of eight lanes have 32. Then
    /// radix 16 takes half as many loads and stores as radix 4.
    const RADIX_16: bool = L::WIDTH == 8;

    /// Along the rows, from canonical to lazy residues.
    #[inline(always)]
    pub(super) unsafe fn rows_by_factors(&self, rows: usize, factors: &Factors<'_>) {
        for row in (0..rows).step_by(GROUP) {
            // SAFETY: rows is a multiple of GROUP and that of the width; the caller vouches for the
            // rest.
            unsafe {
                let data = self.data.add(row * ROW);
                self.transpose_in(data);
                if Self::RADIX_16 {
                    for i in (0..ROW / 16 * GROUP).step_by(L::WIDTH) {
                        self.split_outer(self.scratch.add(i), ROW / 16 * GROUP, factors.first);
                    }
                    for block in 0..ROW / 16 {
                        for i in (0..GROUP).step_by(L::WIDTH) {
                            let at = self.scratch.add(16 * block * GROUP + i);
                            self.middle(at, GROUP, block, factors, &factors.along[16 * block..]);
                        }
                    }
                    for i in (0..ROW / 16 * GROUP).step_by(L::WIDTH) {
                        let at = self.scratch.add(i);
                        self.join_outer(at, ROW / 16 * GROUP, i / GROUP, factors.second);
                    }
                } else {
                    for i in (0..ROW * GROUP).step_by(L::WIDTH) {
                        let place = self.scratch.add(i);
                        L::load(self.field, place).store_lazy(place);
                    }
                    self.split::<false>(self.scratch, ROW, GROUP, factors.first);
                    self.multiply(ROW, GROUP, factors.along);
                    self.join::<false>(self.scratch, ROW, GROUP, factors.second);
                }
                self.transpose_out(data);
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
                match orders {
                    [16] if Self::RADIX_16 => self.columns_of::<1>(c, factors),
                    [2, 16] if Self::RADIX_16 => self.columns_of::<2>(c, factors),
                    [4, 16] if Self::RADIX_16 => self.columns_of::<4>(c, factors),
                    [2, 4, 16] if Self::RADIX_16 => self.columns_of::<8>(c, factors),
                    _ => self.columns_in_scratch(c, rows, orders, factors),
                }
            }
        }
    }

    /// A block of columns whose dimensions have the order 16 and before it none, 2, 4, or 2 and 4, of which the
    /// product is `OUTER`.
    #[inline(always)]
    unsafe fn columns_of<const OUTER: usize>(&self, column: usize, factors: &Factors<'_>) {
        let (apart, scratch_apart) = (16 * ROW, 16 * COLUMNS);
        for inner in 0..16 {
            for lane in (0..COLUMNS).step_by(L::WIDTH) {
                // SAFETY: the caller vouches for OUTER * 16 rows, and COLUMNS words of scratch for each.
                unsafe {
                    let from = self.data.add(inner * ROW + column + lane);
                    let x = std::array::from_fn::<L, OUTER, _>(|k| L::load_lazy(from.add(k * apart)));
                    let x = self.outer::<OUTER>(x, L::factor(&factors.first.splitting[0][2]));
                    let to = self.scratch.add(inner * COLUMNS + lane);
                    for (k, x) in x.into_iter().enumerate() {
                        prefetch(from.wrapping_add(k * apart + COLUMNS));
                        x.store_lazy(to.add(k * scratch_apart));
                    }
                }
            }
        }
        for outer in 0..OUTER {
            for lane in (0..COLUMNS).step_by(L::WIDTH) {
                // SAFETY: as above.
                unsafe {
                    let at = self.scratch.add(outer * scratch_apart + lane);
                    self.middle(at, COLUMNS, 0, factors, &factors.down[16 * outer..]);
                }
            }
        }
        for inner in 0..16 {
            for lane in (0..COLUMNS).step_by(L::WIDTH) {
                // SAFETY: as above.
                unsafe {
                    let from = self.scratch.add(inner * COLUMNS + lane);
                    let x = std::array::from_fn::<L, OUTER, _>(|k| L::load_lazy(from.add(k * scratch_apart)));
                    let x = self.outer_back::<OUTER>(x, L::factor(&factors.second.joining[0][2]));
                    let to = self.data.add(inner * ROW + column + lane);
                    for (k, x) in x.into_iter().enumerate() {
                        x.store(self.field, to.add(k * apart));
                    }
                }
            }
        }
    }

    /// A block of columns with dimensions of any orders.
    #[inline(always)]
    unsafe fn columns_in_scratch(&self, column: usize, rows: usize, orders: &[usize], factors: &Factors<'_>) {
        // SAFETY: the caller vouches for the rows, and COLUMNS words of scratch for each.
        unsafe {
            self.each(rows, column, |field, data, scratch, _| {
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
            self.each(rows, column, |field, data, scratch, _| {
                L::load_lazy(scratch).store(field, data);
            });
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

    /// Transforms of the orders 2 and 4 whose product is `OUTER`.
    #[inline(always)]
    unsafe fn outer<const OUTER: usize>(&self, mut x: [L; OUTER], i: L::Factor) -> [L; OUTER] {
        // SAFETY: the caller saw the instructions.
        unsafe {
            if OUTER == 2 || OUTER == 8 {
                for k in 0..OUTER / 2 {
                    (x[k], x[k + OUTER / 2]) = L::butterfly_unit(self.field, x[k], x[k + OUTER / 2]);
                }
            }
            for four in x.as_chunks_mut::<4>().0 {
                *four = self.four_unit_of(*four, i);
            }
        }
        x
    }

    /// Back from [`Self::outer`].
    #[inline(always)]
    unsafe fn outer_back<const OUTER: usize>(&self, mut x: [L; OUTER], i: L::Factor) -> [L; OUTER] {
        // SAFETY: the caller saw the instructions.
        unsafe {
            for four in x.as_chunks_mut::<4>().0 {
                let [a, b, c, d] = *four;
                let [a, c, b, d] = self.four_unit_of([a, c, b, d], i);
                *four = [a, b, c, d];
            }
            if OUTER == 2 || OUTER == 8 {
                for k in 0..OUTER / 2 {
                    (x[k], x[k + OUTER / 2]) = L::butterfly_unit(self.field, x[k], x[k + OUTER / 2]);
                }
            }
        }
        x
    }

    /// The first two levels of four of a row: on sixteen vectors of canonical residues that are `apart` from each other.
    #[inline(always)]
    unsafe fn split_outer(&self, at: *mut u64, apart: usize, twiddles: &Twiddles) {
        // SAFETY: the caller vouches for the sixteen vectors.
        unsafe {
            let x = std::array::from_fn::<L, 16, _>(|k| L::load(self.field, at.add(k * apart)));
            let x = self.split_16(x, None, &twiddles.splitting[1..], 0, &twiddles.splitting[0][2]);
            self.put_16(x, at, apart);
        }
    }

    /// The last two levels of four of a block of sixteen elements, the factors, and the first two levels back.
    #[inline(always)]
    unsafe fn middle(&self, at: *mut u64, step: usize, block: usize, factors: &Factors<'_>, by: &[[u64; 2]]) {
        let (first, second) = (factors.first, factors.second);
        // SAFETY: the caller vouches for sixteen elements of `step` words.
        unsafe {
            let x = std::array::from_fn::<L, 16, _>(|k| L::load_lazy(at.add(k * step)));
            let outer = (block > 0).then(|| &first.splitting[5 + block]);
            let entries = &first.splitting[21 + 4 * block..];
            let mut x = self.split_16(x, outer, entries, block, &first.splitting[0][2]);
            for (x, factor) in x.iter_mut().zip(by) {
                *x = x.mul(self.field, L::factor(factor));
            }
            let i = L::factor(&second.joining[0][2]);
            for four in x.as_chunks_mut::<4>().0 {
                let [a, b, c, d] = *four;
                let [a, c, b, d] = self.four_unit_of([a, c, b, d], i);
                *four = [a, b, c, d];
            }
            for j in 0..4 {
                let four = [x[j], x[j + 8], x[j + 4], x[j + 12]];
                let four = if j == 0 {
                    self.four_unit_of(four, i)
                } else {
                    self.four_of(four, &second.joining[1 + j])
                };
                [x[j], x[j + 8], x[j + 4], x[j + 12]] = four;
            }
            self.put_16(x, at, step);
        }
    }

    /// The last two levels of four of a row back: on the sixteen vectors that begin with element `first`.
    #[inline(always)]
    unsafe fn join_outer(&self, at: *mut u64, apart: usize, first: usize, twiddles: &Twiddles) {
        // SAFETY: the caller vouches for the sixteen vectors.
        unsafe {
            let mut x = std::array::from_fn::<L, 16, _>(|k| L::load_lazy(at.add(k * apart)));
            let i = &twiddles.joining[0][2];
            for four in x.as_chunks_mut::<4>().0 {
                let [a, b, c, d] = *four;
                let joined = [a, c, b, d];
                let [a, c, b, d] = if first == 0 {
                    self.four_unit_of(joined, L::factor(i))
                } else {
                    self.four_of(joined, &twiddles.joining[5 + first])
                };
                *four = [a, b, c, d];
            }
            for j in 0..4 {
                let four = [x[j], x[j + 8], x[j + 4], x[j + 12]];
                let element = first + 16 * j;
                let four = if element == 0 {
                    self.four_unit_of(four, L::factor(i))
                } else {
                    self.four_of(four, &twiddles.joining[21 + element])
                };
                [x[j], x[j + 8], x[j + 4], x[j + 12]] = four;
            }
            self.put_16(x, at, apart);
        }
    }

    /// Two levels of four by splitting: the factors of the first, none if they are 1, and four entries for the second,
    /// of which that of block 0 is 1.
    #[inline(always)]
    unsafe fn split_16(
        &self,
        mut x: [L; 16],
        outer: Option<&[[u64; 2]; 3]>,
        entries: &[[[u64; 2]; 3]],
        block: usize,
        i: &[u64; 2],
    ) -> [L; 16] {
        // SAFETY: the caller saw the instructions.
        unsafe {
            for j in 0..4 {
                let four = [x[j], x[j + 4], x[j + 8], x[j + 12]];
                let four = match outer {
                    Some(w) => self.four_of(four, w),
                    None => self.four_unit_of(four, L::factor(i)),
                };
                [x[j], x[j + 4], x[j + 8], x[j + 12]] = four;
            }
            for (b, four) in x.as_chunks_mut::<4>().0.iter_mut().enumerate() {
                *four = if block == 0 && b == 0 {
                    self.four_unit_of(*four, L::factor(i))
                } else {
                    self.four_of(*four, &entries[b])
                };
            }
        }
        x
    }

    #[inline(always)]
    unsafe fn put_16(&self, x: [L; 16], at: *mut u64, step: usize) {
        for (k, x) in x.into_iter().enumerate() {
            // SAFETY: the caller vouches for sixteen vectors.
            unsafe { x.store_lazy(at.add(k * step)) };
        }
    }

    /// Two levels of butterflies in registers: (x0, x2) and (x1, x3) with w\[0\], (x0, x1) with w\[1\], (x2, x3) with w\[2\].
    #[inline(always)]
    unsafe fn four_of(&self, [x0, x1, x2, x3]: [L; 4], w: &[[u64; 2]; 3]) -> [L; 4] {
        let field = self.field;
        // SAFETY: the caller saw the instructions.
        unsafe {
            let w = [L::factor(&w[0]), L::factor(&w[1]), L::factor(&w[2])];
            let (y0, y2) = L::butterfly(field, x0, x2, w[0]);
            let (y1, y3) = L::butterfly(field, x1, x3, w[0]);
            let (z0, z1) = L::butterfly(field, y0, y1, w[1]);
            let (z2, z3) = L::butterfly(field, y2, y3, w[2]);
            [z0, z1, z2, z3]
        }
    }

    /// The same with w = (1, 1, i).
    #[inline(always)]
    unsafe fn four_unit_of(&self, [x0, x1, x2, x3]: [L; 4], i: L::Factor) -> [L; 4] {
        let field = self.field;
        // SAFETY: the caller saw the instructions.
        unsafe {
            let (y0, y2) = L::butterfly_unit(field, x0, x2);
            let (y1, y3) = L::butterfly_unit(field, x1, x3);
            let (z0, z1) = L::butterfly_unit(field, y0, y1);
            let (z2, z3) = L::butterfly(field, y2, y3, i);
            [z0, z1, z2, z3]
        }
    }
}
