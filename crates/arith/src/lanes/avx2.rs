use std::arch::x86_64::*;

use super::{ColumnsAvx2, DoublesAvx2, HalvesAvx2, Lanes, ROUNDING_MARGIN, Rows, Vector};
use crate::Modulus;

/// Four residues as signed integers in doubles: |x| <= 8p, p < 2^50, so every sum is an exact
/// integer of at most 53 bits.
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
#[derive(Clone, Copy)]
pub struct Avx2(__m256d);

#[derive(Clone, Copy)]
pub struct Field {
    p: __m256d,
    inverse: __m256d,
    /// 2^51 mod p, centred, and its companion: folds the high half of a sum.
    high: Factor,
}

#[derive(Clone, Copy)]
pub struct Factor {
    w: __m256d,
    over_p: __m256d,
}

/// A sum of products a b as `high * 2^51 + low`: the bit patterns of
/// `round(a b / 2^51) * 2^51 + HIGH` and `a b - that + LOW`, added as integers. The constants'
/// patterns are taken off when the sum is reduced.
#[derive(Clone, Copy)]
pub struct Sum {
    high: __m256i,
    low: __m256i,
}

/// Doubles from here to 2^53 are the integers themselves: the pattern of 2^52 + x is that of 2^52
/// plus x.
const TWO_52: f64 = (1u64 << 52) as f64;
/// 1.5 * 2^52: as above for signed x, |x| < 2^51.
const LOW: f64 = 3.0 * (1u64 << 51) as f64;
/// 1.5 * 2^103: its neighbours are 2^51 apart, so a product below 2^102 added to it is rounded to
/// a multiple of 2^51.
const HIGH: f64 = LOW * (1u64 << 51) as f64;

#[inline(always)]
fn centred(q: &Modulus, w: u64) -> f64 {
    q.center(w) as f64
}

impl Avx2 {
    /// x - round(x/p) p
    #[inline(always)]
    unsafe fn reduce(x: __m256d, field: Field) -> __m256d {
        // SAFETY: the caller saw AVX2 and FMA.
        unsafe {
            let quotient = round(_mm256_mul_pd(x, field.inverse));
            _mm256_fnmadd_pd(quotient, field.p, x)
        }
    }
}

#[inline(always)]
unsafe fn round(x: __m256d) -> __m256d {
    // SAFETY: the caller saw AVX2.
    unsafe { _mm256_round_pd::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(x) }
}

#[inline(always)]
unsafe fn rows(from: *const f64, stride: usize) -> [__m256d; 4] {
    // SAFETY: the caller vouches for four rows and for AVX2.
    unsafe {
        [
            _mm256_loadu_pd(from),
            _mm256_loadu_pd(from.add(stride)),
            _mm256_loadu_pd(from.add(2 * stride)),
            _mm256_loadu_pd(from.add(3 * stride)),
        ]
    }
}

#[inline(always)]
unsafe fn put_rows([a, b, c, d]: [__m256d; 4], to: *mut f64, stride: usize) {
    // SAFETY: the caller vouches for four rows and for AVX2.
    unsafe {
        _mm256_storeu_pd(to, a);
        _mm256_storeu_pd(to.add(stride), b);
        _mm256_storeu_pd(to.add(2 * stride), c);
        _mm256_storeu_pd(to.add(3 * stride), d);
    }
}

