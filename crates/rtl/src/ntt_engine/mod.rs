//! Transform engines: three ways to feed B butterfly units from memory, behind one interface.
//!
//! Each engine has a schedule and a golden model here, its SystemVerilog in `hdl/ntt_engine`, and a
//! document in `docs/machines`.
//!
//! * [`Engine`]: what the engines have in common.
//! * [`Unit`]: the arithmetic of a butterfly unit.
//! * [`dedicated_read`]: each unit reads a bank of its own.
//! * [`two_epoch`]: tiles with a butterfly each, which exchange their words once.
//! * [`xor_banks`]: cyclic, negacyclic and Fermat rings, in place in banks whose number is a XOR of index bits.
//!
//! With the feature `rtl`, `EngineSimulation` is the verilated machine around an engine.

pub mod dedicated_read;
mod engine;
#[cfg(feature = "rtl")]
mod simulation;
#[cfg(feature = "rtl")]
mod sys;
pub mod two_epoch;
mod unit;
pub mod xor_banks;

pub use engine::{Direction, Engine};
#[cfg(feature = "rtl")]
pub use simulation::EngineSimulation;
pub use unit::Unit;
