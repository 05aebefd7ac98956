use std::arch::x86_64::*;

use super::avx512_field::{Factor, Field, LESS, MASK, MORE, below, companion, splat};
use super::avx512_rows::{put_rows, rows, transposed};
use super::{Avx512Loose, ColumnsAvx512, DoublesAvx512, HalvesAvx512, Lanes, ROUNDING_MARGIN, Rows, Vector};
use crate::Modulus;

/// Eight residues in 64-bit words: lazy range [0, 4p), p < 2^50, in the low 52 bits of a word. Nobody looks at the
/// upper bits: multiply-add instructions take 52 bits of their operands, and sums carry upwards only. What is stored as
/// canonical is masked.
///
/// Shoup's product with radix 2^52: with w' = floor(w 2^52 / p) and k = floor(x w' / 2^52),
/// x w - k p lies in [0, 2p) for every x < 2^52 and is known from its low 52 bits. With w = 1 the same brings any residue to
/// [0, 2p). The multiply-adds take a multiple of p along for nothing, in their accumulator or in k. So butterflies have the
/// product in [-p, p) and what it meets in [p, 3p), and their sum and difference need no correction.
#[derive(Clone, Copy)]
pub struct Avx512(pub(super) __m512i);

/// A sum of products as `high * 2^52 + low`.
#[derive(Clone, Copy)]
pub struct Sum {
    high: __m512i,
    low: __m512i,
}

impl Avx512 {
    #[inline(always)]
    unsafe fn canonical(self, field: Field) -> __m512i {
        // SAFETY: the caller saw AVX-512.
        unsafe {
            let x = _mm512_and_si512(self.0, _mm512_set1_epi64(MASK));
            below(below(x, field.twice), field.p)
        }
    }
}

impl Vector for Avx512 {
    type Word = u64;
    const WIDTH: usize = 8;
    const TABLE_WORDS: usize = 2;
    type Field = Field;
    type Factor = Factor;

    #[inline(always)]
    unsafe fn field(q: &Modulus) -> Field {
        // SAFETY: the caller saw AVX-512.
        unsafe { Field::new(q) }
    }

    fn encode_factor(q: &Modulus, w: u64) -> [u64; 2] {
        [w, companion(q, w)]
    }

    fn encode_table(q: &Modulus, w: u64) -> [u64; 2] {
        Self::encode_factor(q, w)
    }

    #[inline(always)]
    unsafe fn load(_: Field, from: *const u64) -> Self {
        // SAFETY: the caller vouches for eight words and for AVX-512.
        unsafe { Self(_mm512_loadu_si512(from.cast())) }
    }

    #[inline(always)]
    unsafe fn store(self, field: Field, to: *mut u64) {
        // SAFETY: the caller vouches for eight words and for AVX-512.
        unsafe { _mm512_storeu_si512(to.cast(), self.canonical(field)) }
    }

    #[inline(always)]
    unsafe fn load_lazy(from: *const u64) -> Self {
        // SAFETY: the caller vouches for eight words and for AVX-512.
        unsafe { Self(_mm512_loadu_si512(from.cast())) }
    }

