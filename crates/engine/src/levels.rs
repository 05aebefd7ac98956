//! The level of every value.
//!
//! Noise only needs the bits it has used: a value whose noise has grown by the size of a limb can do
//! without one. A value of (relative) noise v may be switched to a level if the noise of switching
//! raises v by no more than a tolerance. Every operation runs at the lowest level at which this is so
//! for the noisier of its operands: the other one may then become as noisy without harm.
//!
//! Levels are chosen by what the noise would be if nothing was ever switched down. The tolerance says
//! how much is lost by each switch; what is lost altogether shows in the prediction for the plan.

use crate::predict::{NoiseId, Predictor};
use crate::program::{Operation, Program, ValueId};

/// The levels of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Levels {
    /// The level at which each value is made; for inputs, encrypted.
    pub made: Vec<usize>,
    /// The level at which encrypted outputs are returned.
    pub output: usize,
}

/// Bits below the limit that an output's noise may rise to when it is switched down at the end.
const OUTPUT_RESERVE: f64 = 4.0;

impl Levels {
    /// Chooses the levels of a program's values, `tolerance` being in bits of noise deviation.
    pub(crate) fn choose(program: &Program, predictor: &mut Predictor, tolerance: f64) -> Self {
        let noise = unswitched(program, predictor);
        let later = later_products(program);
        let lowest = |(noise, later): (&NoiseId, &u32)| predictor.lowest_level(*noise, *later, tolerance);
        let bearable: Vec<usize> = noise.iter().zip(&later).map(lowest).collect();
        let output = output_level(program, predictor, &noise);

        // From the outputs backwards: the highest level at which each value is needed.
        let mut made = vec![0; program.operations.len()];
        let need = |made: &mut [usize], value: ValueId, level: usize| {
            made[value.0] = made[value.0].max(level);
        };
        for value in program.encrypted_outputs() {
            need(&mut made, value, output);
        }
        let uses = uses(program);
        for (index, operation) in program.operations.iter().enumerate().rev() {
            let needed = made[index];
            let level = match operation {
                Operation::Input { .. } | Operation::Switch { .. } => needed.max(1),
                Operation::Product { left, right } => needed.max(product_level(&bearable, *left, *right)),
                // The operand's noise grows here, so it must not have been raised before.
                Operation::PlainProduct { operand, .. } => needed.max(bearable[operand.0]),
                // One switch after the sum instead of one for each product before it, where the
                // products are used nowhere else.
                Operation::Linear { terms, .. } => {
                    let products = terms.iter().filter_map(|term| match program.operations[term.0] {
                        Operation::Product { left, right } if uses[term.0] == 1 => {
                            Some(product_level(&bearable, left, right))
                        }
                        _ => None,
                    });
                    needed.max(products.min().unwrap_or(needed))
                }
            };
            made[index] = level;
            for operand in operation.operands() {
                need(&mut made, operand, level);
            }
        }
        Self { made, output }
    }
}

fn product_level(bearable: &[usize], left: ValueId, right: ValueId) -> usize {
    bearable[left.0].min(bearable[right.0])
}

/// The most products on a path from each value to an output.
fn later_products(program: &Program) -> Vec<u32> {
    let mut later = vec![0; program.operations.len()];
    for (index, operation) in program.operations.iter().enumerate().rev() {
        let own = later[index] + u32::from(matches!(operation, Operation::Product { .. }));
        for operand in operation.operands() {
            later[operand.0] = own.max(later[operand.0]);
        }
    }
    later
}

fn uses(program: &Program) -> Vec<usize> {
    let mut uses = vec![0; program.operations.len()];
    let operands = program.operations.iter().flat_map(Operation::operands);
    for value in operands.chain(program.encrypted_outputs()) {
        uses[value.0] += 1;
    }
    uses
}

/// The noise of each value if everything was done at the highest level.
pub(crate) fn unswitched(program: &Program, predictor: &mut Predictor) -> Vec<NoiseId> {
    let top = predictor.levels();
    let mut noise: Vec<NoiseId> = Vec::with_capacity(program.operations.len());
    for operation in &program.operations {
        let next = predictor.operation(operation, top, &noise);
        noise.push(next);
    }
    noise
}

/// The lowest level at which the noisiest output can be decrypted with some reserve; otherwise (if it
/// does not fit anyway) the lowest at which switching does no harm.
fn output_level(program: &Program, predictor: &mut Predictor, noise: &[NoiseId]) -> usize {
    let Some(worst) = predictor.worst(program.encrypted_outputs().map(|value| noise[value.0])) else {
        return 1;
    };
    let limit = predictor.limit() - OUTPUT_RESERVE;
    let top = predictor.levels();
    let fitting = (1..top).find(|level| {
        let switched = predictor.switch(worst, *level);
        predictor.bound(switched) <= limit
    });
    fitting.unwrap_or_else(|| predictor.lowest_level(worst, 0, 0.05))
}
