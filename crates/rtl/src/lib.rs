#![doc = include_str!("../README.md")]
//!
//! # Contents
//!
//! [`ntt_multiplier`] is the first machine, [`ntt_engine`] has the transform engines, [`core`] is the processor that is
//! built on one of them, [`multiprecision`] and [`tile_conversion`] convert coefficients between bases as two of the
//! papers do, [`comba`] encrypts over the integers, [`karatsuba`]
//! multiplies for encryption of FV. Nothing here is derived from the SystemVerilog in `hdl/`: both follow the description in `docs/machines`.
//! Accelerator engineers can check a design against the golden model. [`papers`] has what the papers' machines take, by
//! their own steps.
//!
//! The default build has the golden models. With the feature `rtl` Verilator simulates the SystemVerilog itself, and
//! the host program drives it as it would drive a card on a link.

pub mod comba;
pub mod core;
mod error;
pub mod karatsuba;
pub mod multiprecision;
pub mod ntt_engine;
pub mod ntt_multiplier;
pub mod papers;
mod pipeline;
#[cfg(feature = "rtl")]
mod status;
pub mod tile_conversion;

pub use error::RtlError;
pub use pipeline::Pipeline;
