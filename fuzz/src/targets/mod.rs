//! All targets.

mod aiger;
mod arguments;
mod blif;
mod bristol;
mod calibration;
mod circuits;
mod expression;
mod frames;
mod heads;
mod inspect;
mod job;
mod messages;
mod numbers;
mod parameters;
mod plan;
mod planner;
mod recipe;
mod schemes;
mod sets;
mod tables;

use crate::Target;

/// All targets.
pub static TARGETS: [&Target; 18] = [
    &frames::TARGET,
    &parameters::TARGET,
    &recipe::TARGET,
    &heads::TARGET,
    &inspect::TARGET,
    &job::TARGET,
    &numbers::TARGET,
    &calibration::TARGET,
    &arguments::TARGET,
    &bristol::TARGET,
    &aiger::TARGET,
    &blif::TARGET,
    &tables::TARGET,
    &schemes::TARGET,
    &plan::TARGET,
    &planner::TARGET,
    &expression::TARGET,
    &messages::TARGET,
];
