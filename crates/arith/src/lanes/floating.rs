use super::{ExactDoubles, Lanes, NARROW_BITS, ROUNDING_MARGIN, Rows, Vector};
use crate::Modulus;

/// Residues as signed integers in doubles: |x| <= 8p, p < 2^50, so every sum is an exact integer of
/// at most 53 bits.
///
/// Product with a fixed w, |w| <= p/2, quotient from `w/p` in double precision:
///
/// ```text
/// h = fl(x w)             l = x w - h        exact, by FMA
/// k = round(x (w/p))      |x w/p - k| <= 1/2 + |x w/p| 2^-52 <= 1/2 + A/8      for |x| <= A p
/// r = (h - k p) + l       |r| <= p (1/2 + A/8)
/// ```
///
/// h - k p is a multiple of ulp(h) or of 1, and below 2^53: the FMA that computes it does not
/// round, nor does the last sum. A factor without `w/p` takes k = round(h (1/p)): three roundings, and
/// |r| <= p (1/2 + 3A/16).
///
/// For primes of at most 49 bits (`BITS`) |x w/p| <= 4p is at most 2^51. So 1.5 * 2^52 + x w/p lies between 2^52 and 2^53, where
/// doubles are the integers: the FMA that multiplies by `w/p` rounds to the nearest integer too, with one rounding in all.
///
/// For primes of at most 31 bits |x| may be 2^20 p: then |x w/p| is below 2^51 too, and a product at most p (1/2 + 2^-2).
/// No transform has sums above that, so nothing is reduced in between.
#[derive(Clone, Copy)]
pub struct Floating<D, const BITS: u32>(D);

/// The most bits of a prime whose quotients are rounded by the FMA that makes them.
const SHORT_BITS: u32 = 49;
/// The most bits of a prime with room for every sum.
const ROOMY_BITS: u32 = 31;

#[derive(Clone, Copy)]
pub struct Field<D> {
    p: D,
    inverse: D,
    /// What the high half of a sum starts with.
    bias: D,
    /// (u mod p) / u, centred, for the unit u of that half, and its companion: reduces it.
    high: Factor<D>,
}

#[derive(Clone, Copy)]
pub struct Factor<D> {
    w: D,
    over_p: D,
}

/// A sum of products a b as `(high - bias) + low`, both exact: `high` takes what is a multiple of its unit in the last
/// place, `low` what is left of each product, at most half a unit.
///
/// The bias is 1.5 * 2^E, so `high` stays in [2^E, 2^(E + 1)) and its unit is u = 2^(E - 52), while the sum of the products
/// is below 2^(E - 1). `low` is exact while it is at most 2^53 in magnitude.
///
/// | primes | E | u | sums below | terms |
/// |---|---|---|---|---|
/// | of at most 48 bits | 101 | 2^49 | 2^100 | 32 |
/// | others | 103 | 2^51 | 2^102 | 8 |
#[derive(Clone, Copy)]
pub struct Sum<D> {
    high: D,
    low: D,
}

/// 1.5 * 2^52: the pattern of this and x is that of this plus x, for |x| <= 2^51.
const INTEGER: f64 = 3.0 * (1u64 << 51) as f64;

/// The unit u of sums modulo q, and their bias.
#[inline(always)]
fn sum_unit(q: &Modulus) -> (u64, f64) {
    let unit = if q.bits() <= NARROW_BITS { 1 << 49 } else { 1 << 51 };
    (unit, INTEGER * unit as f64)
}

#[inline(always)]
fn centred(q: &Modulus, w: u64) -> f64 {
    q.center(w) as f64
}

/// The integer nearest to x y, |x y| <= 2^51, which is rounded once.
#[inline(always)]
unsafe fn nearest_product<D: ExactDoubles>(x: D, y: D) -> D {
    // SAFETY: the caller saw the instructions.
    unsafe { x.mul_add(y, D::splat(INTEGER)).sub(D::splat(INTEGER)) }
}

