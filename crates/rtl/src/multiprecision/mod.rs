//! The multi-precision conversion pipeline: exact lift and scale of coefficients on whole integers.
//!
//! "The paper" here is Sinha Roy, Jarvinen, Vliegen, Vercauteren and Verbauwhede, "HEPCloud: An FPGA-Based
//! Multicore Processor for FV Somewhat Homomorphic Function Evaluation", IEEE Transactions on Computers,
//! 2018, sections 4.2 to 4.4.
//!
//! * [`Shape`]: the sizes of a pipeline, and the words of its numbers.
//! * [`Schedule`]: the cycles of its stages.
//! * [`Constants`]: the tables that the host loads for a basis.
//! * [`Entry`]: a word of the machine's tables.
//! * [`Model`]: the golden model: the machine's steps on the machine's words.
//!
//! With the feature `rtl`, `ConversionSimulation` is the verilated machine of `hdl/multiprecision`.

mod constants;
mod model;
mod schedule;
mod shape;
#[cfg(feature = "rtl")]
mod simulation;
#[cfg(feature = "rtl")]
mod sys;
mod table;
mod words;

pub use constants::Constants;
pub use model::{Model, Scaled};
pub use schedule::Schedule;
pub use shape::Shape;
#[cfg(feature = "rtl")]
pub use simulation::ConversionSimulation;
pub use table::{Entry, Table};
pub use words::WORD;