/// The columns of four rows.
#[inline(always)]
unsafe fn transposed([a, b, c, d]: [__m256d; 4]) -> [__m256d; 4] {
    // SAFETY: the caller saw AVX2.
    unsafe {
        let (ab_even, ab_odd) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
        let (cd_even, cd_odd) = (_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
        [
            _mm256_permute2f128_pd::<0x20>(ab_even, cd_even),
            _mm256_permute2f128_pd::<0x20>(ab_odd, cd_odd),
            _mm256_permute2f128_pd::<0x31>(ab_even, cd_even),
            _mm256_permute2f128_pd::<0x31>(ab_odd, cd_odd),
        ]
    }
}

/// Words below 2^52 to doubles.
#[inline(always)]
unsafe fn to_double(x: __m256i) -> __m256d {
    // SAFETY: the caller saw AVX2.
    unsafe {
        let two_52 = _mm256_set1_pd(TWO_52);
        let pattern = _mm256_or_si256(x, _mm256_castpd_si256(two_52));
        _mm256_sub_pd(_mm256_castsi256_pd(pattern), two_52)
    }
}

impl Vector for Avx2 {
    type Word = u64;
    const WIDTH: usize = 4;
    const TABLE_WORDS: usize = 1;
    type Field = Field;
    type Factor = Factor;

    #[inline(always)]
    unsafe fn field(q: &Modulus) -> Field {
        let p = q.value() as f64;
        let high = centred(q, q.reduce(1 << 51));
        // SAFETY: the caller saw AVX2.
        unsafe {
            Field {
                p: _mm256_set1_pd(p),
                inverse: _mm256_set1_pd(1.0 / p),
                high: Factor {
                    w: _mm256_set1_pd(high),
                    over_p: _mm256_set1_pd(high / p),
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
    unsafe fn load(_: Field, from: *const u64) -> Self {
        // SAFETY: the caller vouches for four words and for AVX2.
        unsafe { Self(to_double(_mm256_loadu_si256(from.cast()))) }
    }

    #[inline(always)]
    unsafe fn store(self, field: Field, to: *mut u64) {
        // SAFETY: the caller vouches for four words and for AVX2.
        unsafe {
            let x = Self::reduce(self.0, field); // |x| <= p/2 + 1
            let negative = _mm256_cmp_pd::<_CMP_LT_OQ>(x, _mm256_setzero_pd());
            let x = _mm256_add_pd(x, _mm256_and_pd(negative, field.p));
            let two_52 = _mm256_set1_pd(TWO_52);
            let pattern = _mm256_xor_pd(_mm256_add_pd(x, two_52), two_52);
            _mm256_storeu_si256(to.cast(), _mm256_castpd_si256(pattern));
        }
    }

    #[inline(always)]
    unsafe fn load_lazy(from: *const u64) -> Self {
        // SAFETY: the caller vouches for four words and for AVX2.
        unsafe { Self(_mm256_loadu_pd(from.cast())) }
    }

    #[inline(always)]
    unsafe fn store_lazy(self, to: *mut u64) {
        // SAFETY: the caller vouches for four words and for AVX2.
        unsafe { _mm256_storeu_pd(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn factor(from: *const [u64; 2]) -> Factor {
        let from: *const f64 = from.cast();
        // SAFETY: the caller vouches for two words and for AVX2.
        unsafe {
            Factor {
                w: _mm256_broadcast_sd(&*from),
                over_p: _mm256_broadcast_sd(&*from.add(1)),
            }
        }
    }

    #[inline(always)]
    unsafe fn reduce_lazy(self, field: Field) -> Self {
        // SAFETY: the caller saw AVX2.
        unsafe { Self(Self::reduce(self.0, field)) }
    }

    #[inline(always)]
    unsafe fn mul(self, field: Field, factor: Factor) -> Self {
        // SAFETY: the caller saw AVX2.
        unsafe {
            let high = _mm256_mul_pd(self.0, factor.w);
            let low = _mm256_fmsub_pd(self.0, factor.w, high);
            let quotient = round(_mm256_mul_pd(self.0, factor.over_p));
            Self(_mm256_add_pd(_mm256_fnmadd_pd(quotient, field.p, high), low))
        }
    }

    #[inline(always)]
    unsafe fn mul_table(self, field: Field, table: *const u64) -> Self {
        // SAFETY: the caller vouches for four words and for AVX2.
        unsafe {
            let w = _mm256_loadu_pd(table.cast());
            let high = _mm256_mul_pd(self.0, w);
            let low = _mm256_fmsub_pd(self.0, w, high);
            let quotient = round(_mm256_mul_pd(high, field.inverse));
            Self(_mm256_add_pd(_mm256_fnmadd_pd(quotient, field.p, high), low))
        }
    }

    #[inline(always)]
    unsafe fn butterfly_unit(_: Field, u: Self, v: Self) -> (Self, Self) {
        // SAFETY: the caller saw AVX2.
        unsafe { (Self(_mm256_add_pd(u.0, v.0)), Self(_mm256_sub_pd(u.0, v.0))) }
    }

    #[inline(always)]
    unsafe fn add_sub(field: Field, u: Self, v: Self) -> (Self, Self) {
        // SAFETY: the caller saw AVX2.
        unsafe { Self::butterfly_unit(field, u, v) }
    }

    #[inline(always)]
    unsafe fn add_sub_back(field: Field, u: Self, v: Self) -> (Self, Self) {
        // SAFETY: the caller saw AVX2.
        unsafe { Self::butterfly_unit(field, u, v) }
    }

    /// The first and second halves of four blocks.
    #[inline(always)]
    unsafe fn load_blocks(from: *const u64) -> [Self; 8] {
        let from: *const f64 = from.cast();
        // SAFETY: the caller vouches for four blocks of eight words and for AVX2.
        unsafe {
            let ([a, b, c, d], [e, f, g, h]) = (rows(from, 8), rows(from.add(4), 8));
            [
                Self(a),
                Self(b),
                Self(c),
                Self(d),
                Self(e),
                Self(f),
                Self(g),
                Self(h),
            ]
        }
    }

    #[inline(always)]
    unsafe fn store_blocks([a, b, c, d, e, f, g, h]: [Self; 8], to: *mut u64) {
        let to: *mut f64 = to.cast();
        // SAFETY: the caller vouches for four blocks of eight words and for AVX2.
        unsafe {
            put_rows([a.0, b.0, c.0, d.0], to, 8);
            put_rows([e.0, f.0, g.0, h.0], to.add(4), 8);
        }
    }

    #[inline(always)]
    unsafe fn transposed([a, b, c, d, e, f, g, h]: [Self; 8]) -> [Self; 8] {
        // SAFETY: the caller saw AVX2.
        unsafe {
            let [a, b, c, d] = transposed([a.0, b.0, c.0, d.0]);
            let [e, f, g, h] = transposed([e.0, f.0, g.0, h.0]);
            [
                Self(a),
                Self(b),
                Self(c),
                Self(d),
                Self(e),
                Self(f),
                Self(g),
                Self(h),
            ]
        }
    }
}

impl Rows for Avx2 {
    #[inline(always)]
    unsafe fn transpose(from: *const u64, from_stride: usize, to: *mut u64, to_stride: usize) {
        let (from, to): (*const f64, *mut f64) = (from.cast(), to.cast());
        // SAFETY: the caller vouches for four rows of four words on each side and for AVX2.
        unsafe {
            put_rows(transposed(rows(from, from_stride)), to, to_stride);
        }
    }
}

impl Lanes for Avx2 {
    // A sum must stay below 2^102; a canonical product is below 2^100.
    const TERMS: usize = 4;
    type Sum = Sum;
    type Real = __m256d;
    type Halves = HalvesAvx2;
    type Columns = ColumnsAvx2;
    type Doubles = DoublesAvx2;
    type Loose = Self;
    const LOOSE_BITS: u32 = 0;

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
        // SAFETY: the caller saw AVX2.
        unsafe { Self(_mm256_set1_pd(f64::from_bits(word))) }
    }

    #[inline(always)]
    unsafe fn representative(self, _: Field) -> Self {
        self
    }

    #[inline(always)]
    unsafe fn sum_zero() -> Sum {
        // SAFETY: the caller saw AVX2.
        unsafe {
            Sum {
                high: _mm256_setzero_si256(),
                low: _mm256_setzero_si256(),
            }
        }
    }

    #[inline(always)]
    unsafe fn sum_mul(sum: Sum, a: Self, b: Self) -> Sum {
        // SAFETY: the caller saw AVX2 and FMA.
        unsafe {
            let high = _mm256_fmadd_pd(a.0, b.0, _mm256_set1_pd(HIGH));
            // LOW is a multiple of 2^51, so this difference is exact: LOW - (high part).
            let rest = _mm256_sub_pd(_mm256_set1_pd(HIGH + LOW), high);
            let low = _mm256_fmadd_pd(a.0, b.0, rest);
            Sum {
                high: _mm256_add_epi64(sum.high, _mm256_castpd_si256(high)),
                low: _mm256_add_epi64(sum.low, _mm256_castpd_si256(low)),
            }
        }
    }

    #[inline(always)]
    unsafe fn sum_reduce(field: Field, sum: Sum, terms: usize) -> Self {
        // Each low part lies in [-2^50, 2^50]: with 2^55 added, the sum of up to 32 is not
        // negative, and what is above its lowest 51 bits belongs to the high part.
        const BIAS: i64 = 1 << 55;
        let terms = terms as i64;
        let low_bias = BIAS.wrapping_sub(terms.wrapping_mul(LOW.to_bits() as i64));
        // The high part, |high| < 2^51, as the pattern of LOW + high.
        let high_bias = (LOW.to_bits() as i64)
            .wrapping_sub(terms.wrapping_mul(HIGH.to_bits() as i64))
            .wrapping_sub(BIAS >> 51);
        // SAFETY: the caller saw AVX2.
        unsafe {
            let low = _mm256_add_epi64(sum.low, _mm256_set1_epi64x(low_bias));
            let carry = _mm256_srli_epi64::<51>(low);
            let low = _mm256_and_si256(low, _mm256_set1_epi64x((1 << 51) - 1));
            let high = _mm256_add_epi64(_mm256_add_epi64(sum.high, carry), _mm256_set1_epi64x(high_bias));
            let high = _mm256_sub_pd(_mm256_castsi256_pd(high), _mm256_set1_pd(LOW));
            // |high| < 2^51: the product's bound is 1/2 + |high| 2^-53 < 3/4; the low part's 1/2.
            let high = Self(high).mul(field, field.high);
            Self(_mm256_add_pd(high.0, Self::reduce(to_double(low), field)))
        }
    }

    #[inline(always)]
    unsafe fn add(self, _: Field, other: Self) -> Self {
        // SAFETY: the caller saw AVX2.
        unsafe { Self(_mm256_add_pd(self.0, other.0)) }
    }

    #[inline(always)]
    unsafe fn real_zero() -> __m256d {
        // SAFETY: the caller saw AVX2.
        unsafe { _mm256_setzero_pd() }
    }

    #[inline(always)]
    unsafe fn real_mul_add(sum: __m256d, y: Self, inverse: f64) -> __m256d {
        // SAFETY: the caller saw AVX2 and FMA.
        unsafe { _mm256_fmadd_pd(y.0, _mm256_set1_pd(inverse), sum) }
    }

    #[inline(always)]
    unsafe fn real_round(sum: __m256d) -> (Self, u32) {
        // SAFETY: the caller saw AVX2.
        unsafe {
            let nearest = round(sum);
            let distance = _mm256_andnot_pd(_mm256_set1_pd(-0.0), _mm256_sub_pd(sum, nearest));
            let limit = _mm256_set1_pd(0.5 - ROUNDING_MARGIN);
            let doubtful = _mm256_cmp_pd::<_CMP_GT_OQ>(distance, limit);
            (Self(nearest), _mm256_movemask_pd(doubtful) as u32)
        }
    }
}
