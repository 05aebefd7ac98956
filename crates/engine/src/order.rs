//! The order of steps: waves of steps that are independent of each other.

use crate::program::{Operation, OutputSource, ValueId, encrypted};
use crate::steps::Step;

/// Steps that may run at the same time, and what may be freed after them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wave {
    /// Values to be lifted before the steps run, for their products.
    pub lifts: Vec<ValueId>,
    /// The steps, by the values that they make; the costliest first.
    pub steps: Vec<ValueId>,
    /// Lifted values that are not needed after this wave. Others stay for the next one.
    pub spent_lifts: Vec<ValueId>,
    /// Values that nothing needs after this wave.
    pub spent: Vec<ValueId>,
}

/// When a step runs that need not run at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Urgency {
    /// As soon as its operands are there.
    Soon,
    /// Just before its result is needed.
    Late,
}

/// Orders steps into waves.
///
/// `most_products` limits the products of a wave, and so how many operands are lifted at a time.
pub(crate) fn order(
    steps: &[Step],
    outputs: &[Vec<OutputSource>],
    urgency: Urgency,
    most_products: usize,
) -> Vec<Wave> {
    let waves = match urgency {
        Urgency::Soon => soon(steps),
        Urgency::Late => late(steps),
    };
    let mut waves: Vec<Wave> = waves
        .into_iter()
        .flat_map(|wave| split(steps, wave, most_products.max(1)))
        .map(|mut wave| {
            wave.sort_by(|a, b| steps[b.0].cost.total_cmp(&steps[a.0].cost));
            Wave {
                steps: wave,
                ..Wave::default()
            }
        })
        .collect();
    free(steps, outputs, &mut waves);
    lift(steps, &mut waves);
    waves
}

fn is_input(step: &Step) -> bool {
    matches!(step.operation, Operation::Input { .. })
}

/// The steps by the length of the longest path from an input, without inputs.
fn soon(steps: &[Step]) -> Vec<Vec<ValueId>> {
    let mut position = vec![0; steps.len()];
    for (index, step) in steps.iter().enumerate() {
        let operands = step.operation.operands().map(|operand| position[operand.0]);
        position[index] = operands.max().unwrap_or(0) + usize::from(!is_input(step));
    }
    collect(steps, |index| position[index])
}

/// The steps by the length of the longest path to an output, the longest first, without inputs.
fn late(steps: &[Step]) -> Vec<Vec<ValueId>> {
    let mut remaining = vec![0; steps.len()];
    for (index, step) in steps.iter().enumerate().rev() {
        for operand in step.operation.operands() {
            remaining[operand.0] = remaining[operand.0].max(remaining[index] + 1);
        }
    }
    let longest = remaining.iter().copied().max().unwrap_or(0);
    collect(steps, |index| longest - remaining[index])
}

fn collect(steps: &[Step], position: impl Fn(usize) -> usize) -> Vec<Vec<ValueId>> {
    let mut waves: Vec<Vec<ValueId>> = Vec::new();
    for (index, _) in steps.iter().enumerate().filter(|(_, step)| !is_input(step)) {
        let position = position(index);
        if waves.len() <= position {
            waves.resize_with(position + 1, Vec::new);
        }
        waves[position].push(ValueId(index));
    }
    waves.retain(|wave| !wave.is_empty());
    waves
}

/// Cuts a wave with too many products into several, in the order of the circuit, so that products of
/// the same operands mostly stay together. The other steps go with the first.
fn split(steps: &[Step], wave: Vec<ValueId>, most_products: usize) -> Vec<Vec<ValueId>> {
    let is_product = |value: &ValueId| matches!(steps[value.0].operation, Operation::Product { .. });
    let (products, mut others): (Vec<_>, Vec<_>) = wave.into_iter().partition(is_product);
    let mut parts: Vec<Vec<ValueId>> = products.chunks(most_products).map(<[_]>::to_vec).collect();
    match parts.first_mut() {
        Some(first) => first.append(&mut others),
        None => parts.push(others),
    }
    parts
}

/// Notes which values die with each wave.
fn free(steps: &[Step], outputs: &[Vec<OutputSource>], waves: &mut [Wave]) {
    let mut kept = vec![false; steps.len()];
    for value in encrypted(outputs) {
        kept[value.0] = true;
    }
    for wave in waves.iter_mut().rev() {
        for value in wave
            .steps
            .iter()
            .flat_map(|value| steps[value.0].operation.operands())
        {
            if !std::mem::replace(&mut kept[value.0], true) {
                wave.spent.push(value);
            }
        }
    }
}

/// Notes which values are lifted with each wave and when the lifted forms die.
fn lift(steps: &[Step], waves: &mut [Wave]) {
    let lifted = |wave: &Wave| {
        let mut values: Vec<ValueId> = Vec::new();
        for value in &wave.steps {
            if let Operation::Product { left, right } = steps[value.0].operation {
                values.extend([left, right]);
            }
        }
        values.sort_unstable();
        values.dedup();
        values
    };
    let needed: Vec<Vec<ValueId>> = waves.iter().map(lifted).collect();
    for (index, wave) in waves.iter_mut().enumerate() {
        let lacking = |other: Option<usize>| {
            let other = other.and_then(|other| needed.get(other));
            let values = needed[index].iter().copied();
            values
                .filter(|value| other.is_none_or(|other| other.binary_search(value).is_err()))
                .collect()
        };
        wave.lifts = lacking(index.checked_sub(1));
        wave.spent_lifts = lacking(Some(index + 1));
    }
}
