//! Eight words, and squares of eight by eight, in registers of 512 bits.

use std::arch::x86_64::*;

/// Eight words that are `stride` apart.
#[inline(always)]
pub(super) unsafe fn strided(from: *const u64, stride: usize) -> __m512i {
    let mut words = [0; 8];
    let mut lane = 0;
    while lane < 8 {
        // SAFETY: the caller vouches for eight words.
        words[lane] = unsafe { from.add(lane * stride).read_unaligned() };
        lane += 1;
    }
    // SAFETY: eight words; the caller saw AVX-512.
    unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
}

/// Eight rows of eight words.
#[inline(always)]
pub(super) unsafe fn rows(from: *const u64, stride: usize) -> [__m512i; 8] {
    // SAFETY: the caller vouches for eight rows and for AVX-512.
    unsafe {
        [
            _mm512_loadu_si512(from.cast()),
            _mm512_loadu_si512(from.add(stride).cast()),
            _mm512_loadu_si512(from.add(2 * stride).cast()),
            _mm512_loadu_si512(from.add(3 * stride).cast()),
            _mm512_loadu_si512(from.add(4 * stride).cast()),
            _mm512_loadu_si512(from.add(5 * stride).cast()),
            _mm512_loadu_si512(from.add(6 * stride).cast()),
            _mm512_loadu_si512(from.add(7 * stride).cast()),
        ]
    }
}

/// Stores eight rows of eight words.
#[inline(always)]
pub(super) unsafe fn put_rows(rows: [__m512i; 8], to: *mut u64, stride: usize) {
    let mut i = 0;
    while i < 8 {
        // SAFETY: the caller vouches for eight rows and for AVX-512.
        unsafe { _mm512_storeu_si512(to.add(i * stride).cast(), rows[i]) };
        i += 1;
    }
}

/// The columns of eight rows.
#[inline(always)]
pub(super) unsafe fn transposed(rows: [__m512i; 8]) -> [__m512i; 8] {
    let [a, b, c, d, e, f, g, h] = rows;
    // SAFETY: the caller saw AVX-512.
    unsafe {
        // Pairs of rows interleaved: columns (0, 2, 4, 6) and (1, 3, 5, 7) of each pair.
        let even = [
            _mm512_unpacklo_epi64(a, b),
            _mm512_unpacklo_epi64(c, d),
            _mm512_unpacklo_epi64(e, f),
            _mm512_unpacklo_epi64(g, h),
        ];
        let odd = [
            _mm512_unpackhi_epi64(a, b),
            _mm512_unpackhi_epi64(c, d),
            _mm512_unpackhi_epi64(e, f),
            _mm512_unpackhi_epi64(g, h),
        ];
        let ([c0, c2, c4, c6], [c1, c3, c5, c7]) = (gathered(even), gathered(odd));
        [c0, c1, c2, c3, c4, c5, c6, c7]
    }
}

/// The 128-bit quarters of four vectors, transposed: first within two of them, then across.
#[inline(always)]
unsafe fn gathered([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    // SAFETY: the caller saw AVX-512.
    unsafe {
        let ab_low = _mm512_shuffle_i64x2::<0x88>(a, b);
        let ab_high = _mm512_shuffle_i64x2::<0xdd>(a, b);
        let cd_low = _mm512_shuffle_i64x2::<0x88>(c, d);
        let cd_high = _mm512_shuffle_i64x2::<0xdd>(c, d);
        [
            _mm512_shuffle_i64x2::<0x88>(ab_low, cd_low),
            _mm512_shuffle_i64x2::<0x88>(ab_high, cd_high),
            _mm512_shuffle_i64x2::<0xdd>(ab_low, cd_low),
            _mm512_shuffle_i64x2::<0xdd>(ab_high, cd_high),
        ]
    }
}
