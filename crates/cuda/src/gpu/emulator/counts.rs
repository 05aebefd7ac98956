//! What kernels did.

/// What a kernel did in all its launches, where polynomials are words of 8 bytes.
///
/// Only kernels of this crate are counted, no copies that the driver makes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KernelWork {
    /// How often it was launched.
    pub launches: u64,
    /// Blocks of threads.
    pub blocks: u64,
    /// Operations with doubles: sums, products, fused products. Comparisons are not counted, nor are the few
    /// operations on the fractions of a conversion's columns. Only kernels over [`crate::Arithmetic::Bounds`] count
    /// them, as those over doubles would do them.
    pub operations: u64,
    /// Words of polynomials that threads read, those once that a thread has just read. A GPU may have them in its
    /// second-level cache.
    pub read: u64,
    /// Words that they wrote.
    pub written: u64,
    /// Factors that they read from tables, which many threads share. Counted as operations are.
    pub factors: u64,
}

/// `Counts` in `emulator/counts.hpp`: what one launch did.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    operations: u64,
    read: u64,
    written: u64,
    factors: u64,
}

impl KernelWork {
    /// Adds what a launch did with a grid of blocks.
    pub(super) fn add(&mut self, grid: [u32; 3], counts: &Counts) {
        self.launches += 1;
        self.blocks += grid.into_iter().map(u64::from).product::<u64>();
        self.operations += counts.operations;
        self.read += counts.read;
        self.written += counts.written;
        self.factors += counts.factors;
    }
}
