//! The accelerator contract: a memory of residue polynomials and a short list of operations on them.
//!
//! A scheme is written once over [`Device`]. Every device returns the same bits, because every
//! operation is defined exactly: [`conformance`] checks a device against those definitions,
//! computed with big integers.

mod basis_change;
pub mod conformance;
mod contract;
mod cpu;
mod digits;
mod error;
mod words;

pub use basis_change::BasisChange;
pub use contract::{Device, Pair, SwitchingKey};
pub use cpu::{CpuDevice, CpuPoly};
pub use digits::Digits;
pub use error::DeviceError;
pub use words::{WordGroup, WordKey};
