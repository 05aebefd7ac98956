use std::ops::{Deref, DerefMut};

/// Numbers that are overwritten when dropped: in one sweep and then a barrier that keeps the writes, faster
/// than single volatile ones.
#[derive(Default)]
pub(super) struct Wiped<T: Copy + Default>(Vec<T>);

impl<T: Copy + Default> Wiped<T> {
    /// `count` zeros.
    pub fn zeros(count: usize) -> Self {
        Self(vec![T::default(); count])
    }

    /// Makes them all zero.
    pub fn wipe(&mut self) {
        self.0.fill(T::default());
        zeroize::optimization_barrier(&*self.0);
    }
}

impl<T: Copy + Default> From<Vec<T>> for Wiped<T> {
    fn from(numbers: Vec<T>) -> Self {
        Self(numbers)
    }
}

impl<T: Copy + Default> Deref for Wiped<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T: Copy + Default> DerefMut for Wiped<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

impl<T: Copy + Default> Drop for Wiped<T> {
    fn drop(&mut self) {
        self.wipe();
    }
}
