//! The accelerator contract: a memory of residue polynomials and a short list of operations on them.
//!
//! A scheme is written once over [`Device`]. Every device returns the same bits, because every
//! operation is defined exactly: [`conformance`] checks a device against those definitions,
//! computed with big integers.

pub mod conformance;
mod contract;
mod cpu;
mod error;
mod words;

pub use contract::{Device, Digits, Pair, SwitchingKey};
pub use cpu::{CpuDevice, CpuPoly};
pub use error::DeviceError;
pub use words::{WordGroup, WordKey};
