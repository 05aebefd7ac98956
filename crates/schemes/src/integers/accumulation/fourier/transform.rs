//! The transform for products modulo y^(2n) + 1 of real polynomials, n a power of two.
//!
//! A real polynomial of 2n digits a_j becomes n complex points a_j + i a_(j + n): modulo x^n - i, where i stands
//! for x^n, they are the same ring ("right-angle convolution"; Crandall and Fagin, 1994). x^n - i splits level by
//! level into x - w: x^m - s^2 into x^(m/2) - s and x^(m/2) + s. Factors are fixed for a node of this tree, no
//! order has to be undone between transforms, and the lanes of a vector hold different polynomials, so that nothing is
//! shuffled.
//!
//! The first splitting in four loads the digits; then each quarter, which a first-level cache holds, is transformed to
//! the end, where the last splitting is followed by the products.

use ringmill_arith::lanes::Doubles;

use super::DIGITS;

/// Blocks of digits, one for each lane.
#[derive(Clone, Copy)]
struct Blocks {
    /// The first word of the first block.
    first: *const u64,
    /// Words of a block; zeros are behind them.
    words: usize,
}

impl Blocks {
    /// Blocks of equal length, one after the other, which must stay there.
    #[inline(always)]
    fn new<D: Doubles>(blocks: &[u64]) -> Self {
        Self {
            first: blocks.as_ptr(),
            words: blocks.len() / D::WIDTH,
        }
    }

    /// Digits of word `i`, less 2^15.
    #[inline(always)]
    unsafe fn digits<D: Doubles>(self, i: usize) -> [D; DIGITS] {
        // SAFETY: `new` saw this many words in each lane's block; the caller saw the instructions.
        unsafe {
            if i < self.words {
                D::centred_halves(self.first.add(i), self.words)
            } else {
                [D::splat(0.0); DIGITS]
            }
        }
    }
}

/// A complex number in every lane.
#[derive(Clone, Copy)]
struct Complex<D>(D, D);

impl<D: Doubles> Complex<D> {
    #[inline(always)]
    unsafe fn splat([re, im]: [f64; 2]) -> Self {
        // SAFETY: the caller saw the instructions.
        unsafe { Self(D::splat(re), D::splat(im)) }
    }

    #[inline(always)]
    unsafe fn load(from: *const f64) -> Self {
        // SAFETY: the caller vouches for two vectors and for the instructions.
        unsafe { Self(D::load(from), D::load(from.add(D::WIDTH))) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f64) {
        // SAFETY: the caller vouches for two vectors and for the instructions.
        unsafe {
            self.0.store(to);
            self.1.store(to.add(D::WIDTH));
        }
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: the caller saw the instructions.
        unsafe { Self(self.0.add(other.0), self.1.add(other.1)) }
    }

    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        // SAFETY: the caller saw the instructions.
        unsafe { Self(self.0.sub(other.0), self.1.sub(other.1)) }
    }

    #[inline(always)]
    unsafe fn mul(self, w: Self) -> Self {
        // SAFETY: the caller saw the instructions.
        unsafe {
            let (re, im) = (self.0.mul(w.0), self.0.mul(w.1));
            Self(self.1.mul_sub(w.1, re), self.1.mul_add(w.0, im))
        }
    }

    /// The product with the conjugate of `w`.
    #[inline(always)]
    unsafe fn mul_conjugate(self, w: Self) -> Self {
        // SAFETY: the caller saw the instructions.
        unsafe {
            let (re, im) = (self.0.mul(w.0), self.1.mul(w.0));
            Self(self.1.mul_add(w.1, re), self.0.mul_sub(w.1, im))
        }
    }

    /// `self + i other`.
    #[inline(always)]
    unsafe fn add_turned(self, other: Self) -> Self {
        // SAFETY: the caller saw the instructions.
        unsafe { Self(self.0.sub(other.1), self.1.add(other.0)) }
    }

    /// `self - i other`.
    #[inline(always)]
    unsafe fn sub_turned(self, other: Self) -> Self {
        // SAFETY: the caller saw the instructions.
        unsafe { Self(self.0.add(other.1), self.1.sub(other.0)) }
    }

    /// `sum + self * w`.
    #[inline(always)]
    unsafe fn mul_add(self, w: Self, sum: Self) -> Self {
        // SAFETY: the caller saw the instructions.
        unsafe {
            let re = self.0.mul_add(w.0, sum.0);
            let im = self.0.mul_add(w.1, sum.1);
            Self(self.1.mul_sub(w.1, re), self.1.mul_add(w.0, im))
        }
    }
}

