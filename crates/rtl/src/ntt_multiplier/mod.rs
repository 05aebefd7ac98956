//! The NTT multiplier: it multiplies a polynomial of Z_q\[x\]/(x^n + 1) by one or two that it already holds.
//!
//! "The paper" here is Mert, Ozturk and Savas, "Design and Implementation of a Fast and Scalable NTT-Based
//! Polynomial Multiplier Architecture", DSD 2019. B butterfly units work on 2B banks of words. A transform
//! is log2 n passes over all words in place, with Gentleman-Sande butterflies (U + V, w (U - V)) in both
//! directions, from natural to bit-reversed order and back, so nothing is ever reordered (algorithm 1 and
//! its inverse).
//!
//! * [`Shape`]: the sizes of a machine and the quantities that follow from them.
//! * [`Schedule`]: decides which unit reads and writes which words in which cycle.
//! * [`MachineProgram`]: the words that the host loads, which are scale factors and the units' factor
//!   memories.
//! * [`Montgomery`]: the units' multiplication, word for word.
//! * [`Model`]: the golden model, which does all of that, cycle for cycle.
//! * [`Link`]: the link between the host and the machine.
//!
//! With the feature `rtl`:
//!
//! * `Simulation`: the verilated machine at the end of a link.
//! * `Host`: the host's side of its registers and streams.
//! * `RtlDevice`: the machine as a device.
//! * [`Offload`]: the time that the machine saves, as in the paper's table.

#[cfg(feature = "rtl")]
mod device;
#[cfg(feature = "rtl")]
mod host;
mod link;
mod model;
mod montgomery;
mod offload;
mod program;
#[cfg(feature = "rtl")]
pub mod register;
mod schedule;
mod shape;
#[cfg(feature = "rtl")]
mod simulation;
#[cfg(feature = "rtl")]
mod statistics;
#[cfg(feature = "rtl")]
mod sys;

#[cfg(feature = "rtl")]
pub use device::RtlDevice;
#[cfg(feature = "rtl")]
pub use host::{Counters, Host};
pub use link::{JobTimes, Link, Stalls};
pub use model::{Counts, Model};
pub use montgomery::Montgomery;
pub use offload::Offload;
pub use program::MachineProgram;
pub use schedule::{Pass, Place, Schedule, Slot, Work};
pub use shape::Shape;
#[cfg(feature = "rtl")]
pub use simulation::{Batch, Simulation};
#[cfg(feature = "rtl")]
pub use statistics::Statistics;
