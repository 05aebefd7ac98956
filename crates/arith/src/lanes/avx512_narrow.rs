use std::arch::x86_64::*;

use super::Vector;
use crate::Modulus;

/// Sixteen residues in 32-bit words: [`super::Avx2Narrow`] with vectors twice as long. Needs AVX-512 F only.
#[derive(Clone, Copy)]
pub struct Avx512Narrow<const SPARE: bool>(__m512i);

#[derive(Clone, Copy)]
pub struct Field {
    p: __m512i,
    twice: __m512i,
}

#[derive(Clone, Copy)]
pub struct Factor {
    w: __m512i,
    companion: __m512i,
}

/// [0, 2m) -> [0, m): the difference wraps to a giant where x is below m.
#[inline(always)]
unsafe fn below(x: __m512i, m: __m512i) -> __m512i {
    // SAFETY: the caller saw AVX-512.
    unsafe { _mm512_min_epu32(x, _mm512_sub_epi32(x, m)) }
}

/// x w - k p, given the companions of even lanes and those of odd lanes, both in even places.
#[inline(always)]
unsafe fn product(field: Field, x: __m512i, w: __m512i, even: __m512i, odd: __m512i) -> __m512i {
    // SAFETY: the caller saw AVX-512.
    unsafe {
        let even = _mm512_mul_epu32(x, even);
        let odd = _mm512_mul_epu32(_mm512_srli_epi64::<32>(x), odd);
        // High halves: those of odd lanes are in their places, those of even lanes one place on.
        let quotient = _mm512_mask_shuffle_epi32::<0xf5>(odd, 0x5555, even);
        _mm512_sub_epi32(_mm512_mullo_epi32(x, w), _mm512_mullo_epi32(quotient, field.p))
    }
}

/// Blocks i and i + 8 of eight words, in the halves of a vector.
#[inline(always)]
unsafe fn block_pair(from: *const u32) -> __m512i {
    // SAFETY: the caller vouches for blocks 0 and 8 and for AVX-512.
    unsafe {
        let low = _mm512_castsi256_si512(_mm256_loadu_si256(from.cast()));
        _mm512_inserti64x4::<1>(low, _mm256_loadu_si256(from.add(64).cast()))
    }
}

#[inline(always)]
unsafe fn put_block_pair(blocks: __m512i, to: *mut u32) {
    // SAFETY: the caller vouches for blocks 0 and 8 and for AVX-512.
    unsafe {
        _mm256_storeu_si256(to.cast(), _mm512_castsi512_si256(blocks));
        _mm256_storeu_si256(to.add(64).cast(), _mm512_extracti64x4_epi64::<1>(blocks));
    }
}

/// The columns of eight blocks, in either half.
#[inline(always)]
unsafe fn transposed([a, b, c, d, e, f, g, h]: [__m512i; 8]) -> [__m512i; 8] {
    // SAFETY: the caller saw AVX-512.
    unsafe {
        let [c0, c1, c2, c3, c4, c5, c6, c7] = [
            _mm512_unpacklo_epi32(a, b),
            _mm512_unpackhi_epi32(a, b),
            _mm512_unpacklo_epi32(c, d),
            _mm512_unpackhi_epi32(c, d),
            _mm512_unpacklo_epi32(e, f),
            _mm512_unpackhi_epi32(e, f),
            _mm512_unpacklo_epi32(g, h),
            _mm512_unpackhi_epi32(g, h),
        ];
        let [d0, d1, d2, d3, d4, d5, d6, d7] = [
            _mm512_unpacklo_epi64(c0, c2),
            _mm512_unpackhi_epi64(c0, c2),
            _mm512_unpacklo_epi64(c1, c3),
            _mm512_unpackhi_epi64(c1, c3),
            _mm512_unpacklo_epi64(c4, c6),
            _mm512_unpackhi_epi64(c4, c6),
            _mm512_unpacklo_epi64(c5, c7),
            _mm512_unpackhi_epi64(c5, c7),
        ];
        // The first or second quarter of either half, of two vectors.
        let first = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
        let second = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
        [
            _mm512_permutex2var_epi64(d0, first, d4),
            _mm512_permutex2var_epi64(d1, first, d5),
            _mm512_permutex2var_epi64(d2, first, d6),
            _mm512_permutex2var_epi64(d3, first, d7),
            _mm512_permutex2var_epi64(d0, second, d4),
            _mm512_permutex2var_epi64(d1, second, d5),
            _mm512_permutex2var_epi64(d2, second, d6),
            _mm512_permutex2var_epi64(d3, second, d7),
        ]
    }
}

