//! The noise of every step.

use ringmill_fv::NOISE_BINS;

use crate::fv::predict::{NoiseId, Predictor};
use crate::ir::origins::Origins;
use crate::ir::program::{Operation, encrypted};
use crate::schedule::steps::Steps;

/// The noise of a plan's values.
#[derive(Debug)]
pub(crate) struct Noises {
    /// By step: log2 of the magnitude that it exceeds with less than the probability planned for.
    pub bounds: Vec<f64>,
    /// Noise of the worst output; `None` if no output is encrypted.
    pub worst: Option<NoiseId>,
    /// log2 of the most power of any encrypted output's noise in each bin of the roots, before it is flooded.
    pub result_powers: [f64; NOISE_BINS],
    /// The largest share of a factor's noise power that is older than its last switch, of those that
    /// products went into.
    pub inherited: f64,
}

impl Noises {
    /// Follows the noise through steps.
    pub fn new(steps: &Steps, predictor: &mut Predictor) -> Self {
        let mut noises: Vec<NoiseId> = Vec::with_capacity(steps.steps.len());
        let mut inherited: f64 = 0.0;
        let origins = Origins::new(
            steps.steps.iter().map(|step| &step.operation),
            predictor.related_inputs(),
        );
        for step in &steps.steps {
            if let Operation::Product { pairs, .. } = &step.operation {
                for factor in pairs.iter().flat_map(|(a, b)| [*a, *b]) {
                    inherited = inherited.max(predictor.inherited(noises[factor.0], step.at));
                }
            }
            let levels = (step.at, step.level);
            let noise = predictor.operation(&step.operation, levels, &origins, |value| noises[value.0]);
            noises.push(noise);
        }
        let returned: Vec<NoiseId> = encrypted(&steps.outputs)
            .map(|value| predictor.returned(noises[value.0], steps.steps[value.0].level))
            .collect();
        let mut result_powers = [f64::NEG_INFINITY; NOISE_BINS];
        for value in encrypted(&steps.outputs) {
            let powers = predictor.noise(noises[value.0]).log2_powers();
            for (most, power) in result_powers.iter_mut().zip(powers) {
                *most = most.max(power);
            }
        }
        Self {
            result_powers,
            worst: predictor.worst(returned.into_iter()),
            bounds: noises.iter().map(|noise| predictor.bound(*noise)).collect(),
            inherited,
        }
    }

    /// Products in a row up to which all noises of steps are within a limit.
    pub fn held(&self, steps: &Steps, limit: f64) -> u32 {
        let steps = steps.steps.iter().zip(&self.bounds);
        let beyond = steps.filter(|(_, bound)| **bound > limit);
        let first = beyond.map(|(step, _)| step.depth).min();
        first.map_or(u32::MAX, |depth| depth.saturating_sub(1))
    }
}
