use std::arch::x86_64::*;

use super::Avx512;
use super::avx512_field::{Factor, Field as Tight, MORE, Start};
use super::{Rows, Vector};
use crate::Modulus;

/// Eight residues as [`Avx512`] has them, for primes below 2^48: lazy range [0, 16p), in which x stands for x - 8p.
///
/// So sums may grow as doubles' do on AVX2, to 8p on either side, and loops bring them down at the same places, by
/// [`Vector::reduce_lazy`]. A butterfly takes five instructions: a product in [-p, p), and two sums.
#[derive(Clone, Copy)]
pub struct Avx512Loose(__m512i);

#[derive(Clone, Copy)]
pub struct Field {
    tight: Tight,
    /// 8p, which stands for 0.
    middle: __m512i,
}

/// What brings residues to [7p, 9p).
static MIDDLE: Start = Start::new(-7);

impl Avx512Loose {
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

impl Vector for Avx512Loose {
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
                middle: _mm512_set1_epi64(8 * q.value() as i64),
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
        unsafe { field.tight.fold_and_store(self.0, to) }
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
        // SAFETY: the caller saw AVX-512 IFMA.
        unsafe { Self(field.tight.folded(self.0, MIDDLE.load())) }
    }

    #[inline(always)]
    unsafe fn mul(self, field: Field, factor: Factor) -> Self {
        // SAFETY: the caller saw AVX-512 IFMA.
        unsafe { Self(field.tight.product(self.0, factor, MIDDLE.load())) }
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
            let v = field.tight.product(v.0, w, MORE.load());
            (Self(_mm512_add_epi64(u.0, v)), Self(_mm512_sub_epi64(u.0, v)))
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

impl Rows for Avx512Loose {
    #[inline(always)]
    unsafe fn transpose(from: *const u64, from_stride: usize, to: *mut u64, to_stride: usize) {
        // SAFETY: the caller vouches for eight rows of eight words on each side and for AVX-512.
        unsafe { Avx512::transpose(from, from_stride, to, to_stride) }
    }
}
