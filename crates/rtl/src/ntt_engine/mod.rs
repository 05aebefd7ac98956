//! Transform engines: three ways to feed B butterfly units from memory, behind one interface.
//!
//! Each engine has a schedule and a golden model here, its SystemVerilog in `hdl/ntt_engine`, and a
//! document in `docs/machines`.
//!
//! * [`Engine`]: what the engines have in common.
//! * [`xor_banks`]: cyclic, negacyclic and Fermat rings, in place in banks whose number is a XOR of index bits.
//!
//! With the feature `rtl`, `EngineSimulation` is the verilated machine around an engine.

mod engine;
#[cfg(feature = "rtl")]
mod simulation;
#[cfg(feature = "rtl")]
mod sys;
pub mod xor_banks;

pub use engine::{Direction, Engine};
#[cfg(feature = "rtl")]
pub use simulation::EngineSimulation;
