//! The papers' machines as devices: what an engineer of accelerators checks a design against, and
//! the host's side of the designs in `hdl/`.
//!
//! [`ntt_multiplier`] is the first, the NTT multiplier for SEAL of Mert, Ozturk and Savas;
//! `docs/machines/ntt-multiplier.md` describes it. Nothing here is derived from the SystemVerilog: both
//! follow from that description.
//!
//! The default build has the golden models. With the feature `rtl` the SystemVerilog itself is simulated
//! (Verilator), driven as a GPU would be.

mod error;
pub mod ntt_multiplier;

pub use error::RtlError;
