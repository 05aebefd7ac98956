//! What the papers' own machines take, computed from their own steps and costs.
//!
//! A machine of ours is timed by running it. The papers' machines cannot be run, but the papers say which steps an
//! operation has and what each costs. These sums are that, step by step, so that a figure of a paper's table can be split
//! into its parts and set beside ours.

mod hepcloud;
mod step;
mod tile_machine;

pub use hepcloud::HepCloud;
pub use step::{Cost, Step};
pub use tile_machine::TileMachine;
