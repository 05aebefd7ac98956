use super::Doubles;

/// Doubles, four of them unless told, multiplied and added with two roundings: without its instruction a fused
/// multiply-add is a call.
#[derive(Clone, Copy)]
pub struct DoublesPortable<const W: usize = 4>([f64; W]);

/// Applies an expression in all lanes, without a closure, which might not be inlined.
macro_rules! lanes {
    ($lane:ident => $result:expr) => {{
        let mut out = [0.0; W];
        for $lane in 0..W {
            out[$lane] = $result;
        }
        DoublesPortable(out)
    }};
}

impl<const W: usize> Doubles for DoublesPortable<W> {
    const WIDTH: usize = W;

    #[inline(always)]
    unsafe fn splat(x: f64) -> Self {
        Self([x; W])
    }

    #[inline(always)]
    unsafe fn load(from: *const f64) -> Self {
        // SAFETY: the caller vouches for the doubles.
        Self(unsafe { from.cast::<[f64; W]>().read_unaligned() })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f64) {
        // SAFETY: the caller vouches for the doubles.
        unsafe { to.cast::<[f64; W]>().write_unaligned(self.0) }
    }

    #[inline(always)]
    unsafe fn centred_halves(from: *const u64, stride: usize) -> [Self; 4] {
        let mut out = [Self([0.0; W]); 4];
        for lane in 0..W {
            // SAFETY: the caller vouches for the words.
            let word = unsafe { from.add(lane * stride).read_unaligned() } ^ 0x8000_8000_8000_8000;
            for (k, vector) in out.iter_mut().enumerate() {
                vector.0[lane] = f64::from((word >> (16 * k)) as i16);
            }
        }
        out
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        lanes!(i => self.0[i] + other.0[i])
    }

    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        lanes!(i => self.0[i] - other.0[i])
    }

    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        lanes!(i => self.0[i] * other.0[i])
    }

    #[inline(always)]
    unsafe fn mul_add(self, other: Self, sum: Self) -> Self {
        lanes!(i => sum.0[i] + self.0[i] * other.0[i])
    }

    #[inline(always)]
    unsafe fn mul_sub(self, other: Self, sum: Self) -> Self {
        lanes!(i => sum.0[i] - self.0[i] * other.0[i])
    }
}
