use std::collections::BTreeSet;
use std::sync::Arc;

use ringmill_circuit::{Kind, Visibility};
use ringmill_fv::Parameters;
use ringmill_ring::Rows;

use crate::clear::ClearProgram;
use crate::error::Rejection;
use crate::form::Form;
use crate::maps::SlotMaps;
use crate::memory::MemoryUse;
use crate::order::Wave;
use crate::program::{Operation, OutputSource, ValueId, products};
use crate::recipe::Recipe;
use crate::steps::Step;

/// How a circuit is evaluated under encryption: parameters, the level of everything, the order, and
/// what to expect. Made by [`crate::Planner`], carried out by [`crate::execute`].
#[derive(Debug, Clone)]
pub struct Plan {
    pub(crate) parameters: Parameters,
    pub(crate) recipe: Recipe,
    pub(crate) rows: Rows,
    pub(crate) maps: Arc<SlotMaps>,
    pub(crate) inputs: Vec<InputPlan>,
    pub(crate) outputs: Vec<OutputPlan>,
    pub(crate) clear: ClearProgram,
    pub(crate) steps: Vec<Step>,
    pub(crate) waves: Vec<Wave>,
    pub(crate) prediction: Prediction,
    pub(crate) rejected: Vec<Rejection>,
}

/// An input port of the circuit.
#[derive(Debug, Clone)]
pub struct InputPlan {
    /// Its name.
    pub name: String,
    /// Whether it is supplied in the clear or encrypted.
    pub visibility: Visibility,
    /// What each wire carries.
    pub kind: Kind,
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
}

/// An output port of the circuit.
#[derive(Debug, Clone)]
pub struct OutputPlan {
    /// Its name.
    pub name: String,
    /// What each wire carries.
    pub kind: Kind,
    /// Where each wire comes from.
    pub sources: Vec<OutputSource>,
}

/// What a plan expects.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prediction {
    /// log2 of the magnitude that the noise of all outputs stays below with the probability asked for;
    /// negative infinity if no output is encrypted.
    pub noise: f64,
    /// Bits between that noise and the most with which decryption works.
    pub margin: f64,
    /// Bits of that margin which are kept because noise after many products has heavier tails than the
    /// model's.
    pub reserve: f64,
    /// log2 of the probability that a decryption fails.
    pub failure: f64,
    /// What choosing a lower level may add to the noise at each operation, in bits.
    pub tolerance: f64,
    /// Seconds, all threads together.
    pub work: f64,
    /// The level of encrypted outputs.
    pub output_level: usize,
    /// Most products on a path to an output.
    pub depth: u32,
    /// Memory with this many steps in progress.
    pub memory: MemoryUse,
    /// Steps in progress at a time for which memory was predicted.
    pub threads: usize,
}

impl Prediction {
    /// Seconds from begin to end.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.work / self.threads.max(1) as f64
    }
}

impl Plan {
    /// The parameters.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// How products are computed.
    #[must_use]
    pub fn form(&self) -> Form {
        self.recipe.form
    }

    /// How records lie in slots.
    #[must_use]
    pub fn rows(&self) -> &Rows {
        &self.rows
    }

    /// Records in a batch.
    #[must_use]
    pub fn records(&self) -> usize {
        self.rows.records()
    }

    /// The linear maps as automorphisms and constants.
    #[must_use]
    pub fn maps(&self) -> &SlotMaps {
        &self.maps
    }

    /// The automorphisms for which Galois keys are needed.
    #[must_use]
    pub fn galois_exponents(&self) -> BTreeSet<u64> {
        self.maps.exponents()
    }

    /// The input ports, in the circuit's order.
    #[must_use]
    pub fn inputs(&self) -> &[InputPlan] {
        &self.inputs
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

    /// What is computed in the clear.
    #[must_use]
    pub fn clear(&self) -> &ClearProgram {
        &self.clear
    }

    /// What to expect.
    #[must_use]
    pub fn prediction(&self) -> &Prediction {
        &self.prediction
    }

    /// The parameter sets that were not taken, and why.
    #[must_use]
    pub fn rejected(&self) -> &[Rejection] {
        &self.rejected
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
