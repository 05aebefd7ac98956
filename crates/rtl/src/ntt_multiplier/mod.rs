//! The NTT multiplier: one polynomial of Z_q\[x\]/(x^n + 1) times one or two that it knows already.
//!
//! B butterfly units work on 2B banks of words; a transform is log2 n passes over all words in place,
//! Gentleman-Sande butterflies (U + V, w (U - V)) in both directions, from natural to bit-reversed
//! order and back, so that nothing is ever reordered (the paper's algorithm 1 and its inverse).
//!
//! * [`Shape`]: the sizes of a machine and what follows from them.
//! * [`Schedule`]: which unit reads and writes which words in which cycle.
//! * [`Program`]: what the host loads: scale factors and the units' factor memories.
//! * [`Montgomery`]: the units' multiplication, word for word.
//! * [`Model`]: the golden model; it does all of that, cycle for cycle.

mod model;
mod montgomery;
mod program;
mod schedule;
mod shape;

pub use model::{Counts, Model};
pub use montgomery::Montgomery;
pub use program::Program;
pub use schedule::{Pass, Place, Schedule, Slot, Work};
pub use shape::Shape;
