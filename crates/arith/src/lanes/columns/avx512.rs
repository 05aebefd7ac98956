use std::arch::x86_64::*;

use super::super::avx512_rows::strided;
use super::Columns;

/// Eight digits of 52 bits, whose products come in halves of 52 bits.
#[derive(Clone, Copy)]
pub struct ColumnsAvx512(__m512i);

/// A sum as `high * 2^52 + low`.
#[derive(Clone, Copy)]
pub struct Sum {
    high: __m512i,
    low: __m512i,
}

impl Columns for ColumnsAvx512 {
    const WIDTH: usize = 8;
    const DIGIT_BITS: u32 = 52;
    const HIGH_BITS: u32 = 52;
    const PRODUCTS: usize = 1 << 12;
    const COLUMN_PRODUCTS: u64 = 1 << 12;
    type Sum = Sum;

    #[inline(always)]
    unsafe fn splat(digit: u64) -> Self {
        // SAFETY: the caller saw AVX-512.
        Self(unsafe { _mm512_set1_epi64(digit as i64) })
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
            let digit = _mm512_srl_epi64(word.0, _mm_cvtsi32_si128(shift as i32));
            let rest = _mm512_sll_epi64(next.0, _mm_cvtsi32_si128(64 - shift as i32));
            let mask = _mm512_set1_epi64((1 << Self::DIGIT_BITS) - 1);
            Self(_mm512_and_si512(_mm512_or_si512(digit, rest), mask))
        }
    }

    #[inline(always)]
    unsafe fn zero() -> Sum {
        // SAFETY: the caller saw AVX-512.
        unsafe {
            Sum {
                high: _mm512_setzero_si512(),
                low: _mm512_setzero_si512(),
            }
        }
    }

    #[inline(always)]
    unsafe fn mul_add(sum: Sum, a: Self, b: Self) -> Sum {
        // SAFETY: the caller saw AVX-512 IFMA.
        unsafe {
            Sum {
                high: _mm512_madd52hi_epu64(sum.high, a.0, b.0),
                low: _mm512_madd52lo_epu64(sum.low, a.0, b.0),
            }
        }
    }

    #[inline(always)]
    unsafe fn add_to(sum: Sum, low: *mut u64, high: *mut u64) {
        // SAFETY: the caller vouches for eight words each and for AVX-512.
        unsafe {
            Self(_mm512_add_epi64(Self::load(low).0, sum.low)).store(low);
            Self(_mm512_add_epi64(Self::load(high).0, sum.high)).store(high);
        }
    }
}
