//! Paper 3's conversions on its tiles: small-CRT, large-CRT, divide and round (`docs/machines/tile-conversion.md`).
//!
//! * [`Operation`], [`Program`]: what all tiles do in lockstep, and the constants that they share.
//! * [`Conversion`]: the programs of the three conversions.
//! * [`Model`]: the golden model of a tile; `TileSimulation`, with the feature `rtl`: tiles themselves.

mod conversion;
mod division;
mod model;
mod program;
#[cfg(feature = "rtl")]
mod simulation;
#[cfg(feature = "rtl")]
mod sys;

pub use conversion::Conversion;
pub use model::Model;
pub use program::{Chain, Kind, Operation, Place, Program};
#[cfg(feature = "rtl")]
pub use simulation::{TileResults, TileSimulation};
