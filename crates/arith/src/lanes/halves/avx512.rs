use std::arch::x86_64::*;

use super::Halves;

/// Sixteen half words.
#[derive(Clone, Copy)]
pub struct HalvesAvx512(__m512i);

impl Halves for HalvesAvx512 {
    const WIDTH: usize = 16;

    #[inline(always)]
    unsafe fn splat(half: u32) -> Self {
        // SAFETY: the caller saw AVX-512.
        Self(unsafe { _mm512_set1_epi32(half as i32) })
    }

    #[inline(always)]
    unsafe fn load(from: *const u32) -> Self {
        // SAFETY: the caller vouches for sixteen half words and for AVX-512.
        Self(unsafe { _mm512_loadu_si512(from.cast()) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u32) {
        // SAFETY: the caller vouches for sixteen half words and for AVX-512.
        unsafe { _mm512_storeu_si512(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: the caller saw AVX-512.
        Self(unsafe { _mm512_add_epi32(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        // SAFETY: the caller saw AVX-512.
        Self(unsafe { _mm512_mullo_epi32(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        // SAFETY: the caller saw AVX-512.
        Self(unsafe { _mm512_sub_epi32(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        // SAFETY: the caller saw AVX-512.
        Self(unsafe { _mm512_or_si512(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        // SAFETY: the caller saw AVX-512.
        Self(unsafe { _mm512_xor_si512(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        // SAFETY: the caller saw AVX-512.
        Self(unsafe { _mm512_and_si512(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn halve(self) -> Self {
        // SAFETY: the caller saw AVX-512.
        Self(unsafe { _mm512_srli_epi32::<1>(self.0) })
    }

    #[inline(always)]
    unsafe fn above(self, other: Self) -> Self {
        // SAFETY: the caller saw AVX-512.
        Self(unsafe {
            let mask = _mm512_cmpgt_epi32_mask(self.0, other.0);
            _mm512_maskz_set1_epi32(mask, -1)
        })
    }

    #[inline(always)]
    unsafe fn any(self) -> bool {
        // SAFETY: the caller saw AVX-512.
        unsafe { _mm512_test_epi32_mask(self.0, self.0) != 0 }
    }
}
