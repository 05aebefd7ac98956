//! At which levels the operations of a program are done, and how much noise their results have.

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::Arc;

use ringmill_arith::prime::is_prime;
use ringmill_expression::{MessageOperation, MessageProgram, Slots};
use ringmill_format::Access;
use ringmill_fv::{FvError, MAX_NOISE_FRACTION, Noise, NoiseModel, Parameters, RingKind};

use super::program_file::write_program;
use crate::{Error, Output};

/// log2 of the probability that a result of one row of messages is wrong.
pub(crate) const LOG2_FAILURE: f64 = -64.0;

/// Bits of deviation that a lower level may add to a result's noise. A value loses them once for each level that it
/// gives up, so at most as often as there are limbs.
const TOLERANCE: f64 = 0.1;

/// Generates, with -1, the units modulo 2n: x -> x^3 rotates both rows by one slot to the left.
const GENERATOR: u64 = 3;

/// How an operation on ciphertexts is done.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    /// The level that its operands are brought to.
    pub level: usize,
    /// The level of its result.
    pub to: usize,
    /// The noise of its result.
    noise: Noise,
    /// Products of ciphertexts one upon the other.
    depth: usize,
}

/// An output of a program.
#[derive(Debug, Clone)]
pub(crate) struct PlannedOutput {
    /// The level that it is brought to.
    pub level: usize,
    /// Bits of margin, and how many of them are kept for tails heavier than a Gaussian's.
    margin: f64,
    reserve: f64,
    /// log2 of what no coefficient of its noise exceeds but for the probability of failure.
    bound: f64,
}

/// Bytes of what parties send each other, without the heads of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct MessageTraffic {
    /// Evaluation keys, once.
    pub keys: u64,
    /// The inputs of a row under the public key; half as much under the secret key.
    pub inputs: u64,
    /// The results of a row.
    pub results: u64,
}

/// A program over messages with parameters: at which levels it is computed, and how much noise there is.
///
/// Everything follows from the program and the parameters, so that all parties make the same plan.
#[derive(Debug, Clone)]
pub struct MessagePlan {
    program: Arc<MessageProgram>,
    parameters: Parameters,
    /// None for what the evaluator computes in the clear.
    steps: Vec<Option<Step>>,
    outputs: Vec<PlannedOutput>,
}

impl MessagePlan {
    /// Follows the noise of a program.
    ///
    /// # Errors
    /// [`FvError::NoIntegerSlots`] unless the ring is x^n + 1 and t a prime = 1 modulo 2n; [`FvError::NoKeySwitching`].
    pub fn new(program: Arc<MessageProgram>, parameters: Parameters) -> Result<Self, FvError> {
        let (n, t) = (parameters.n(), parameters.t());
        let name = || parameters.name().to_owned();
        if RingKind::of(parameters.ring()) != RingKind::Negacyclic || t % (2 * n as u64) != 1 || !is_prime(t)
        {
            return Err(FvError::NoIntegerSlots { name: name() });
        }
        if parameters.special().is_none() {
            return Err(FvError::NoKeySwitching { name: name() });
        }
        let follower = Follower {
            program: &program,
            model: NoiseModel::new(&parameters),
            top: parameters.levels(),
            row: n / 2,
            t,
        };
        let steps = follower.steps();
        let outputs = follower.outputs(&steps);
        Ok(Self {
            program,
            parameters,
            steps,
            outputs,
        })
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> &MessageProgram {
        &self.program
    }

    /// The parameters.
    #[must_use]
    pub const fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The slots of a message.
    #[must_use]
    pub fn slots(&self) -> Slots {
        Slots {
            t: self.parameters.t(),
            row: self.parameters.n() / 2,
        }
    }

    /// The most products of ciphertexts one upon the other.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.steps
            .iter()
            .flatten()
            .map(|step| step.depth)
            .max()
            .unwrap_or(0)
    }

    /// Products of two ciphertexts.
    #[must_use]
    pub fn products(&self) -> usize {
        let encrypted = |operand: &usize| self.program.is_encrypted(*operand);
        let operations = self.program.operations().iter();
        operations
            .filter(|operation| match operation {
                MessageOperation::Multiply(a, b) => encrypted(a) && encrypted(b),
                _ => false,
            })
            .count()
    }

    /// Bits between the noise that no result exceeds, but for a probability of 2^-64 a row of messages, and what
    /// decryption bears: the least of all outputs.
    #[must_use]
    pub fn margin_bits(&self) -> f64 {
        self.outputs
            .iter()
            .map(|output| output.margin)
            .fold(f64::INFINITY, f64::min)
    }

    /// The part of the margin that is kept for tails heavier than a Gaussian's: the most of all outputs.
    #[must_use]
    pub fn reserve_bits(&self) -> f64 {
        self.outputs
            .iter()
            .map(|output| output.reserve)
            .fold(0.0, f64::max)
    }

    /// log2 of a magnitude that no coefficient of an output's noise exceeds, but for a probability of 2^-64 for all
    /// outputs of a row of messages, if noise is Gaussian; decryption bears 1/2.
    #[must_use]
    pub fn noise_bounds(&self) -> Vec<f64> {
        self.outputs.iter().map(|output| output.bound).collect()
    }

