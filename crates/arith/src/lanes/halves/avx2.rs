use std::arch::x86_64::*;

use super::Halves;

/// Eight half words.
#[derive(Clone, Copy)]
pub struct HalvesAvx2(__m256i);

impl Halves for HalvesAvx2 {
    const WIDTH: usize = 8;

    #[inline(always)]
    unsafe fn splat(half: u32) -> Self {
        // SAFETY: the caller saw AVX2.
        Self(unsafe { _mm256_set1_epi32(half as i32) })
    }

    #[inline(always)]
    unsafe fn load(from: *const u32) -> Self {
        // SAFETY: the caller vouches for eight half words and for AVX2.
        Self(unsafe { _mm256_loadu_si256(from.cast()) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u32) {
        // SAFETY: the caller vouches for eight half words and for AVX2.
        unsafe { _mm256_storeu_si256(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: the caller saw AVX2.
        Self(unsafe { _mm256_add_epi32(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        // SAFETY: the caller saw AVX2.
        Self(unsafe { _mm256_mullo_epi32(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        // SAFETY: the caller saw AVX2.
        Self(unsafe { _mm256_sub_epi32(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        // SAFETY: the caller saw AVX2.
        Self(unsafe { _mm256_or_si256(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        // SAFETY: the caller saw AVX2.
        Self(unsafe { _mm256_xor_si256(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        // SAFETY: the caller saw AVX2.
        Self(unsafe { _mm256_and_si256(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn halve(self) -> Self {
        // SAFETY: the caller saw AVX2.
        Self(unsafe { _mm256_srli_epi32::<1>(self.0) })
    }

    #[inline(always)]
    unsafe fn above(self, other: Self) -> Self {
        // SAFETY: the caller saw AVX2.
        Self(unsafe { _mm256_cmpgt_epi32(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn any(self) -> bool {
        // SAFETY: the caller saw AVX2.
        unsafe { _mm256_testz_si256(self.0, self.0) == 0 }
    }
}
