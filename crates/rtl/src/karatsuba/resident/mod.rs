//! The machine with all recursions on chip (`docs/machines/karatsuba.md`, "All on chip"): the key is resident as leaves, a job is
//! a binary polynomial and errors, and a result has residues modulo Phi_3205 and q.
//!
//! * [`Shape`]: the machine for a modulus, its sizes and cycles.
//! * [`Host`]: beats from polynomials, polynomials from beats.
//! * [`Model`]: the golden model: beats in, beats out.
//!
//! With the feature `rtl`, `ResidentSimulation` is the verilated machine of `hdl/karatsuba_resident`.

mod beats;
mod host;
mod model;
mod shape;
#[cfg(feature = "rtl")]
mod simulation;
#[cfg(feature = "rtl")]
mod sys;

pub use host::Host;
pub use model::Model;
pub use shape::Shape;
#[cfg(feature = "rtl")]
pub use simulation::{ResidentSimulation, Simulated};

use super::{Beat, Wide};
