use super::Halves;

/// Four half words: what vectors that every machine has (SSE2, NEON) hold.
#[derive(Clone, Copy)]
pub struct HalvesPortable([u32; 4]);

/// Applies an expression in all lanes, without a closure, which might not be inlined.
macro_rules! lanes {
    ($lane:ident => $result:expr) => {{
        let mut out = [0; 4];
        for $lane in 0..4 {
            out[$lane] = $result;
        }
        HalvesPortable(out)
    }};
}

impl Halves for HalvesPortable {
    const WIDTH: usize = 4;

    #[inline(always)]
    unsafe fn splat(half: u32) -> Self {
        Self([half; 4])
    }

    #[inline(always)]
    unsafe fn load(from: *const u32) -> Self {
        // SAFETY: the caller vouches for four half words.
        Self(unsafe { from.cast::<[u32; 4]>().read_unaligned() })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u32) {
        // SAFETY: the caller vouches for four half words.
        unsafe { to.cast::<[u32; 4]>().write_unaligned(self.0) }
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        lanes!(i => self.0[i].wrapping_add(other.0[i]))
    }

    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        lanes!(i => self.0[i].wrapping_mul(other.0[i]))
    }

    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        lanes!(i => self.0[i].wrapping_sub(other.0[i]))
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        lanes!(i => self.0[i] | other.0[i])
    }

    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        lanes!(i => self.0[i] ^ other.0[i])
    }

    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        lanes!(i => self.0[i] & other.0[i])
    }

    #[inline(always)]
    unsafe fn halve(self) -> Self {
        lanes!(i => self.0[i] >> 1)
    }

    #[inline(always)]
    unsafe fn above(self, other: Self) -> Self {
        lanes!(i => u32::from(self.0[i] as i32 > other.0[i] as i32).wrapping_neg())
    }

    #[inline(always)]
    unsafe fn any(self) -> bool {
        self.0[0] | self.0[1] | self.0[2] | self.0[3] != 0
    }
}
