//! How fast an H100 (SXM5) is, from NVIDIA's "CUDA C++ programming guide", tables of compute capability 9.0, and its
//! data sheet.

/// Streaming multiprocessors.
pub const MULTIPROCESSORS: f64 = 132.0;
/// Their clock in GHz, under load.
pub const CLOCK: f64 = 1.755;
/// Operations of FP64 a clock of a multiprocessor.
pub const FP64: f64 = 64.0;
/// Memory's bytes a picosecond.
pub const BANDWIDTH: f64 = 3.35;
