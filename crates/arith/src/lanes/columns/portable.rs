use super::Columns;

/// One digit of 56 bits: products of 112 bits leave 16 bits of a double word for their number, of which a column
/// in memory keeps two for sign and carry.
#[derive(Clone, Copy)]
pub struct ColumnsPortable(u64);

impl Columns for ColumnsPortable {
    const WIDTH: usize = 1;
    const DIGIT_BITS: u32 = 56;
    const HIGH_BITS: u32 = 64;
    const PRODUCTS: usize = 1 << 16;
    const COLUMN_PRODUCTS: u64 = 1 << 14;
    type Sum = u128;

    #[inline(always)]
    unsafe fn splat(digit: u64) -> Self {
        Self(digit)
    }

    #[inline(always)]
    unsafe fn load(from: *const u64) -> Self {
        // SAFETY: the caller vouches for a word.
        Self(unsafe { from.read_unaligned() })
    }

    #[inline(always)]
    unsafe fn gather(from: *const u64, _: usize) -> Self {
        // SAFETY: the caller vouches for a word.
        unsafe { Self::load(from) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u64) {
        // SAFETY: the caller vouches for a word.
        unsafe { to.write_unaligned(self.0) }
    }

    #[inline(always)]
    unsafe fn digit(word: Self, next: Self, shift: u32) -> Self {
        let both = u128::from(next.0) << 64 | u128::from(word.0);
        Self((both >> shift) as u64 & ((1 << Self::DIGIT_BITS) - 1))
    }

    #[inline(always)]
    unsafe fn zero() -> u128 {
        0
    }

    #[inline(always)]
    unsafe fn mul_add(sum: u128, a: Self, b: Self) -> u128 {
        sum.wrapping_add(u128::from(a.0) * u128::from(b.0))
    }

    #[inline(always)]
    unsafe fn add_to(sum: u128, low: *mut u64, high: *mut u64) {
        // SAFETY: the caller vouches for a word each.
        unsafe {
            let column = u128::from(high.read_unaligned()) << 64 | u128::from(low.read_unaligned());
            let column = column.wrapping_add(sum);
            low.write_unaligned(column as u64);
            high.write_unaligned((column >> 64) as u64);
        }
    }
}
