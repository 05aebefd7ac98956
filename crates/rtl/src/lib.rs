//! The papers' machines as devices. An engineer of accelerators checks a design against them. The crate also has the
//! host's side of the designs in `hdl/`.
//!
//! [`ntt_multiplier`] is the first: the NTT multiplier for SEAL by Mert, Ozturk and Savas, which
//! `docs/machines/ntt-multiplier.md` describes. Nothing here is derived from the SystemVerilog: both are written from that
//! description.
//!
//! The default build has the golden models. With the feature `rtl`, Verilator simulates the SystemVerilog itself, and a
//! host program drives it as it would drive a GPU.

mod error;
pub mod ntt_multiplier;

pub use error::RtlError;
