//! The accelerator contract: a memory of residue polynomials and a short list of operations on them.
//!
//! A scheme is written once over [`Device`]. Every device returns the same bits, because every
//! operation is defined exactly: the crate `ringmill-conformance` checks a device against those
//! definitions, computed with big integers. `ringmill-cpu` has the device of the processor.
//!
//! Whoever writes a device decides for each operation of [`Device`]: the device has its own, which first refuses what
//! it must ([`refusals`]), or takes the one that is made of others ([`provide!`]), or leaves it to another device
//! ([`delegate!`]).

mod basis_change;
mod contract;
mod delegation;
mod digits;
mod error;
mod grouped_key;
mod operations;
pub mod provided;
pub mod refusals;

pub use basis_change::BasisChange;
pub use contract::{Device, MOST_RETAINED, Pair, SwitchingKey};
pub use digits::Digits;
pub use error::DeviceError;
pub use grouped_key::{GroupedKey, KeyGroup, UsedGroup};
pub use ringmill_arith::Basis;
pub use ringmill_ring::{Domain, Ring};
