//! The core: a processor for polynomials of Fermat rings (`docs/machines/core.md`).
//!
//! * [`Configuration`]: its parameters.
//! * [`Instruction`], [`Descriptor`]: its instructions, and their 32 bytes in the ring.
//! * [`Fault`]: why it stopped.

mod configuration;
mod descriptor;
mod fault;
mod instruction;

pub use configuration::{Configuration, Sizes};
pub use descriptor::Descriptor;
pub use fault::Fault;
pub use instruction::{Buffer, Combination, Instruction, SlotNumber};
