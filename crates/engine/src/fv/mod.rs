//! FV as a scheme of the engine, and its planner: the only one with linear maps, and the one that
//! [`Planner`](crate::Planner) chooses parameters of.

pub(crate) mod admission;
pub(crate) mod calibration;
pub(crate) mod candidates;
pub(crate) mod cost;
mod encoding;
mod execute;
pub(crate) mod explain;
mod footprint;
pub(crate) mod former;
mod keys;
pub(crate) mod layout;
pub(crate) mod levels;
mod maps;
pub(crate) mod misfit;
pub(crate) mod motions;
pub(crate) mod noises;
pub(crate) mod operation_costs;
pub(crate) mod packed;
mod placed;
pub(crate) mod plan;
pub(crate) mod planner;
pub(crate) mod predict;
mod prepared;
pub(crate) mod product_form;
pub(crate) mod reach;
pub(crate) mod recipe;
mod room;
pub(crate) mod rule;
pub(crate) mod rules;
mod scheme;
pub(crate) mod search;
pub(crate) mod select;
pub(crate) mod sharing;
pub(crate) mod slot_maps;
pub(crate) mod slot_steps;
pub(crate) mod traffic;
mod unpack;
pub(crate) mod variants;

pub use admission::Admission;
pub use encoding::FvEncoding;
pub use keys::EvaluationKeys;
pub use scheme::{FvPreparedOperand, FvScheme};
pub use unpack::encrypt_packed;
