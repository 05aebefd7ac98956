use std::arch::x86_64::*;

use super::Columns;

/// Four digits of 28 bits: products of 56 bits leave 8 bits of a word for their number.
#[derive(Clone, Copy)]
pub struct ColumnsAvx2(__m256i);

impl Columns for ColumnsAvx2 {
    const WIDTH: usize = 4;
    const DIGIT_BITS: u32 = 28;
    const HIGH_BITS: u32 = 32;
    const PRODUCTS: usize = 1 << 8;
    // A sum adds less than 2^32 to each word of a column, be it of one product only.
    const COLUMN_PRODUCTS: u64 = 1 << 32;
    type Sum = __m256i;

    #[inline(always)]
    unsafe fn splat(digit: u64) -> Self {
        // SAFETY: the caller saw AVX2. Products take no notice of upper halves, and this is one load.
        Self(unsafe { _mm256_set1_epi32(digit as i32) })
    }

    #[inline(always)]
    unsafe fn load(from: *const u64) -> Self {
        // SAFETY: the caller vouches for four words and for AVX2.
        Self(unsafe { _mm256_loadu_si256(from.cast()) })
    }

    #[inline(always)]
    unsafe fn gather(from: *const u64, stride: usize) -> Self {
        // SAFETY: the caller vouches for four words and for AVX2.
        unsafe {
            let (a, b) = (from.read_unaligned(), from.add(stride).read_unaligned());
            let (c, d) = (
                from.add(2 * stride).read_unaligned(),
                from.add(3 * stride).read_unaligned(),
            );
            Self(_mm256_set_epi64x(d as i64, c as i64, b as i64, a as i64))
        }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u64) {
        // SAFETY: the caller vouches for four words and for AVX2.
        unsafe { _mm256_storeu_si256(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn digit(word: Self, next: Self, shift: u32) -> Self {
        // SAFETY: the caller saw AVX2. A shift by 64 or more gives zero.
        unsafe {
            let mut digit = _mm256_srl_epi64(word.0, _mm_cvtsi32_si128(shift as i32));
            if shift + Self::DIGIT_BITS > 64 {
                let rest = _mm256_sll_epi64(next.0, _mm_cvtsi32_si128(64 - shift as i32));
                digit = _mm256_or_si256(digit, rest);
            }
            Self(_mm256_and_si256(
                digit,
                _mm256_set1_epi64x((1 << Self::DIGIT_BITS) - 1),
            ))
        }
    }

    #[inline(always)]
    unsafe fn zero() -> __m256i {
        // SAFETY: the caller saw AVX2.
        unsafe { _mm256_setzero_si256() }
    }

    #[inline(always)]
    unsafe fn mul_add(sum: __m256i, a: Self, b: Self) -> __m256i {
        // SAFETY: the caller saw AVX2.
        unsafe { _mm256_add_epi64(sum, _mm256_mul_epu32(a.0, b.0)) }
    }

    #[inline(always)]
    unsafe fn add_to(sum: __m256i, low: *mut u64, high: *mut u64) {
        // SAFETY: the caller vouches for four words each and for AVX2.
        unsafe {
            let lower = _mm256_and_si256(sum, _mm256_set1_epi64x(0xffff_ffff));
            let upper = _mm256_srli_epi64::<32>(sum);
            Self(_mm256_add_epi64(Self::load(low).0, lower)).store(low);
            Self(_mm256_add_epi64(Self::load(high).0, upper)).store(high);
        }
    }
}
