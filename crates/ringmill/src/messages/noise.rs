//! The levels of a program's operations, and how much noise their results have: `docs/mathematics.md`, section 13.

use ringmill_expression::{MessageOperation, MessageProgram};
use ringmill_fv::{MAX_NOISE_FRACTION, Noise, NoiseModel, Parameters};

/// log2 of the probability that a result of one row of messages is wrong.
pub(crate) const LOG2_FAILURE: f64 = -64.0;

/// Bits of deviation that a lower level may add to a result's noise. A value loses them once for each level that it
/// gives up, so at most as often as there are limbs.
const TOLERANCE: f64 = 0.1;

/// How an operation on ciphertexts is done.
#[derive(Debug, Clone)]
pub(super) struct Step {
    /// The level that its operands are brought to.
    pub level: usize,
    /// The level of its result.
    pub to: usize,
    /// The noise of its result.
    noise: Noise,
    /// Products of ciphertexts one upon the other.
    pub depth: usize,
}

/// An output of a program.
#[derive(Debug, Clone)]
pub(super) struct PlannedOutput {
    /// The level that it is brought to.
    pub level: usize,
    /// Bits of margin, and how many of them are kept for tails heavier than a Gaussian's.
    pub margin: f64,
    pub reserve: f64,
    /// log2 of what no coefficient of its noise exceeds but for the probability of failure.
    pub bound: f64,
}

/// The steps of a program's operations, none for what the evaluator computes in the clear, and its outputs.
pub(super) fn follow(
    program: &MessageProgram,
    parameters: &Parameters,
) -> (Vec<Option<Step>>, Vec<PlannedOutput>) {
    let follower = Follower {
        program,
        model: NoiseModel::new(parameters),
        top: parameters.levels(),
        half: parameters.n() / 2,
        t: parameters.t(),
    };
    let steps = follower.steps();
    let outputs = follower.outputs(&steps);
    (steps, outputs)
}

/// Follows the noise of a program from its inputs to its outputs.
struct Follower<'a> {
    program: &'a MessageProgram,
    model: NoiseModel,
    /// The highest level, at which inputs are encrypted.
    top: usize,
    half: usize,
    t: u64,
}

