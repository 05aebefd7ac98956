use std::arch::x86_64::*;

use super::Avx512;
use super::avx512_field::{Factor, Field as Tight};
use super::{Rows, Vector};
use crate::Modulus;

/// Eight residues as [`Avx512`] has them, for primes of at most `BITS` bits: lazy range [0, 2 z p) with z = 2^(51 - `BITS`),
/// in which x stands for x - z p. A butterfly takes five instructions: a product in [-p, p), and two sums.
///
/// * 48 bits, z = 8: sums may grow as doubles' do on AVX2, to 8p on either side, and loops bring them down at the same
///   places, by [`Vector::reduce_lazy`].
/// * 31 bits, z = 2^20: all sums of a transform find room, and nothing is brought down before it is stored.
#[derive(Clone, Copy)]
pub struct Avx512Loose<const BITS: u32>(__m512i);

#[derive(Clone, Copy)]
pub struct Field {
    tight: Tight,
    /// z p, which stands for 0.
    middle: __m512i,
}

impl<const BITS: u32> Avx512Loose<BITS> {
    /// z.
    const MIDDLE: i64 = {
        assert!(BITS == 48 || BITS == 31, "bounds are proven for these");
        1 << (51 - BITS)
    };
    /// Whether nothing needs to be brought down.
    const ROOMY: bool = BITS == 31;

    /// What quotients start with, so that residues come to [z p - p, z p + p). Unlike those of [`Avx512`], which need more
    /// registers, these starts stay in registers.
    #[inline(always)]
    unsafe fn start() -> __m512i {
        // SAFETY: the caller saw AVX-512.
        unsafe { _mm512_set1_epi64(1 - Self::MIDDLE) }
    }

    #[inline(always)]
    const fn loose([a, b, c, d, e, f, g, h]: [Avx512; 8]) -> [Self; 8] {
        [
            Self(a.0),
            Self(b.0),
            Self(c.0),
            Self(d.0),
            Self(e.0),
            Self(f.0),
            Self(g.0),
            Self(h.0),
        ]
    }

    #[inline(always)]
    const fn tight([a, b, c, d, e, f, g, h]: [Self; 8]) -> [Avx512; 8] {
        [
            Avx512(a.0),
            Avx512(b.0),
            Avx512(c.0),
            Avx512(d.0),
            Avx512(e.0),
            Avx512(f.0),
            Avx512(g.0),
            Avx512(h.0),
        ]
    }
}

impl<const BITS: u32> Vector for Avx512Loose<BITS> {
    type Word = u64;
    const WIDTH: usize = 8;
    const TABLE_WORDS: usize = 2;
    type Field = Field;
    type Factor = Factor;

    #[inline(always)]
    unsafe fn field(q: &Modulus) -> Field {
        // SAFETY: the caller saw AVX-512.
        unsafe {
            Field {
                tight: Avx512::field(q),
                middle: _mm512_set1_epi64(Self::MIDDLE * q.value() as i64),
            }
        }
    }

    fn encode_factor(q: &Modulus, w: u64) -> [u64; 2] {
        Avx512::encode_factor(q, w)
    }

    fn encode_table(q: &Modulus, w: u64) -> [u64; 2] {
        Avx512::encode_table(q, w)
    }

    #[inline(always)]
    unsafe fn load(field: Field, from: *const u64) -> Self {
        // SAFETY: the caller vouches for eight words and for AVX-512.
        unsafe { Self(_mm512_add_epi64(_mm512_loadu_si512(from.cast()), field.middle)) }
    }

    #[inline(always)]
    unsafe fn store(self, field: Field, to: *mut u64) {
        // SAFETY: the caller vouches for eight words and for AVX-512.
        unsafe {
            if !Self::ROOMY {
                return field.tight.fold_and_store(self.0, to);
            }
            // In [0, 2p) and below 2^32, whatever the upper half of the word has.
            let x = field.tight.folded(self.0, _mm512_setzero_si512());
            let less = _mm512_sub_epi32(x, field.tight.p);
            _mm512_storeu_si512(to.cast(), _mm512_maskz_min_epu32(0x5555, x, less));
        }
    }

