//! The engine with dedicated reads: each butterfly unit reads a memory bank of its own and no other.
//!
//! "The paper" here is Sinha Roy, Jarvinen, Vliegen, Vercauteren and Verbauwhede, "HEPCloud: An FPGA-Based
//! Multicore Processor for FV Somewhat Homomorphic Function Evaluation", IEEE Transactions on Computers,
//! 2018. Its algorithm 2 exchanges the results between units before they are written, so that the next pass
//! finds both operands of a butterfly in one word.
//!
//! * [`Shape`]: the sizes of an engine and the places of coefficients and values.
//! * [`Schedule`]: the passes, the words of each cycle, the cycles.
//! * [`Model`]: the golden model: banks, factors and operations, cycle for cycle.
//! * [`DedicatedRead`]: the model as an [`Engine`](super::Engine).
//! * [`RingMultiplier`]: products in Z_q\[x\]/f by the engine, with the paper's reduction (section 5.2).

mod engine;
mod model;
mod ring_multiplier;
mod schedule;
mod shape;

pub use engine::DedicatedRead;
pub use model::{Buffers, Half, Model};
pub use ring_multiplier::RingMultiplier;
pub use schedule::{Exchange, Operation, Pass, Read, Schedule};
pub use shape::{Place, Shape};
