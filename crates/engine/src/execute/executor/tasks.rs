//! The work that one thread does at a time.

use std::collections::HashMap;
use std::hash::Hash;

use crate::{Operation, Schedule, ValueId, Wave};

/// How a scheme wants products: so many together, by so many threads.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grouping {
    pub together: usize,
    pub workers: usize,
}

impl Grouping {
    /// The most of so many that one thread makes together: no more than leave something for every worker.
    fn most(self, count: usize) -> usize {
        let share = count.div_ceil(self.workers.max(1)).max(1);
        self.together.clamp(1, share)
    }
}

/// What makes steps belong together.
#[derive(PartialEq, Eq, Hash)]
enum Group {
    /// Products of one level that go to one level.
    Products(usize, usize),
    /// Linear maps of the same operands: they read the same rotations.
    Maps(Vec<ValueId>),
    /// Nothing: one step alone.
    Alone(ValueId),
}

/// The steps of a wave, those together that are made together: linear maps of the same operands, and products of one
/// level. If fewer threads make products than there are, products come first, and the second result is the number of
/// their tasks; otherwise the order is the wave's, and it is the number of all tasks.
pub(super) fn tasks(schedule: &Schedule, wave: &Wave, grouping: Grouping) -> (Vec<Vec<ValueId>>, usize) {
    let is_product = |value: &ValueId| {
        let operation = &schedule.steps[value.0].operation;
        matches!(operation, Operation::Product { .. })
    };
    let products = wave.steps.iter().filter(|value| is_product(value)).count();
    let group = |value: &ValueId| {
        let step = &schedule.steps[value.0];
        match &step.operation {
            Operation::Product { .. } => (Group::Products(step.at, step.level), grouping.most(products)),
            Operation::Map { images, .. } => {
                let mut operands: Vec<ValueId> = images.iter().map(|(operand, _)| *operand).collect();
                operands.sort_unstable();
                (Group::Maps(operands), usize::MAX)
            }
            _ => (Group::Alone(*value), 1),
        }
    };
    let mut tasks = grouped(&wave.steps, group);
    if grouping.workers >= rayon::current_num_threads() {
        let all = tasks.len();
        return (tasks, all);
    }
    tasks.sort_by_key(|task| !task.first().is_some_and(is_product));
    let few = tasks.iter().filter(|task| task.first().is_some_and(is_product));
    let few = few.count();
    (tasks, few)
}

/// The factors that a wave makes, those of one level together.
pub(super) fn factors(schedule: &Schedule, wave: &Wave, grouping: Grouping) -> Vec<Vec<ValueId>> {
    let most = grouping.most(wave.factors.len());
    grouped(&wave.factors, |value| (schedule.steps[value.0].level, most))
}

/// Values in the groups that a function tells, with the most of a group.
fn grouped<G: Eq + Hash>(values: &[ValueId], group: impl Fn(&ValueId) -> (G, usize)) -> Vec<Vec<ValueId>> {
    let mut groups: Vec<Vec<ValueId>> = Vec::new();
    let mut open: HashMap<G, usize> = HashMap::new();
    for value in values {
        let (key, most) = group(value);
        match open
            .get(&key)
            .copied()
            .filter(|index| groups[*index].len() < most)
        {
            Some(index) => groups[index].push(*value),
            None => {
                open.insert(key, groups.len());
                groups.push(vec![*value]);
            }
        }
    }
    groups
}
