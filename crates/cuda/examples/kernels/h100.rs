//! The resources of an H100 (SXM5), from the sources of its rates.

use crate::rates::{BANDWIDTH, CLOCK, FP64, MULTIPROCESSORS};
use crate::sass::Instructions;

/// Its compute capability.
pub const CAPABILITY: (u32, u32) = (9, 0);

/// The registers of a multiprocessor, and the number in which a warp gets them.
const REGISTERS: (u32, u32) = (65536, 256);
/// The bytes of shared memory of a multiprocessor, and those that every block takes besides its own.
const SHARED: (u32, u32) = (228 << 10, 1 << 10);
/// The most warps and blocks of a multiprocessor.
const MOST: (u32, u32) = (64, 32);

/// Results per clock of a multiprocessor: of integer multiplications and of other integer operations; words
/// from and to shared memory; instructions of all kinds.
const IMAD: f64 = 64.0;
const ALU: f64 = 64.0;
const SHARED_WORDS: f64 = 16.0;
const ALL: f64 = 128.0;

/// The number of blocks that run on a multiprocessor at the same time.
pub fn blocks(threads: u32, registers: u32, shared: u32) -> u32 {
    let warps = threads.div_ceil(32);
    let by_registers = REGISTERS.0 / ((registers * 32).next_multiple_of(REGISTERS.1) * warps);
    let by_shared = SHARED.0 / (shared + SHARED.1);
    [by_registers, by_shared, MOST.0 / warps]
        .into_iter()
        .fold(MOST.1, u32::min)
}

/// The share of a multiprocessor's warps that these blocks take.
pub fn occupancy(blocks: u32, threads: u32) -> f64 {
    f64::from(blocks * threads.div_ceil(32)) / f64::from(MOST.0)
}

/// The least time for each written word that the slowest unit allows, with all multiprocessors together.
pub fn picoseconds_by_units(instructions: &Instructions) -> f64 {
    let Instructions {
        fp64,
        imad,
        alu,
        shared_words,
        all,
        written,
        ..
    } = *instructions;
    let clocks = [
        (fp64, FP64),
        (imad, IMAD),
        (alu, ALU),
        (shared_words, SHARED_WORDS),
        (all, ALL),
    ];
    let clocks = clocks
        .into_iter()
        .map(|(count, rate)| f64::from(count) / rate)
        .fold(0.0, f64::max);
    1e3 * clocks / (f64::from(written) * MULTIPROCESSORS * CLOCK)
}

/// The least time for each written word that the memory allows if nothing is in a cache.
pub fn picoseconds_by_memory(instructions: &Instructions) -> f64 {
    let words = f64::from(instructions.read + instructions.written);
    8.0 * words / (f64::from(instructions.written) * BANDWIDTH)
}
