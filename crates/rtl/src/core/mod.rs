//! The core: a processor for polynomials of Fermat rings (`docs/machines/core.md`).
//!
//! * [`Configuration`]: its parameters; [`EngineKind`]: the engine of its transform unit.
//! * [`Instruction`], [`Descriptor`]: its instructions, and their 32 bytes in the ring.
//! * [`ConstantsBlock`]: a prime and the constants of its transforms, as a slot takes them.
//! * [`ConversionTable`]: the constants of an exact change of primes, and what the conversion unit computes with them.
//! * [`Fault`]: why it stopped.
//! * [`Machine`]: the core and its memory as a host sees them; [`Register`], [`Counter`]: its registers.
//! * [`Model`]: the golden model, instruction by instruction.
//! * `Simulation`, with the feature `rtl`: the core itself; `measure`: its cycles.
//! * [`Timing`]: how long programs take; [`Stopwatch`]: a core that takes this time and computes nothing.
//! * [`Driver`]: the host's side of the ring.
//! * [`CoreDevice`]: the core as a device.

mod basis_operations;
mod chain;
mod configuration;
mod constants;
mod conversion;
mod conversion_block;
mod conversions;
mod descriptor;
mod device;
mod digit_table;
mod digits;
mod driver;
mod engine;
mod fault;
mod grouped_keys;
mod instruction;
mod key_operations;
mod machine;
#[cfg(feature = "rtl")]
pub mod measure;
mod memory;
mod memory_timing;
mod model;
mod operation;
mod operations;
mod places;
mod planner;
mod poly;
mod program;
pub mod register;
mod registers;
mod rows;
mod session;
#[cfg(feature = "rtl")]
mod simulation;
mod stopwatch;
#[cfg(feature = "rtl")]
mod sys;
mod timed;
mod timing;
mod units;

pub use configuration::{Configuration, Sizes};
pub use constants::ConstantsBlock;
pub use conversion::{ConversionKind, ConversionShape, ConversionTable, Converted, Rounding};
pub use descriptor::Descriptor;
pub use device::CoreDevice;
pub use digit_table::Piece;
pub use driver::Driver;
pub use engine::EngineKind;
pub use fault::Fault;
pub use instruction::{Buffer, Combination, Instruction, Row, SlotNumber, TableNumber};
pub use machine::Machine;
pub use memory_timing::MemoryTiming;
pub use model::Model;
pub use operation::Operation;
pub use poly::CorePoly;
pub use register::{Counter, Register};
#[cfg(feature = "rtl")]
pub use simulation::Simulation;
pub use stopwatch::Stopwatch;
pub use timed::{OperationLog, Timed};
pub use timing::{Counts, Tables, Timing};
