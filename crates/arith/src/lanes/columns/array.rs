use super::{Columns, ColumnsPortable};

/// `W` digits of [`ColumnsPortable`] as a vector.
#[derive(Clone, Copy)]
pub struct ColumnsArray<const W: usize>([ColumnsPortable; W]);

impl<const W: usize> Columns for ColumnsArray<W> {
    const WIDTH: usize = W;
    const DIGIT_BITS: u32 = ColumnsPortable::DIGIT_BITS;
    const HIGH_BITS: u32 = ColumnsPortable::HIGH_BITS;
    const PRODUCTS: usize = ColumnsPortable::PRODUCTS;
    const COLUMN_PRODUCTS: u64 = ColumnsPortable::COLUMN_PRODUCTS;
    type Sum = [u128; W];

    unsafe fn splat(digit: u64) -> Self {
        // SAFETY: the scalar needs no particular instructions, here and below.
        Self([unsafe { ColumnsPortable::splat(digit) }; W])
    }

    unsafe fn load(from: *const u64) -> Self {
        // SAFETY: the caller vouches for W words.
        unsafe { Self::gather(from, 1) }
    }

    unsafe fn gather(from: *const u64, stride: usize) -> Self {
        // SAFETY: the caller vouches for a word for each lane.
        Self(std::array::from_fn(|i| unsafe {
            ColumnsPortable::load(from.add(i * stride))
        }))
    }

    unsafe fn store(self, to: *mut u64) {
        for (i, x) in self.0.into_iter().enumerate() {
            // SAFETY: the caller vouches for W words.
            unsafe { x.store(to.add(i)) };
        }
    }

    unsafe fn digit(word: Self, next: Self, shift: u32) -> Self {
        // SAFETY: see `splat`.
        Self(std::array::from_fn(|i| unsafe {
            ColumnsPortable::digit(word.0[i], next.0[i], shift)
        }))
    }

    unsafe fn zero() -> Self::Sum {
        [0; W]
    }

    unsafe fn mul_add(sum: Self::Sum, a: Self, b: Self) -> Self::Sum {
        // SAFETY: see `splat`.
        std::array::from_fn(|i| unsafe { ColumnsPortable::mul_add(sum[i], a.0[i], b.0[i]) })
    }

    unsafe fn add_to(sum: Self::Sum, low: *mut u64, high: *mut u64) {
        for (i, sum) in sum.into_iter().enumerate() {
            // SAFETY: the caller vouches for W words each.
            unsafe { ColumnsPortable::add_to(sum, low.add(i), high.add(i)) };
        }
    }
}
