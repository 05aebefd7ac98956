//! From programs with levels to steps, with every switch to a lower level made explicit.

use crate::calibration::Calibration;
use crate::cost::Costs;
use crate::levels::Levels;
use crate::predict::{NoiseId, Predictor};
use crate::program::{Operation, OutputSource, Program, ValueId, encrypted};

/// One step of a plan: makes the value of the same index.
#[derive(Debug, Clone)]
pub struct Step {
    /// What it does.
    pub operation: Operation,
    /// The level of its operands; of an input, its own.
    pub at: usize,
    /// The level of the value it makes.
    pub level: usize,
    /// Products on the longest path to it.
    pub depth: u32,
    /// The predicted noise: log2 of the magnitude that it exceeds with less than the probability
    /// planned for.
    pub noise: f64,
    /// Predicted seconds on one thread, without making operands ready.
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
    /// The largest share of a factor's noise power that is older than its last switch, of those that
    /// products went into.
    pub inherited: f64,
}

/// The versions of one value at different levels, the highest first.
type Versions = Vec<(usize, ValueId)>;

/// Makes steps one after the other.
struct Maker<'a> {
    predictor: &'a mut Predictor,
    costs: &'a Costs,
    calibration: &'a Calibration,
    n: usize,
    steps: Vec<Step>,
    noise: Vec<NoiseId>,
    inherited: f64,
}

impl Maker<'_> {
    fn push(&mut self, operation: Operation, (at, level): (usize, usize), depth: u32) -> ValueId {
        if let Operation::Product { pairs, .. } = &operation {
            for factor in pairs.iter().flat_map(|(a, b)| [*a, *b]) {
                let share = self.predictor.inherited(self.noise[factor.0], at);
                self.inherited = self.inherited.max(share);
            }
        }
        let noise = &self.noise;
        let predicted = self
            .predictor
            .operation(&operation, (at, level), |value| noise[value.0]);
        self.noise.push(predicted);
        let work = match operation {
            Operation::Switch { .. } => self.costs.switch(at, level),
            _ => self.costs.operation(&operation, at, level),
        };
        self.steps.push(Step {
            at,
            level,
            depth,
            noise: self.predictor.bound(predicted),
            cost: self.calibration.seconds(&work, self.n),
            operation,
        });
        ValueId(self.steps.len() - 1)
    }
}

impl Steps {
    /// Inserts switches: each value is made once, at its level, and each lower level at which it is
    /// used is reached by one switch from the next higher one.
    pub(crate) fn new(
        program: &Program,
        levels: &Levels,
        predictor: &mut Predictor,
        costs: &Costs,
        (calibration, n): (&Calibration, usize),
    ) -> Self {
        let wanted = wanted_levels(program, levels);
        let depths = program.depths();
        let mut maker = Maker {
            predictor,
            costs,
            calibration,
            n,
            steps: Vec::new(),
            noise: Vec::new(),
            inherited: 0.0,
        };
        let mut versions: Vec<Versions> = Vec::new();
        for (index, operation) in program.operations.iter().enumerate() {
            let (at, level) = match operation {
                Operation::Input { .. } => (levels.made[index], levels.made[index]),
                _ => (levels.at[index], levels.made[index]),
            };
            let operation = operation.with_operands(|operand| version(&versions[operand.0], at));
            let mut made = vec![(level, maker.push(operation, (at, level), depths[index]))];
            for lower in wanted[index].iter().copied().filter(|wanted| *wanted < level) {
                let (above, operand) = made[made.len() - 1];
                let switch = Operation::Switch { operand };
                made.push((lower, maker.push(switch, (above, lower), depths[index])));
            }
            versions.push(made);
        }
        let Maker {
            predictor,
            steps,
            noise,
            inherited,
            ..
        } = maker;
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
            inherited,
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
