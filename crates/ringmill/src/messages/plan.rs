//! A program over messages with its parameters: what all parties agree on.

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::Arc;

use ringmill_arith::prime::is_prime;
use ringmill_expression::{MessageOperation, MessageProgram, Slots};
use ringmill_format::Access;
use ringmill_fv::{FvError, Parameters, RingKind};

use super::noise::{PlannedOutput, Step, follow};
use super::program_file::write_program;
use crate::{Error, Output};

/// Generates, with -1, the units modulo 2n: x -> x^3 rotates both halves by one slot to the left.
const GENERATOR: u64 = 3;

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
        let (steps, outputs) = follow(&program, &parameters);
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
            half: self.parameters.n() / 2,
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

    /// The exponent that rotates both halves by so many slots to the left; 1 where that is no rotation.
    pub(super) fn rotation(&self, by: i32) -> u64 {
        let (half, order) = (self.slots().half as i64, 2 * self.parameters.n() as u64);
        let by = i64::from(by).rem_euclid(half);
        (0..by).fold(1, |power, _| power * GENERATOR % order)
    }

    /// The exponent that exchanges the halves.
    pub(super) fn swap(&self) -> u64 {
        2 * self.parameters.n() as u64 - 1
    }

    /// The exponents after each of which the sum of a value and its image is taken: in the end every slot has the sum of
    /// all.
    pub(super) fn sum_exponents(&self) -> Vec<u64> {
        let order = 2 * self.parameters.n() as u64;
        let steps = self.slots().half.ilog2() as usize;
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

    pub(super) fn step(&self, operation: usize) -> Option<&Step> {
        self.steps.get(operation)?.as_ref()
    }

    pub(super) fn planned_outputs(&self) -> &[PlannedOutput] {
        &self.outputs
    }
}
