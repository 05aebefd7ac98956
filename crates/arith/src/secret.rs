//! Secrets in the host's memory: overwritten when dropped, on every way out of a function.
//!
//! * [`Secret`] is a buffer of plain numbers, on the heap or on the stack, that is overwritten when it is dropped. It
//!   never leaves a copy behind when it grows, and its `Debug` shows no number.
//! * [`Scratch`] is uninitialized stack memory of which the part in use is overwritten.
//! * [`wipe`] overwrites memory that somebody else owns.
//!
//! Everything is overwritten in one sweep, with whole vectors, and then a barrier keeps the compiler from leaving the
//! writes out: as sure as the single volatile writes of the crate `zeroize`, and much faster. None of it reaches copies
//! that the compiler leaves in registers and on the stack, nor what a move of a buffer on the stack leaves behind.

use std::fmt;
use std::mem::MaybeUninit;
use std::ops::{Deref, DerefMut};

/// Overwrites numbers with the default, zero.
pub fn wipe<T: Copy + Default>(numbers: &mut [T]) {
    numbers.fill(T::default());
    zeroize::optimization_barrier(&*numbers);
}

/// Memory that a [`Secret`] owns: `Vec<T>` or `[T; N]` of plain numbers.
pub trait Buffer {
    /// The numbers.
    type Number: Copy + Default;

    /// The numbers in it.
    fn numbers(&self) -> &[Self::Number];

    /// The numbers in it.
    fn numbers_mut(&mut self) -> &mut [Self::Number];

    /// Overwrites all of its memory, used or not.
    fn wipe_all(&mut self);
}

impl<T: Copy + Default> Buffer for Vec<T> {
    type Number = T;

    fn numbers(&self) -> &[T] {
        self
    }

    fn numbers_mut(&mut self) -> &mut [T] {
        self
    }

    fn wipe_all(&mut self) {
        // Within the capacity nothing moves.
        self.resize(self.capacity(), T::default());
        wipe(self);
    }
}

impl<T: Copy + Default, const N: usize> Buffer for [T; N] {
    type Number = T;

    fn numbers(&self) -> &[T] {
        self
    }

    fn numbers_mut(&mut self) -> &mut [T] {
        self
    }

    fn wipe_all(&mut self) {
        wipe(self);
    }
}

/// Plain numbers that are overwritten when dropped.
///
/// It is used as the slice of its numbers, so that nothing outside of this module can make a `Vec` move. A clone is as
/// secret. Comparisons do not take constant time.
#[derive(Clone, Default)]
pub struct Secret<B: Buffer>(B);

impl<B: Buffer> Secret<B> {
    /// Takes a buffer over.
    pub const fn new(buffer: B) -> Self {
        Self(buffer)
    }

    /// Overwrites the numbers with zeros.
    pub fn wipe(&mut self) {
        wipe(self.0.numbers_mut());
    }
}

impl<T: Copy + Default> Secret<Vec<T>> {
    /// `count` zeros.
    #[must_use]
    pub fn zeros(count: usize) -> Self {
        Self(vec![T::default(); count])
    }

    /// Room for `count` numbers.
    #[must_use]
    pub fn with_capacity(count: usize) -> Self {
        Self(Vec::with_capacity(count))
    }

    /// A copy of numbers.
    #[must_use]
    pub fn copy_of(numbers: &[T]) -> Self {
        Self(numbers.to_vec())
    }

    /// The numbers of an iterator that knows how many there are.
    #[must_use]
    pub fn collect(numbers: impl ExactSizeIterator<Item = T>) -> Self {
        let mut secret = Self::with_capacity(numbers.len());
        numbers.for_each(|number| secret.push(number));
        secret
    }

    /// Appends a number.
    #[inline]
    pub fn push(&mut self, number: T) {
        self.reserve(1);
        self.0.push(number);
    }

    /// Appends numbers.
    pub fn extend_from_slice(&mut self, numbers: &[T]) {
        self.reserve(numbers.len());
        self.0.extend_from_slice(numbers);
    }

    /// Makes it `count` numbers long, with zeros where there were none.
    pub fn resize(&mut self, count: usize) {
        match count.checked_sub(self.0.len()) {
            Some(more) => {
                self.reserve(more);
                self.0.resize(count, T::default());
            }
            None => {
                wipe(&mut self.0[count..]);
                self.0.truncate(count);
            }
        }
    }

    /// Overwrites the numbers and forgets them; the memory stays.
    pub fn clear(&mut self) {
        self.wipe();
        self.0.clear();
    }

    /// Makes room, without leaving a copy behind.
    #[inline]
    fn reserve(&mut self, more: usize) {
        if self.0.capacity() - self.0.len() < more {
            self.grow(more);
        }
    }

