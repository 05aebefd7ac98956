use std::arch::x86_64::*;

use super::Vector;
use crate::Modulus;

/// Eight residues in 32-bit words.
///
/// Shoup's product with radix 2^32: with w' = floor(w 2^32 / p) and k = floor(x w' / 2^32), x w - k p lies
/// in [0, 2p) for every word x and is known from its low 32 bits. The high halves of x w' come from two
/// products of every other lane, the low halves of x w and k p from one each.
///
/// With `SPARE`, p < 2^30 and the lazy range is [0, 4p): butterflies as in [`super::Portable`], 13
/// instructions. Without, p < 2^31 and the lazy range is [0, 2p): both addends of a butterfly are brought to
/// [0, p) first, 15 instructions. A minimum with the difference subtracts where it does not wrap.
#[derive(Clone, Copy)]
pub struct Avx2Narrow<const SPARE: bool>(__m256i);

#[derive(Clone, Copy)]
pub struct Field {
    p: __m256i,
    twice: __m256i,
}

#[derive(Clone, Copy)]
pub struct Factor {
    w: __m256i,
    companion: __m256i,
}

/// [0, 2m) -> [0, m): the difference wraps to a giant where x is below m.
#[inline(always)]
unsafe fn below(x: __m256i, m: __m256i) -> __m256i {
    // SAFETY: the caller saw AVX2.
    unsafe { _mm256_min_epu32(x, _mm256_sub_epi32(x, m)) }
}

/// x w - k p, given the companions of even lanes and those of odd lanes, both in even places.
#[inline(always)]
unsafe fn product(field: Field, x: __m256i, w: __m256i, even: __m256i, odd: __m256i) -> __m256i {
    // SAFETY: the caller saw AVX2.
    unsafe {
        let even = _mm256_srli_epi64::<32>(_mm256_mul_epu32(x, even));
        let odd = _mm256_mul_epu32(_mm256_srli_epi64::<32>(x), odd);
        let quotient = _mm256_blend_epi32::<0xaa>(even, odd);
        _mm256_sub_epi32(_mm256_mullo_epi32(x, w), _mm256_mullo_epi32(quotient, field.p))
    }
}

/// The columns of eight rows of eight words.
#[inline(always)]
unsafe fn transposed([a, b, c, d, e, f, g, h]: [__m256i; 8]) -> [__m256i; 8] {
    // SAFETY: the caller saw AVX2.
    unsafe {
        let [c0, c1, c2, c3, c4, c5, c6, c7] = [
            _mm256_unpacklo_epi32(a, b),
            _mm256_unpackhi_epi32(a, b),
            _mm256_unpacklo_epi32(c, d),
            _mm256_unpackhi_epi32(c, d),
            _mm256_unpacklo_epi32(e, f),
            _mm256_unpackhi_epi32(e, f),
            _mm256_unpacklo_epi32(g, h),
            _mm256_unpackhi_epi32(g, h),
        ];
        let [d0, d1, d2, d3, d4, d5, d6, d7] = [
            _mm256_unpacklo_epi64(c0, c2),
            _mm256_unpackhi_epi64(c0, c2),
            _mm256_unpacklo_epi64(c1, c3),
            _mm256_unpackhi_epi64(c1, c3),
            _mm256_unpacklo_epi64(c4, c6),
            _mm256_unpackhi_epi64(c4, c6),
            _mm256_unpacklo_epi64(c5, c7),
            _mm256_unpackhi_epi64(c5, c7),
        ];
        [
            _mm256_permute2x128_si256::<0x20>(d0, d4),
            _mm256_permute2x128_si256::<0x20>(d1, d5),
            _mm256_permute2x128_si256::<0x20>(d2, d6),
            _mm256_permute2x128_si256::<0x20>(d3, d7),
            _mm256_permute2x128_si256::<0x31>(d0, d4),
            _mm256_permute2x128_si256::<0x31>(d1, d5),
            _mm256_permute2x128_si256::<0x31>(d2, d6),
            _mm256_permute2x128_si256::<0x31>(d3, d7),
        ]
    }
}

impl<const SPARE: bool> Avx2Narrow<SPARE> {
    /// From the lazy range to what a sum takes: [0, 2p), or [0, p) without a spare bit.
    #[inline(always)]
    unsafe fn halve(self, field: Field) -> __m256i {
        // SAFETY: the caller saw AVX2.
        unsafe { below(self.0, if SPARE { field.twice } else { field.p }) }
    }

    /// `(u + v, u - v)` of what [`Self::halve`] gives.
    #[inline(always)]
    unsafe fn both(field: Field, u: __m256i, v: __m256i) -> (Self, Self) {
        // SAFETY: the caller saw AVX2.
        unsafe {
            let lift = if SPARE { field.twice } else { field.p };
            let difference = _mm256_sub_epi32(_mm256_add_epi32(u, lift), v);
            (Self(_mm256_add_epi32(u, v)), Self(difference))
        }
    }
}

impl<const SPARE: bool> Vector for Avx2Narrow<SPARE> {
    type Word = u32;
    const WIDTH: usize = 8;
    const TABLE_WORDS: usize = 2;
    type Field = Field;
    type Factor = Factor;

    #[inline(always)]
    unsafe fn field(q: &Modulus) -> Field {
        let p = q.value() as i32;
        // SAFETY: the caller saw AVX2.
        unsafe {
            Field {
                p: _mm256_set1_epi32(p),
                twice: _mm256_set1_epi32(p.wrapping_mul(2)),
            }
        }
    }

    fn encode_factor(q: &Modulus, w: u64) -> [u32; 2] {
        [w as u32, q.shoup_half(w) as u32]
    }

