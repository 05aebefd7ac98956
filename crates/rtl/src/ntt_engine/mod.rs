//! Transform engines: three ways to feed B butterfly units from memory, behind one interface.
//!
//! Each engine has a schedule and a golden model here, its SystemVerilog in `hdl/ntt_engine`, and a
//! document in `docs/machines`.
//!
//! * [`Engine`]: what the engines have in common.
//! * [`dedicated_read`]: each unit reads a bank of its own.
//! * [`two_epoch`]: tiles with a butterfly each, which exchange their words once.
//!
//! With the feature `rtl`, `EngineSimulation` is the verilated machine around an engine.

pub mod dedicated_read;
mod engine;
#[cfg(feature = "rtl")]
mod simulation;
#[cfg(feature = "rtl")]
mod sys;
pub mod two_epoch;

pub use engine::{Direction, Engine};
#[cfg(feature = "rtl")]
pub use simulation::EngineSimulation;
