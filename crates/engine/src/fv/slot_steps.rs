//! The automorphisms that lead through all slots.

use std::sync::Arc;

use ringmill_circuit::RecordGroup;
use ringmill_ring::{RingError, Rows, Slots};

use crate::ir::program::RecordMove;

/// Automorphisms that move the records of a batch, for rows of one slot: the steps of a [`RecordGroup`]. The units modulo
/// the powers of 2 are that group, because they move slots, and powers of 2 move none.
#[derive(Debug, Clone)]
pub(crate) struct SlotSteps {
    pub group: RecordGroup,
    pub steps: Vec<RecordMove>,
}

impl SlotSteps {
    /// Finds the steps in the slots of a ring.
    pub fn new(slots: &Slots) -> Result<Self, RingError> {
        let rows = Rows::new(slots, 1)?;
        let (units, mut steps, mut squares) = (slots.representatives(), Vec::new(), Vec::new());
        // Where the products of the steps so far lead slot 0, in the order of their numbers.
        let mut reached: Vec<usize> = vec![0];
        let mut candidates = units.iter();
        while reached.len() < slots.len() {
            let Some(unit) = candidates.next() else { break };
            let mut exponent = *unit;
            let mut permutation = slots.permutation(exponent)?;
            if reached.contains(&permutation[0]) {
                continue;
            }
            // The last power of this kind that is not reached yet has a square that is.
            let square = loop {
                let image = permutation[permutation[0]];
                if let Some(square) = reached.iter().position(|slot| *slot == image) {
                    break square;
                }
                exponent = slots.product(exponent, exponent);
                permutation = slots.permutation(exponent)?;
            };
            reached.extend(reached.clone().iter().map(|slot| permutation[*slot]));
            squares.push(square);
            steps.push(RecordMove {
                exponent,
                source: by_record(&rows, &permutation),
            });
        }
        let group = RecordGroup::new(squares).unwrap_or_default();
        Ok(Self { group, steps })
    }
}

/// A permutation of slots as one of records.
fn by_record(rows: &Rows, permutation: &[usize]) -> Arc<[u32]> {
    let mut records = vec![0; permutation.len()];
    for (record, slot) in (0..).zip(rows.slots()) {
        records[*slot as usize] = record;
    }
    let source = rows
        .slots()
        .iter()
        .map(|slot| records[permutation[*slot as usize]]);
    source.collect()
}

#[cfg(test)]
mod tests {
    use ringmill_arith::Simd;
    use ringmill_ring::FermatRing;

    use super::*;

    #[test]
    fn steps_lead_everywhere() {
        for n in [2048, 4096, 32768] {
            let slots = Slots::new(&FermatRing::new(n).unwrap(), Simd::Portable).unwrap();
            let steps = SlotSteps::new(&slots).unwrap();
            assert_eq!(
                (steps.group.order(), steps.steps.len()),
                (slots.len(), steps.group.steps())
            );
            let follow = |element: usize, record: usize| {
                let taken = steps.steps.iter().enumerate();
                let taken = taken.filter(|(step, _)| element >> step & 1 == 1);
                taken.fold(record, |record, (_, step)| step.source[record] as usize)
            };
            let mut reached: Vec<usize> = (0..steps.group.order())
                .map(|element| follow(element, 0))
                .collect();
            for step in 0..steps.group.steps() {
                let square = steps.group.product(1 << step, 1 << step);
                for record in 0..slots.len() {
                    let twice = follow(1 << step, follow(1 << step, record));
                    assert_eq!(twice, follow(square, record), "{n} {step}");
                }
            }
            reached.sort_unstable();
            assert_eq!(reached, (0..slots.len()).collect::<Vec<_>>());
        }
    }
}