    fn encode_table(q: &Modulus, w: u64) -> [u32; 2] {
        Self::encode_factor(q, w)
    }

    #[inline(always)]
    unsafe fn load(_: Field, from: *const u64) -> Self {
        // SAFETY: the caller vouches for eight words and for AVX2.
        unsafe {
            let low = _mm256_loadu_ps(from.cast());
            let high = _mm256_loadu_ps(from.add(4).cast());
            let mixed = _mm256_castps_si256(_mm256_shuffle_ps::<0b10_00_10_00>(low, high));
            Self(_mm256_permute4x64_epi64::<0b11_01_10_00>(mixed))
        }
    }

    #[inline(always)]
    unsafe fn store(self, field: Field, to: *mut u64) {
        // SAFETY: the caller vouches for eight words and for AVX2.
        unsafe {
            let x = if SPARE { below(self.0, field.twice) } else { self.0 };
            let x = below(x, field.p);
            let (low, high) = (_mm256_castsi256_si128(x), _mm256_extracti128_si256::<1>(x));
            _mm256_storeu_si256(to.cast(), _mm256_cvtepu32_epi64(low));
            _mm256_storeu_si256(to.add(4).cast(), _mm256_cvtepu32_epi64(high));
        }
    }

    #[inline(always)]
    unsafe fn load_lazy(from: *const u32) -> Self {
        // SAFETY: the caller vouches for eight words and for AVX2.
        unsafe { Self(_mm256_loadu_si256(from.cast())) }
    }

    #[inline(always)]
    unsafe fn store_lazy(self, to: *mut u32) {
        // SAFETY: the caller vouches for eight words and for AVX2.
        unsafe { _mm256_storeu_si256(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn factor(from: *const [u32; 2]) -> Factor {
        let from: *const i32 = from.cast();
        // SAFETY: the caller vouches for two words and for AVX2.
        unsafe {
            Factor {
                w: _mm256_set1_epi32(*from),
                companion: _mm256_set1_epi32(*from.add(1)),
            }
        }
    }

    #[inline(always)]
    unsafe fn load_blocks(from: *const u32) -> [Self; 8] {
        // SAFETY: the caller vouches for eight blocks of eight words and for AVX2.
        unsafe {
            [
                Self(_mm256_loadu_si256(from.cast())),
                Self(_mm256_loadu_si256(from.add(8).cast())),
                Self(_mm256_loadu_si256(from.add(16).cast())),
                Self(_mm256_loadu_si256(from.add(24).cast())),
                Self(_mm256_loadu_si256(from.add(32).cast())),
                Self(_mm256_loadu_si256(from.add(40).cast())),
                Self(_mm256_loadu_si256(from.add(48).cast())),
                Self(_mm256_loadu_si256(from.add(56).cast())),
            ]
        }
    }

    #[inline(always)]
    unsafe fn store_blocks(blocks: [Self; 8], to: *mut u32) {
        let mut i = 0;
        while i < 8 {
            // SAFETY: the caller vouches for eight blocks of eight words and for AVX2.
            unsafe { _mm256_storeu_si256(to.add(8 * i).cast(), blocks[i].0) };
            i += 1;
        }
    }

    #[inline(always)]
    unsafe fn transposed([a, b, c, d, e, f, g, h]: [Self; 8]) -> [Self; 8] {
        // SAFETY: the caller saw AVX2.
        unsafe {
            let [a, b, c, d, e, f, g, h] = transposed([a.0, b.0, c.0, d.0, e.0, f.0, g.0, h.0]);
            [
                Self(a),
                Self(b),
                Self(c),
                Self(d),
                Self(e),
                Self(f),
                Self(g),
                Self(h),
            ]
        }
    }

    #[inline(always)]
    unsafe fn reduce_lazy(self, _: Field) -> Self {
        self
    }

    #[inline(always)]
    unsafe fn mul(self, field: Field, factor: Factor) -> Self {
        // SAFETY: the caller saw AVX2.
        unsafe {
            Self(product(
                field,
                self.0,
                factor.w,
                factor.companion,
                factor.companion,
            ))
        }
    }

    #[inline(always)]
    unsafe fn mul_table(self, field: Field, table: *const u32) -> Self {
        // SAFETY: the caller vouches for seventeen words and for AVX2. A load one word further on has the
        // companions of odd lanes in even places.
        unsafe {
            let w = _mm256_loadu_si256(table.cast());
            let even = _mm256_loadu_si256(table.add(8).cast());
            let odd = _mm256_loadu_si256(table.add(9).cast());
            Self(product(field, self.0, w, even, odd))
        }
    }

    #[inline(always)]
    unsafe fn butterfly_unit(field: Field, u: Self, v: Self) -> (Self, Self) {
        // SAFETY: the caller saw AVX2.
        unsafe { Self::both(field, u.halve(field), v.halve(field)) }
    }

    #[inline(always)]
    unsafe fn add_sub(field: Field, u: Self, v: Self) -> (Self, Self) {
        // SAFETY: the caller saw AVX2. With a spare bit a product is in [0, 2p) already.
        unsafe {
            let v = if SPARE { v.0 } else { v.halve(field) };
            Self::both(field, u.halve(field), v)
        }
    }

    #[inline(always)]
    unsafe fn add_sub_back(field: Field, u: Self, v: Self) -> (Self, Self) {
        // SAFETY: the caller saw AVX2. All is in [0, 2p).
        unsafe {
            if SPARE {
                let (sum, difference) = Self::both(field, u.0, v.0);
                (Self(sum.halve(field)), difference)
            } else {
                Self::both(field, u.halve(field), v.halve(field))
            }
        }
    }
}