/// x - round(x/p) p
#[inline(always)]
unsafe fn reduced<D: ExactDoubles>(x: D, field: Field<D>) -> D {
    // SAFETY: the caller saw the instructions. |x| is at most 2^53, so the quotient is below 2^51.
    unsafe { nearest_product(x, field.inverse).mul_sub(field.p, x) }
}

impl<D: ExactDoubles, const BITS: u32> Floating<D, BITS> {
    /// The integer nearest to x y, a quotient by p.
    #[inline(always)]
    unsafe fn quotient(x: D, y: D) -> D {
        // SAFETY: the caller saw the instructions. Quotients by short primes are at most 2^51.
        unsafe {
            if BITS <= SHORT_BITS {
                nearest_product(x, y)
            } else {
                x.mul(y).nearest()
            }
        }
    }

    /// x w - k p, given `high`, the rounded product, and k, nearly x w / p.
    #[inline(always)]
    unsafe fn product_of(x: D, w: D, high: D, k: D, p: D) -> Self {
        // SAFETY: the caller saw the instructions.
        unsafe {
            let low = x.mul_less(w, high);
            Self(k.mul_sub(p, high).add(low))
        }
    }
}

impl<D: ExactDoubles, const BITS: u32> Vector for Floating<D, BITS> {
    type Word = u64;
    const WIDTH: usize = D::WIDTH;
    const TABLE_WORDS: usize = 1;
    type Field = Field<D>;
    type Factor = Factor<D>;

    #[inline(always)]
    unsafe fn field(q: &Modulus) -> Field<D> {
        let p = q.value() as f64;
        let (unit, bias) = sum_unit(q);
        let high = centred(q, q.reduce(unit)) / unit as f64;
        // SAFETY: the caller saw the instructions.
        unsafe {
            Field {
                p: D::splat(p),
                inverse: D::splat(1.0 / p),
                bias: D::splat(bias),
                high: Factor {
                    w: D::splat(high),
                    over_p: D::splat(high / p),
                },
            }
        }
    }

    fn encode_factor(q: &Modulus, w: u64) -> [u64; 2] {
        let w = centred(q, w);
        [w.to_bits(), (w / q.value() as f64).to_bits()]
    }

    fn encode_table(q: &Modulus, w: u64) -> [u64; 2] {
        [centred(q, w).to_bits(), 0]
    }

    #[inline(always)]
    unsafe fn load(_: Field<D>, from: *const u64) -> Self {
        // SAFETY: the caller vouches for the words and for the instructions.
        unsafe { Self(D::load_integers(from)) }
    }

    #[inline(always)]
    unsafe fn store(self, field: Field<D>, to: *mut u64) {
        // SAFETY: the caller vouches for the words and for the instructions.
        unsafe {
            let x = reduced(self.0, field); // |x| <= p/2 + 1
            x.add_if_negative(field.p).store_integers(to);
        }
    }

    #[inline(always)]
    unsafe fn load_lazy(from: *const u64) -> Self {
        // SAFETY: the caller vouches for the words and for the instructions.
        unsafe { Self(D::load(from.cast())) }
    }

    #[inline(always)]
    unsafe fn store_lazy(self, to: *mut u64) {
        // SAFETY: the caller vouches for the words and for the instructions.
        unsafe { self.0.store(to.cast()) }
    }

    #[inline(always)]
    unsafe fn factor(from: *const [u64; 2]) -> Factor<D> {
        // SAFETY: the caller vouches for two words and for the instructions.
        unsafe {
            let [w, over_p] = *from;
            Factor {
                w: D::splat(f64::from_bits(w)),
                over_p: D::splat(f64::from_bits(over_p)),
            }
        }
    }

    #[inline(always)]
    unsafe fn reduce_lazy(self, field: Field<D>) -> Self {
        if BITS <= ROOMY_BITS {
            return self;
        }
        // SAFETY: the caller saw the instructions.
        unsafe { Self(reduced(self.0, field)) }
    }

