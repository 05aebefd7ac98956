//! Paper 4's machine: products of a public polynomial with up to four binary ones by Karatsuba's method, cut into pieces by
//! the host and joined by it (`docs/machines/karatsuba.md`).
//!
//! "The paper" here is Migliore, Seguin, Mendez Real, Lapotre, Tisserand, Fontaine, Gogniat and Tessier, "A high-speed
//! accelerator for homomorphic encryption using the Karatsuba algorithm", ACM Transactions on Embedded Computing Systems,
//! 2017.
//!
//! * [`Wide`]: a coefficient modulo 2^192.
//! * [`Shape`]: the machine for a modulus, its sizes and cycles.
//! * [`Host`]: the recursions before and after the machine's.
//! * [`Model`]: the golden model: beats in, words out.
//!
//! * [`resident`]: the machine that needs no host for recursions.
//!
//! With the feature `rtl`, `KaratsubaSimulation` is the verilated machine of `hdl/karatsuba`.

mod host;
mod model;
mod recursion;
pub mod resident;
mod shape;
#[cfg(feature = "rtl")]
mod simulation;
#[cfg(feature = "rtl")]
mod sys;
mod wide;

pub use host::Host;
pub use model::Model;
pub use shape::Shape;
#[cfg(feature = "rtl")]
pub use simulation::{KaratsubaSimulation, Simulated};
pub use wide::Wide;

/// A beat of the link, of 128 bits: the lower word first.
pub type Beat = [u64; 2];