    #[inline(always)]
    unsafe fn store_lazy(self, to: *mut u64) {
        // SAFETY: the caller vouches for eight words and for AVX-512.
        unsafe { _mm512_storeu_si512(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn factor(from: *const [u64; 2]) -> Factor {
        // SAFETY: the caller vouches for two words and for AVX-512.
        unsafe {
            let [w, companion] = *from;
            Factor {
                w: splat(w),
                companion: splat(companion),
            }
        }
    }

    #[inline(always)]
    unsafe fn reduce_lazy(self, _: Field) -> Self {
        self
    }

    #[inline(always)]
    unsafe fn mul(self, field: Field, factor: Factor) -> Self {
        // SAFETY: the caller saw AVX-512 IFMA.
        unsafe { Self(field.product(self.0, factor, _mm512_setzero_si512())) }
    }

    #[inline(always)]
    unsafe fn butterfly(field: Field, u: Self, v: Self, w: Factor) -> (Self, Self) {
        // SAFETY: the caller saw AVX-512 IFMA.
        unsafe {
            let u = field.folded(u.0, LESS.load());
            let v = field.product(v.0, w, MORE.load());
            (Self(_mm512_add_epi64(u, v)), Self(_mm512_sub_epi64(u, v)))
        }
    }

    #[inline(always)]
    unsafe fn mul_table(self, field: Field, table: *const u64) -> Self {
        // SAFETY: the caller vouches for sixteen words and for AVX-512 IFMA.
        unsafe { self.mul(field, Factor::of_table(table)) }
    }

    #[inline(always)]
    unsafe fn butterfly_table(field: Field, u: Self, v: Self, table: *const u64) -> (Self, Self) {
        // SAFETY: the caller vouches for sixteen words and for AVX-512 IFMA.
        unsafe { Self::butterfly(field, u, v, Factor::of_table(table)) }
    }

    #[inline(always)]
    unsafe fn butterfly_unit(field: Field, u: Self, v: Self) -> (Self, Self) {
        // SAFETY: the caller saw AVX-512.
        unsafe {
            let u = field.folded(u.0, LESS.load());
            let v = field.folded(v.0, MORE.load());
            (Self(_mm512_add_epi64(u, v)), Self(_mm512_sub_epi64(u, v)))
        }
    }

    #[inline(always)]
    unsafe fn add_sub(field: Field, u: Self, v: Self) -> (Self, Self) {
        // SAFETY: the caller saw AVX-512. The product is in [0, 2p) already.
        unsafe {
            let u = field.folded(u.0, _mm512_setzero_si512());
            let difference = _mm512_sub_epi64(_mm512_add_epi64(u, field.twice), v.0);
            (Self(_mm512_add_epi64(u, v.0)), Self(difference))
        }
    }

    #[inline(always)]
    unsafe fn add_sub_back(field: Field, u: Self, v: Self) -> (Self, Self) {
        // SAFETY: the caller saw AVX-512.
        unsafe {
            let sum = field.folded(_mm512_add_epi64(u.0, v.0), _mm512_setzero_si512());
            let difference = _mm512_sub_epi64(_mm512_add_epi64(u.0, field.twice), v.0);
            (Self(sum), Self(difference))
        }
    }

    #[inline(always)]
    unsafe fn load_blocks(from: *const u64) -> [Self; 8] {
        // SAFETY: the caller vouches for eight blocks of eight words and for AVX-512.
        unsafe {
            let [a, b, c, d, e, f, g, h] = rows(from, 8);
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
        // SAFETY: the caller vouches for eight blocks of eight words and for AVX-512.
        unsafe { put_rows([a.0, b.0, c.0, d.0, e.0, f.0, g.0, h.0], to, 8) }
    }

    #[inline(always)]
    unsafe fn transposed([a, b, c, d, e, f, g, h]: [Self; 8]) -> [Self; 8] {
        // SAFETY: the caller saw AVX-512.
        unsafe {
            let [a, b, c, d, e, f, g, h] = transposed([a.0, b.0, c.0, d.0, e.0, f.0, g.0, h.0]);
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

impl Rows for Avx512 {
    #[inline(always)]
    unsafe fn transpose(from: *const u64, from_stride: usize, to: *mut u64, to_stride: usize) {
        // SAFETY: the caller vouches for eight rows of eight words on each side and for AVX-512.
        unsafe { put_rows(transposed(rows(from, from_stride)), to, to_stride) }
    }
}

impl Lanes for Avx512 {
    // A sum must stay below 2^104, so that its high half is below 2^52.
    const TERMS: usize = 12;
    const NARROW_TERMS: usize = 30;
    type Sum = Sum;
    type Real = __m512d;
    type Halves = HalvesAvx512;
    type Columns = ColumnsAvx512;
    type Doubles = DoublesAvx512;
    type Loose = Avx512Loose<48>;
    const LOOSE_BITS: u32 = 48;

    // The sum over 2^52 must stay below 3 p: a term adds p 2^(from - 52), the canonical residue's at most p/4.
    fn fixed_terms(from: u32, _: u32) -> usize {
        if from <= 48 { 30 } else { 10 }
    }

    // 2^52 w, which `fixed_reduce` divides by 2^52.
    fn encode_operand(q: &Modulus, w: u64) -> u64 {
        q.mul(w, q.reduce(1 << 52))
    }

    #[inline(always)]
    unsafe fn operand(word: u64) -> Self {
        // SAFETY: the caller saw AVX-512.
        unsafe { Self(splat(word)) }
    }

    #[inline(always)]
    unsafe fn representative(self, field: Field) -> Self {
        // SAFETY: the caller saw AVX-512.
        unsafe {
            // A product is in [0, 2p).
            let x = _mm512_and_si512(self.0, _mm512_set1_epi64(MASK));
            Self(below(x, field.p))
        }
    }

    #[inline(always)]
    unsafe fn sum_zero(_: Field) -> Sum {
        // SAFETY: the caller saw AVX-512.
        unsafe {
            Sum {
                high: _mm512_setzero_si512(),
                low: _mm512_setzero_si512(),
            }
        }
    }

    #[inline(always)]
    unsafe fn sum_mul(sum: Sum, a: Self, b: Self) -> Sum {
        // SAFETY: the caller saw AVX-512 IFMA.
        unsafe {
            Sum {
                high: _mm512_madd52hi_epu64(sum.high, a.0, b.0),
                low: _mm512_madd52lo_epu64(sum.low, a.0, b.0),
            }
        }
    }

    #[inline(always)]
    unsafe fn sum_reduce(field: Field, sum: Sum) -> Self {
        // SAFETY: the caller saw AVX-512 IFMA.
        unsafe { Self(field.sum(sum.high, sum.low)) }
    }

    // Below 3 p and p more: within the lazy range.
    #[inline(always)]
    unsafe fn fixed_reduce(field: Field, sum: Sum) -> Self {
        // SAFETY: the caller saw AVX-512 IFMA.
        unsafe { Self(field.sum_over_word(sum.high, sum.low)) }
    }

    #[inline(always)]
    unsafe fn add(self, field: Field, other: Self) -> Self {
        // SAFETY: the caller saw AVX-512.
        unsafe {
            let zero = _mm512_setzero_si512();
            Self(_mm512_add_epi64(
                field.folded(self.0, zero),
                field.folded(other.0, zero),
            ))
        }
    }

    #[inline(always)]
    unsafe fn real_zero() -> __m512d {
        // SAFETY: the caller saw AVX-512.
        unsafe { _mm512_setzero_pd() }
    }

    #[inline(always)]
    unsafe fn real_mul_add(sum: __m512d, y: Self, inverse: f64) -> __m512d {
        // SAFETY: the caller saw AVX-512 with DQ.
        unsafe { _mm512_fmadd_pd(_mm512_cvtepu64_pd(y.0), _mm512_set1_pd(inverse), sum) }
    }

    #[inline(always)]
    unsafe fn real_round(sum: __m512d) -> (Self, u32) {
        // SAFETY: the caller saw AVX-512 with DQ.
        unsafe {
            let nearest = _mm512_roundscale_pd::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(sum);
            let distance = _mm512_abs_pd(_mm512_sub_pd(sum, nearest));
            let limit = _mm512_set1_pd(0.5 - ROUNDING_MARGIN);
            let doubtful = _mm512_cmp_pd_mask::<_CMP_GT_OQ>(distance, limit);
            (Self(_mm512_cvtpd_epu64(nearest)), u32::from(doubtful))
        }
    }
}
