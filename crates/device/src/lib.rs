#![doc = include_str!("../README.md")]
//!
//! # To write a device
//!
//! A device decides each operation of [`Device`]: it does the operation itself and begins with what the contract
//! refuses ([`refusals`]), makes it of others ([`provide!`]), or leaves it to another device ([`delegate!`]).

mod basis_change;
mod contract;
mod delegation;
mod digits;
mod error;
mod grouped_key;
mod operations;
pub mod provided;
pub mod refusals;
mod rotation;
mod secret;
mod tensor;

pub use basis_change::BasisChange;
pub use contract::{Device, Pair, SwitchingKey};
pub use digits::Digits;
pub use error::DeviceError;
pub use grouped_key::{GroupedKey, KeyGroup, UsedGroup};
pub use ringmill_arith::Basis;
pub use ringmill_ring::{Domain, Ring};
pub use rotation::{Rotatable, RotatedTerm};
pub use secret::SecretPoly;
pub use tensor::Tensor;
