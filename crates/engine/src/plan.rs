use ringmill_circuit::Visibility;
use ringmill_fv::Parameters;

use crate::clear::ClearProgram;
use crate::error::Rejection;
use crate::memory::MemoryUse;
use crate::order::Wave;
use crate::program::{Operation, OutputSource, ValueId};
use crate::steps::Step;

/// How a circuit is evaluated under encryption: parameters, the level of everything, the order, and
/// what to expect. Made by [`crate::Planner`], carried out by [`crate::execute`].
#[derive(Debug, Clone)]
pub struct Plan {
    pub(crate) parameters: Parameters,
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
    /// Number of bits.
    pub width: usize,
    pub(crate) values: Vec<Option<ValueId>>,
    pub(crate) levels: Vec<usize>,
}

impl InputPlan {
    /// The level at which each bit is to be encrypted; 1 for bits that nothing depends on. Empty for
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
    /// Where each bit comes from.
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
    /// log2 of the probability that a decryption fails.
    pub failure: f64,
    /// What each switch to a lower level may add to the noise, in bits.
    pub tolerance: f64,
    /// Work, in passes over a limb with one modular product for each word.
    pub cost: f64,
    /// The level of encrypted outputs.
    pub output_level: usize,
    /// Most products on a path to an output.
    pub depth: u32,
    /// Memory with this many steps in progress.
    pub memory: MemoryUse,
    /// Steps in progress at a time for which memory was predicted.
    pub threads: usize,
}

impl Plan {
    /// The parameters.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Records in a batch: the slots of a ciphertext.
    #[must_use]
    pub fn slots(&self) -> usize {
        slots(&self.parameters)
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
        self.count(|operation| matches!(operation, Operation::Product { .. }))
    }

    /// Steps of a kind.
    pub(crate) fn count(&self, wanted: impl Fn(&Operation) -> bool) -> usize {
        self.steps.iter().filter(|step| wanted(&step.operation)).count()
    }
}

/// Bits in a ciphertext: one for each factor of the ring modulo 2, of degree ord_d(2), which is 16 up
/// to n = 32768 and 32 above.
pub(crate) fn slots(parameters: &Parameters) -> usize {
    let d = parameters.ring().d();
    let mut power = 2 % d;
    let mut order = 1;
    while power != 1 && order < 64 {
        power = power * 2 % d;
        order += 1;
    }
    parameters.n() / order
}