impl<const SPARE: bool> Avx512Narrow<SPARE> {
    /// From the lazy range to what a sum takes: [0, 2p), or [0, p) without a spare bit.
    #[inline(always)]
    unsafe fn halve(self, field: Field) -> __m512i {
        // SAFETY: the caller saw AVX-512.
        unsafe { below(self.0, if SPARE { field.twice } else { field.p }) }
    }

    /// `(u + v, u - v)` of what [`Self::halve`] gives.
    #[inline(always)]
    unsafe fn both(field: Field, u: __m512i, v: __m512i) -> (Self, Self) {
        // SAFETY: the caller saw AVX-512.
        unsafe {
            let lift = if SPARE { field.twice } else { field.p };
            let difference = _mm512_sub_epi32(_mm512_add_epi32(u, lift), v);
            (Self(_mm512_add_epi32(u, v)), Self(difference))
        }
    }
}

impl<const SPARE: bool> Vector for Avx512Narrow<SPARE> {
    type Word = u32;
    const WIDTH: usize = 16;
    const TABLE_WORDS: usize = 2;
    type Field = Field;
    type Factor = Factor;

    #[inline(always)]
    unsafe fn field(q: &Modulus) -> Field {
        let p = q.value() as i32;
        // SAFETY: the caller saw AVX-512.
        unsafe {
            Field {
                p: _mm512_set1_epi32(p),
                twice: _mm512_set1_epi32(p.wrapping_mul(2)),
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
        // SAFETY: the caller vouches for sixteen words and for AVX-512.
        unsafe {
            let (low, high) = (
                _mm512_loadu_si512(from.cast()),
                _mm512_loadu_si512(from.add(8).cast()),
            );
            let even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
            Self(_mm512_permutex2var_epi32(low, even, high))
        }
    }

    #[inline(always)]
    unsafe fn store(self, field: Field, to: *mut u64) {
        // SAFETY: the caller vouches for sixteen words and for AVX-512.
        unsafe {
            let x = if SPARE { below(self.0, field.twice) } else { self.0 };
            let x = below(x, field.p);
            let upper = _mm512_setr_epi32(8, 0, 9, 0, 10, 0, 11, 0, 12, 0, 13, 0, 14, 0, 15, 0);
            let low = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(x));
            _mm512_storeu_si512(to.cast(), low);
            let high = _mm512_maskz_permutexvar_epi32(0x5555, upper, x);
            _mm512_storeu_si512(to.add(8).cast(), high);
        }
    }

    #[inline(always)]
    unsafe fn load_lazy(from: *const u32) -> Self {
        // SAFETY: the caller vouches for sixteen words and for AVX-512.
        unsafe { Self(_mm512_loadu_si512(from.cast())) }
    }

    #[inline(always)]
    unsafe fn store_lazy(self, to: *mut u32) {
        // SAFETY: the caller vouches for sixteen words and for AVX-512.
        unsafe { _mm512_storeu_si512(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn factor(from: *const [u32; 2]) -> Factor {
        let from: *const i32 = from.cast();
        // SAFETY: the caller vouches for two words and for AVX-512.
        unsafe {
            Factor {
                w: _mm512_set1_epi32(*from),
                companion: _mm512_set1_epi32(*from.add(1)),
            }
        }
    }

    #[inline(always)]
    unsafe fn load_blocks(from: *const u32) -> [Self; 8] {
        // SAFETY: the caller vouches for sixteen blocks of eight words and for AVX-512.
        unsafe {
            [
                Self(block_pair(from)),
                Self(block_pair(from.add(8))),
                Self(block_pair(from.add(16))),
                Self(block_pair(from.add(24))),
                Self(block_pair(from.add(32))),
                Self(block_pair(from.add(40))),
                Self(block_pair(from.add(48))),
                Self(block_pair(from.add(56))),
            ]
        }
    }

    #[inline(always)]
    unsafe fn store_blocks(blocks: [Self; 8], to: *mut u32) {
        let mut i = 0;
        while i < 8 {
            // SAFETY: the caller vouches for sixteen blocks of eight words and for AVX-512.
            unsafe { put_block_pair(blocks[i].0, to.add(8 * i)) };
            i += 1;
        }
    }

    #[inline(always)]
    unsafe fn transposed([a, b, c, d, e, f, g, h]: [Self; 8]) -> [Self; 8] {
        // SAFETY: the caller saw AVX-512.
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

    /// The halves of the columns are tiles of their own.
    #[inline(always)]
    unsafe fn tiles([a, b, c, d, e, f, g, h]: [Self; 8]) -> [Self; 8] {
        // SAFETY: the caller saw AVX-512.
        unsafe {
            [
                Self(_mm512_shuffle_i64x2::<0x44>(a.0, b.0)),
                Self(_mm512_shuffle_i64x2::<0x44>(c.0, d.0)),
                Self(_mm512_shuffle_i64x2::<0x44>(e.0, f.0)),
                Self(_mm512_shuffle_i64x2::<0x44>(g.0, h.0)),
                Self(_mm512_shuffle_i64x2::<0xee>(a.0, b.0)),
                Self(_mm512_shuffle_i64x2::<0xee>(c.0, d.0)),
                Self(_mm512_shuffle_i64x2::<0xee>(e.0, f.0)),
                Self(_mm512_shuffle_i64x2::<0xee>(g.0, h.0)),
            ]
        }
    }

    #[inline(always)]
    unsafe fn columns([a, b, c, d, e, f, g, h]: [Self; 8]) -> [Self; 8] {
        // SAFETY: the caller saw AVX-512.
        unsafe {
            [
                Self(_mm512_shuffle_i64x2::<0x44>(a.0, e.0)),
                Self(_mm512_shuffle_i64x2::<0xee>(a.0, e.0)),
                Self(_mm512_shuffle_i64x2::<0x44>(b.0, f.0)),
                Self(_mm512_shuffle_i64x2::<0xee>(b.0, f.0)),
                Self(_mm512_shuffle_i64x2::<0x44>(c.0, g.0)),
                Self(_mm512_shuffle_i64x2::<0xee>(c.0, g.0)),
                Self(_mm512_shuffle_i64x2::<0x44>(d.0, h.0)),
                Self(_mm512_shuffle_i64x2::<0xee>(d.0, h.0)),
            ]
        }
    }

    #[inline(always)]
    unsafe fn reduce_lazy(self, _: Field) -> Self {
        self
    }

    #[inline(always)]
    unsafe fn mul(self, field: Field, factor: Factor) -> Self {
        // SAFETY: the caller saw AVX-512.
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
        // SAFETY: the caller vouches for 33 words and for AVX-512. A load one word further on has the
        // companions of odd lanes in even places.
        unsafe {
            let w = _mm512_loadu_si512(table.cast());
            let even = _mm512_loadu_si512(table.add(16).cast());
            let odd = _mm512_loadu_si512(table.add(17).cast());
            Self(product(field, self.0, w, even, odd))
        }
    }

    #[inline(always)]
    unsafe fn butterfly_unit(field: Field, u: Self, v: Self) -> (Self, Self) {
        // SAFETY: the caller saw AVX-512.
        unsafe { Self::both(field, u.halve(field), v.halve(field)) }
    }

    #[inline(always)]
    unsafe fn add_sub(field: Field, u: Self, v: Self) -> (Self, Self) {
        // SAFETY: the caller saw AVX-512. With a spare bit a product is in [0, 2p) already.
        unsafe {
            let v = if SPARE { v.0 } else { v.halve(field) };
            Self::both(field, u.halve(field), v)
        }
    }

    #[inline(always)]
    unsafe fn add_sub_back(field: Field, u: Self, v: Self) -> (Self, Self) {
        // SAFETY: the caller saw AVX-512. All is in [0, 2p).
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
