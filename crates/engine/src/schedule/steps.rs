//! From programs with levels to steps, with every switch to a lower level made explicit.

use crate::fv::levels::Levels;
use crate::ir::program::{Operation, OutputSource, Program, ValueId};

/// One step of a schedule: makes the value of the same index.
#[derive(Debug, Clone)]
pub struct Step {
    /// The operation.
    pub operation: Operation,
    /// The level of its operands; of an input, its own.
    pub at: usize,
    /// The level of the value it makes.
    pub level: usize,
    /// Products on the longest path to it.
    pub depth: u32,
    /// Predicted work on one thread, without making operands ready: seconds for plans of
    /// [`Planner`](crate::Planner), only comparable with each other for those of
    /// [`DepthPlanner`](crate::DepthPlanner).
    pub cost: f64,
}

/// The steps of a program.
#[derive(Debug)]
pub(crate) struct Steps {
    pub steps: Vec<Step>,
    pub inputs: Vec<Vec<Option<ValueId>>>,
    pub outputs: Vec<Vec<OutputSource>>,
}

/// The versions of one value at different levels, the highest first.
type Versions = Vec<(usize, ValueId)>;

impl Steps {
    /// Inserts switches: each value is made once, at its level, and each lower level at which it is
    /// used is reached by one switch from the next higher one. `cost` is told operation, `at` and level.
    pub(crate) fn new(
        program: &Program,
        levels: &Levels,
        cost: impl Fn(&Operation, usize, usize) -> f64,
    ) -> Self {
        let wanted = wanted_levels(program, levels);
        let depths = program.depths();
        let mut steps: Vec<Step> = Vec::new();
        let mut push = |operation: Operation, (at, level): (usize, usize), depth: u32| {
            let cost = cost(&operation, at, level);
            steps.push(Step {
                operation,
                at,
                level,
                depth,
                cost,
            });
            ValueId(steps.len() - 1)
        };
        let mut versions: Vec<Versions> = Vec::new();
        for (index, operation) in program.operations.iter().enumerate() {
            let (at, level) = match operation {
                Operation::Input { .. } => (levels.made[index], levels.made[index]),
                _ => (levels.at[index], levels.made[index]),
            };
            let operation = operation.with_operands(|operand| version(&versions[operand.0], at));
            let mut made = vec![(level, push(operation, (at, level), depths[index]))];
            for lower in wanted[index].iter().copied().filter(|wanted| *wanted < level) {
                let (above, operand) = made[made.len() - 1];
                let switch = Operation::Switch { operand };
                made.push((lower, push(switch, (above, lower), depths[index])));
            }
            versions.push(made);
        }
        let highest = |value: Option<ValueId>| value.map(|value| versions[value.0][0].1);
        let inputs = program
            .inputs
            .iter()
            .map(|port| port.iter().copied().map(highest).collect());
        let outputs = program.outputs.iter().map(|port| {
            let sources = port.iter().map(|source| match source {
                OutputSource::Encrypted(value) => {
                    OutputSource::Encrypted(version(&versions[value.0], levels.output))
                }
                clear @ OutputSource::Clear(_) => *clear,
            });
            sources.collect()
        });
        Self {
            inputs: inputs.collect(),
            outputs: outputs.collect(),
            steps,
        }
    }
}

/// The version at a level, or the lowest there is.
fn version(versions: &Versions, level: usize) -> ValueId {
    let exact = versions.iter().find(|(at, _)| *at == level);
    exact.or(versions.last()).map_or(ValueId(0), |(_, value)| *value)
}

/// For each value the levels at which it is used, the highest first, each once.
fn wanted_levels(program: &Program, levels: &Levels) -> Vec<Vec<usize>> {
    let mut wanted = vec![Vec::new(); program.operations.len()];
    for (index, operation) in program.operations.iter().enumerate() {
        for operand in operation.operands() {
            wanted[operand.0].push(levels.at[index]);
        }
    }
    for value in program.encrypted_outputs() {
        wanted[value.0].push(levels.output);
    }
    for levels in &mut wanted {
        levels.sort_unstable_by(|a, b| b.cmp(a));
        levels.dedup();
    }
    wanted
}
