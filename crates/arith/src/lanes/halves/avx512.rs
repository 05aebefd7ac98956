use std::arch::x86_64::*;

use super::Halves;

/// Sixteen half words.
#[derive(Clone, Copy)]
pub struct HalvesAvx512(__m512i);

impl Halves for HalvesAvx512 {
    const WIDTH: usize = 16;
    type Turns = ();

    #[inline(always)]
    unsafe fn turns() {}

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
    unsafe fn rotate<const LEFT: i32, const RIGHT: i32>(self, (): ()) -> Self {
        // SAFETY: the caller saw AVX-512.
        Self(unsafe { _mm512_rol_epi32::<LEFT>(self.0) })
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

    #[inline(always)]
    unsafe fn store_lanes(rows: &[Self; 16], to: *mut u32) {
        // SAFETY: the caller vouches for 256 half words and for AVX-512.
        unsafe {
            let mut tiles = [[_mm512_setzero_si512(); 4]; 4];
            for (tile, rows) in tiles.iter_mut().zip(rows.as_chunks::<4>().0) {
                let [a, b, c, d] = *rows;
                let (ab_low, ab_high) = (_mm512_unpacklo_epi32(a.0, b.0), _mm512_unpackhi_epi32(a.0, b.0));
                let (cd_low, cd_high) = (_mm512_unpacklo_epi32(c.0, d.0), _mm512_unpackhi_epi32(c.0, d.0));
                // The four rows of lanes 0, 4, 8 and 12, of 1, 5, 9 and 13, ...
                *tile = [
                    _mm512_unpacklo_epi64(ab_low, cd_low),
                    _mm512_unpackhi_epi64(ab_low, cd_low),
                    _mm512_unpacklo_epi64(ab_high, cd_high),
                    _mm512_unpackhi_epi64(ab_high, cd_high),
                ];
            }
            let [a, b, c, d] = tiles;
            for i in 0..4 {
                // Lanes i and 4 + i, then 8 + i and 12 + i, of the first and of the last eight rows.
                let ab_low = _mm512_shuffle_i32x4::<0x44>(a[i], b[i]);
                let ab_high = _mm512_shuffle_i32x4::<0xEE>(a[i], b[i]);
                let cd_low = _mm512_shuffle_i32x4::<0x44>(c[i], d[i]);
                let cd_high = _mm512_shuffle_i32x4::<0xEE>(c[i], d[i]);
                let to: *mut __m512i = to.add(16 * i).cast();
                _mm512_storeu_si512(to, _mm512_shuffle_i32x4::<0x88>(ab_low, cd_low));
                _mm512_storeu_si512(to.add(4), _mm512_shuffle_i32x4::<0xDD>(ab_low, cd_low));
                _mm512_storeu_si512(to.add(8), _mm512_shuffle_i32x4::<0x88>(ab_high, cd_high));
                _mm512_storeu_si512(to.add(12), _mm512_shuffle_i32x4::<0xDD>(ab_high, cd_high));
            }
        }
    }
}