/// Factors of a node that splits in four: s and r, with s^2 = w and r^2 = s. Roots of -s are i r and -i r.
type Roots = [[f64; 2]; 2];

/// Tables of the transform of one length.
pub(super) struct Transform {
    levels: u32,
    /// Nodes of two levels at a time, from the root.
    fours: Vec<Vec<Roots>>,
    /// With an odd number of levels s of the last, nodes of two points.
    twos: Vec<[f64; 2]>,
}

/// e^(2 pi i turns), for a multiple of a power of two so that turns less quarters are exact: within 4 units of 2^-53, of
/// which one and a half is the angle's (at most 1/8 turn) and the rest leaves room for a library that errs by 1.7 in the
/// last place.
fn root(turns: f64) -> [f64; 2] {
    let quarters = (4.0 * turns).round();
    let (sin, cos) = (std::f64::consts::TAU * (turns - quarters / 4.0)).sin_cos();
    match quarters.rem_euclid(4.0) as u32 {
        0 => [cos, sin],
        1 => [-sin, cos],
        2 => [-cos, -sin],
        _ => [sin, -cos],
    }
}

impl Transform {
    /// For 2^levels complex points, 4 at least.
    pub(super) fn new(levels: u32) -> Self {
        let mut fours = Vec::new();
        let mut nodes = vec![0.25];
        for _ in 0..levels / 2 {
            let roots = |&w: &f64| [root(w / 2.0), root(w / 4.0)];
            fours.push(nodes.iter().map(roots).collect());
            let children = |w: f64| [0.0, 0.5, 0.25, 0.75].map(|turn| w / 4.0 + turn);
            nodes = nodes.into_iter().flat_map(children).collect();
        }
        let twos = nodes.iter().map(|w| root(w / 2.0)).collect();
        Self { levels, fours, twos }
    }

    /// Stops the program unless the points, one complex number in each of `lanes` lanes, are all there. Functions below
    /// call it once, before the first load.
    #[inline(always)]
    fn require(&self, points: &[f64], lanes: usize) {
        assert!(points.len() >= (2 * lanes) << self.levels, "too few points");
    }

    /// Points to values, in place: 2^levels complex vectors, real part and imaginary part.
    ///
    /// # Safety
    /// The machine must have the instructions of `D`.
    #[inline(always)]
    pub(super) unsafe fn forward<D: Doubles>(&self, points: &mut [f64]) {
        self.require(points, D::WIDTH);
        let points = points.as_mut_ptr();
        // SAFETY: the points are there; the caller saw the instructions.
        unsafe {
            for pass in 0..self.fours.len() {
                self.split::<D>(points, pass, 0, 1 << (2 * pass));
            }
            if self.levels % 2 == 1 {
                for (i, s) in self.twos.iter().enumerate() {
                    let at = points.add(4 * i * D::WIDTH);
                    let [a, b] = two::<D>(at, *s);
                    a.store(at);
                    b.store(at.add(2 * D::WIDTH));
                }
            }
        }
    }

    /// Transforms blocks of digits, and adds the products of the values with `spectrum`, 2^levels complex numbers,
    /// to `sums`. `points`, as many complex vectors, is scratch memory.
    ///
    /// # Safety
    /// The machine must have the instructions of `D`.
    #[inline(always)]
    pub(super) unsafe fn accumulate<D: Doubles>(
        &self,
        blocks: &[u64],
        points: &mut [f64],
        spectrum: &[f64],
        sums: &mut [f64],
    ) {
        self.require(points, D::WIDTH);
        self.require(sums, D::WIDTH);
        self.require(spectrum, 1);
        let blocks = Blocks::new::<D>(blocks);
        let (points, spectrum, sums) = (points.as_mut_ptr(), spectrum.as_ptr(), sums.as_mut_ptr());
        // Of the passes of splittings in four the last one is joined to the products if no splitting in two follows.
        let odd = self.levels % 2 == 1;
        let passes = self.fours.len() - usize::from(!odd);
        let quarter = (1 << self.levels) / 4;
        // SAFETY: blocks, points, sums and spectrum are there; the caller saw the instructions.
        unsafe {
            self.load::<D>(blocks, points);
            for part in 0..4 {
                for pass in 1..passes {
                    let nodes = 1 << (2 * pass - 2);
                    self.split::<D>(points, pass, part * nodes, nodes);
                }
                let size = if odd { 2 } else { 4 };
                for i in part * quarter / size..(part + 1) * quarter / size {
                    let place = 2 * size * i;
                    let (at, sums) = (points.add(place * D::WIDTH), sums.add(place * D::WIDTH));
                    if odd {
                        let values = two::<D>(at, self.twos[i]);
                        add_products(values, spectrum.add(place), sums);
                    } else {
                        let roots = splat::<D>(&self.fours[passes][i]);
                        let values = four(load_four(at, 2 * D::WIDTH), roots);
                        add_products(values, spectrum.add(place), sums);
                    }
                }
            }
        }
    }

