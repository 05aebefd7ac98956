//! The level of every value.
//!
//! Noise only needs the bits it has used: a value whose noise has grown by some bits can do with a
//! modulus that much smaller, and everything is cheaper there. In the BGV form it even must: products
//! square the noise w = q v, so that the smaller q is, the less v grows, until the rounding noise of
//! modulus switching is all there is.
//!
//! But not only noise in the mean counts. Where a factor's noise comes from earlier products, it is now and
//! then much larger than in the mean, and squaring it again and again makes it explode. So of a factor of
//! a product in the BGV form no more than a share may have been left by earlier products, the smaller the more
//! levels there are ([`NoiseModel::most_inherited`]); the rest is rounding
//! of modulus switching, which is new each time.
//!
//! Forwards, every operation that works on limbs (products, linear maps) gets the level `at` which it is
//! computed: the lowest at which its result is at most a tolerance noisier than at the best level.
//! Backwards, every value is made at the highest level at which it is needed.

use std::collections::HashMap;

use ringmill_fv::NoiseModel;

use crate::fv::predict::Predictor;
use crate::fv::product_form::ProductForm;
use crate::fv::rule::{NoiseId, Rule};
use crate::ir::id_hasher::BuildIdHasher;
use crate::ir::origins::Origins;
use crate::ir::program::{Operation, Program, ValueId};

/// The levels of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Levels {
    /// The level at which each value is computed, the operands' level.
    pub at: Vec<usize>,
    /// The level at which each value is made; for inputs, encrypted.
    pub made: Vec<usize>,
    /// The level at which encrypted outputs are returned.
    pub output: usize,
}

/// Bits below the limit that an output's noise may rise to when it is switched down at the end.
const OUTPUT_RESERVE: f64 = 4.0;

/// How many times smaller the share of inherited noise is that levels are chosen by than what it may be at most: values made
/// at other levels than they are first followed at have other shares.
const SHARE_MARGIN: f64 = 2.0;

/// Bits beyond the tolerance by which a result is worse than the best when the search for levels ends.
const SURELY_WORSE: f64 = 3.0;

/// Terms beyond which a sum is made at a higher level and switched down: the roundings by which its terms came
/// to their level add up otherwise, and products in the BGV form would square them.
const FEW_TERMS: usize = 4;

/// Bits that encrypting an input at a lower level may cost.
const INPUT_TOLERANCE: f64 = 0.1;

impl Levels {
    /// Chooses the levels of a program's values, `tolerance` being in bits of noise deviation.
    pub(crate) fn choose(program: &Program, predictor: &mut Predictor, tolerance: f64) -> Self {
        let forward = Forward::new(program, predictor, tolerance);
        let output = output_level(program, predictor, &forward);
        let mut made = vec![0; program.operations.len()];
        for value in program.encrypted_outputs() {
            made[value.0] = made[value.0].max(output);
        }
        let mut at = forward.at;
        for (index, operation) in program.operations.iter().enumerate().rev() {
            made[index] = made[index].max(1);
            match operation {
                Operation::Input { .. } => made[index] = input_level(predictor, made[index]),
                // The operand's noise grows here, and nothing is rescaled.
                Operation::PlainProduct { .. } => made[index] = at[index],
                Operation::Product { .. } | Operation::Map { .. } => {}
                Operation::Linear { terms, .. } => {
                    let bits = match terms.len() {
                        0..=FEW_TERMS => 0.0,
                        many => (many as f64).log2() + 1.0,
                    };
                    made[index] = predictor.above(made[index], at[index], bits);
                    at[index] = made[index];
                }
                Operation::Switch { .. } => at[index] = made[index],
            }
            for operand in operation.operands() {
                made[operand.0] = made[operand.0].max(at[index]);
            }
        }
        Self { at, made, output }
    }
}

/// What is found out forwards.
struct Forward {
    /// The level at which each value is computed; for sums the highest possible.
    at: Vec<usize>,
    /// The noise of each value at that level.
    noise: Vec<NoiseId>,
    /// The noise of each value at the level that was looked at last.
    switched: Vec<NoiseId>,
    origins: Origins,
    /// The share of a factor's noise power that may come from earlier products, in the BGV form.
    most_inherited: f64,
}

