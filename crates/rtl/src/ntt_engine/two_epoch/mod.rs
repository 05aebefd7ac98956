//! The two-epoch engine: a cyclic transform of T^2 points on T tiles, each with T words and one butterfly.
//!
//! "The paper" here is the one on evaluating functions homomorphically with a parallel cached NTT on tiles,
//! algorithms 1 to 4. The tiles make the first half of the passes each on its own words, exchange word k of
//! tile j for word j of tile k, and make the other half. With the order of bits used here both directions
//! read the same places in the same order, from natural order to natural order.
//!
//! * [`Network`]: how words travel between the epochs, on the paper's ring or through a transposer.
//! * [`Schedule`]: which tile reads and writes which words in which cycle.
//! * [`TwoEpoch`]: the golden model with its constants.

mod constants;
mod model;
mod network;
mod schedule;

pub use model::TwoEpoch;
pub use network::{Network, Packet, Taken};
pub use schedule::{Action, Event, Pair, Product, Schedule, Step};