impl Follower<'_> {
    fn steps(&self) -> Vec<Option<Step>> {
        let mut steps: Vec<Option<Step>> = Vec::with_capacity(self.program.operations().len());
        for (place, operation) in self.program.operations().iter().enumerate() {
            let step = self
                .program
                .is_encrypted(place)
                .then(|| self.step(*operation, &steps));
            steps.push(step);
        }
        steps
    }

    fn step(&self, operation: MessageOperation, steps: &[Option<Step>]) -> Step {
        let encrypted: Vec<&Step> = operation
            .operands()
            .iter()
            .filter_map(|a| steps[*a].as_ref())
            .collect();
        let depth = encrypted.iter().map(|step| step.depth).max().unwrap_or(0);
        let Some(highest) = encrypted.iter().map(|step| step.to).min() else {
            return Step {
                level: self.top,
                to: self.top,
                noise: self.fresh(),
                depth,
            };
        };
        let at = |level: usize| self.result(operation, level, &encrypted, steps);
        let level = self.lowest(highest, at);
        let noise = at(level);
        let product = matches!(operation, MessageOperation::Multiply(..)) && encrypted.len() == 2;
        let depth = depth + usize::from(product);
        let moves = matches!(
            operation,
            MessageOperation::Rotate(..) | MessageOperation::Swap(_) | MessageOperation::Sum(_)
        );
        if !product && !moves {
            return Step {
                level,
                to: level,
                noise,
                depth,
            };
        }
        // The division by P may end at a lower level with the same rounding.
        let divided = |to: usize| self.model.switch_modulus(to, &noise);
        let to = self.lowest(level, divided);
        Step {
            level,
            to,
            noise: divided(to),
            depth,
        }
    }

    /// A level up to `highest` at which a noise is about as small as there: the lowest, as noise only grows downwards.
    fn lowest(&self, highest: usize, noise: impl Fn(usize) -> Noise) -> usize {
        let deviation = |level| noise(level).coefficient_deviation_log2(&self.model);
        let most = deviation(highest) + TOLERANCE;
        let (mut below, mut level) = (0, highest);
        while level - below > 1 {
            let middle = usize::midpoint(below, level);
            if deviation(middle) <= most {
                level = middle;
            } else {
                below = middle;
            }
        }
        level
    }

    /// The noise of a result at a level, before the division by P where keys are switched.
    fn result(
        &self,
        operation: MessageOperation,
        level: usize,
        encrypted: &[&Step],
        steps: &[Option<Step>],
    ) -> Noise {
        let model = &self.model;
        let operands: Vec<Noise> = encrypted.iter().map(|step| self.brought(step, level)).collect();
        match (operation, operands.as_slice()) {
            (MessageOperation::Multiply(..), [x, y]) => {
                model.key_switch_extended(level, &model.multiply_related(level, x, y))
            }
            (MessageOperation::Multiply(a, b), [x]) => {
                let clear = if steps[a].is_some() { b } else { a };
                self.times_clear(clear, x)
            }
            (MessageOperation::Add(..) | MessageOperation::Subtract(..), [_]) => {
                model.add_any_plain(level, &operands[0])
            }
            (MessageOperation::Rotate(..) | MessageOperation::Swap(_), [x]) => model.rotate(level, x, &()),
            (MessageOperation::Sum(_), [x]) => self.total(level, x),
            // Sums and differences of ciphertexts; a single term is a negation.
            (_, terms) => model.sum(&terms.iter().collect::<Vec<_>>()),
        }
    }

    /// Either key may encrypt: the public key's noise is the larger, whatever the messages are.
    fn fresh(&self) -> Noise {
        self.model
            .add_any_plain(self.top, &self.model.fresh_public(self.top))
    }

    /// The noise of an operand at a level.
    fn brought(&self, step: &Step, level: usize) -> Noise {
        if level == step.to {
            step.noise.clone()
        } else {
            self.model.switch_modulus(level, &step.noise)
        }
    }

    /// A product with a value in the clear: a constant is known here, a message may be anything.
    fn times_clear(&self, clear: usize, noise: &Noise) -> Noise {
        match self.program.operations()[clear] {
            MessageOperation::Constant(number) => {
                let magnitude = centred(number % self.t, self.t).unsigned_abs().max(1) as f64;
                self.model.multiply_plain_power(noise, magnitude * magnitude)
            }
            _ => self.model.multiply_any_plain(noise),
        }
    }

    /// The sum of all slots: amplitudes double with each image that is added, as images depend on each other.
    fn total(&self, level: usize, noise: &Noise) -> Noise {
        let added = |noise: &Noise| self.model.sum(&[noise, &self.model.rotate(level, noise, &())]);
        let images = self.half.ilog2();
        let rounded = (0..images).fold(noise.clone(), |noise, _| {
            self.model.switch_modulus(level, &added(&noise))
        });
        added(&rounded)
    }

    fn outputs(&self, steps: &[Option<Step>]) -> Vec<PlannedOutput> {
        let outputs = self.program.outputs().iter();
        let steps = outputs.filter_map(|output| steps[output.value].as_ref());
        steps.map(|step| self.output(step)).collect()
    }

    /// Brings an output to the lowest level at which it keeps its margin.
    fn output(&self, step: &Step) -> PlannedOutput {
        let outputs = self.program.outputs().len();
        let each = LOG2_FAILURE - (outputs.max(1) as f64).log2();
        let at = |level: usize| {
            let noise = self.brought(step, level);
            let bound = noise.bound_log2(&self.model, LOG2_FAILURE, outputs);
            PlannedOutput {
                level,
                margin: MAX_NOISE_FRACTION.log2() - bound,
                // Encryption under the public key is a product too.
                reserve: self.model.reserve_bits_any(step.depth + 1, &noise, each),
                bound,
            }
        };
        let lower = (1..step.to)
            .map(at)
            .find(|output| output.margin >= output.reserve);
        lower.unwrap_or_else(|| at(step.to))
    }
}

/// A number below t as the one nearest to 0 that is congruent to it.
const fn centred(number: u64, t: u64) -> i64 {
    if number > t / 2 {
        number as i64 - t as i64
    } else {
        number as i64
    }
}
