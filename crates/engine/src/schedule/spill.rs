//! Which values are put aside into a file where memory does not suffice.

use std::collections::BTreeSet;

use crate::ir::program::{OutputSource, ValueId, encrypted};
use crate::schedule::memory::{Conditions, Loading, Sizes, Walk};
use crate::schedule::order::Wave;
use crate::schedule::steps::Step;

/// The waves with the values that have to be put aside so that memory keeps to a limit, and brought again before
/// their next use: those go that are not used for longest (Belady). Where even that does not suffice the waves need
/// more, but no more than they must. With the most that they need.
pub(crate) fn spill(
    steps: &[Step],
    outputs: &[Vec<OutputSource>],
    mut waves: Vec<Wave>,
    sizes: &impl Sizes,
    (conditions, limit): (Conditions, u64),
) -> (Vec<Wave>, u64) {
    let uses = uses(steps, outputs, &waves);
    let mut walk = Walk::new(steps, sizes, conditions);
    let mut next = vec![0; steps.len()];
    let mut most = walk.total(0);
    let mut idle: BTreeSet<(usize, ValueId)> = BTreeSet::new();
    let next_use = |next: &[usize], value: ValueId| uses[value.0].get(next[value.0]).copied();
    if conditions.loading == Loading::AtOnce {
        let inputs = (0..steps.len()).map(ValueId).filter(|value| walk.is_here(*value));
        idle.extend(inputs.filter_map(|value| Some((next_use(&next, value)?, value))));
    }
    for (index, wave) in waves.iter_mut().enumerate() {
        let used = used(steps, wave);
        let made: BTreeSet<ValueId> = wave.steps.iter().copied().collect();
        for value in &used {
            idle.remove(&(index, *value));
        }
        let first: BTreeSet<ValueId> = wave.brought.iter().copied().collect();
        let absent =
            |value: &&ValueId| !walk.is_here(**value) && !made.contains(value) && !first.contains(value);
        wave.brought.extend(used.iter().filter(absent));
        walk.begin(wave);
        let workspace = walk.workspace(wave);
        while walk.total(workspace) > limit
            && let Some((_, value)) = idle.pop_last()
        {
            walk.put_aside(value);
            wave.aside.push(value);
        }
        most = most.max(walk.total(workspace));
        walk.end(wave);
        for value in used {
            next[value.0] += 1;
            if let Some(next) = next_use(&next, value) {
                idle.insert((next, value));
            }
        }
    }
    encrypted(outputs).for_each(|output| walk.bring(output));
    (waves, most.max(walk.total(0)))
}

/// The operands of a wave's steps and what they make.
fn used(steps: &[Step], wave: &Wave) -> BTreeSet<ValueId> {
    let made = wave.steps.iter();
    made.flat_map(|value| steps[value.0].operation.operands().chain([*value]))
        .collect()
}

/// The waves that make or use each value; an output is used after all of them.
fn uses(steps: &[Step], outputs: &[Vec<OutputSource>], waves: &[Wave]) -> Vec<Vec<usize>> {
    let mut uses = vec![Vec::new(); steps.len()];
    for (index, wave) in waves.iter().enumerate() {
        used(steps, wave)
            .iter()
            .for_each(|value| uses[value.0].push(index));
    }
    let wanted: BTreeSet<ValueId> = encrypted(outputs).collect();
    wanted.iter().for_each(|value| uses[value.0].push(waves.len()));
    uses
}
