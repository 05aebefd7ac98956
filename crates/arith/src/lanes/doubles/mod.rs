//! Vectors of doubles: for transforms in complex numbers, and for residues as exact integers.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;

#[cfg(target_arch = "x86_64")]
pub use avx2::DoublesAvx2;
#[cfg(target_arch = "x86_64")]
pub use avx512::DoublesAvx512;
pub use portable::DoublesPortable;

use super::{Columns, Halves};

/// One vector of doubles.
///
/// Sums and products are rounded to nearest; `mul_add` and `mul_sub` round once or twice, as the kernel has
/// it, so that results may differ in the last places: whoever uses them proves bounds that hold for both.
///
/// All functions are `unsafe` for the two reasons that [`super::Lanes`] names: the machine must have the
/// kernel's instructions, and every pointer must be valid for the numbers that the description names (no
/// alignment is needed).
#[allow(clippy::missing_safety_doc)] // stated once, above
pub trait Doubles: Copy {
    /// Doubles in a vector: 8 at most.
    const WIDTH: usize;

    /// The same in all lanes.
    unsafe fn splat(x: f64) -> Self;
    /// `WIDTH` doubles.
    unsafe fn load(from: *const f64) -> Self;
    /// Stores `WIDTH` doubles.
    unsafe fn store(self, to: *mut f64);
    /// Four vectors: lane j of vector k is half word k of the word at `from + j * stride`, its lowest bits
    /// first, less 2^15.
    unsafe fn centred_halves(from: *const u64, stride: usize) -> [Self; 4];
    /// Sum.
    unsafe fn add(self, other: Self) -> Self;
    /// Difference.
    unsafe fn sub(self, other: Self) -> Self;
    /// Product.
    unsafe fn mul(self, other: Self) -> Self;
    /// `sum + self * other`.
    unsafe fn mul_add(self, other: Self, sum: Self) -> Self;
    /// `sum - self * other`.
    unsafe fn mul_sub(self, other: Self, sum: Self) -> Self;
}

/// One vector of doubles that hold integers: also what [`super::Floating`] makes residues of.
///
/// As for [`Doubles`], callers answer for instructions and pointers; [`Doubles::mul_add`] and [`Doubles::mul_sub`] round
/// once.
#[allow(clippy::missing_safety_doc)] // stated once, above
pub trait ExactDoubles: Doubles {
    /// Vectors of half words with the same instructions.
    type Halves: Halves;
    /// Vectors of digits of long integers with the same instructions.
    type Columns: Columns;

    /// `self * other - less`, rounded once.
    unsafe fn mul_less(self, other: Self, less: Self) -> Self;
    /// The nearest integers.
    unsafe fn nearest(self) -> Self;
    /// Magnitudes.
    unsafe fn magnitude(self) -> Self;
    /// A bit for each lane: whether it is above the other's.
    unsafe fn above(self, other: Self) -> u32;
    /// The sum with `other` where this is negative, else this.
    unsafe fn add_if_negative(self, other: Self) -> Self;

    /// The integers that `WIDTH` words below 2^52 are.
    unsafe fn load_integers(from: *const u64) -> Self;
    /// Stores integers from 0 to 2^52 - 1 as words.
    unsafe fn store_integers(self, to: *mut u64);

    /// The blocks of 8 `WIDTH` doubles, as [`super::Vector::load_blocks`].
    unsafe fn load_blocks(from: *const f64) -> [Self; 8];
    /// Stores blocks as [`ExactDoubles::load_blocks`] found them.
    unsafe fn store_blocks(blocks: [Self; 8], to: *mut f64);
    /// Columns from blocks, and blocks from columns.
    unsafe fn transposed(vectors: [Self; 8]) -> [Self; 8];
    /// Transposes `WIDTH` vectors, as [`super::Rows::transpose`].
    unsafe fn transpose(from: *const f64, from_stride: usize, to: *mut f64, to_stride: usize);
}
