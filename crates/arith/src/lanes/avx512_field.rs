//! Arithmetic modulo one prime below 2^50 with multiply-adds of 52 bits.

use std::arch::x86_64::*;

use crate::Modulus;

/// A prime and what reductions modulo it take, in all words.
#[derive(Clone, Copy)]
pub struct Field {
    pub(super) p: __m512i,
    pub(super) twice: __m512i,
    /// 2^52 - p, which is -p: a low product with it subtracts a multiple of p modulo 2^52.
    minus: __m512i,
    /// 1/p modulo 2^52.
    inverse: __m512i,
    /// 2^52 mod p: folds the high half of a sum.
    high: Factor,
    /// The factor 1: brings any 52-bit word to [0, 2p).
    one: Factor,
}

/// Fixed factors with floor(w 2^52 / p) for each.
#[derive(Clone, Copy)]
pub struct Factor {
    pub(super) w: __m512i,
    pub(super) companion: __m512i,
}

/// The bits of a word that multiply-adds look at.
pub(super) const MASK: i64 = (1 << 52) - 1;

#[inline(always)]
pub(super) fn companion(q: &Modulus, w: u64) -> u64 {
    ((u128::from(w) << 52) / u128::from(q.value())) as u64
}

/// 1/p modulo 2^64, so modulo 2^52 in the low bits: p is its own inverse modulo 8, and each step of Newton's doubles the
/// bits.
#[inline(always)]
fn inverse(q: &Modulus) -> u64 {
    let p = q.value();
    let step = |x: u64| x.wrapping_mul(2_u64.wrapping_sub(p.wrapping_mul(x)));
    step(step(step(step(step(p)))))
}

#[inline(always)]
pub(super) unsafe fn splat(word: u64) -> __m512i {
    // SAFETY: the caller saw AVX-512.
    unsafe { _mm512_set1_epi64(word as i64) }
}

#[inline(always)]
unsafe fn broadcast(q: &Modulus, w: u64) -> Factor {
    // SAFETY: the caller saw AVX-512.
    unsafe {
        Factor {
            w: splat(w),
            companion: splat(companion(q, w)),
        }
    }
}

/// [0, 2m) -> [0, m): the difference wraps to a giant where x is below m.
#[inline(always)]
pub(super) unsafe fn below(x: __m512i, m: __m512i) -> __m512i {
    // SAFETY: the caller saw AVX-512.
    unsafe { _mm512_min_epu64(x, _mm512_sub_epi64(x, m)) }
}

impl Field {
    #[inline(always)]
    pub(super) unsafe fn new(q: &Modulus) -> Self {
        // SAFETY: the caller saw AVX-512.
        unsafe {
            Self {
                p: splat(q.value()),
                twice: splat(2 * q.value()),
                minus: splat((1 << 52) - q.value()),
                inverse: splat(inverse(q)),
                high: broadcast(q, q.reduce(1 << 52)),
                one: Factor {
                    w: splat(1),
                    companion: splat((1 << 52) / q.value()),
                },
            }
        }
    }

    /// Any residue in [-m p, (2 - m) p), for m in all words of `start`.
    #[inline(always)]
    pub(super) unsafe fn folded(self, x: __m512i, start: __m512i) -> __m512i {
        // SAFETY: the caller saw AVX-512 IFMA.
        unsafe {
            let quotient = _mm512_madd52hi_epu64(start, x, self.one.companion);
            _mm512_madd52lo_epu64(x, quotient, self.minus)
        }
    }

    /// A product in [-m p, (2 - m) p), for m in all words of `start`.
    #[inline(always)]
    pub(super) unsafe fn product(self, x: __m512i, factor: Factor, start: __m512i) -> __m512i {
        // SAFETY: the caller saw AVX-512 IFMA.
        unsafe { self.product_on(_mm512_setzero_si512(), x, factor, start) }
    }

    /// The same, added to `sum`.
    #[inline(always)]
    pub(super) unsafe fn product_on(
        self,
        sum: __m512i,
        x: __m512i,
        factor: Factor,
        start: __m512i,
    ) -> __m512i {
        // SAFETY: the caller saw AVX-512 IFMA.
        unsafe {
            let quotient = _mm512_madd52hi_epu64(start, x, factor.companion);
            let product = _mm512_madd52lo_epu64(sum, x, factor.w);
            _mm512_madd52lo_epu64(product, quotient, self.minus)
        }
    }

    /// The residue in [0, 4p) of high 2^52 + low, below 2^104.
    #[inline(always)]
    pub(super) unsafe fn sum(self, high: __m512i, low: __m512i) -> __m512i {
        // SAFETY: the caller saw AVX-512 IFMA.
        unsafe {
            let zero = _mm512_setzero_si512();
            let high = _mm512_add_epi64(high, _mm512_srli_epi64::<52>(low));
            // In [0, 2p) each.
            self.product_on(self.folded(low, zero), high, self.high, zero)
        }
    }

    /// (high 2^52 + low) / 2^52, in (0, x + p] if high with its carries is at most x.
    ///
    /// This is Montgomery's reduction: with m = low/p mod 2^52 the low words of the sum and of m p are the same, so the
    /// quotient is the difference of the high words.
    #[inline(always)]
    pub(super) unsafe fn sum_over_word(self, high: __m512i, low: __m512i) -> __m512i {
        // SAFETY: the caller saw AVX-512 IFMA.
        unsafe {
            let zero = _mm512_setzero_si512();
            let high = _mm512_add_epi64(high, _mm512_srli_epi64::<52>(low));
            let multiple = _mm512_madd52lo_epu64(zero, low, self.inverse);
            let multiple = _mm512_madd52hi_epu64(zero, multiple, self.p);
            _mm512_sub_epi64(_mm512_add_epi64(high, self.p), multiple)
        }
    }

    /// Stores the canonical residues of any.
    #[inline(always)]
    pub(super) unsafe fn fold_and_store(self, x: __m512i, to: *mut u64) {
        // SAFETY: the caller vouches for eight words and for AVX-512 IFMA.
        unsafe {
            let x = self.folded(x, _mm512_setzero_si512());
            let x = _mm512_and_si512(x, _mm512_set1_epi64(MASK));
            _mm512_storeu_si512(to.cast(), below(x, self.p));
        }
    }
}

impl Factor {
    /// Eight fixed factors from a table.
    #[inline(always)]
    pub(super) unsafe fn of_table(table: *const u64) -> Self {
        // SAFETY: the caller vouches for sixteen words and for AVX-512.
        unsafe {
            Self {
                w: _mm512_loadu_si512(table.cast()),
                companion: _mm512_loadu_si512(table.add(8).cast()),
            }
        }
    }
}

/// What quotients start with. They are read from memory each time: in registers they would push others out, and transforms
/// modulo primes of 50 bits would take a tenth longer.
pub(super) static MORE: Start = Start::new(1);
pub(super) static LESS: Start = Start::new(-1);

#[repr(align(64))]
pub(super) struct Start([i64; 8]);

impl Start {
    pub(super) const fn new(start: i64) -> Self {
        Self([start; 8])
    }

    #[inline(always)]
    pub(super) unsafe fn load(&self) -> __m512i {
        // SAFETY: the words are there and aligned; the caller saw AVX-512.
        unsafe { self.0.as_ptr().cast::<__m512i>().read_volatile() }
    }
}
