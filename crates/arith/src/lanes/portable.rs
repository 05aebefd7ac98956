use super::{ColumnsPortable, DoublesPortable, HalvesPortable, Lanes, ROUNDING_MARGIN, Rows, Vector};
use crate::Modulus;

/// One residue in a 64-bit word: lazy range [0, 4p), p < 2^62.
///
/// Harvey, "Faster arithmetic for number-theoretic transforms", 2014: the addend of a butterfly is
/// brought to [0, 2p), Shoup's product lies in [0, 2p), so sum and difference + 2p lie in [0, 4p).
#[derive(Clone, Copy)]
pub struct Portable(u64);

impl Portable {
    /// [0, 4p) -> [0, 2p)
    #[inline(always)]
    fn halve(self, q: Modulus) -> u64 {
        below(self.0, 2 * q.value())
    }
}

/// [0, 2m) -> [0, m), as a minimum: of a comparison compilers make branches here and there, which then depend on secrets.
#[inline(always)]
fn below(x: u64, m: u64) -> u64 {
    x.min(x.wrapping_sub(m))
}

impl Vector for Portable {
    type Word = u64;
    const WIDTH: usize = 1;
    const TABLE_WORDS: usize = 2;
    type Field = Modulus;
    type Factor = [u64; 2];

    #[inline(always)]
    unsafe fn field(q: &Modulus) -> Modulus {
        *q
    }

    fn encode_factor(q: &Modulus, w: u64) -> [u64; 2] {
        [w, q.shoup(w)]
    }

    fn encode_table(q: &Modulus, w: u64) -> [u64; 2] {
        Self::encode_factor(q, w)
    }

    #[inline(always)]
    unsafe fn load(_: Modulus, from: *const u64) -> Self {
        // SAFETY: the caller vouches for the pointer.
        Self(unsafe { *from })
    }

    #[inline(always)]
    unsafe fn store(self, q: Modulus, to: *mut u64) {
        let x = self.halve(q);
        // SAFETY: the caller vouches for the pointer.
        unsafe { *to = below(x, q.value()) }
    }

    #[inline(always)]
    unsafe fn load_lazy(from: *const u64) -> Self {
        // SAFETY: the caller vouches for the pointer.
        Self(unsafe { *from })
    }

    #[inline(always)]
    unsafe fn store_lazy(self, to: *mut u64) {
        // SAFETY: the caller vouches for the pointer.
        unsafe { *to = self.0 }
    }

    #[inline(always)]
    unsafe fn factor(from: *const [u64; 2]) -> [u64; 2] {
        // SAFETY: the caller vouches for the pointer.
        unsafe { *from }
    }

    #[inline(always)]
    unsafe fn reduce_lazy(self, _: Modulus) -> Self {
        self
    }

    #[inline(always)]
    unsafe fn mul(self, q: Modulus, [w, companion]: [u64; 2]) -> Self {
        Self(q.mul_shoup_lazy(self.0, w, companion))
    }

    #[inline(always)]
    unsafe fn mul_table(self, q: Modulus, table: *const u64) -> Self {
        // SAFETY: the caller vouches for two words.
        let (w, companion) = unsafe { (*table, *table.add(1)) };
        Self(q.mul_shoup_lazy(self.0, w, companion))
    }

    #[inline(always)]
    unsafe fn butterfly_unit(q: Modulus, u: Self, v: Self) -> (Self, Self) {
        let (u, v) = (u.halve(q), v.halve(q));
        (Self(u + v), Self(u + 2 * q.value() - v))
    }

    #[inline(always)]
    unsafe fn add_sub(q: Modulus, u: Self, v: Self) -> (Self, Self) {
        let u = u.halve(q);
        (Self(u + v.0), Self(u + 2 * q.value() - v.0))
    }

    #[inline(always)]
    unsafe fn add_sub_back(q: Modulus, u: Self, v: Self) -> (Self, Self) {
        (Self(Self(u.0 + v.0).halve(q)), Self(u.0 + 2 * q.value() - v.0))
    }

    #[inline(always)]
    unsafe fn load_blocks(from: *const u64) -> [Self; 8] {
        // SAFETY: the caller vouches for eight words.
        unsafe { from.cast::<[Self; 8]>().read() }
    }

    #[inline(always)]
    unsafe fn store_blocks(blocks: [Self; 8], to: *mut u64) {
        // SAFETY: the caller vouches for eight words.
        unsafe { to.cast::<[Self; 8]>().write(blocks) }
    }

    #[inline(always)]
    unsafe fn transposed(vectors: [Self; 8]) -> [Self; 8] {
        vectors
    }
}

impl Rows for Portable {
    #[inline(always)]
    unsafe fn transpose(from: *const u64, _: usize, to: *mut u64, _: usize) {
        // SAFETY: the caller vouches for the pointers.
        unsafe { *to = *from }
    }
}

impl Lanes for Portable {
    // Products of residues below 2^62 are below 2^124: 12 fit 128 bits, with room.
    const TERMS: usize = 12;
    const NARROW_TERMS: usize = 30;
    type Sum = u128;
    type Real = f64;
    type Halves = HalvesPortable;
    type Columns = ColumnsPortable;
    type Doubles = DoublesPortable;
    type Loose = Self;
    const LOOSE_BITS: u32 = 0;

    // The sum must stay below 2^128; the term beside is below 2^124.
    fn fixed_terms(from: u32, to: u32) -> usize {
        if from + to <= 120 { 100 } else { 10 }
    }

    fn encode_operand(_: &Modulus, w: u64) -> u64 {
        w
    }

    #[inline(always)]
    unsafe fn operand(word: u64) -> Self {
        Self(word)
    }

    #[inline(always)]
    unsafe fn representative(self, q: Modulus) -> Self {
        let x = self.halve(q);
        Self(below(x, q.value()))
    }

    #[inline(always)]
    unsafe fn sum_zero(_: Modulus) -> u128 {
        0
    }

    #[inline(always)]
    unsafe fn sum_mul(sum: u128, a: Self, b: Self) -> u128 {
        sum + u128::from(a.0) * u128::from(b.0)
    }

    #[inline(always)]
    unsafe fn sum_reduce(q: Modulus, sum: u128) -> Self {
        Self(q.reduce_wide(sum))
    }

    #[inline(always)]
    unsafe fn add(self, q: Modulus, other: Self) -> Self {
        Self(self.halve(q) + other.halve(q))
    }

    #[inline(always)]
    unsafe fn real_zero() -> f64 {
        0.0
    }

    #[inline(always)]
    unsafe fn real_mul_add(sum: f64, y: Self, inverse: f64) -> f64 {
        sum + y.0 as f64 * inverse
    }

    #[inline(always)]
    unsafe fn real_round(sum: f64) -> (Self, u32) {
        let nearest = (sum + 0.5).floor();
        let doubtful = (sum - nearest).abs() > 0.5 - ROUNDING_MARGIN;
        (Self(nearest as u64), u32::from(doubtful))
    }
}
