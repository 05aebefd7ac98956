use std::arch::x86_64::*;

use super::Halves;

/// Eight half words.
#[derive(Clone, Copy)]
pub struct HalvesAvx2(__m256i);

/// Rotations by whole bytes: from which place of its 128 bits each byte comes.
#[derive(Debug)]
#[repr(align(32))]
pub struct Turns {
    by_16: [u64; 4],
    by_8: [u64; 4],
}

static TURNS: Turns = Turns {
    by_16: [
        0x0504_0706_0100_0302,
        0x0D0C_0F0E_0908_0B0A,
        0x0504_0706_0100_0302,
        0x0D0C_0F0E_0908_0B0A,
    ],
    by_8: [
        0x0605_0407_0201_0003,
        0x0E0D_0C0F_0A09_080B,
        0x0605_0407_0201_0003,
        0x0E0D_0C0F_0A09_080B,
    ],
};

impl Halves for HalvesAvx2 {
    const WIDTH: usize = 8;
    type Turns = &'static Turns;

    // Knowing the shuffles, the compiler would take pairs of them apart and put them together again as
    // twice as many instructions (LLVM 21).
    #[inline(always)]
    unsafe fn turns() -> &'static Turns {
        std::hint::black_box(&TURNS)
    }

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
    unsafe fn rotate<const LEFT: i32, const RIGHT: i32>(self, turns: &'static Turns) -> Self {
        // SAFETY: the caller saw AVX2.
        Self(unsafe {
            match LEFT {
                // Whole bytes move in one instruction.
                16 => _mm256_shuffle_epi8(self.0, load(&turns.by_16)),
                8 => _mm256_shuffle_epi8(self.0, load(&turns.by_8)),
                _ => _mm256_or_si256(
                    _mm256_slli_epi32::<LEFT>(self.0),
                    _mm256_srli_epi32::<RIGHT>(self.0),
                ),
            }
        })
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

    #[inline(always)]
    unsafe fn store_lanes(rows: &[Self; 16], to: *mut u32) {
        // SAFETY: the caller vouches for 128 half words and for AVX2.
        unsafe {
            let mut tiles = [[_mm256_setzero_si256(); 4]; 4];
            for (tile, rows) in tiles.iter_mut().zip(rows.as_chunks::<4>().0) {
                let [a, b, c, d] = *rows;
                let (ab_low, ab_high) = (_mm256_unpacklo_epi32(a.0, b.0), _mm256_unpackhi_epi32(a.0, b.0));
                let (cd_low, cd_high) = (_mm256_unpacklo_epi32(c.0, d.0), _mm256_unpackhi_epi32(c.0, d.0));
                // The four rows of lanes 0 and 4, of 1 and 5, ...
                *tile = [
                    _mm256_unpacklo_epi64(ab_low, cd_low),
                    _mm256_unpackhi_epi64(ab_low, cd_low),
                    _mm256_unpacklo_epi64(ab_high, cd_high),
                    _mm256_unpackhi_epi64(ab_high, cd_high),
                ];
            }
            let [a, b, c, d] = tiles;
            for i in 0..4 {
                let to: *mut __m256i = to.add(16 * i).cast();
                _mm256_storeu_si256(to, _mm256_permute2x128_si256::<0x20>(a[i], b[i]));
                _mm256_storeu_si256(to.add(1), _mm256_permute2x128_si256::<0x20>(c[i], d[i]));
                _mm256_storeu_si256(to.add(8), _mm256_permute2x128_si256::<0x31>(a[i], b[i]));
                _mm256_storeu_si256(to.add(9), _mm256_permute2x128_si256::<0x31>(c[i], d[i]));
            }
        }
    }
}

#[inline(always)]
unsafe fn load(words: &[u64; 4]) -> __m256i {
    // SAFETY: the caller saw AVX2.
    unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
}
