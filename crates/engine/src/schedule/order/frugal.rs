//! An order that keeps few values alive.

use std::collections::BTreeSet;

use super::{Most, is_input, mapped};
use crate::ir::program::{OutputSource, ValueId, encrypted, products};
use crate::schedule::steps::Step;

/// The steps, without inputs, in waves of steps that do not depend on each other.
///
/// A step that frees as many bytes as it takes runs as soon as it can. Otherwise the next one runs in the order in
/// which a walk from the outputs down to the inputs leaves them: nothing new begins before what has begun is done.
pub(super) fn frugal(
    steps: &[Step],
    outputs: &[Vec<OutputSource>],
    bytes: impl Fn(usize) -> u64,
    most: Most,
) -> Vec<Vec<ValueId>> {
    let bytes = steps.iter().map(|step| bytes(step.level)).collect();
    let mut list = List::new(steps, outputs, bytes);
    let mut waves = Vec::new();
    while !list.ready.is_empty() {
        let mut room = Room {
            left: most,
            mapped: BTreeSet::new(),
        };
        let mut wave = Vec::new();
        while wave.len() < most.products
            && let Some(next) = list.next()
            && (room.take(&steps[next]) || wave.is_empty())
        {
            list.begin(next);
            wave.push(ValueId(next));
        }
        list.finish(&wave);
        waves.push(wave);
    }
    waves
}

/// What there is room for in a wave.
struct Room {
    left: Most,
    mapped: BTreeSet<ValueId>,
}

impl Room {
    /// Takes the room that a step needs; false if there is less.
    fn take(&mut self, step: &Step) -> bool {
        let products = products(&step.operation);
        let operands = mapped(&step.operation).into_iter();
        let new = operands.filter(|operand| self.mapped.insert(*operand)).count();
        let fits = products <= self.left.products && new <= self.left.mapped;
        self.left.products = self.left.products.saturating_sub(products);
        self.left.mapped = self.left.mapped.saturating_sub(new);
        fits
    }
}

/// When a step runs among those that can: the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Turn {
    /// Whether it takes more bytes than it frees.
    grows: bool,
    /// Its place in the walk from the outputs.
    place: usize,
}

/// A list of the steps that can run.
struct List {
    operands: Vec<Vec<usize>>,
    users: Vec<Vec<usize>>,
    bytes: Vec<u64>,
    place: Vec<usize>,
    /// Uses of a value to come; an output has one more.
    uses: Vec<usize>,
    /// Operands of a step that are not made yet.
    missing: Vec<usize>,
    turns: Vec<Option<Turn>>,
    ready: BTreeSet<(Turn, usize)>,
}

impl List {
    fn new(steps: &[Step], outputs: &[Vec<OutputSource>], bytes: Vec<u64>) -> Self {
        let mut users = vec![Vec::new(); steps.len()];
        let mut operands = Vec::with_capacity(steps.len());
        let paths = log2_paths(steps);
        for (index, step) in steps.iter().enumerate() {
            let mut own: Vec<usize> = step.operation.operands().map(ValueId::index).collect();
            own.sort_unstable();
            own.dedup();
            // What takes most to make first: the rest, such as keys of late rounds, is made when it is needed.
            own.sort_by(|a, b| paths[*b].total_cmp(&paths[*a]));
            own.iter().for_each(|operand| users[*operand].push(index));
            operands.push(own);
        }
        let mut uses: Vec<usize> = users.iter().map(Vec::len).collect();
        let wanted: BTreeSet<usize> = encrypted(outputs).map(ValueId::index).collect();
        wanted.iter().for_each(|output| uses[*output] += 1);
        let made = |operand: &&usize| !is_input(&steps[**operand]);
        let missing: Vec<usize> = operands
            .iter()
            .map(|own| own.iter().filter(made).count())
            .collect();
        let mut list = Self {
            place: walk(&operands, encrypted(outputs).map(ValueId::index)),
            operands,
            users,
            bytes,
            uses,
            missing,
            turns: vec![None; steps.len()],
            ready: BTreeSet::new(),
        };
        for (index, step) in steps.iter().enumerate() {
            if !is_input(step) && list.missing[index] == 0 {
                list.place_again(index);
            }
        }
        list
    }

    /// The step whose turn it is.
    fn next(&self) -> Option<usize> {
        self.ready.first().map(|(_, step)| *step)
    }

    /// Takes a step off the list.
    fn begin(&mut self, step: usize) {
        if let Some(turn) = self.turns[step].take() {
            self.ready.remove(&(turn, step));
        }
        let operands = std::mem::take(&mut self.operands[step]);
        for operand in &operands {
            self.uses[*operand] -= 1;
        }
        // What their other users free is another now.
        for operand in operands {
            for user in std::mem::take(&mut self.users[operand]) {
                if user != step {
                    self.users[operand].push(user);
                    if self.turns[user].is_some() {
                        self.place_again(user);
                    }
                }
            }
        }
    }

    /// Notes that steps are done, and which can run now.
    fn finish(&mut self, wave: &[ValueId]) {
        for value in wave {
            for user in self.users[value.0].clone() {
                self.missing[user] -= 1;
                if self.missing[user] == 0 {
                    self.place_again(user);
                }
            }
        }
    }

    /// Puts a step where it belongs among those that can run.
    fn place_again(&mut self, step: usize) {
        let turn = Turn {
            grows: self.bytes[step] > self.freed(step),
            place: self.place[step],
        };
        if let Some(before) = self.turns[step].replace(turn) {
            self.ready.remove(&(before, step));
        }
        self.ready.insert((turn, step));
    }

    /// Bytes of the operands that a step is the last to use.
    fn freed(&self, step: usize) -> u64 {
        let operands = self.operands[step].iter();
        let last = operands.filter(|operand| self.uses[**operand] == 1);
        last.map(|operand| self.bytes[*operand]).sum()
    }
}

/// log2 of the number of ways down from each value to an input.
fn log2_paths(steps: &[Step]) -> Vec<f64> {
    let mut paths: Vec<f64> = Vec::with_capacity(steps.len());
    for step in steps {
        let below: Vec<f64> = step
            .operation
            .operands()
            .map(|operand| paths[operand.0])
            .collect();
        let most = below.iter().copied().fold(0.0, f64::max);
        let sum: f64 = below.iter().map(|paths| (paths - most).exp2()).sum();
        paths.push(if below.is_empty() { 0.0 } else { most + sum.log2() });
    }
    paths
}

/// The place of each value in the order in which a walk from the outputs leaves them: operands before what is made
/// of them.
fn walk(operands: &[Vec<usize>], outputs: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut place = vec![usize::MAX; operands.len()];
    let mut seen = vec![false; operands.len()];
    let mut count = 0;
    for output in outputs {
        // Values on the way down, and how many of their operands were entered.
        let mut path = vec![(output, 0)];
        while let Some((value, entered)) = path.pop() {
            if entered == 0 && std::mem::replace(&mut seen[value], true) {
                continue;
            }
            match operands[value].get(entered) {
                Some(operand) => path.extend([(value, entered + 1), (*operand, 0)]),
                None => {
                    place[value] = count;
                    count += 1;
                }
            }
        }
    }
    place
}
