use super::Halves;

/// Pairs of half words: two of them unless told, what vectors that every machine has (SSE2, NEON) hold.
#[derive(Clone, Copy)]
pub struct HalvesPortable<const PAIRS: usize = 2>([[u32; 2]; PAIRS]);

/// Applies an expression in all lanes, without a closure, which might not be inlined.
macro_rules! lanes {
    ($lane:ident => $result:expr) => {{
        let mut out = [[0; 2]; PAIRS];
        for pair in 0..PAIRS {
            for half in 0..2 {
                let $lane = (pair, half);
                out[pair][half] = $result;
            }
        }
        HalvesPortable(out)
    }};
}

impl<const PAIRS: usize> Halves for HalvesPortable<PAIRS> {
    const WIDTH: usize = 2 * PAIRS;

    #[inline(always)]
    unsafe fn splat(half: u32) -> Self {
        Self([[half; 2]; PAIRS])
    }

    #[inline(always)]
    unsafe fn load(from: *const u32) -> Self {
        // SAFETY: the caller vouches for the half words.
        Self(unsafe { from.cast::<[[u32; 2]; PAIRS]>().read_unaligned() })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u32) {
        // SAFETY: the caller vouches for the half words.
        unsafe { to.cast::<[[u32; 2]; PAIRS]>().write_unaligned(self.0) }
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        lanes!(i => self.0[i.0][i.1].wrapping_add(other.0[i.0][i.1]))
    }

    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        lanes!(i => self.0[i.0][i.1].wrapping_mul(other.0[i.0][i.1]))
    }

    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        lanes!(i => self.0[i.0][i.1].wrapping_sub(other.0[i.0][i.1]))
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        lanes!(i => self.0[i.0][i.1] | other.0[i.0][i.1])
    }

    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        lanes!(i => self.0[i.0][i.1] ^ other.0[i.0][i.1])
    }

    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        lanes!(i => self.0[i.0][i.1] & other.0[i.0][i.1])
    }

    #[inline(always)]
    unsafe fn halve(self) -> Self {
        lanes!(i => self.0[i.0][i.1] >> 1)
    }

    #[inline(always)]
    unsafe fn above(self, other: Self) -> Self {
        lanes!(i => u32::from(self.0[i.0][i.1] as i32 > other.0[i.0][i.1] as i32).wrapping_neg())
    }

    #[inline(always)]
    unsafe fn any(self) -> bool {
        let mut bits = 0;
        for pair in self.0 {
            bits |= pair[0] | pair[1];
        }
        bits != 0
    }
}