    /// The first splitting in four, from digits: digit j is the real part of point j, digit n + j the imaginary part.
    #[inline(always)]
    unsafe fn load<D: Doubles>(&self, blocks: Blocks, points: *mut f64) {
        let n = 1 << self.levels;
        let quarter = n / 4 / DIGITS;
        // SAFETY: the caller vouches for the memory and for the instructions.
        unsafe {
            let roots = splat::<D>(&self.fours[0][0]);
            for i in 0..quarter {
                let mut parts = [[D::splat(0.0); DIGITS]; 8];
                let mut q = 0;
                while q < 4 {
                    parts[2 * q] = blocks.digits(q * quarter + i);
                    parts[2 * q + 1] = blocks.digits(n / DIGITS + q * quarter + i);
                    q += 1;
                }
                let mut k = 0;
                while k < DIGITS {
                    let [a, b] = [
                        Complex(parts[0][k], parts[1][k]),
                        Complex(parts[2][k], parts[3][k]),
                    ];
                    let [c, d] = [
                        Complex(parts[4][k], parts[5][k]),
                        Complex(parts[6][k], parts[7][k]),
                    ];
                    let at = points.add(2 * (DIGITS * i + k) * D::WIDTH);
                    store_four(four([a, b, c, d], roots), at, n / 2 * D::WIDTH);
                    k += 1;
                }
            }
        }
    }

    /// Values to points, in place, divided by their number.
    ///
    /// # Safety
    /// The machine must have the instructions of `D`.
    #[inline(always)]
    pub(super) unsafe fn inverse<D: Doubles>(&self, values: &mut [f64]) {
        self.require(values, D::WIDTH);
        let values = values.as_mut_ptr();
        // SAFETY: the values are there; the caller saw the instructions.
        unsafe {
            if self.levels % 2 == 1 {
                for (i, s) in self.twos.iter().enumerate() {
                    let at = values.add(4 * i * D::WIDTH);
                    let (a, b) = (Complex::<D>::load(at), Complex::load(at.add(2 * D::WIDTH)));
                    a.add(b).store(at);
                    a.sub(b)
                        .mul_conjugate(Complex::splat(*s))
                        .store(at.add(2 * D::WIDTH));
                }
            }
            for (p, nodes) in self.fours.iter().enumerate().rev() {
                let quarter = (1 << self.levels) >> (2 * p + 2);
                for (i, roots) in nodes.iter().enumerate() {
                    let roots = splat::<D>(roots);
                    for j in 0..quarter {
                        let at = values.add(2 * (4 * quarter * i + j) * D::WIDTH);
                        four_back(at, 2 * quarter * D::WIDTH, roots);
                    }
                }
            }
            let scale = D::splat(1.0 / f64::from(1_u32 << self.levels));
            for i in 0..2 << self.levels {
                let at = values.add(i * D::WIDTH);
                D::load(at).mul(scale).store(at);
            }
        }
    }

    /// Splits `count` nodes of a pass in four, from node `first` on.
    #[inline(always)]
    unsafe fn split<D: Doubles>(&self, points: *mut f64, pass: usize, first: usize, count: usize) {
        let quarter = (1 << self.levels) >> (2 * pass + 2);
        let stride = 2 * quarter * D::WIDTH;
        for (i, roots) in self.fours[pass].iter().enumerate().skip(first).take(count) {
            // SAFETY: node i has 4 quarters from its first point on; the caller vouches for the rest.
            unsafe {
                let roots = splat::<D>(roots);
                for j in 0..quarter {
                    let at = points.add(2 * (4 * quarter * i + j) * D::WIDTH);
                    store_four(four(load_four(at, stride), roots), at, stride);
                }
            }
        }
    }
}

#[inline(always)]
unsafe fn splat<D: Doubles>(roots: &Roots) -> [Complex<D>; 2] {
    // SAFETY: the caller saw the instructions.
    unsafe { [Complex::splat(roots[0]), Complex::splat(roots[1])] }
}

