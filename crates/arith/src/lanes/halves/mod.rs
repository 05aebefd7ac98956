//! Vectors of half words (32 bits), for what has no modulus: random bits and what is made of them, and pieces of
//! large integers.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;

#[cfg(target_arch = "x86_64")]
pub use avx2::HalvesAvx2;
#[cfg(target_arch = "x86_64")]
pub use avx512::HalvesAvx512;
pub use portable::HalvesPortable;

/// One vector of half words.
///
/// All functions are `unsafe` for the two reasons that [`super::Lanes`] names: the machine must have the
/// kernel's instructions, and every pointer must be valid for the half words that the description names
/// (no alignment is needed).
#[allow(clippy::missing_safety_doc)] // stated once, above
pub trait Halves: Copy {
    /// Half words in a vector: 16 at most.
    const WIDTH: usize;

    /// The same in all lanes.
    unsafe fn splat(half: u32) -> Self;
    /// `WIDTH` half words.
    unsafe fn load(from: *const u32) -> Self;
    /// Stores `WIDTH` half words.
    unsafe fn store(self, to: *mut u32);
    /// Sum modulo 2^32.
    unsafe fn add(self, other: Self) -> Self;
    /// Product modulo 2^32.
    unsafe fn mul(self, other: Self) -> Self;
    /// Difference modulo 2^32.
    unsafe fn sub(self, other: Self) -> Self;
    /// Bit by bit, either.
    unsafe fn or(self, other: Self) -> Self;
    /// Bit by bit, either but not both.
    unsafe fn xor(self, other: Self) -> Self;
    /// Bit by bit, both.
    unsafe fn and(self, other: Self) -> Self;
    /// Half the number, rounded down.
    unsafe fn halve(self) -> Self;
    /// All bits set where this is greater, as signed numbers, else none.
    unsafe fn above(self, other: Self) -> Self;
    /// Whether any bit of any lane is set.
    unsafe fn any(self) -> bool;
}
