use super::Vector;
use crate::Modulus;

/// One residue in a 32-bit word: a lane of [`super::Avx2Narrow`], with or without a spare bit.
#[derive(Clone, Copy)]
pub(super) struct HalfWord<const SPARE: bool>(u32);

impl<const SPARE: bool> HalfWord<SPARE> {
    /// What the lazy range is twice of: 2p, or p without a spare bit.
    fn limit(q: Modulus) -> u32 {
        if SPARE {
            2 * q.value() as u32
        } else {
            q.value() as u32
        }
    }

    /// From the lazy range to what a sum takes.
    fn halve(self, q: Modulus) -> u32 {
        below(self.0, Self::limit(q))
    }

    /// `(u + v, u - v)` of what [`Self::halve`] gives. Debug builds see that nothing wraps.
    fn both(q: Modulus, u: u32, v: u32) -> (Self, Self) {
        (Self(u + v), Self(u + Self::limit(q) - v))
    }
}

/// [0, 2m) -> [0, m), as a minimum, of which no compiler makes a branch that depends on secrets.
#[inline(always)]
fn below(x: u32, m: u32) -> u32 {
    x.min(x.wrapping_sub(m))
}

impl<const SPARE: bool> Vector for HalfWord<SPARE> {
    type Word = u32;
    const WIDTH: usize = 1;
    const TABLE_WORDS: usize = 2;
    type Field = Modulus;
    type Factor = [u32; 2];

    unsafe fn field(q: &Modulus) -> Modulus {
        *q
    }

    fn encode_factor(q: &Modulus, w: u64) -> [u32; 2] {
        [w as u32, q.shoup_half(w) as u32]
    }

    fn encode_table(q: &Modulus, w: u64) -> [u32; 2] {
        Self::encode_factor(q, w)
    }

    unsafe fn load(_: Modulus, from: *const u64) -> Self {
        // SAFETY: the caller vouches for the pointer.
        Self(unsafe { *from } as u32)
    }

    unsafe fn store(self, q: Modulus, to: *mut u64) {
        // SAFETY: the caller vouches for the pointer.
        unsafe { *to = below(self.halve(q), q.value() as u32).into() }
    }

    unsafe fn load_lazy(from: *const u32) -> Self {
        // SAFETY: the caller vouches for the pointer.
        Self(unsafe { *from })
    }

    unsafe fn store_lazy(self, to: *mut u32) {
        // SAFETY: the caller vouches for the pointer.
        unsafe { *to = self.0 }
    }

    unsafe fn factor(from: *const [u32; 2]) -> [u32; 2] {
        // SAFETY: the caller vouches for the pointer.
        unsafe { *from }
    }

    unsafe fn load_blocks(from: *const u32) -> [Self; 8] {
        // SAFETY: the caller vouches for eight words.
        unsafe { from.cast::<[Self; 8]>().read() }
    }

    unsafe fn store_blocks(blocks: [Self; 8], to: *mut u32) {
        // SAFETY: the caller vouches for eight words.
        unsafe { to.cast::<[Self; 8]>().write(blocks) }
    }

    unsafe fn transposed(vectors: [Self; 8]) -> [Self; 8] {
        vectors
    }

    unsafe fn reduce_lazy(self, _: Modulus) -> Self {
        self
    }

    unsafe fn mul(self, q: Modulus, [w, companion]: [u32; 2]) -> Self {
        let quotient = (u64::from(self.0) * u64::from(companion)) >> 32;
        Self((u64::from(self.0) * u64::from(w) - quotient * q.value()) as u32)
    }

    unsafe fn mul_table(self, q: Modulus, table: *const u32) -> Self {
        // SAFETY: the caller vouches for two words.
        unsafe { self.mul(q, [*table, *table.add(1)]) }
    }

    unsafe fn butterfly_unit(q: Modulus, u: Self, v: Self) -> (Self, Self) {
        Self::both(q, u.halve(q), v.halve(q))
    }

    unsafe fn add_sub(q: Modulus, u: Self, v: Self) -> (Self, Self) {
        Self::both(q, u.halve(q), if SPARE { v.0 } else { v.halve(q) })
    }

    unsafe fn add_sub_back(q: Modulus, u: Self, v: Self) -> (Self, Self) {
        if !SPARE {
            return Self::both(q, u.halve(q), v.halve(q));
        }
        let (sum, difference) = Self::both(q, u.0, v.0);
        (Self(sum.halve(q)), difference)
    }
}
