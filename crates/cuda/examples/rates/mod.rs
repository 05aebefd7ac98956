//! The rates of an H100 (SXM5), from NVIDIA's "CUDA C++ programming guide", tables of compute capability
//! 9.0, and its data sheet.

/// The number of streaming multiprocessors.
pub const MULTIPROCESSORS: f64 = 132.0;
/// Their clock in GHz, under load.
pub const CLOCK: f64 = 1.755;
/// FP64 operations per clock of a multiprocessor.
pub const FP64: f64 = 64.0;
/// Bytes per picosecond from and to memory.
pub const BANDWIDTH: f64 = 3.35;
