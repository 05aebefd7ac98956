use std::ops::{Deref, DerefMut};

use ringmill_arith::secret;

/// Numbers of eight bytes, from the start of a cache line on, so that no vector is in two; wiped when dropped.
pub(super) struct Aligned<T: Number>(Vec<Line<T>>);

#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line<T>([T; 8]);

/// What fills a cache line by eights.
pub(super) trait Number: Copy + Default {}

impl Number for u64 {}
impl Number for i64 {}
impl Number for f64 {}

impl<T: Number> Aligned<T> {
    /// As many zeros, or up to seven more.
    pub(super) fn zeros(count: usize) -> Self {
        const { assert!(size_of::<Line<T>>() == 64) };
        Self(vec![Line([T::default(); 8]); count.div_ceil(8)])
    }
}

impl<T: Number> Deref for Aligned<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: a line is eight numbers and, being of 64 bytes, nothing else.
        unsafe { std::slice::from_raw_parts(self.0.as_ptr().cast(), 8 * self.0.len()) }
    }
}

impl<T: Number> DerefMut for Aligned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above, borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.0.as_mut_ptr().cast(), 8 * self.0.len()) }
    }
}

impl<T: Number> Drop for Aligned<T> {
    fn drop(&mut self) {
        secret::wipe(self);
    }
}
