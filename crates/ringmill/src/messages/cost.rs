//! What a program over messages costs who evaluates it: work and memory of its steps, added up.

use ringmill_engine::{OperationCosts, Work};
use ringmill_expression::MessageOperation;
use ringmill_fv::FvError;

use super::MessagePlan;
use super::noise::Step;
use super::program_file::rows_in_batch;
use crate::calibration::calibration;
use crate::platform::Platform;
use crate::{Error, Observer};

/// What evaluation costs, predicted.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct MessageCosts {
    /// Seconds of a row where there are many, as each thread takes one; with reading and writing apart.
    pub seconds: f64,
    /// The threads that evaluate.
    pub threads: usize,
    /// Bytes of memory at most, with full batches.
    pub memory: u64,
}

impl MessagePlan {
    /// Predicts what evaluation costs on a platform, on all threads of the current pool. The platform's speed is measured
    /// unless it is known.
    ///
    /// # Errors
    /// If the device cannot be used, or fails.
    pub fn costs(&self, platform: &impl Platform, observer: &dyn Observer) -> Result<MessageCosts, Error> {
        let speed = calibration(platform, false, observer)?;
        let costs = OperationCosts::new(self.parameters(), self.galois_exponents().len())?;
        let threads = rayon::current_num_threads();
        let seconds = speed.seconds(&self.work(&costs), self.parameters().n());
        Ok(MessageCosts {
            seconds: seconds / threads as f64,
            threads,
            memory: self.memory(&costs, threads)?,
        })
    }

    /// Work of a row.
    fn work(&self, costs: &OperationCosts) -> Work {
        let operations = self.program().operations().iter().enumerate();
        let steps = operations.filter_map(|(place, operation)| Some((*operation, self.step(place)?)));
        let work = steps.fold(Work::default(), |sum, (operation, step)| {
            sum + self.step_work(costs, operation, step)
        });
        let outputs = self.program().outputs().iter().zip(self.planned_outputs());
        outputs.fold(work, |sum, (output, planned)| {
            let from = self.step(output.value).map_or(planned.level, |step| step.to);
            sum + switched(costs, from, planned.level)
        })
    }

    /// Work of a step, its operands brought to its level included.
    fn step_work(&self, costs: &OperationCosts, operation: MessageOperation, step: &Step) -> Work {
        let (at, to) = (step.level, step.to);
        let mut levels: Vec<(usize, usize)> = operation
            .operands()
            .into_iter()
            .filter_map(|operand| Some((operand, self.step(operand)?.to)))
            .collect();
        let encrypted = levels.len();
        // A square has one operand.
        levels.dedup();
        let switches = levels.iter().fold(Work::default(), |sum, (_, level)| {
            sum + switched(costs, *level, at)
        });
        switches
            + match operation {
                MessageOperation::Input(_) | MessageOperation::Constant(_) => Work::default(),
                MessageOperation::Multiply(..) if encrypted == 2 => costs.product(at, to),
                MessageOperation::Multiply(..) => costs.plain_product(at),
                MessageOperation::Add(..) | MessageOperation::Subtract(..) => {
                    costs.sum(2, encrypted == 1, at)
                }
                MessageOperation::Negate(_) => costs.sum(1, false, at),
                MessageOperation::Rotate(_, by) if self.rotation(by) == 1 => Work::default(),
                MessageOperation::Rotate(..) | MessageOperation::Swap(_) => costs.automorphism(at, to),
                MessageOperation::Sum(_) => {
                    let inner = costs.automorphism(at, at) * (self.sum_exponents().len() - 1) as f64;
                    inner + costs.automorphism(at, to)
                }
            }
    }

    /// Bytes of memory at most: keys and tables, a batch of inputs or of results, and what the rows in progress need.
    fn memory(&self, costs: &OperationCosts, threads: usize) -> Result<u64, FvError> {
        let top = self.parameters().levels();
        let private = self
            .program()
            .inputs()
            .iter()
            .filter(|input| !input.public)
            .count();
        let rows = rows_in_batch(self) as u64;
        let begun = rows.min(threads as u64);
        let inputs = private as u64 * costs.ciphertext_bytes(top);
        let results = self.planned_outputs().iter();
        let results: u64 = results.map(|output| costs.ciphertext_bytes(output.level)).sum();
        // Inputs are freed row by row, results come row by row, and a ciphertext is read or written as a whole.
        let batch = rows * inputs.max(results) + self.parameters().ciphertext_bytes(top, false)?;
        Ok(costs.fixed_bytes() + batch + begun * self.row_memory(costs))
    }

