//! The tests of the golden models and, with the feature `rtl`, of the simulated machines.

// A test stops where it fails, even in its helpers.
#![allow(clippy::unwrap_used, clippy::panic)]

mod comba;
mod common;
#[cfg(feature = "rtl")]
mod core_bus;
mod core_conversion;
mod core_conversions;
#[cfg(feature = "rtl")]
mod core_cycles;
mod core_dedicated;
mod core_device;
mod core_faults;
mod core_fv;
mod core_model;
mod core_ntru;
#[cfg(feature = "rtl")]
mod core_product;
#[cfg(feature = "rtl")]
mod core_timing;
mod dedicated_read;
#[cfg(feature = "rtl")]
mod device;
#[cfg(feature = "rtl")]
mod engines;
#[cfg(feature = "rtl")]
mod fv;
mod karatsuba;
mod model;
mod multiprecision;
#[cfg(feature = "rtl")]
mod simulation;
mod tile_conversion;
mod two_epoch;
mod xor_banks;
