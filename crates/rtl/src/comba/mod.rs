//! Paper 5's machines: the encryption step of homomorphic encryption over the integers, c = e + 2 sum_i x_i b_i modulo x_0
//! (`docs/machines/comba.md`).
//!
//! "The paper" here is Moore, O'Neill, Hanley and O'Sullivan, "Accelerating integer-based fully homomorphic encryption
//! using Comba multiplication", SiPS 2014.
//!
//! * [`Sizes`], [`Encryption`]: the numbers of an encryption.
//! * [`Shape`]: the low-area design (one unit) and the parallel one, with their cycles; [`SystolicShape`]: rows of
//!   multipliers that make the elements from their seed.
//! * [`Set`]: the sizes and machines of the paper's tables.
//! * [`Image`]: how an encryption lies in a machine's memory.
//! * [`Model`], [`SystolicModel`]: the golden models: each machine's steps on whole numbers.
//!
//! With the feature `rtl`, `CombaSimulation` is the verilated machine of `hdl/comba`.

mod encryption;
mod image;
mod model;
mod numbers;
mod set;
mod shape;
#[cfg(feature = "rtl")]
mod simulation;
mod sizes;
#[cfg(feature = "rtl")]
mod sys;
mod systolic_model;
mod systolic_shape;

pub use encryption::Encryption;
pub use image::Image;
pub use model::{Computed, Model};
pub use set::{Published, Set};
pub use shape::Shape;
#[cfg(feature = "rtl")]
pub use simulation::{CombaSimulation, Simulated};
pub use sizes::Sizes;
pub use systolic_model::SystolicModel;
pub use systolic_shape::SystolicShape;

/// The bits of a digit: what a multiplier multiplies.
pub const DIGIT: u32 = 16;

/// The digits of a word of the memory.
const WORD_DIGITS: usize = 4;