    #[inline(always)]
    unsafe fn mul(self, field: Field<D>, factor: Factor<D>) -> Self {
        // SAFETY: the caller saw the instructions.
        unsafe {
            let high = self.0.mul(factor.w);
            let quotient = Self::quotient(self.0, factor.over_p);
            Self::product_of(self.0, factor.w, high, quotient, field.p)
        }
    }

    #[inline(always)]
    unsafe fn mul_table(self, field: Field<D>, table: *const u64) -> Self {
        // SAFETY: the caller vouches for the words and for the instructions.
        unsafe {
            let w = D::load(table.cast());
            let high = self.0.mul(w);
            let quotient = Self::quotient(high, field.inverse);
            Self::product_of(self.0, w, high, quotient, field.p)
        }
    }

    #[inline(always)]
    unsafe fn butterfly_unit(_: Field<D>, u: Self, v: Self) -> (Self, Self) {
        // SAFETY: the caller saw the instructions.
        unsafe { (Self(u.0.add(v.0)), Self(u.0.sub(v.0))) }
    }

    #[inline(always)]
    unsafe fn add_sub(field: Field<D>, u: Self, v: Self) -> (Self, Self) {
        // SAFETY: the caller saw the instructions.
        unsafe { Self::butterfly_unit(field, u, v) }
    }

    #[inline(always)]
    unsafe fn add_sub_back(field: Field<D>, u: Self, v: Self) -> (Self, Self) {
        // SAFETY: the caller saw the instructions.
        unsafe { Self::butterfly_unit(field, u, v) }
    }

    #[inline(always)]
    unsafe fn load_blocks(from: *const u64) -> [Self; 8] {
        // SAFETY: the caller vouches for the words and for the instructions.
        of_vectors(unsafe { D::load_blocks(from.cast()) })
    }

    #[inline(always)]
    unsafe fn store_blocks(blocks: [Self; 8], to: *mut u64) {
        // SAFETY: the caller vouches for the words and for the instructions.
        unsafe { D::store_blocks(vectors(blocks), to.cast()) }
    }

    #[inline(always)]
    unsafe fn transposed(columns: [Self; 8]) -> [Self; 8] {
        // SAFETY: the caller saw the instructions.
        of_vectors(unsafe { D::transposed(vectors(columns)) })
    }
}

/// Eight vectors of doubles as residues.
#[inline(always)]
fn of_vectors<D, const BITS: u32>([a, b, c, d, e, f, g, h]: [D; 8]) -> [Floating<D, BITS>; 8] {
    let of = Floating::<D, BITS>;
    [of(a), of(b), of(c), of(d), of(e), of(f), of(g), of(h)]
}

/// The doubles of eight vectors.
#[inline(always)]
fn vectors<D, const BITS: u32>([a, b, c, d, e, f, g, h]: [Floating<D, BITS>; 8]) -> [D; 8] {
    [a.0, b.0, c.0, d.0, e.0, f.0, g.0, h.0]
}

impl<D: ExactDoubles, const BITS: u32> Rows for Floating<D, BITS> {
    #[inline(always)]
    unsafe fn transpose(from: *const u64, from_stride: usize, to: *mut u64, to_stride: usize) {
        // SAFETY: the caller vouches for the rows and for the instructions.
        unsafe { D::transpose(from.cast(), from_stride, to.cast(), to_stride) }
    }
}

impl<D: ExactDoubles> Lanes for Floating<D, 50> {
    // A canonical product is below 2^100, or 2^96 for narrow primes. A sum of one more is `sum_mul` and `sum_reduce`, four
    // instructions and eleven; a product and an addition are seven.
    const TERMS: usize = 4;
    const NARROW_TERMS: usize = 15;
    const SINGLE_PRODUCTS: usize = 3;
    type Sum = Sum<D>;
    type Real = D;
    type Halves = D::Halves;
    type Columns = D::Columns;
    type Doubles = D;
    type Loose = Floating<D, SHORT_BITS>;
    const LOOSE_BITS: u32 = SHORT_BITS;

