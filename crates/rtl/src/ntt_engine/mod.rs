//! Transform engines: three ways to feed B butterfly units from memory, behind one interface.
//!
//! Each engine has a schedule and a golden model here, its SystemVerilog in `hdl/ntt_engine`, and a
//! document in `docs/machines`.
//!
//! * [`Engine`]: what the engines have in common.
//! * [`two_epoch`]: tiles with a butterfly each, which exchange their words once.

mod engine;
pub mod two_epoch;

pub use engine::{Direction, Engine};