    #[cold]
    fn grow(&mut self, more: usize) {
        let count = (self.0.len() + more).max(2 * self.0.capacity());
        let mut larger = Self::with_capacity(count);
        larger.0.extend_from_slice(&self.0);
        *self = larger;
    }
}

impl<T: Copy + Default, const N: usize> Secret<[T; N]> {
    /// The array.
    #[must_use]
    pub const fn array(&self) -> &[T; N] {
        &self.0
    }

    /// The array.
    pub const fn array_mut(&mut self) -> &mut [T; N] {
        &mut self.0
    }
}

impl<T: Copy + Default> From<Vec<T>> for Secret<Vec<T>> {
    fn from(numbers: Vec<T>) -> Self {
        Self(numbers)
    }
}

impl<B: Buffer> Deref for Secret<B> {
    type Target = [B::Number];

    fn deref(&self) -> &[B::Number] {
        self.0.numbers()
    }
}

impl<B: Buffer> DerefMut for Secret<B> {
    fn deref_mut(&mut self) -> &mut [B::Number] {
        self.0.numbers_mut()
    }
}

impl<B: Buffer<Number: PartialEq>> PartialEq for Secret<B> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<B: Buffer<Number: Eq>> Eq for Secret<B> {}

impl<B: Buffer> Drop for Secret<B> {
    fn drop(&mut self) {
        self.0.wipe_all();
    }
}

/// Says only that it is one.
impl<B: Buffer> fmt::Debug for Secret<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// Uninitialized memory for the time of a computation, on the stack; the part that is in use is overwritten when it is
/// dropped. It begins with a cache line, so that no vector lies across two.
#[repr(C, align(64))]
pub struct Scratch<T: Copy, const N: usize> {
    memory: [MaybeUninit<T>; N],
    used: usize,
}

impl<T: Copy, const N: usize> Scratch<T, N> {
    /// Memory for N values, of which the first `used`, and no others, will be written.
    #[inline(always)]
    #[must_use]
    pub const fn new(used: usize) -> Self {
        Self {
            memory: [const { MaybeUninit::uninit() }; N],
            used,
        }
    }

    /// The memory.
    #[inline(always)]
    pub const fn as_mut_ptr(&mut self) -> *mut T {
        self.memory.as_mut_ptr().cast()
    }
}

impl<T: Copy, const N: usize> Drop for Scratch<T, N> {
    #[inline(always)]
    fn drop(&mut self) {
        let used = &mut self.memory[..self.used.min(N)];
        used.fill(MaybeUninit::zeroed());
        zeroize::optimization_barrier(&*used);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_and_go() {
        let mut secret = Secret::<Vec<u32>>::default();
        for i in 0..100 {
            secret.push(i);
        }
        secret.extend_from_slice(&[7; 50]);
        assert_eq!((secret.len(), secret[99], secret[149]), (150, 99, 7));
        secret.resize(3);
        secret.resize(6);
        assert_eq!(secret[..], [0, 1, 2, 0, 0, 0]);
        secret.wipe();
        assert_eq!(secret[..], [0; 6]);
        secret.clear();
        assert!(secret.is_empty());
        assert_eq!(
            Secret::collect([3_i8, -1].into_iter().map(|x| 2 * x))[..],
            [6, -2]
        );
        assert_eq!(Secret::copy_of(&[1.5])[..], [1.5]);
        assert_eq!(Secret::<Vec<u64>>::zeros(2)[..], [0, 0]);
        let array = Secret::new([1_u8; 4]);
        assert_eq!((array[3], format!("{array:?}")), (1, "Secret(..)".to_owned()));
    }

    #[test]
    fn all_memory_is_overwritten() {
        let mut numbers: Vec<u64> = Vec::with_capacity(10);
        numbers.extend([5; 8]);
        numbers.truncate(3);
        let place = numbers.as_ptr();
        numbers.wipe_all();
        assert_eq!((numbers.as_ptr(), numbers), (place, vec![0; 10]));
        let mut array = [9_i32; 5];
        array.wipe_all();
        assert_eq!(array, [0; 5]);
    }

    #[test]
    fn scratch_is_overwritten_as_far_as_it_was_used() {
        let mut scratch = std::mem::ManuallyDrop::new(Scratch::<u64, 6>::new(4));
        let memory = scratch.as_mut_ptr();
        // SAFETY: the memory is six words long, and is not used after it is dropped but through this pointer, while its
        // variable is there; all of it is written before it is read.
        let left = unsafe {
            (0..6).for_each(|i| memory.add(i).write(i as u64 + 1));
            std::mem::ManuallyDrop::drop(&mut scratch);
            std::array::from_fn::<u64, 6, _>(|i| memory.add(i).read())
        };
        assert_eq!(left, [0, 0, 0, 0, 5, 6]);
    }
}
