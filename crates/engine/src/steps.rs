//! From programs with levels to steps, with every switch to a lower level made explicit.

use crate::cost::Costs;
use crate::levels::Levels;
use crate::predict::{NoiseId, Predictor};
use crate::program::{Operation, OutputSource, Program, ValueId, encrypted};

/// One step of a plan: makes the value of the same index.
#[derive(Debug, Clone)]
pub struct Step {
    /// What it does.
    pub operation: Operation,
    /// The level of the value it makes, and of the operation.
    pub level: usize,
    /// Products on the longest path to it.
    pub depth: u32,
    /// The predicted noise: log2 of the magnitude that it exceeds with less than the probability
    /// planned for.
    pub noise: f64,
    /// What it costs, in passes over a limb with one product of words each; without the lifts of a
    /// product's operands.
    pub cost: f64,
}

/// The steps of a program.
#[derive(Debug)]
pub(crate) struct Steps {
    pub steps: Vec<Step>,
    pub inputs: Vec<Vec<Option<ValueId>>>,
    pub outputs: Vec<Vec<OutputSource>>,
    /// Noise of the worst output; `None` if no output is encrypted.
    pub noise: Option<NoiseId>,
}

/// The versions of one value at different levels, the highest first.
type Versions = Vec<(usize, ValueId)>;

impl Steps {
    /// Inserts switches: each value is made once, at its level, and each lower level at which it is
    /// used is reached by one switch from the next higher one.
    pub(crate) fn new(program: &Program, levels: &Levels, predictor: &mut Predictor, costs: &Costs) -> Self {
        let wanted = wanted_levels(program, levels);
        let mut steps: Vec<Step> = Vec::new();
        let mut noise = Vec::new();
        let mut versions: Vec<Versions> = Vec::new();
        for (index, operation) in program.operations.iter().enumerate() {
            let level = levels.made[index];
            let operation = operation.with_operands(|operand| version(&versions[operand.0], level));
            let mut push = |operation: Operation, level: usize| {
                let predicted = predictor.operation(&operation, level, &noise);
                noise.push(predicted);
                steps.push(Step {
                    level,
                    depth: program.depths[index],
                    noise: predictor.bound(predicted),
                    cost: costs.operation(&operation, level, |value| steps[value.0].level),
                    operation,
                });
                ValueId(steps.len() - 1)
            };
            let mut made = vec![(level, push(operation, level))];
            for lower in wanted[index].iter().copied().filter(|wanted| *wanted < level) {
                let operand = made[made.len() - 1].1;
                made.push((lower, push(Operation::Switch { operand }, lower)));
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
        let outputs: Vec<Vec<OutputSource>> = outputs.collect();
        let worst = predictor.worst(encrypted(&outputs).map(|value| noise[value.0]));
        Self {
            inputs: inputs.collect(),
            noise: worst,
            outputs,
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
            wanted[operand.0].push(levels.made[index]);
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
