use std::arch::x86_64::*;

use super::super::avx512_rows::strided;
use super::Columns;

/// Eight digits of 28 bits: products of 56 bits leave 8 bits of a word for their number.
#[derive(Clone, Copy)]
pub struct ColumnsAvx512F(__m512i);

impl Columns for ColumnsAvx512F {
    const WIDTH: usize = 8;
    const DIGIT_BITS: u32 = 28;
    const HIGH_BITS: u32 = 32;
    const PRODUCTS: usize = 1 << 8;
    // A sum adds less than 2^32 to each word of a column, be it of one product only.
    const COLUMN_PRODUCTS: u64 = 1 << 32;
    type Sum = __m512i;

    #[inline(always)]
    unsafe fn splat(digit: u64) -> Self {
        // SAFETY: the caller saw AVX-512. Products take no notice of upper halves, and this is one load.
        Self(unsafe { _mm512_set1_epi32(digit as i32) })
    }

    #[inline(always)]
    unsafe fn load(from: *const u64) -> Self {
        // SAFETY: the caller vouches for eight words and for AVX-512.
        Self(unsafe { _mm512_loadu_si512(from.cast()) })
    }

    #[inline(always)]
    unsafe fn gather(from: *const u64, stride: usize) -> Self {
        // SAFETY: the caller vouches for eight words and for AVX-512.
        Self(unsafe { strided(from, stride) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u64) {
        // SAFETY: the caller vouches for eight words and for AVX-512.
        unsafe { _mm512_storeu_si512(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn digit(word: Self, next: Self, shift: u32) -> Self {
        // SAFETY: the caller saw AVX-512. A shift by 64 or more gives zero.
        unsafe {
            let mut digit = _mm512_srl_epi64(word.0, _mm_cvtsi32_si128(shift as i32));
            if shift + Self::DIGIT_BITS > 64 {
                let rest = _mm512_sll_epi64(next.0, _mm_cvtsi32_si128(64 - shift as i32));
                digit = _mm512_or_si512(digit, rest);
            }
            Self(_mm512_and_si512(
                digit,
                _mm512_set1_epi64((1 << Self::DIGIT_BITS) - 1),
            ))
        }
    }

    #[inline(always)]
    unsafe fn zero() -> __m512i {
        // SAFETY: the caller saw AVX-512.
        unsafe { _mm512_setzero_si512() }
    }

    #[inline(always)]
    unsafe fn mul_add(sum: __m512i, a: Self, b: Self) -> __m512i {
        // SAFETY: the caller saw AVX-512.
        unsafe { _mm512_add_epi64(sum, _mm512_mul_epu32(a.0, b.0)) }
    }

    #[inline(always)]
    unsafe fn add_to(sum: __m512i, low: *mut u64, high: *mut u64) {
        // SAFETY: the caller vouches for eight words each and for AVX-512.
        unsafe {
            let lower = _mm512_and_si512(sum, _mm512_set1_epi64(0xffff_ffff));
            let upper = _mm512_srli_epi64::<32>(sum);
            Self(_mm512_add_epi64(Self::load(low).0, lower)).store(low);
            Self(_mm512_add_epi64(Self::load(high).0, upper)).store(high);
        }
    }
}
