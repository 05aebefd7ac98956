use super::{ExactDoubles, Lanes, ROUNDING_MARGIN, Rows, Vector};
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
/// For primes below 2^49 (`SHORT`) |x w/p| <= 4p is at most 2^51. So 1.5 * 2^52 + x w/p lies between 2^52 and 2^53, where
/// doubles are the integers: the FMA that multiplies by `w/p` rounds to the nearest integer too, with one rounding in all.
#[derive(Clone, Copy)]
pub struct Floating<D, const SHORT: bool>(D);

/// The most bits of a prime for `SHORT` lanes.
const SHORT_BITS: u32 = 49;

#[derive(Clone, Copy)]
pub struct Field<D> {
    p: D,
    inverse: D,
    /// 2^51 mod p, centred, and its companion: folds the high half of a sum.
    high: Factor<D>,
}

#[derive(Clone, Copy)]
pub struct Factor<D> {
    w: D,
    over_p: D,
}

/// A sum of products a b as `high * 2^51 + low`: the bit patterns of
/// `round(a b / 2^51) * 2^51 + HIGH` and `a b - that + LOW`, added as integers. The constants'
/// patterns are taken off when the sum is reduced.
#[derive(Clone, Copy)]
pub struct Sum<P> {
    high: P,
    low: P,
}

/// 1.5 * 2^52: the pattern of this and x is that of this plus x, for |x| < 2^51.
const LOW: f64 = 3.0 * (1u64 << 51) as f64;
/// 1.5 * 2^103: its neighbours are 2^51 apart, so a product below 2^102 added to it is rounded to
/// a multiple of 2^51.
const HIGH: f64 = LOW * (1u64 << 51) as f64;

#[inline(always)]
fn centred(q: &Modulus, w: u64) -> f64 {
    q.center(w) as f64
}

/// The integer nearest to x y, |x y| <= 2^51, which is rounded once.
#[inline(always)]
unsafe fn nearest_product<D: ExactDoubles>(x: D, y: D) -> D {
    // SAFETY: the caller saw the instructions.
    unsafe { x.mul_add(y, D::splat(LOW)).sub(D::splat(LOW)) }
}

/// x - round(x/p) p
#[inline(always)]
unsafe fn reduced<D: ExactDoubles>(x: D, field: Field<D>) -> D {
    // SAFETY: the caller saw the instructions. The quotient is 8 at most.
    unsafe { nearest_product(x, field.inverse).mul_sub(field.p, x) }
}

impl<D: ExactDoubles, const SHORT: bool> Floating<D, SHORT> {
    /// The integer nearest to x y, a quotient by p.
    #[inline(always)]
    unsafe fn quotient(x: D, y: D) -> D {
        // SAFETY: the caller saw the instructions. Short primes have quotients up to 2^51.
        unsafe {
            if SHORT {
                nearest_product(x, y)
            } else {
                x.mul(y).nearest()
            }
        }
    }

    /// x w - k p, given `high`, the rounded product, and k, nearly x w / p.
    #[inline(always)]
    unsafe fn product(x: D, w: D, high: D, k: D, p: D) -> Self {
        // SAFETY: the caller saw the instructions.
        unsafe {
            let low = x.mul_less(w, high);
            Self(k.mul_sub(p, high).add(low))
        }
    }
}

impl<D: ExactDoubles, const SHORT: bool> Vector for Floating<D, SHORT> {
    type Word = u64;
    const WIDTH: usize = D::WIDTH;
    const TABLE_WORDS: usize = 1;
    type Field = Field<D>;
    type Factor = Factor<D>;

