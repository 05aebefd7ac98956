//! Schedules: which step is done at which level, in which order and in how much memory, for any scheme.

pub(crate) mod by_depth;
pub(crate) mod memory;
pub(crate) mod order;
pub mod sides;
pub(crate) mod spill;
pub(crate) mod steps;

use ringmill_circuit::{Circuit, Visibility, WireType};

use crate::ir::clear::ClearProgram;
use crate::ir::program::{Operation, OutputSource, ValueId, products};
use crate::schedule::order::Wave;
use crate::schedule::sides::Side;
use crate::schedule::steps::{Step, Steps};

/// The steps with their levels, in waves, that evaluate a circuit on one batch, and
/// what is computed in the clear. Made by [`Planner`](crate::Planner) as a part of a [`Plan`](crate::Plan) or by
/// [`DepthPlanner`](crate::DepthPlanner), carried out by [`execute`](crate::execute()).
#[derive(Debug, Clone)]
pub struct Schedule {
    pub(crate) scheme: String,
    pub(crate) records: usize,
    pub(crate) inputs: Vec<InputPlan>,
    pub(crate) outputs: Vec<OutputPlan>,
    pub(crate) clear: ClearProgram,
    pub(crate) steps: Vec<Step>,
    pub(crate) waves: Vec<Wave>,
    pub(crate) sides: [Side; 2],
}

/// An input port of the circuit.
#[derive(Debug, Clone)]
pub struct InputPlan {
    /// Its name.
    pub name: String,
    /// Whether it is supplied in the clear or encrypted.
    pub visibility: Visibility,
    /// The type of value that each wire carries.
    pub kind: WireType,
    /// Number of wires.
    pub width: usize,
    pub(crate) values: Vec<Option<ValueId>>,
    pub(crate) levels: Vec<usize>,
}

impl InputPlan {
    /// The level at which each wire is to be encrypted; 1 for wires that nothing depends on. Empty for
    /// public ports. A higher level does no harm.
    #[must_use]
    pub fn levels(&self) -> &[usize] {
        &self.levels
    }

    /// The value that a wire is; `None` for public wires and for those that nothing depends on.
    #[must_use]
    pub fn value(&self, wire: usize) -> Option<ValueId> {
        self.values.get(wire).copied().flatten()
    }
}

/// An output port of the circuit.
#[derive(Debug, Clone)]
pub struct OutputPlan {
    /// Its name.
    pub name: String,
    /// The type of value that each wire carries.
    pub kind: WireType,
    /// Where each wire comes from.
    pub sources: Vec<OutputSource>,
}

impl Schedule {
    /// The schedule of ordered steps for a number of records.
    pub(crate) fn new(
        circuit: &Circuit,
        (scheme, records): (&str, usize),
        clear: &ClearProgram,
        steps: Steps,
        (waves, sides): (Vec<Wave>, [Side; 2]),
    ) -> Self {
        Self {
            scheme: scheme.to_string(),
            records,
            inputs: input_plans(circuit, &steps),
            outputs: output_plans(circuit, &steps),
            clear: clear.clone(),
            steps: steps.steps,
            waves,
            sides,
        }
    }

    /// Name of the parameter set that it was made for.
    #[must_use]
    pub fn scheme(&self) -> &str {
        &self.scheme
    }

    /// Records in a batch.
    #[must_use]
    pub fn records(&self) -> usize {
        self.records
    }

    /// The input ports, in the circuit's order.
    #[must_use]
    pub fn inputs(&self) -> &[InputPlan] {
        &self.inputs
    }

    /// The input ports that are supplied encrypted.
    pub(crate) fn private_inputs(&self) -> impl Iterator<Item = &InputPlan> {
        let inputs = self.inputs.iter();
        inputs.filter(|port| port.visibility == Visibility::Private)
    }

    /// The output ports, in the circuit's order.
    #[must_use]
    pub fn outputs(&self) -> &[OutputPlan] {
        &self.outputs
    }

    /// All steps; step i makes value i.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The order of the steps.
    #[must_use]
    pub fn waves(&self) -> &[Wave] {
        &self.waves
    }

    /// The sides of both factors of a product, for which they are made ready.
    #[must_use]
    pub fn sides(&self) -> [Side; 2] {
        self.sides
    }

    /// The computation in the clear.
    #[must_use]
    pub fn clear(&self) -> &ClearProgram {
        &self.clear
    }

    /// Products of two encrypted values.
    #[must_use]
    pub fn products(&self) -> usize {
        self.steps.iter().map(|step| products(&step.operation)).sum()
    }

    /// Steps of a kind.
    pub(crate) fn count(&self, wanted: impl Fn(&Operation) -> bool) -> usize {
        self.steps.iter().filter(|step| wanted(&step.operation)).count()
    }
}

fn input_plans(circuit: &Circuit, steps: &Steps) -> Vec<InputPlan> {
    let level = |value: &Option<ValueId>| value.map_or(1, |value| steps.steps[value.0].level);
    let ports = circuit.inputs().iter().zip(&steps.inputs);
    let plans = ports.map(|(port, values)| InputPlan {
        name: port.name.clone(),
        visibility: port.visibility,
        kind: port.kind,
        width: port.wires.len(),
        values: values.clone(),
        levels: match port.visibility {
            Visibility::Private => values.iter().map(level).collect(),
            Visibility::Public => Vec::new(),
        },
    });
    plans.collect()
}

fn output_plans(circuit: &Circuit, steps: &Steps) -> Vec<OutputPlan> {
    let ports = circuit.outputs().iter().zip(&steps.outputs);
    let plans = ports.map(|(port, sources)| OutputPlan {
        name: port.name.clone(),
        kind: port.kind,
        sources: sources.clone(),
    });
    plans.collect()
}
