//! Circuits over encrypted bits: planned, then executed on a device.

mod clear;
mod cost;
mod error;
mod explain;
mod levels;
mod lower;
mod memory;
mod order;
mod plan;
mod planner;
mod predict;
mod program;
mod steps;

pub use clear::{ClearId, ClearProgram};
pub use error::{EngineError, PlanError, Rejection, Shortfall};
pub use lower::lower;
pub use memory::MemoryUse;
pub use order::Wave;
pub use plan::{InputPlan, OutputPlan, Plan, Prediction};
pub use planner::Planner;
pub use program::{Operation, OutputSource, Program, ValueId};
pub use steps::Step;
