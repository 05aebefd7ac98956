use super::Doubles;

/// Four doubles, multiplied and added with two roundings: without its instruction a fused multiply-add is
/// a call.
#[derive(Clone, Copy)]
pub struct DoublesPortable([f64; 4]);

/// Applies an expression in all lanes, without a closure, which might not be inlined.
macro_rules! lanes {
    ($lane:ident => $result:expr) => {{
        let mut out = [0.0; 4];
        for $lane in 0..4 {
            out[$lane] = $result;
        }
        DoublesPortable(out)
    }};
}

impl Doubles for DoublesPortable {
    const WIDTH: usize = 4;

    #[inline(always)]
    unsafe fn splat(x: f64) -> Self {
        Self([x; 4])
    }

    #[inline(always)]
    unsafe fn load(from: *const f64) -> Self {
        // SAFETY: the caller vouches for four doubles.
        Self(unsafe { from.cast::<[f64; 4]>().read_unaligned() })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f64) {
        // SAFETY: the caller vouches for four doubles.
        unsafe { to.cast::<[f64; 4]>().write_unaligned(self.0) }
    }

    #[inline(always)]
    unsafe fn centred_halves(from: *const u64, stride: usize) -> [Self; 4] {
        let mut out = [Self([0.0; 4]); 4];
        for lane in 0..4 {
            // SAFETY: the caller vouches for four words.
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
