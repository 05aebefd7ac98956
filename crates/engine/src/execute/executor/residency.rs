//! Which values are worth keeping at hand.

use crate::ir::program::encrypted;
use crate::{Operation, Schedule, Step, ValueId};

/// Waves without a use for which a value is put to rest.
const LONG: usize = 4;

/// Waves ahead of its next use at which a value at rest is expected.
const SOON: usize = 2;

/// What to tell the scheme at one time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Hints {
    /// Values that no wave uses for a while.
    pub idle: Vec<ValueId>,
    /// Values at rest that a wave will use soon.
    pub prefetch: Vec<ValueId>,
}

/// What to tell the scheme when.
pub(super) struct Residency {
    /// Before the first wave.
    pub before: Hints,
    /// After each wave, when what it was the last to use is freed.
    pub after: Vec<Hints>,
}

/// Works out when each value rests.
pub(super) fn residency(schedule: &Schedule) -> Residency {
    let mut times = vec![Hints::default(); schedule.waves.len() + 1];
    for (value, uses) in uses(schedule).iter().enumerate() {
        for pair in uses.windows(2) {
            let (last, next) = (pair[0], pair[1]);
            if next - last > LONG {
                times[last].idle.push(ValueId(value));
                times[next - SOON].prefetch.push(ValueId(value));
            }
        }
    }
    let mut times = times.into_iter();
    Residency {
        before: times.next().unwrap_or_default(),
        after: times.collect(),
    }
}

/// The waves that make or use each value, counted from 1, in order: 0 where it is an input, one more than there
/// are where it is an output.
fn uses(schedule: &Schedule) -> Vec<Vec<usize>> {
    let is_input = |step: &Step| matches!(step.operation, Operation::Input { .. });
    let inputs = schedule.steps.iter().map(is_input);
    let mut uses: Vec<Vec<usize>> = inputs.map(|input| vec![0; usize::from(input)]).collect();
    for (index, wave) in schedule.waves.iter().enumerate() {
        for value in &wave.steps {
            let operands = schedule.steps[value.0].operation.operands();
            operands.for_each(|operand| uses[operand.0].push(index + 1));
            uses[value.0].push(index + 1);
        }
    }
    for port in &schedule.outputs {
        for value in encrypted(std::slice::from_ref(&port.sources)) {
            uses[value.0].push(schedule.waves.len() + 1);
        }
    }
    uses
}
