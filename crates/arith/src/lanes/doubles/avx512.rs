use std::arch::x86_64::*;

use super::Doubles;

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
        let mut words = [0; 8];
        for (lane, word) in words.iter_mut().enumerate() {
            // SAFETY: the caller vouches for eight words.
            *word = unsafe { from.add(lane * stride).read_unaligned() } ^ 0x8000_8000_8000_8000;
        }
        // SAFETY: eight words; the caller saw AVX-512. A half word moved to the top of its word is signed.
        unsafe {
            let words = _mm512_loadu_si512(words.as_ptr().cast());
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
