//! The transform for products modulo y^(2n) + 1 of real polynomials, n a power of two.
//!
//! A real polynomial of 2n digits a_j becomes n complex points a_j + i a_(j + n): modulo x^n - i, where i stands
//! for x^n, they are the same ring ("right-angle convolution"; Crandall and Fagin, 1994). x^n - i splits level by
//! level into x - w: x^m - s^2 into x^(m/2) - s and x^(m/2) + s. Factors are fixed for a node of this tree, no
//! order has to be undone between transforms, and the lanes of a vector hold different polynomials, so that nothing is
//! shuffled.

use ringmill_arith::lanes::Doubles;

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

/// Factors of a node that splits in four: s, r and i r, with s^2 = w and r^2 = s.
type Roots = [[f64; 2]; 3];

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
            let roots = |&w: &f64| [root(w / 2.0), root(w / 4.0), root(w / 4.0 + 0.25)];
            fours.push(nodes.iter().map(roots).collect());
            let children = |w: f64| [0.0, 0.5, 0.25, 0.75].map(|turn| w / 4.0 + turn);
            nodes = nodes.into_iter().flat_map(children).collect();
        }
        let twos = nodes.iter().map(|w| root(w / 2.0)).collect();
        Self { levels, fours, twos }
    }

    /// Points to values, in place: 2^levels complex vectors, real part and imaginary part.
    #[inline(always)]
    pub(super) unsafe fn forward<D: Doubles>(&self, points: *mut f64) {
        // SAFETY: the caller vouches for the points and for the instructions.
        unsafe {
            self.fours_forward::<D>(points, self.fours.len());
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

    /// Transforms the points, and adds the products of the values with `spectrum`, 2^levels complex numbers, to
    /// `sums`. The points are scratch memory afterwards.
    #[inline(always)]
    pub(super) unsafe fn accumulate<D: Doubles>(
        &self,
        points: *mut f64,
        spectrum: *const f64,
        sums: *mut f64,
    ) {
        // SAFETY: the caller vouches for the memory and for the instructions.
        unsafe {
            if self.levels % 2 == 1 {
                self.fours_forward::<D>(points, self.fours.len());
                for (i, s) in self.twos.iter().enumerate() {
                    let place = 4 * i * D::WIDTH;
                    let values = two::<D>(points.add(place), *s);
                    add_products(values, spectrum.add(4 * i), sums.add(place));
                }
                return;
            }
            self.fours_forward::<D>(points, self.fours.len() - 1);
            for (i, roots) in self.fours[self.fours.len() - 1].iter().enumerate() {
                let place = 8 * i * D::WIDTH;
                let values = four(points.add(place), 2 * D::WIDTH, splat::<D>(roots));
                add_products(values, spectrum.add(8 * i), sums.add(place));
            }
        }
    }

    /// Values to points, in place, divided by their number.
    #[inline(always)]
    pub(super) unsafe fn inverse<D: Doubles>(&self, values: *mut f64) {
        // SAFETY: the caller vouches for the values and for the instructions.
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

    /// The first `passes` splittings in four.
    #[inline(always)]
    unsafe fn fours_forward<D: Doubles>(&self, points: *mut f64, passes: usize) {
        for (p, nodes) in self.fours.iter().enumerate().take(passes) {
            let quarter = (1 << self.levels) >> (2 * p + 2);
            let stride = 2 * quarter * D::WIDTH;
            for (i, roots) in nodes.iter().enumerate() {
                // SAFETY: node i has 4 quarters from its first point on; the caller vouches for the rest.
                unsafe {
                    let roots = splat::<D>(roots);
                    for j in 0..quarter {
                        let at = points.add(2 * (4 * quarter * i + j) * D::WIDTH);
                        let [a, b, c, d] = four(at, stride, roots);
                        a.store(at);
                        b.store(at.add(stride));
                        c.store(at.add(2 * stride));
                        d.store(at.add(3 * stride));
                    }
                }
            }
        }
    }
}

#[inline(always)]
unsafe fn splat<D: Doubles>(roots: &Roots) -> [Complex<D>; 3] {
    // SAFETY: the caller saw the instructions.
    unsafe {
        [
            Complex::splat(roots[0]),
            Complex::splat(roots[1]),
            Complex::splat(roots[2]),
        ]
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
unsafe fn four<D: Doubles>(at: *const f64, stride: usize, [s, r, ir]: [Complex<D>; 3]) -> [Complex<D>; 4] {
    // SAFETY: the caller vouches for the points and for the instructions.
    unsafe {
        let c = Complex::load(at.add(2 * stride)).mul(s);
        let d = Complex::load(at.add(3 * stride)).mul(s);
        let (a, b) = (Complex::<D>::load(at), Complex::load(at.add(stride)));
        let (a, c) = (a.add(c), a.sub(c));
        let (b, d) = (b.add(d).mul(r), b.sub(d).mul(ir));
        [a.add(b), a.sub(b), c.add(d), c.sub(d)]
    }
}

/// Undoes [`four`], up to a factor of 4, in place.
#[inline(always)]
unsafe fn four_back<D: Doubles>(at: *mut f64, stride: usize, [s, r, ir]: [Complex<D>; 3]) {
    // SAFETY: the caller vouches for the points and for the instructions.
    unsafe {
        let (p, q) = (Complex::<D>::load(at), Complex::load(at.add(stride)));
        let (a, b) = (p.add(q), p.sub(q).mul_conjugate(r));
        let (p, q) = (
            Complex::<D>::load(at.add(2 * stride)),
            Complex::load(at.add(3 * stride)),
        );
        let (c, d) = (p.add(q), p.sub(q).mul_conjugate(ir));
        a.add(c).store(at);
        b.add(d).store(at.add(stride));
        a.sub(c).mul_conjugate(s).store(at.add(2 * stride));
        b.sub(d).mul_conjugate(s).store(at.add(3 * stride));
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
