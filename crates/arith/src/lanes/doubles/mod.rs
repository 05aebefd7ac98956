//! Vectors of doubles, for transforms in complex numbers.

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
