//! The work that one thread does at a time.

use std::collections::HashMap;

use crate::{Operation, Schedule, ValueId, Wave};

/// What makes steps belong together.
#[derive(PartialEq, Eq, Hash)]
enum Group {
    /// Products of one level that go to one level.
    Products(usize, usize),
    /// Linear maps of the same operands: they need the same images.
    Maps(Vec<ValueId>),
}

/// The steps of a wave, those together that are made together: linear maps of the same operands, and up to
/// `together` products of one level, but no more than leave something for every thread; as far as they leave that, also
/// linear maps of other operands of their level, which read the same keys.
pub(super) fn tasks(schedule: &Schedule, wave: &Wave, together: usize) -> Vec<Vec<ValueId>> {
    let operation = |value: &ValueId| &schedule.steps[value.0].operation;
    let is_product = |value: &&ValueId| matches!(operation(value), Operation::Product { .. });
    let products = wave.steps.iter().filter(is_product).count();
    let is_map = |value: &&ValueId| matches!(operation(value), Operation::Map { .. });
    let maps = wave.steps.iter().filter(is_map).count();
    let share = |steps: usize| steps.div_ceil(rayon::current_num_threads()).max(1);
    let (most_products, most_maps) = (together.clamp(1, share(products)), share(maps));
    let mut tasks: Vec<Vec<ValueId>> = Vec::new();
    let mut open: HashMap<Group, usize> = HashMap::new();
    for value in &wave.steps {
        let step = &schedule.steps[value.0];
        let (group, most) = match &step.operation {
            Operation::Product { .. } => (Group::Products(step.at, step.level), most_products),
            Operation::Map { images, .. } => {
                let mut operands: Vec<ValueId> = images.iter().map(|(operand, _)| *operand).collect();
                operands.sort_unstable();
                (Group::Maps(operands), usize::MAX)
            }
            _ => {
                tasks.push(vec![*value]);
                continue;
            }
        };
        let task = open.get(&group).copied().filter(|task| tasks[*task].len() < most);
        match task {
            Some(task) => tasks[task].push(*value),
            None => {
                open.insert(group, tasks.len());
                tasks.push(vec![*value]);
            }
        }
    }
    with_joined_maps(schedule, tasks, most_maps)
}

/// The tasks, those of linear maps of one level joined up to so many maps.
fn with_joined_maps(schedule: &Schedule, tasks: Vec<Vec<ValueId>>, most: usize) -> Vec<Vec<ValueId>> {
    let mut joined: Vec<Vec<ValueId>> = Vec::with_capacity(tasks.len());
    // By level the task that others may join.
    let mut open: HashMap<usize, usize> = HashMap::new();
    for task in tasks {
        let step = task.first().map(|value| &schedule.steps[value.0]);
        if let Some(step) = step.filter(|step| matches!(step.operation, Operation::Map { .. })) {
            match open.get(&step.at) {
                Some(&place) if joined[place].len() + task.len() <= most => {
                    joined[place].extend(task);
                    continue;
                }
                _ => open.insert(step.at, joined.len()),
            };
        }
        joined.push(task);
    }
    joined
}