    /// Bits of margin that are missing: more than 0 if results may be wrong more often than once in 2^64.
    #[must_use]
    pub fn missing_bits(&self) -> f64 {
        let missing = |output: &PlannedOutput| output.reserve - output.margin;
        self.outputs.iter().map(missing).fold(f64::NEG_INFINITY, f64::max)
    }

    /// The exponents k of the automorphisms x -> x^k that it needs keys for, ascending.
    #[must_use]
    pub fn galois_exponents(&self) -> Vec<u64> {
        let mut exponents = BTreeSet::new();
        for (operation, step) in self.program.operations().iter().zip(&self.steps) {
            match operation {
                MessageOperation::Rotate(_, by) if step.is_some() => {
                    exponents.insert(self.rotation(*by));
                }
                MessageOperation::Swap(_) if step.is_some() => {
                    exponents.insert(self.swap());
                }
                MessageOperation::Sum(_) if step.is_some() => exponents.extend(self.sum_exponents()),
                _ => {}
            }
        }
        exponents.remove(&1);
        exponents.into_iter().collect()
    }

    /// The exponent that rotates both rows by so many slots to the left; 1 where that is no rotation.
    pub(crate) fn rotation(&self, by: i32) -> u64 {
        let (row, order) = (self.slots().row as i64, 2 * self.parameters.n() as u64);
        let by = i64::from(by).rem_euclid(row);
        (0..by).fold(1, |power, _| power * GENERATOR % order)
    }

    /// The exponent that exchanges the rows.
    pub(crate) fn swap(&self) -> u64 {
        2 * self.parameters.n() as u64 - 1
    }

    /// The exponents after each of which the sum of a value and its image is taken: in the end every slot has the sum of
    /// all.
    pub(crate) fn sum_exponents(&self) -> Vec<u64> {
        let order = 2 * self.parameters.n() as u64;
        let steps = self.slots().row.ilog2() as usize;
        let squares = std::iter::successors(Some(GENERATOR), |power| Some(power * power % order));
        squares.take(steps).chain([self.swap()]).collect()
    }

    /// The bytes that parties send each other.
    ///
    /// # Errors
    /// None for the parameters of a plan.
    pub fn traffic(&self) -> Result<MessageTraffic, FvError> {
        let (parameters, top) = (&self.parameters, self.parameters.levels());
        let private = self.program.inputs().iter().filter(|input| !input.public).count() as u64;
        let keys = 1 + self.galois_exponents().len() as u64;
        let results = self
            .outputs
            .iter()
            .map(|output| parameters.ciphertext_bytes(output.level, false));
        Ok(MessageTraffic {
            keys: keys * parameters.switching_key_bytes()?,
            inputs: private * parameters.ciphertext_bytes(top, false)?,
            results: results.sum::<Result<u64, _>>()?,
        })
    }

    /// The length of each output of a row whose longest message has so many numbers: an output that has the same number
    /// in every slot has one.
    pub(super) fn result_lengths(&self, longest: usize) -> impl Iterator<Item = usize> {
        let outputs = self.program.outputs().iter();
        outputs.map(move |output| if output.uniform { 1 } else { longest })
    }

    /// Writes the job file: parameters and program. Its size in bytes.
    ///
    /// # Errors
    /// [`ErrorKind::Io`](crate::ErrorKind::Io).
    pub fn write(&self, output: &Output) -> Result<u64, Error> {
        let content = |mut out: &mut dyn Write| {
            self.parameters.write(&mut out)?;
            write_program(self.program.text(), self.parameters.hash(), out)?;
            Ok(())
        };
        Ok(output.write(Access::Public, content)?.1)
    }

    pub(crate) fn step(&self, operation: usize) -> Option<&Step> {
        self.steps.get(operation)?.as_ref()
    }

    pub(crate) fn planned_outputs(&self) -> &[PlannedOutput] {
        &self.outputs
    }
}

/// Follows the noise of a program from its inputs to its outputs.
struct Follower<'a> {
    program: &'a MessageProgram,
    model: NoiseModel,
    /// The highest level, at which inputs are encrypted.
    top: usize,
    row: usize,
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
            (MessageOperation::Rotate(..) | MessageOperation::Swap(_), [x]) => model.rotate(level, x),
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
        let added = |noise: &Noise| self.model.sum(&[noise, &self.model.rotate(level, noise)]);
        let images = self.row.ilog2();
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
        let at = |level: usize| {
            let noise = self.brought(step, level);
            let bound = noise.bound_log2(&self.model, LOG2_FAILURE, self.program.outputs().len());
            PlannedOutput {
                level,
                margin: MAX_NOISE_FRACTION.log2() - bound,
                reserve: self.model.reserve_bits_any(step.depth, &noise),
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
pub(crate) const fn centred(number: u64, t: u64) -> i64 {
    if number > t / 2 {
        number as i64 - t as i64
    } else {
        number as i64
    }
}
