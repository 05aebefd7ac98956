//! The order of steps: waves of steps that are independent of each other.

use std::collections::{BTreeSet, HashMap};

use crate::fv::slot_maps::SlotMaps;
use crate::ir::program::{Operation, OutputSource, ValueId, encrypted, products};
use crate::schedule::sides::Side;
use crate::schedule::steps::Step;
use frugal::frugal;

mod frugal;

/// Steps that may run at the same time, and what may be freed after them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wave {
    /// Values put aside into a file before anything else, for want of memory: none unless the planner may do so.
    pub aside: Vec<ValueId>,
    /// Values to be brought then: inputs that no earlier wave uses, and values that were put aside.
    pub brought: Vec<ValueId>,
    /// Values to be made factors before the steps run, for their products, and for which side of these.
    pub factors: Vec<(ValueId, Side)>,
    /// Values to be decomposed before the steps run, and the automorphisms of their linear maps (1: the
    /// identity, which alone needs no digits).
    pub rotations: Vec<(ValueId, Vec<u64>)>,
    /// The steps, by the values that they make; the costliest first.
    pub steps: Vec<ValueId>,
    /// Factors that are not needed after this wave. Others stay for the next one.
    pub spent_factors: Vec<(ValueId, Side)>,
    /// Values whose rotations are not needed after this wave. Others stay for the next one.
    pub spent_rotations: Vec<ValueId>,
    /// Values that nothing needs after this wave.
    pub spent: Vec<ValueId>,
}

/// The most that one wave makes ready, and so what is in memory at a time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Most {
    /// Products.
    pub products: usize,
    /// Operands of linear maps, which are decomposed; their images are not stored.
    pub mapped: usize,
}

/// When a step runs that need not run at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Urgency {
    /// As soon as its operands are there.
    Soon,
    /// Just before its result is needed.
    Late,
    /// When that keeps few values alive: waves are small.
    Frugal,
}

/// Orders steps into waves; `bytes` is what a ciphertext of a level takes.
pub(crate) fn order(
    steps: &[Step],
    maps: &SlotMaps,
    outputs: &[Vec<OutputSource>],
    bytes: impl Fn(usize) -> u64,
    urgency: Urgency,
    (most, sides): (Most, [Side; 2]),
) -> Vec<Wave> {
    let split = |waves: Vec<Vec<ValueId>>| {
        let parts = waves.into_iter().flat_map(|wave| split(steps, wave, most));
        parts.collect()
    };
    let waves: Vec<Vec<ValueId>> = match urgency {
        Urgency::Soon => split(soon(steps)),
        Urgency::Late => split(late(steps)),
        Urgency::Frugal => frugal(steps, outputs, bytes, most),
    };
    let mut waves: Vec<Wave> = waves
        .into_iter()
        .map(|mut wave| {
            wave.sort_by(|a, b| steps[b.0].cost.total_cmp(&steps[a.0].cost));
            Wave {
                steps: wave,
                ..Wave::default()
            }
        })
        .collect();
    bring(steps, &mut waves);
    free(steps, outputs, &mut waves);
    let (factors, spent_factors) = prepared(&waves, |value| sided(&steps[value.0].operation, sides));
    let (mapped, spent_rotations) = prepared(&waves, |value| mapped(&steps[value.0].operation));
    let exponents = rotations(steps, maps);
    for (index, wave) in waves.iter_mut().enumerate() {
        wave.factors.clone_from(&factors[index]);
        wave.spent_factors.clone_from(&spent_factors[index]);
        let with_exponents = |value: &ValueId| (*value, exponents[value.0].iter().copied().collect());
        wave.rotations = mapped[index].iter().map(with_exponents).collect();
        wave.spent_rotations.clone_from(&spent_rotations[index]);
    }
    waves
}

/// The factors of an operation's products.
fn factors(operation: &Operation) -> Vec<ValueId> {
    match operation {
        Operation::Product { pairs, .. } => pairs.iter().flat_map(|(a, b)| [*a, *b]).collect(),
        _ => Vec::new(),
    }
}

/// The same with their sides.
fn sided(operation: &Operation, sides: [Side; 2]) -> Vec<(ValueId, Side)> {
    let factors = factors(operation).into_iter();
    factors.zip(sides.into_iter().cycle()).collect()
}

/// The operands of an operation's linear maps.
fn mapped(operation: &Operation) -> Vec<ValueId> {
    match operation {
        Operation::Map { images, .. } => images.iter().map(|(operand, _)| *operand).collect(),
        _ => Vec::new(),
    }
}

/// The automorphisms that each value needs.
fn rotations(steps: &[Step], maps: &SlotMaps) -> Vec<BTreeSet<u64>> {
    let mut exponents = vec![BTreeSet::new(); steps.len()];
    for step in steps {
        if let Operation::Map { images, .. } = &step.operation {
            for (operand, map) in images {
                let terms = maps.terms(map.index()).iter();
                exponents[operand.0].extend(terms.map(|term| term.exponent));
            }
        }
    }
    exponents
}