    #[inline(always)]
    unsafe fn load_lazy(from: *const u64) -> Self {
        // SAFETY: the caller vouches for eight words and for AVX-512.
        unsafe { Self(_mm512_loadu_si512(from.cast())) }
    }

    #[inline(always)]
    unsafe fn store_lazy(self, to: *mut u64) {
        // SAFETY: the caller vouches for eight words and for AVX-512.
        unsafe { _mm512_storeu_si512(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn factor(from: *const [u64; 2]) -> Factor {
        // SAFETY: the caller vouches for two words and for AVX-512.
        unsafe { Avx512::factor(from) }
    }

    #[inline(always)]
    unsafe fn reduce_lazy(self, field: Field) -> Self {
        if Self::ROOMY {
            return self;
        }
        // SAFETY: the caller saw AVX-512 IFMA.
        unsafe { Self(field.tight.folded(self.0, Self::start())) }
    }

    #[inline(always)]
    unsafe fn mul(self, field: Field, factor: Factor) -> Self {
        // SAFETY: the caller saw AVX-512 IFMA.
        unsafe { Self(field.tight.product(self.0, factor, Self::start())) }
    }

    #[inline(always)]
    unsafe fn mul_table(self, field: Field, table: *const u64) -> Self {
        // SAFETY: the caller vouches for sixteen words and for AVX-512 IFMA.
        unsafe { self.mul(field, Factor::of_table(table)) }
    }

    #[inline(always)]
    unsafe fn butterfly(field: Field, u: Self, v: Self, w: Factor) -> (Self, Self) {
        // SAFETY: the caller saw AVX-512 IFMA.
        unsafe {
            // The product begins with u, so that no register has to be zeroed.
            let twice = _mm512_add_epi64(u.0, u.0);
            let sum = field.tight.product_on(u.0, v.0, w, _mm512_set1_epi64(1));
            (Self(sum), Self(_mm512_sub_epi64(twice, sum)))
        }
    }

    #[inline(always)]
    unsafe fn butterfly_table(field: Field, u: Self, v: Self, table: *const u64) -> (Self, Self) {
        // SAFETY: the caller vouches for sixteen words and for AVX-512 IFMA.
        unsafe { Self::butterfly(field, u, v, Factor::of_table(table)) }
    }

    #[inline(always)]
    unsafe fn butterfly_unit(field: Field, u: Self, v: Self) -> (Self, Self) {
        // SAFETY: the caller saw AVX-512.
        unsafe {
            let v = _mm512_sub_epi64(v.0, field.middle);
            (Self(_mm512_add_epi64(u.0, v)), Self(_mm512_sub_epi64(u.0, v)))
        }
    }

    #[inline(always)]
    unsafe fn add_sub(field: Field, u: Self, v: Self) -> (Self, Self) {
        // SAFETY: the caller saw AVX-512.
        unsafe { Self::butterfly_unit(field, u, v) }
    }

    #[inline(always)]
    unsafe fn add_sub_back(field: Field, u: Self, v: Self) -> (Self, Self) {
        // SAFETY: the caller saw AVX-512.
        unsafe { Self::butterfly_unit(field, u, v) }
    }

    #[inline(always)]
    unsafe fn load_blocks(from: *const u64) -> [Self; 8] {
        // SAFETY: the caller vouches for eight blocks of eight words and for AVX-512.
        unsafe { Self::loose(Avx512::load_blocks(from)) }
    }

    #[inline(always)]
    unsafe fn store_blocks(blocks: [Self; 8], to: *mut u64) {
        // SAFETY: the caller vouches for eight blocks of eight words and for AVX-512.
        unsafe { Avx512::store_blocks(Self::tight(blocks), to) }
    }

    #[inline(always)]
    unsafe fn transposed(vectors: [Self; 8]) -> [Self; 8] {
        // SAFETY: the caller saw AVX-512.
        unsafe { Self::loose(Avx512::transposed(Self::tight(vectors))) }
    }
}

impl<const BITS: u32> Rows for Avx512Loose<BITS> {
    #[inline(always)]
    unsafe fn transpose(from: *const u64, from_stride: usize, to: *mut u64, to_stride: usize) {
        // SAFETY: the caller vouches for eight rows of eight words on each side and for AVX-512.
        unsafe { Avx512::transpose(from, from_stride, to, to_stride) }
    }
}
