//! FV as a scheme of the engine: the only one with linear maps, and the one that
//! [`Planner`](crate::Planner) chooses parameters of.

mod encoding;
mod execute;
mod keys;
mod maps;
mod scheme;

pub use encoding::FvEncoding;
pub use keys::EvaluationKeys;
pub use scheme::{FvPreparedOperand, FvScheme};