    /// The most bytes of a row's values and of the operation in progress.
    fn row_memory(&self, costs: &OperationCosts) -> u64 {
        let last_uses = self.program().last_uses();
        let bytes = |place: usize| match self.step(place) {
            Some(step) => costs.ciphertext_bytes(step.to),
            // Numbers in the clear, a word each.
            None => self.parameters().n() as u64 * 8,
        };
        let (mut alive, mut most) = (0, 0);
        for (place, operation) in self.program().operations().iter().enumerate() {
            let during = self
                .step(place)
                .map_or(0, |step| step_bytes(costs, *operation, step));
            alive += bytes(place);
            most = most.max(alive + during);
            let mut operands: Vec<usize> = operation.operands();
            operands.dedup();
            let spent = operands
                .into_iter()
                .filter(|operand| last_uses[*operand] == place);
            alive -= spent.map(bytes).sum::<u64>();
        }
        most
    }
}

/// Bytes that a step needs while it is computed, operands and result apart.
fn step_bytes(costs: &OperationCosts, operation: MessageOperation, step: &Step) -> u64 {
    match operation {
        MessageOperation::Input(_) | MessageOperation::Constant(_) => 0,
        MessageOperation::Multiply(..) => costs.product_bytes(step.level),
        MessageOperation::Rotate(..) | MessageOperation::Swap(_) | MessageOperation::Sum(_) => {
            costs.automorphism_bytes(step.level) + costs.ciphertext_bytes(step.level)
        }
        // Operands brought to the level.
        _ => 2 * costs.ciphertext_bytes(step.level),
    }
}

/// Work of bringing a ciphertext from one level to another; none where it is there.
fn switched(costs: &OperationCosts, from: usize, to: usize) -> Work {
    if from == to {
        Work::default()
    } else {
        costs.switch(from, to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::MessagePlanning;

    fn plan(program: &str) -> MessagePlan {
        MessagePlanning::new().plan(program).unwrap()
    }

    fn costs(plan: &MessagePlan) -> OperationCosts {
        OperationCosts::new(plan.parameters(), plan.galois_exponents().len()).unwrap()
    }

    /// A rotation transforms the ciphertext once and each of its digits, over q and P, and two sums over q P back.
    #[test]
    fn transforms_are_counted() {
        let plan = plan("r = rotate(a, 1)");
        let parameters = plan.parameters();
        let place = plan.program().outputs()[0].value;
        let limbs = parameters.limbs_at(plan.step(place).unwrap().level);
        let all = limbs + parameters.special().unwrap().len();
        let digits = parameters.digits_log2(plan.step(place).unwrap().level).len();
        let expected = limbs + digits * all + 2 * all;
        assert_eq!(plan.work(&costs(&plan)).transforms, expected as f64);
    }

    #[test]
    fn squares_are_switched_once_and_sums_have_many_rotations() {
        let work = |program: &str| {
            let plan = plan(program);
            plan.step_work(
                &costs(&plan),
                plan.program().operations()[plan.program().outputs()[0].value],
                plan.step(plan.program().outputs()[0].value).unwrap(),
            )
        };
        // The one operand of a square is made a factor of both sides.
        let (square, product) = (work("r = a * a"), work("r = a * b"));
        assert!(square.transforms == product.transforms && square.passes <= product.passes);
        let slots = plan("r = sum(a)").parameters().n();
        let (sum, swap) = (work("r = sum(a)").transforms, work("r = swap(a)").transforms);
        // log2 of the slots, at no lower level.
        assert!(sum >= swap * f64::from(slots.ilog2()), "{sum}, {swap}");
    }

    #[test]
    fn memory_holds_keys_and_a_batch() {
        let plan = plan("d = inner(a, b)");
        let memory = |threads| plan.memory(&costs(&plan), threads).unwrap();
        let rows = rows_in_batch(&plan) as u64;
        let words = 2 * plan.parameters().n() as u64 * plan.parameters().q().len() as u64;
        assert!(memory(1) > plan.traffic().unwrap().keys + rows * 2 * words * 8);
        assert_eq!(memory(3) - memory(1), 2 * plan.row_memory(&costs(&plan)));
    }
}