    #[inline(always)]
    unsafe fn field(q: &Modulus) -> Field<D> {
        let p = q.value() as f64;
        let high = centred(q, q.reduce(1 << 51));
        // SAFETY: the caller saw the instructions.
        unsafe {
            Field {
                p: D::splat(p),
                inverse: D::splat(1.0 / p),
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
        unsafe { Self(D::of_integers(D::load(from.cast()).patterns())) }
    }

    #[inline(always)]
    unsafe fn store(self, field: Field<D>, to: *mut u64) {
        // SAFETY: the caller vouches for the words and for the instructions.
        unsafe {
            let x = reduced(self.0, field); // |x| <= p/2 + 1
            let x = x.add_if_negative(field.p);
            D::of_patterns(x.integers()).store(to.cast());
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
        // SAFETY: the caller saw the instructions.
        unsafe { Self(reduced(self.0, field)) }
    }

    #[inline(always)]
    unsafe fn mul(self, field: Field<D>, factor: Factor<D>) -> Self {
        // SAFETY: the caller saw the instructions.
        unsafe {
            let high = self.0.mul(factor.w);
            let quotient = Self::quotient(self.0, factor.over_p);
            Self::product(self.0, factor.w, high, quotient, field.p)
        }
    }

    #[inline(always)]
    unsafe fn mul_table(self, field: Field<D>, table: *const u64) -> Self {
        // SAFETY: the caller vouches for the words and for the instructions.
        unsafe {
            let w = D::load(table.cast());
            let high = self.0.mul(w);
            let quotient = Self::quotient(high, field.inverse);
            Self::product(self.0, w, high, quotient, field.p)
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
fn of_vectors<D, const SHORT: bool>([a, b, c, d, e, f, g, h]: [D; 8]) -> [Floating<D, SHORT>; 8] {
    let of = Floating::<D, SHORT>;
    [of(a), of(b), of(c), of(d), of(e), of(f), of(g), of(h)]
}

/// The doubles of eight vectors.
#[inline(always)]
fn vectors<D, const SHORT: bool>([a, b, c, d, e, f, g, h]: [Floating<D, SHORT>; 8]) -> [D; 8] {
    [a.0, b.0, c.0, d.0, e.0, f.0, g.0, h.0]
}

impl<D: ExactDoubles, const SHORT: bool> Rows for Floating<D, SHORT> {
    #[inline(always)]
    unsafe fn transpose(from: *const u64, from_stride: usize, to: *mut u64, to_stride: usize) {
        // SAFETY: the caller vouches for the rows and for the instructions.
        unsafe { D::transpose(from.cast(), from_stride, to.cast(), to_stride) }
    }
}

impl<D: ExactDoubles> Lanes for Floating<D, false> {
    // A sum must stay below 2^102, and 32 terms; a canonical product is below 2^100, or 2^96.
    const TERMS: usize = 4;
    const NARROW_TERMS: usize = 30;
    type Sum = Sum<D::Patterns>;
    type Real = D;
    type Halves = D::Halves;
    type Columns = D::Columns;
    type Doubles = D;
    type Loose = Floating<D, true>;
    const LOOSE_BITS: u32 = SHORT_BITS;

    // A sum must stay below 2^102 = 4 * 2^100, and 32 terms. A product is at most 0.625 p, an
    // operand half a prime: for 100 bits 10 terms make 3.13 * 2^100, for 98 bits 30 make 2.35 *
    // 2^100; the canonical residue times an operand adds 0.5 * 2^100.
    fn fixed_terms(from: u32, to: u32) -> usize {
        if from + to <= 98 { 30 } else { 10 }
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
    unsafe fn sum_zero() -> Self::Sum {
        // SAFETY: the caller saw the instructions.
        unsafe {
            Sum {
                high: D::splat_word(0),
                low: D::splat_word(0),
            }
        }
    }

    #[inline(always)]
    unsafe fn sum_mul(sum: Self::Sum, a: Self, b: Self) -> Self::Sum {
        // SAFETY: the caller saw the instructions.
        unsafe {
            let high = a.0.mul_add(b.0, D::splat(HIGH));
            // LOW is a multiple of 2^51, so this difference is exact: LOW - (high part).
            let rest = D::splat(HIGH + LOW).sub(high);
            let low = a.0.mul_add(b.0, rest);
            Sum {
                high: D::add_words(sum.high, high.patterns()),
                low: D::add_words(sum.low, low.patterns()),
            }
        }
    }

    #[inline(always)]
    unsafe fn sum_reduce(field: Field<D>, sum: Self::Sum, terms: usize) -> Self {
        // Each low part lies in [-2^50, 2^50]: with 2^55 added, the sum of up to 32 is not
        // negative, and what is above its lowest 51 bits belongs to the high part.
        const BIAS: u64 = 1 << 55;
        let terms = terms as u64;
        let low_bias = BIAS.wrapping_sub(terms.wrapping_mul(LOW.to_bits()));
        // The high part, |high| < 2^51, as the pattern of LOW + high.
        let high_bias = (LOW.to_bits())
            .wrapping_sub(terms.wrapping_mul(HIGH.to_bits()))
            .wrapping_sub(BIAS >> 51);
        // SAFETY: the caller saw the instructions.
        unsafe {
            let low = D::add_words(sum.low, D::splat_word(low_bias));
            let (carry, low) = D::split_51(low);
            let high = D::add_words(D::add_words(sum.high, carry), D::splat_word(high_bias));
            let high = D::of_patterns(high).sub(D::splat(LOW));
            // |high| < 2^51: the product's bound is 1/2 + |high| 2^-53 < 3/4, and its quotient below 2^50; the low part's
            // bound is 1/2.
            let high = Floating::<D, true>(high).mul(field, field.high);
            Self(high.0.add(reduced(D::of_integers(low), field)))
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
