use std::arch::x86_64::*;

use super::super::{ColumnsAvx2, HalvesAvx2};
use super::{Doubles, ExactDoubles};

/// Four doubles, with fused multiply-add.
#[derive(Clone, Copy)]
pub struct DoublesAvx2(__m256d);

/// Doubles from here to 2^53 are the integers themselves: the pattern of 2^52 + x is that of 2^52
/// plus x.
const TWO_52: f64 = (1u64 << 52) as f64;

/// The half words of a word, less 2^15, as doubles.
#[inline(always)]
unsafe fn centred(from: *const u64) -> __m256d {
    // SAFETY: the caller vouches for a word and for AVX2.
    unsafe {
        let word = _mm_cvtsi64_si128(from.read_unaligned() as i64);
        // Less 2^15 is the sign bit turned.
        let halves = _mm_xor_si128(word, _mm_set1_epi16(i16::MIN));
        _mm256_cvtepi32_pd(_mm_cvtepi16_epi32(halves))
    }
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

impl Doubles for DoublesAvx2 {
    const WIDTH: usize = 4;

    #[inline(always)]
    unsafe fn splat(x: f64) -> Self {
        // SAFETY: the caller saw AVX2.
        Self(unsafe { _mm256_set1_pd(x) })
    }

    #[inline(always)]
    unsafe fn load(from: *const f64) -> Self {
        // SAFETY: the caller vouches for four doubles and for AVX2.
        Self(unsafe { _mm256_loadu_pd(from) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f64) {
        // SAFETY: the caller vouches for four doubles and for AVX2.
        unsafe { _mm256_storeu_pd(to, self.0) }
    }

    #[inline(always)]
    unsafe fn centred_halves(from: *const u64, stride: usize) -> [Self; 4] {
        // SAFETY: the caller vouches for four words and for AVX2.
        unsafe {
            let (a, b) = (centred(from), centred(from.add(stride)));
            let (c, d) = (centred(from.add(2 * stride)), centred(from.add(3 * stride)));
            let [a, b, c, d] = transposed([a, b, c, d]);
            [Self(a), Self(b), Self(c), Self(d)]
        }
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: the caller saw AVX2.
        Self(unsafe { _mm256_add_pd(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        // SAFETY: the caller saw AVX2.
        Self(unsafe { _mm256_sub_pd(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        // SAFETY: the caller saw AVX2.
        Self(unsafe { _mm256_mul_pd(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn mul_add(self, other: Self, sum: Self) -> Self {
        // SAFETY: the caller saw AVX2 and FMA.
        Self(unsafe { _mm256_fmadd_pd(self.0, other.0, sum.0) })
    }

    #[inline(always)]
    unsafe fn mul_sub(self, other: Self, sum: Self) -> Self {
        // SAFETY: the caller saw AVX2 and FMA.
        Self(unsafe { _mm256_fnmadd_pd(self.0, other.0, sum.0) })
    }
}

impl ExactDoubles for DoublesAvx2 {
    type Halves = HalvesAvx2;
    type Columns = ColumnsAvx2;

    #[inline(always)]
    unsafe fn mul_less(self, other: Self, less: Self) -> Self {
        // SAFETY: the caller saw AVX2 and FMA.
        Self(unsafe { _mm256_fmsub_pd(self.0, other.0, less.0) })
    }

    #[inline(always)]
    unsafe fn nearest(self) -> Self {
        // SAFETY: the caller saw AVX2.
        Self(unsafe { _mm256_round_pd::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(self.0) })
    }

    #[inline(always)]
    unsafe fn magnitude(self) -> Self {
        // SAFETY: the caller saw AVX2.
        Self(unsafe { _mm256_andnot_pd(_mm256_set1_pd(-0.0), self.0) })
    }

    #[inline(always)]
    unsafe fn above(self, other: Self) -> u32 {
        // SAFETY: the caller saw AVX2.
        unsafe { _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_GT_OQ>(self.0, other.0)) as u32 }
    }

    #[inline(always)]
    unsafe fn add_if_negative(self, other: Self) -> Self {
        // SAFETY: the caller saw AVX2.
        unsafe {
            let negative = _mm256_cmp_pd::<_CMP_LT_OQ>(self.0, _mm256_setzero_pd());
            Self(_mm256_add_pd(self.0, _mm256_and_pd(negative, other.0)))
        }
    }

    #[inline(always)]
    unsafe fn load_integers(from: *const u64) -> Self {
        // SAFETY: the caller vouches for four words and for AVX2.
        unsafe {
            let two_52 = _mm256_set1_pd(TWO_52);
            let words = _mm256_loadu_si256(from.cast());
            let pattern = _mm256_or_si256(words, _mm256_castpd_si256(two_52));
            Self(_mm256_sub_pd(_mm256_castsi256_pd(pattern), two_52))
        }
    }

    #[inline(always)]
    unsafe fn store_integers(self, to: *mut u64) {
        // SAFETY: the caller vouches for four words and for AVX2.
        unsafe {
            let two_52 = _mm256_set1_pd(TWO_52);
            let words = _mm256_castpd_si256(_mm256_xor_pd(_mm256_add_pd(self.0, two_52), two_52));
            _mm256_storeu_si256(to.cast(), words);
        }
    }

    /// The first and second halves of four blocks.
    #[inline(always)]
    unsafe fn load_blocks(from: *const f64) -> [Self; 8] {
        // SAFETY: the caller vouches for four blocks of eight words and for AVX2.
        unsafe {
            let ([a, b, c, d], [e, f, g, h]) = (rows(from, 8), rows(from.add(4), 8));
            vectors([a, b, c, d, e, f, g, h])
        }
    }

    #[inline(always)]
    unsafe fn store_blocks([a, b, c, d, e, f, g, h]: [Self; 8], to: *mut f64) {
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
            vectors([a, b, c, d, e, f, g, h])
        }
    }

    #[inline(always)]
    unsafe fn transpose(from: *const f64, from_stride: usize, to: *mut f64, to_stride: usize) {
        // SAFETY: the caller vouches for four rows of four words on each side and for AVX2.
        unsafe { put_rows(transposed(rows(from, from_stride)), to, to_stride) }
    }
}

#[inline(always)]
fn vectors([a, b, c, d, e, f, g, h]: [__m256d; 8]) -> [DoublesAvx2; 8] {
    let of = DoublesAvx2;
    [of(a), of(b), of(c), of(d), of(e), of(f), of(g), of(h)]
}