/// Whether a step is an input, which no wave makes.
pub(crate) fn is_input(step: &Step) -> bool {
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

/// Cuts a wave with too many products or operands of maps into several, so that products of the same operands mostly stay
/// together. The other steps go with the first.
fn split(steps: &[Step], wave: Vec<ValueId>, most: Most) -> Vec<Vec<ValueId>> {
    let operation = |value: &ValueId| &steps[value.0].operation;
    let (multiplying, rest): (Vec<_>, Vec<_>) =
        wave.into_iter().partition(|value| products(operation(value)) > 0);
    let (mut mapping, others): (Vec<_>, Vec<_>) = rest
        .into_iter()
        .partition(|value| !mapped(operation(value)).is_empty());
    let mut parts = cut(chained(steps, multiplying), most.products, |value| {
        let pairs = products(operation(value));
        (0..pairs).map(|pair| (*value, pair as u64)).collect()
    });
    // Maps of the same operands next to each other.
    mapping.sort_by_key(|value| (mapped(operation(value)), *value));
    parts.extend(cut(mapping, most.mapped, |value| {
        let operands = mapped(operation(value)).into_iter();
        operands.map(|operand| (operand, 0)).collect()
    }));
    match parts.first_mut() {
        Some(first) => first.extend(others),
        None => parts.push(others),
    }
    parts
}

/// Products in an order in which neighbours share factors where they can: a shared one is still in cache, and waves that
/// are cut need fewer.
fn chained(steps: &[Step], products: Vec<ValueId>) -> Vec<ValueId> {
    // The first one last.
    let mut users: HashMap<ValueId, Vec<usize>> = HashMap::new();
    for (place, value) in products.iter().enumerate().rev() {
        for factor in factors(&steps[value.0].operation) {
            users.entry(factor).or_default().push(place);
        }
    }
    let mut taken = vec![false; products.len()];
    let mut chain = Vec::with_capacity(products.len());
    for first in 0..products.len() {
        let mut next = Some(first).filter(|first| !taken[*first]);
        while let Some(place) = next {
            taken[place] = true;
            chain.push(products[place]);
            let own = factors(&steps[products[place].0].operation);
            next = own.iter().find_map(|factor| left(users.get_mut(factor)?, &taken));
        }
    }
    chain
}

/// The last place that is not taken; those behind it are dropped, so that nobody looks at them again.
fn left(places: &mut Vec<usize>, taken: &[bool]) -> Option<usize> {
    while let Some(place) = places.last().copied() {
        if !taken[place] {
            return Some(place);
        }
        places.pop();
    }
    None
}

/// Cuts a list so that the different things needed by each part are at most so many, but for single
/// entries that need more.
fn cut(
    values: Vec<ValueId>,
    most: usize,
    needs: impl Fn(&ValueId) -> Vec<(ValueId, u64)>,
) -> Vec<Vec<ValueId>> {
    let mut parts: Vec<Vec<ValueId>> = Vec::new();
    let mut needed = BTreeSet::new();
    for value in values {
        let own = needs(&value);
        let new = own.iter().filter(|need| !needed.contains(*need)).count();
        match parts.last_mut() {
            Some(part) if needed.len() + new <= most => part.push(value),
            _ => {
                needed.clear();
                parts.push(vec![value]);
            }
        }
        needed.extend(own);
    }
    parts
}

/// Notes which inputs each wave is the first to use.
fn bring(steps: &[Step], waves: &mut [Wave]) {
    let mut there: Vec<bool> = steps.iter().map(|step| !is_input(step)).collect();
    for wave in waves {
        let values = wave.steps.iter();
        for operand in values.flat_map(|value| steps[value.0].operation.operands()) {
            if !std::mem::replace(&mut there[operand.0], true) {
                wave.brought.push(operand);
            }
        }
    }
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

/// For each wave the values to be made ready in some way before it, and those not needed so after it:
/// what two waves in a row need stays.
fn prepared<T: Ord + Copy>(
    waves: &[Wave],
    needed: impl Fn(&ValueId) -> Vec<T>,
) -> (Vec<Vec<T>>, Vec<Vec<T>>) {
    let needed: Vec<BTreeSet<T>> = waves
        .iter()
        .map(|wave| wave.steps.iter().flat_map(&needed).collect())
        .collect();
    let lacking = |index: usize, other: Option<usize>| {
        let other = other.and_then(|other| needed.get(other));
        let values = needed[index].iter().copied();
        values
            .filter(|value| other.is_none_or(|other| !other.contains(value)))
            .collect::<Vec<_>>()
    };
    let range = 0..waves.len();
    (
        range
            .clone()
            .map(|index| lacking(index, index.checked_sub(1)))
            .collect(),
        range.map(|index| lacking(index, Some(index + 1))).collect(),
    )
}

#[cfg(test)]
mod tests;
