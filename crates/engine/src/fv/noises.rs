//! The noise of every step.

use ringmill_fv::NOISE_BINS;

use crate::fv::predict::Predictor;
use crate::fv::rule::{NoiseId, Rule};
use crate::ir::origins::Origins;
use crate::ir::program::ValueId;
use crate::schedule::steps::Step;

/// The noise of a plan's values.
#[derive(Debug)]
pub(crate) struct Noises {
    /// By step.
    pub steps: Vec<NoiseId>,
    /// Of the encrypted outputs before they are flooded.
    pub outputs: Vec<NoiseId>,
    /// The same as they are returned.
    pub returned: Vec<NoiseId>,
    /// The largest share of a factor's noise power that is older than its last switch, of those that
    /// products went into.
    pub inherited: f64,
}

impl Noises {
    /// Follows the noise through steps to the encrypted outputs.
    pub fn new(steps: &[Step], outputs: impl Iterator<Item = ValueId>, predictor: &mut Predictor) -> Self {
        let mut noises: Vec<NoiseId> = Vec::with_capacity(steps.len());
        let mut inherited: f64 = 0.0;
        let origins = Origins::new(
            steps.iter().map(|step| &step.operation),
            predictor.related_inputs(),
        );
        for step in steps {
            let levels = (step.at, step.level);
            let rule = Rule::new(&step.operation, levels, &origins, |value| noises[value.0]);
            for (factor, at) in rule.factors() {
                inherited = inherited.max(predictor.inherited(factor, at));
            }
            noises.push(predictor.rule(rule));
        }
        let outputs: Vec<ValueId> = outputs.collect();
        let returned = outputs
            .iter()
            .map(|value| predictor.returned(noises[value.0], steps[value.0].level));
        Self {
            returned: returned.collect(),
            outputs: outputs.iter().map(|value| noises[value.0]).collect(),
            steps: noises,
            inherited,
        }
    }

    /// log2 of the most power of any encrypted output's noise in each bin of the roots, before it is flooded.
    pub fn result_powers(&self, predictor: &Predictor) -> [f64; NOISE_BINS] {
        let mut most = [f64::NEG_INFINITY; NOISE_BINS];
        for output in &self.outputs {
            let powers = predictor.noise(*output).log2_powers();
            for (most, power) in most.iter_mut().zip(powers) {
                *most = most.max(power);
            }
        }
        most
    }

    /// Products in a row up to which all noises of steps are within a limit.
    pub fn held(&self, steps: &[Step], predictor: &Predictor) -> u32 {
        let steps = steps.iter().zip(&self.steps);
        let beyond = steps.filter(|(_, noise)| predictor.bound(**noise) > predictor.limit());
        let first = beyond.map(|(step, _)| step.depth).min();
        first.map_or(u32::MAX, |depth| depth.saturating_sub(1))
    }

    /// The worst output as it is returned; `None` if no output is encrypted.
    pub fn worst(&self, predictor: &Predictor) -> Option<NoiseId> {
        predictor.worst(self.returned.iter().copied())
    }
}
