use std::arch::x86_64::*;

use super::Doubles;

/// Four doubles, with fused multiply-add.
#[derive(Clone, Copy)]
pub struct DoublesAvx2(__m256d);

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
            let (ab_even, ab_odd) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
            let (cd_even, cd_odd) = (_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
            [
                Self(_mm256_permute2f128_pd::<0x20>(ab_even, cd_even)),
                Self(_mm256_permute2f128_pd::<0x20>(ab_odd, cd_odd)),
                Self(_mm256_permute2f128_pd::<0x31>(ab_even, cd_even)),
                Self(_mm256_permute2f128_pd::<0x31>(ab_odd, cd_odd)),
            ]
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