    // A representative is at most 0.625 p, an operand half a prime. With the term of the canonical residue and the small
    // one there are two terms more than here. For a wide prime `to` 6 products and the residue are below
    // (6 * 0.625 + 1) 2^99 < 2^102; for a narrow one 10 products are below (10 * 0.625 * 4 + 1) 2^95 < 2^100, and 28 with
    // narrow primes on both sides too.
    fn fixed_terms(from: u32, to: u32) -> usize {
        match (from, to) {
            (..=NARROW_BITS, ..=NARROW_BITS) => 28,
            (_, ..=NARROW_BITS) => 10,
            _ => 6,
        }
    }

    fn encode_operand(q: &Modulus, w: u64) -> u64 {
        centred(q, w).to_bits()
    }

    #[inline(always)]
    unsafe fn operand(word: u64) -> Self {
        // SAFETY: the caller saw the instructions.
        unsafe { Self(D::splat(f64::from_bits(word))) }
    }

    #[inline(always)]
    unsafe fn representative(self, _: Field<D>) -> Self {
        self
    }

    #[inline(always)]
    unsafe fn sum_zero(field: Field<D>) -> Sum<D> {
        // SAFETY: the caller saw the instructions.
        let low = unsafe { D::splat(0.0) };
        Sum {
            high: field.bias,
            low,
        }
    }

    #[inline(always)]
    unsafe fn sum_mul(sum: Sum<D>, a: Self, b: Self) -> Sum<D> {
        // SAFETY: the caller saw the instructions. What `high` takes differs from the product by at most half a unit, so
        // both differences are exact.
        unsafe {
            let high = a.0.mul_add(b.0, sum.high);
            let taken = high.sub(sum.high);
            Sum {
                high,
                low: sum.low.add(a.0.mul_less(b.0, taken)),
            }
        }
    }

    #[inline(always)]
    unsafe fn sum_reduce(field: Field<D>, sum: Sum<D>) -> Self {
        // SAFETY: the caller saw the instructions.
        unsafe {
            let high = sum.high.sub(field.bias);
            // |high / u| <= 2^51: the product's bound is 1/2 + 2^51 2^-53 = 3/4, and its quotient below 2^50; the low part's
            // bound is 1/2.
            let high = Floating::<D, SHORT_BITS>(high).mul(field, field.high);
            Self(high.0.add(reduced(sum.low, field)))
        }
    }

    // |a b / p| < 2^50, and three roundings of it: |r| <= p (1/2 + 2^50 * 2 * 2^-53) = 3p/4.
    #[inline(always)]
    unsafe fn product(self, field: Field<D>, other: Self) -> Self {
        // SAFETY: the caller saw the instructions.
        unsafe {
            let high = self.0.mul(other.0);
            let quotient = nearest_product(high, field.inverse);
            Self::product_of(self.0, other.0, high, quotient, field.p)
        }
    }

    #[inline(always)]
    unsafe fn add(self, _: Field<D>, other: Self) -> Self {
        // SAFETY: the caller saw the instructions.
        unsafe { Self(self.0.add(other.0)) }
    }

    #[inline(always)]
    unsafe fn real_zero() -> D {
        // SAFETY: the caller saw the instructions.
        unsafe { D::splat(0.0) }
    }

    #[inline(always)]
    unsafe fn real_mul_add(sum: D, y: Self, inverse: f64) -> D {
        // SAFETY: the caller saw the instructions.
        unsafe { y.0.mul_add(D::splat(inverse), sum) }
    }

    #[inline(always)]
    unsafe fn real_round(sum: D) -> (Self, u32) {
        // SAFETY: the caller saw the instructions.
        unsafe {
            let nearest = sum.nearest();
            let distance = sum.sub(nearest).magnitude();
            (Self(nearest), distance.above(D::splat(0.5 - ROUNDING_MARGIN)))
        }
    }
}
