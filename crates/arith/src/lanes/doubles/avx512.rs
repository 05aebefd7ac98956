use std::arch::x86_64::*;

use super::super::avx512_rows::{put_rows, rows, strided, transposed};
use super::super::{ColumnsAvx512F, HalvesAvx512};
use super::{Doubles, ExactDoubles};

/// Eight doubles, with fused multiply-add.
#[derive(Clone, Copy)]
pub struct DoublesAvx512(__m512d);

impl Doubles for DoublesAvx512 {
    const WIDTH: usize = 8;

    #[inline(always)]
    unsafe fn splat(x: f64) -> Self {
        // SAFETY: the caller saw AVX-512.
        Self(unsafe { _mm512_set1_pd(x) })
    }

    #[inline(always)]
    unsafe fn load(from: *const f64) -> Self {
        // SAFETY: the caller vouches for eight doubles and for AVX-512.
        Self(unsafe { _mm512_loadu_pd(from) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f64) {
        // SAFETY: the caller vouches for eight doubles and for AVX-512.
        unsafe { _mm512_storeu_pd(to, self.0) }
    }

    #[inline(always)]
    unsafe fn centred_halves(from: *const u64, stride: usize) -> [Self; 4] {
        // SAFETY: the caller vouches for eight words and for AVX-512. A half word moved to the top of its word is signed.
        unsafe {
            let less = _mm512_set1_epi16(i16::MIN);
            let words = _mm512_xor_si512(strided(from, stride), less);
            [
                Self(_mm512_cvtepi64_pd(_mm512_srai_epi64::<48>(
                    _mm512_slli_epi64::<48>(words),
                ))),
                Self(_mm512_cvtepi64_pd(_mm512_srai_epi64::<48>(
                    _mm512_slli_epi64::<32>(words),
                ))),
                Self(_mm512_cvtepi64_pd(_mm512_srai_epi64::<48>(
                    _mm512_slli_epi64::<16>(words),
                ))),
                Self(_mm512_cvtepi64_pd(_mm512_srai_epi64::<48>(words))),
            ]
        }
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: the caller saw AVX-512.
        Self(unsafe { _mm512_add_pd(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        // SAFETY: the caller saw AVX-512.
        Self(unsafe { _mm512_sub_pd(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        // SAFETY: the caller saw AVX-512.
        Self(unsafe { _mm512_mul_pd(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn mul_add(self, other: Self, sum: Self) -> Self {
        // SAFETY: the caller saw AVX-512.
        Self(unsafe { _mm512_fmadd_pd(self.0, other.0, sum.0) })
    }

    #[inline(always)]
    unsafe fn mul_sub(self, other: Self, sum: Self) -> Self {
        // SAFETY: the caller saw AVX-512.
        Self(unsafe { _mm512_fnmadd_pd(self.0, other.0, sum.0) })
    }
}

impl ExactDoubles for DoublesAvx512 {
    type Halves = HalvesAvx512;
    type Columns = ColumnsAvx512F;

    #[inline(always)]
    unsafe fn mul_less(self, other: Self, less: Self) -> Self {
        // SAFETY: the caller saw AVX-512.
        Self(unsafe { _mm512_fmsub_pd(self.0, other.0, less.0) })
    }

    #[inline(always)]
    unsafe fn nearest(self) -> Self {
        // SAFETY: the caller saw AVX-512.
        Self(unsafe { _mm512_roundscale_pd::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(self.0) })
    }

    #[inline(always)]
    unsafe fn magnitude(self) -> Self {
        // SAFETY: the caller saw AVX-512.
        Self(unsafe { _mm512_abs_pd(self.0) })
    }

    #[inline(always)]
    unsafe fn above(self, other: Self) -> u32 {
        // SAFETY: the caller saw AVX-512.
        u32::from(unsafe { _mm512_cmp_pd_mask::<_CMP_GT_OQ>(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn add_if_negative(self, other: Self) -> Self {
        // SAFETY: the caller saw AVX-512.
        unsafe {
            let negative = _mm512_cmp_pd_mask::<_CMP_LT_OQ>(self.0, _mm512_setzero_pd());
            Self(_mm512_mask_add_pd(self.0, negative, self.0, other.0))
        }
    }

    #[inline(always)]
    unsafe fn load_integers(from: *const u64) -> Self {
        // SAFETY: the caller vouches for eight words and for AVX-512 with DQ.
        Self(unsafe { _mm512_cvtepi64_pd(_mm512_loadu_si512(from.cast())) })
    }

    #[inline(always)]
    unsafe fn store_integers(self, to: *mut u64) {
        // SAFETY: the caller vouches for eight words and for AVX-512 with DQ.
        unsafe { _mm512_storeu_si512(to.cast(), _mm512_cvtpd_epi64(self.0)) }
    }

    #[inline(always)]
    unsafe fn load_blocks(from: *const f64) -> [Self; 8] {
        // SAFETY: the caller vouches for eight blocks of eight words and for AVX-512.
        unsafe { vectors(rows(from.cast(), 8)) }
    }

    #[inline(always)]
    unsafe fn store_blocks(blocks: [Self; 8], to: *mut f64) {
        // SAFETY: the caller vouches for eight blocks of eight words and for AVX-512.
        unsafe { put_rows(words(blocks), to.cast(), 8) }
    }

    #[inline(always)]
    unsafe fn transposed(columns: [Self; 8]) -> [Self; 8] {
        // SAFETY: the caller saw AVX-512.
        unsafe { vectors(transposed(words(columns))) }
    }

    #[inline(always)]
    unsafe fn transpose(from: *const f64, from_stride: usize, to: *mut f64, to_stride: usize) {
        // SAFETY: the caller vouches for eight rows of eight words on each side and for AVX-512.
        unsafe {
            let rows = rows(from.cast(), from_stride);
            put_rows(transposed(rows), to.cast(), to_stride);
        }
    }
}

/// Eight vectors of words as doubles of these patterns.
#[inline(always)]
unsafe fn vectors([a, b, c, d, e, f, g, h]: [__m512i; 8]) -> [DoublesAvx512; 8] {
    // SAFETY: the caller saw AVX-512.
    unsafe { [of(a), of(b), of(c), of(d), of(e), of(f), of(g), of(h)] }
}

/// The patterns of eight vectors.
#[inline(always)]
unsafe fn words([a, b, c, d, e, f, g, h]: [DoublesAvx512; 8]) -> [__m512i; 8] {
    // SAFETY: the caller saw AVX-512.
    unsafe {
        [
            pattern(a),
            pattern(b),
            pattern(c),
            pattern(d),
            pattern(e),
            pattern(f),
            pattern(g),
            pattern(h),
        ]
    }
}

#[inline(always)]
unsafe fn of(pattern: __m512i) -> DoublesAvx512 {
    // SAFETY: the caller saw AVX-512.
    DoublesAvx512(unsafe { _mm512_castsi512_pd(pattern) })
}

#[inline(always)]
unsafe fn pattern(x: DoublesAvx512) -> __m512i {
    // SAFETY: the caller saw AVX-512.
    unsafe { _mm512_castpd_si512(x.0) }
}
