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

#[cfg(test)]
mod tests {
    use ringmill_circuit::{Builder, ByteMap, Circuit, Visibility};
    use ringmill_fv::SecurityLevel;

    use super::*;
    use crate::Planner;

    /// Two maps of each of some bytes, one of which is used as a factor.
    fn circuit(bytes: usize) -> Circuit {
        let mut builder = Builder::new();
        let inputs = builder.input_rows("x", Visibility::Private, bytes, 1);
        let mut outputs = Vec::new();
        for (index, byte) in inputs.iter().enumerate() {
            let maps = [1, 2].map(|times| ByteMap::of(|x| x.rotate_left(times)));
            let [first, second] = maps.map(|map| builder.bytewise(*byte, map).unwrap());
            outputs.push(builder.and(first, inputs[(index + 1) % bytes]));
            outputs.push(second);
        }
        builder.output_rows("y", &outputs);
        builder.finish().unwrap()
    }

    fn operands(schedule: &Schedule, value: ValueId) -> Option<Vec<ValueId>> {
        match &schedule.steps[value.0].operation {
            Operation::Map { images, .. } => Some(images.iter().map(|(operand, _)| *operand).collect()),
            _ => None,
        }
    }

    #[test]
    fn maps_of_the_same_operands_stay_together_and_others_join_them() {
        const BYTES: usize = 12;
        let plan = Planner::new(SecurityLevel::Bits128)
            .plan(&circuit(BYTES))
            .unwrap();
        let schedule = plan.schedule();
        for threads in [1, 2, 5, 64] {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            for wave in &schedule.waves {
                let tasks = pool.install(|| tasks(schedule, wave, 4));
                let mut done: Vec<ValueId> = tasks.concat();
                let mut wanted = wave.steps.clone();
                done.sort_unstable();
                wanted.sort_unstable();
                assert_eq!(done, wanted, "each step once");
                let maps = wave
                    .steps
                    .iter()
                    .filter(|step| operands(schedule, **step).is_some())
                    .count();
                let share = maps.div_ceil(threads).max(1);
                let mut task_of = HashMap::new();
                for (index, task) in tasks.iter().enumerate() {
                    let of_task: Vec<_> = task.iter().filter_map(|step| operands(schedule, *step)).collect();
                    let different: std::collections::HashSet<_> = of_task.iter().collect();
                    assert!(
                        of_task.is_empty() || of_task.len() == task.len(),
                        "maps with others"
                    );
                    assert!(
                        of_task.len() <= share || different.len() == 1,
                        "{threads} threads"
                    );
                    for operands in of_task {
                        assert_eq!(
                            *task_of.entry(operands).or_insert(index),
                            index,
                            "images made twice"
                        );
                    }
                }
            }
        }
        let maps = |wave: &&Wave| {
            wave.steps
                .iter()
                .filter(|step| operands(schedule, **step).is_some())
                .count()
        };
        let largest = schedule.waves.iter().max_by_key(maps).unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let alone = pool.install(|| tasks(schedule, largest, 4));
        let longest = alone.iter().map(|task| {
            task.iter()
                .filter(|step| operands(schedule, **step).is_some())
                .count()
        });
        assert!(
            longest.max().unwrap() > 2,
            "maps of different operands are made together"
        );
    }
}
