//! Vectors of digits of long integers, and the columns of their products.

#[cfg(any(test, feature = "shapes"))]
mod array;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx512f;
mod portable;

#[cfg(any(test, feature = "shapes"))]
pub use array::ColumnsArray;
#[cfg(target_arch = "x86_64")]
pub use avx2::ColumnsAvx2;
#[cfg(target_arch = "x86_64")]
pub use avx512::ColumnsAvx512;
#[cfg(target_arch = "x86_64")]
pub use avx512f::ColumnsAvx512F;
pub use portable::ColumnsPortable;

/// One vector of digits below 2^[`Columns::DIGIT_BITS`], in words.
///
/// A [`Columns::Sum`] is the sum of products that meet in one column of a long product, one for each lane, its
/// carries deferred. In memory a column is two words, `low` and `high`, of value
/// `low + 2^HIGH_BITS high`.
///
/// All functions are `unsafe` for the two reasons that [`super::Lanes`] names: the machine must have the
/// kernel's instructions, and every pointer must be valid for the words that the description names (no
/// alignment is needed).
#[allow(clippy::missing_safety_doc)] // stated once, above
pub trait Columns: Copy {
    /// Digits in a vector: 8 at most.
    const WIDTH: usize;
    /// Bits of a digit.
    const DIGIT_BITS: u32;
    /// Weight of a column's second word: 2^this.
    const HIGH_BITS: u32;
    /// Products that a [`Columns::Sum`] holds.
    const PRODUCTS: usize;
    /// Products that a column in memory holds, in sums of any number.
    const COLUMN_PRODUCTS: u64;
    /// Sum of products of digits.
    type Sum: Copy;

    /// The same digit in all lanes, as the second factor of products.
    unsafe fn splat(digit: u64) -> Self;
    /// `WIDTH` words.
    unsafe fn load(from: *const u64) -> Self;
    /// Lane j from the word at `from + j * stride`.
    unsafe fn gather(from: *const u64, stride: usize) -> Self;
    /// Stores `WIDTH` words.
    unsafe fn store(self, to: *mut u64);
    /// The digits that start at bit `shift` (below 64) of two words of any value.
    unsafe fn digit(word: Self, next: Self, shift: u32) -> Self;
    /// The empty sum.
    unsafe fn zero() -> Self::Sum;
    /// `sum + a * b`.
    unsafe fn mul_add(sum: Self::Sum, a: Self, b: Self) -> Self::Sum;
    /// Adds a sum to `WIDTH` columns: their `low` words and their `high` words.
    unsafe fn add_to(sum: Self::Sum, low: *mut u64, high: *mut u64);
}
