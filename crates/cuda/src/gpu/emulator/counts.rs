//! Counts the work of kernels.

use zerocopy::{Immutable, IntoBytes};

use crate::layout::layout;

/// The work of a kernel in all its launches. Polynomials are words of 8 bytes.
///
/// Only kernels of this crate are counted, not the copies that the driver makes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KernelWork {
    /// The number of launches.
    pub launches: u64,
    /// The number of blocks of threads.
    pub blocks: u64,
    /// The number of operations on doubles: sums, products, fused products. Comparisons are not counted, nor
    /// are the few operations on the fractions of a conversion's columns. Only kernels over
    /// [`crate::Arithmetic::Bounds`] count operations, as the kernels over doubles would do them.
    pub operations: u64,
    /// The number of words of polynomials that threads read; a word that the same thread has just read
    /// counts once. A GPU may have them in its second-level cache.
    pub read: u64,
    /// The number of words that threads wrote.
    pub written: u64,
    /// The number of factors that threads read from tables, which many threads share. They are counted as
    /// operations are.
    pub factors: u64,
}

/// The work of one launch: `Counts` in `emulator/counts.hpp`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, IntoBytes, Immutable)]
pub(super) struct Counts {
    operations: u64,
    read: u64,
    written: u64,
    factors: u64,
}

layout! {
    "emulator/counts.hpp": Counts { operations, read, written, factors }
}

impl KernelWork {
    /// Adds the work of a launch with a grid of blocks.
    pub(super) fn add(&mut self, grid: [u32; 3], counts: &Counts) {
        self.launches += 1;
        self.blocks += grid.into_iter().map(u64::from).product::<u64>();
        self.operations += counts.operations;
        self.read += counts.read;
        self.written += counts.written;
        self.factors += counts.factors;
    }
}