/// A point of each quarter of a node.
#[inline(always)]
unsafe fn load_four<D: Doubles>(at: *const f64, stride: usize) -> [Complex<D>; 4] {
    // SAFETY: the caller vouches for the points and for the instructions.
    unsafe {
        [
            Complex::load(at),
            Complex::load(at.add(stride)),
            Complex::load(at.add(2 * stride)),
            Complex::load(at.add(3 * stride)),
        ]
    }
}

/// Stores a point of each quarter of a node.
#[inline(always)]
unsafe fn store_four<D: Doubles>([a, b, c, d]: [Complex<D>; 4], at: *mut f64, stride: usize) {
    // SAFETY: the caller vouches for the points and for the instructions.
    unsafe {
        a.store(at);
        b.store(at.add(stride));
        c.store(at.add(2 * stride));
        d.store(at.add(3 * stride));
    }
}

/// Two points of a node of two, split.
#[inline(always)]
unsafe fn two<D: Doubles>(at: *const f64, s: [f64; 2]) -> [Complex<D>; 2] {
    // SAFETY: the caller vouches for the points and for the instructions.
    unsafe {
        let a = Complex::<D>::load(at);
        let b = Complex::load(at.add(2 * D::WIDTH)).mul(Complex::splat(s));
        [a.add(b), a.sub(b)]
    }
}

/// A point of each quarter of a node, split twice.
#[inline(always)]
unsafe fn four<D: Doubles>([a, b, c, d]: [Complex<D>; 4], [s, r]: [Complex<D>; 2]) -> [Complex<D>; 4] {
    // SAFETY: the caller saw the instructions.
    unsafe {
        let (c, d) = (c.mul(s), d.mul(s));
        let (a, c) = (a.add(c), a.sub(c));
        let (b, d) = (b.add(d).mul(r), b.sub(d).mul(r));
        [a.add(b), a.sub(b), c.add_turned(d), c.sub_turned(d)]
    }
}

/// Undoes [`four`], up to a factor of 4, in place.
#[inline(always)]
unsafe fn four_back<D: Doubles>(at: *mut f64, stride: usize, [s, r]: [Complex<D>; 2]) {
    // SAFETY: the caller vouches for the points and for the instructions.
    unsafe {
        let [a, b, c, d] = load_four::<D>(at, stride);
        let (a, b) = (a.add(b), a.sub(b).mul_conjugate(r));
        // c - d is 2 i times what was multiplied by r.
        let (c, d) = (c.add(d), c.sub(d).mul_conjugate(r));
        let d = Complex(d.1, D::splat(0.0).sub(d.0));
        let (a, c) = (a.add(c), a.sub(c).mul_conjugate(s));
        let (b, d) = (b.add(d), b.sub(d).mul_conjugate(s));
        store_four([a, b, c, d], at, stride);
    }
}

/// Adds products with consecutive numbers of a spectrum to sums.
#[inline(always)]
unsafe fn add_products<D: Doubles, const N: usize>(
    values: [Complex<D>; N],
    spectrum: *const f64,
    sums: *mut f64,
) {
    let mut i = 0;
    while i < N {
        // SAFETY: the caller vouches for N numbers, N complex vectors and for the instructions.
        unsafe {
            let sum = sums.add(2 * i * D::WIDTH);
            let factor = Complex::splat([*spectrum.add(2 * i), *spectrum.add(2 * i + 1)]);
            values[i].mul_add(factor, Complex::load(sum)).store(sum);
        }
        i += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringmill_arith::lanes::DoublesPortable;

    /// In every build: no function reads or writes beyond the memory that it is lent.
    #[test]
    fn short_memory_stops_before_it_is_read() {
        let transform = Transform::new(4);
        let run = |points: usize, spectrum: usize, sums: usize| {
            let [mut points, spectrum, mut sums] = [points, spectrum, sums].map(|len| vec![0.0; len]);
            let run = std::panic::AssertUnwindSafe(|| {
                // SAFETY: portable numbers need no particular instructions.
                unsafe {
                    transform.accumulate::<DoublesPortable>(&[1; 8], &mut points, &spectrum, &mut sums);
                    transform.forward::<DoublesPortable>(&mut points);
                    transform.inverse::<DoublesPortable>(&mut sums);
                }
            });
            std::panic::catch_unwind(run).is_ok()
        };
        let (values, vectors) = (32, 32 * <DoublesPortable as Doubles>::WIDTH);
        assert!(run(vectors, values, vectors));
        assert!(!run(vectors - 1, values, vectors));
        assert!(!run(vectors, values - 1, vectors));
        assert!(!run(vectors, values, vectors - 1));
    }
}