impl Forward {
    fn new(program: &Program, predictor: &mut Predictor, tolerance: f64) -> Self {
        let later = program.later_products();
        let mut forward = Self {
            at: Vec::with_capacity(program.operations.len()),
            noise: Vec::with_capacity(program.operations.len()),
            switched: Vec::with_capacity(program.operations.len()),
            origins: Origins::new(program.operations.iter(), predictor.related_inputs()),
            most_inherited: NoiseModel::most_inherited(program.depth() as usize, predictor.log2_failure())
                / SHARE_MARGIN,
        };
        let mut known: HashMap<(NoiseId, usize, u32), (usize, NoiseId), BuildIdHasher> = HashMap::default();
        for (operation, later) in program.operations.iter().zip(later) {
            let operands = operation.operands().map(|operand| forward.at[operand.0]);
            let most = operands.min().unwrap_or(predictor.levels());
            let (at, noise) = match operation {
                Operation::Input { .. } => (most, predictor.fresh(most)),
                Operation::Linear { .. } | Operation::Switch { .. } => {
                    (most, forward.at_level(predictor, operation, most))
                }
                Operation::Product { .. } | Operation::PlainProduct { .. } | Operation::Map { .. } => {
                    // Equal operations on equal noises are common: bits of one word.
                    let top = forward.at_level(predictor, operation, most);
                    let key = (top, most, later);
                    match known.get(&key) {
                        Some(found) => *found,
                        None => {
                            let found = forward.best(predictor, operation, (most, later), tolerance);
                            known.insert(key, found);
                            found
                        }
                    }
                }
            };
            forward.at.push(at);
            forward.noise.push(noise);
            forward.switched.push(noise);
        }
        forward
    }

    /// The noise of an operation's result if it is computed at a level.
    fn at_level(&mut self, predictor: &mut Predictor, operation: &Operation, level: usize) -> NoiseId {
        for operand in operation.operands() {
            self.switched[operand.0] = if self.at[operand.0] == level {
                self.noise[operand.0]
            } else {
                predictor.switch(self.noise[operand.0], level)
            };
        }
        let noise = |operand: ValueId| self.switched[operand.0];
        predictor.rule(Rule::new(operation, (level, level), &self.origins, noise))
    }

    /// Whether the noise of an operation's factors at a level is mostly the rounding of switching to it.
    fn is_tame(&self, predictor: &mut Predictor, operation: &Operation, level: usize) -> bool {
        let (Operation::Product { pairs, .. }, ProductForm::Bgv) = (operation, predictor.form()) else {
            return true;
        };
        let mut factors = pairs.iter().flat_map(|(a, b)| [*a, *b]);
        factors.all(|factor| {
            let noise = if self.at[factor.0] == level {
                self.noise[factor.0]
            } else {
                predictor.switch(self.noise[factor.0], level)
            };
            predictor.inherited(noise, level) <= self.most_inherited
        })
    }

    /// The lowest level at which the result is about as good as at the best one.
    ///
    /// From the highest level down the result first gets better or stays as it is, then worse.
    fn best(
        &mut self,
        predictor: &mut Predictor,
        operation: &Operation,
        (most, later): (usize, u32),
        tolerance: f64,
    ) -> (usize, NoiseId) {
        let mut results: Vec<(usize, NoiseId, f64)> = Vec::new();
        let mut least = f64::INFINITY;
        for level in (1..=most).rev() {
            if !self.is_tame(predictor, operation, level) {
                continue;
            }
            let noise = self.at_level(predictor, operation, level);
            let weight = predictor.weight(noise, later);
            results.push((level, noise, weight));
            least = least.min(weight);
            if weight > least + tolerance + SURELY_WORSE {
                break;
            }
        }
        let good = results.iter().rev().find(|result| result.2 <= least + tolerance);
        match good {
            Some((level, noise, _)) => (*level, *noise),
            None => (most, self.at_level(predictor, operation, most)),
        }
    }
}

/// The lowest level at which an input can be encrypted that is needed at some level: a fresh encryption
/// is noisier than the rounding that switching it down from a higher level leaves.
fn input_level(predictor: &mut Predictor, needed: usize) -> usize {
    let top = predictor.levels();
    if needed >= top {
        return top;
    }
    let mut at = |level| {
        let fresh = predictor.fresh(level);
        let noise = if level == needed {
            fresh
        } else {
            predictor.switch(fresh, needed)
        };
        predictor.weight(noise, 1)
    };
    let best = at(top);
    (needed..top)
        .find(|level| at(*level) <= best + INPUT_TOLERANCE)
        .unwrap_or(top)
}

/// The lowest level at which the noisiest output can be decrypted with some reserve; otherwise (if it
/// does not fit anyway) the highest at which all are there.
fn output_level(program: &Program, predictor: &mut Predictor, forward: &Forward) -> usize {
    let noises = program.encrypted_outputs().map(|value| forward.noise[value.0]);
    let Some(worst) = predictor.worst(noises) else {
        return 1;
    };
    let levels = program.encrypted_outputs().map(|value| forward.at[value.0]);
    let top = levels.min().unwrap_or(1);
    let fitting = (1..top).find(|level| {
        let switched = predictor.switch(worst, *level);
        let returned = predictor.returned(switched, *level);
        // As much as is kept of the noise before it is switched, which is spread less evenly over the roots.
        let reserve = predictor.reserve(program.depth(), forward.most_inherited, Some(worst));
        predictor.bound(returned) <= predictor.limit() - reserve - OUTPUT_RESERVE
            && predictor.lacks_further(program.depth(), Some((switched, *level))) <= -OUTPUT_RESERVE
    });
    fitting.unwrap_or(top)
}

#[cfg(test)]
mod tests;
