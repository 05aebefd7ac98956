//! Schedules enumerated: banks, reads, gaps, cycles.

use super::{Pass, Place, Schedule, Slot, Work, even_bank};
use crate::Pipeline;
use crate::ntt_multiplier::Shape;
use std::collections::HashSet;

const PIPELINES: [Pipeline; 3] = [Pipeline::Shallow, Pipeline::Deep, Pipeline::Narrow];

fn shapes() -> Vec<Schedule> {
    let sizes = [
        (64, 2, 1),
        (64, 4, 1),
        (64, 16, 1),
        (128, 8, 2),
        (256, 16, 4),
        (512, 2, 1),
    ];
    let more = [
        (1024, 2, 2),
        (1024, 16, 4),
        (1024, 64, 4),
        (2048, 64, 4),
        (4096, 1024, 1),
    ];
    let shape = |(n, units, link): (usize, usize, usize)| Shape::new(n, units, link).unwrap();
    let small = sizes.map(shape).into_iter();
    let small = small.flat_map(|shape| PIPELINES.map(|pipeline| shape.with_pipeline(pipeline)));
    let more = more.map(shape).into_iter();
    let more = more.flat_map(|shape| [shape, shape.with_pipeline(Pipeline::Deep)]);
    small.chain(more).map(Schedule::new).collect()
}

/// The memories of a job, as the machine has them: both products use the same inverse transform. The first two are the
/// working memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Memory {
    Forward,
    Inverse,
    Input,
    Result,
}

impl Memory {
    fn is_working(self) -> bool {
        matches!(self, Self::Forward | Self::Inverse)
    }
}

/// What all units read in a cycle of a job, and the places that they write later.
struct Access {
    cycle: usize,
    from: Memory,
    to: Memory,
    reads: Vec<Place>,
    writes: Vec<Place>,
}

/// The accesses of a job. Every pass must read every index once, every slot every bank once.
fn accesses(schedule: &Schedule, passes: &[Pass]) -> Vec<Access> {
    let (shape, top) = (schedule.shape(), schedule.shape().log_n() - 1);
    let (mut accesses, mut turn) = (Vec::new(), 0);
    for pass in passes {
        turn += pass.gap;
        let (from, to) = match pass.work {
            Work::Forward if pass.bit == top => (Memory::Input, Memory::Forward),
            Work::Forward => (Memory::Forward, Memory::Forward),
            Work::Product(_) => (Memory::Forward, Memory::Inverse),
            Work::Inverse(_) if pass.bit + 1 == top => (Memory::Inverse, Memory::Result),
            Work::Inverse(_) => (Memory::Inverse, Memory::Inverse),
        };
        let mut seen = HashSet::new();
        for time in 0..shape.depth() {
            let slots: Vec<Slot> = schedule.slots(pass, time).collect();
            seen.extend(
                slots
                    .iter()
                    .flat_map(|slot| [slot.index, slot.index ^ 1 << pass.bit]),
            );
            let banks: HashSet<usize> = slots
                .iter()
                .flat_map(|slot| [slot.own.bank, slot.other.bank])
                .collect();
            assert_eq!(banks.len(), shape.banks());
            let ends = |slot: &Slot| match slot.reversed {
                true => [slot.other, slot.own],
                false => [slot.own, slot.other],
            };
            for part in 0..pass.turns_per_slot() {
                let writes = slots.iter().flat_map(|slot| match pass.work {
                    Work::Product(_) => vec![ends(slot)[part]],
                    _ => ends(slot).to_vec(),
                });
                accesses.push(Access {
                    cycle: turn * shape.threads(),
                    from,
                    to,
                    reads: slots.iter().flat_map(ends).collect(),
                    writes: writes.collect(),
                });
                turn += 1;
            }
        }
        assert_eq!(seen.len(), shape.n());
    }
    accesses
}

/// Runs jobs, each from its first cycle on. Returns the cycle after which the last result can be read, or the place
/// that is read too early. In no cycle may two jobs read, or write; no word may be replaced before it is read.
fn run(shape: Shape, jobs: &[(usize, &[Access])]) -> Result<usize, String> {
    // When each word of the working memory is written, and last read.
    let mut ready = vec![None; shape.threads() * 2 * shape.n()];
    let mut read = vec![0; ready.len()];
    let (mut cycles, mut end) = (HashSet::new(), 0);
    for (start, accesses) in jobs {
        let word = |memory: Memory, place: &Place| {
            let region = start % shape.threads() * 2 + memory as usize;
            (region * shape.banks() + place.bank) * shape.depth() + place.address
        };
        for access in *accesses {
            let now = start + access.cycle;
            assert!(cycles.insert(now), "two slots are read in cycle {now}");
            for place in access.reads.iter().filter(|_| access.from.is_working()) {
                let word = word(access.from, place);
                if ready[word].is_none_or(|ready| ready > now) {
                    return Err(format!("{place:?} is read at {now}, ready at {:?}", ready[word]));
                }
                read[word] = now;
            }
            end = now + shape.latency();
            for place in access.writes.iter().filter(|_| access.to.is_working()) {
                let word = word(access.to, place);
                assert!(read[word] < end, "{place:?} is written at {end}");
                ready[word] = Some(end);
            }
        }
    }
    Ok(end)
}

/// The cycles of one job.
fn run_alone(schedule: &Schedule, passes: &[Pass]) -> Result<usize, String> {
    run(schedule.shape(), &[(0, &accesses(schedule, passes))])
}

#[test]
fn no_bank_is_used_twice_and_no_word_is_read_early() {
    for schedule in shapes() {
        for products in [1, 2] {
            let passes = schedule.passes(products).unwrap();
            assert_eq!(
                run_alone(&schedule, &passes),
                Ok(schedule.cycles(products).unwrap())
            );
        }
    }
}

/// Three jobs: two take turns, and a third one follows the first; or one follows the other. The machine leaves two
/// turns between the jobs of a thread, none are needed.
#[test]
fn jobs_that_take_turns_share_no_bank_in_a_cycle() {
    for schedule in shapes() {
        let (shape, threads) = (schedule.shape(), schedule.shape().threads());
        let [single, double] =
            [1, 2].map(|products| accesses(&schedule, &schedule.passes(products).unwrap()));
        let after = |job: &[Access]| job.last().unwrap().cycle + threads;
        for turns in [0, shape.depth() + 3] {
            let second = if threads == 2 {
                2 * turns + 1
            } else {
                after(&single) + turns
            };
            let third = if threads == 2 {
                after(&single)
            } else {
                second + after(&double)
            };
            run(shape, &[(0, &single), (second, &double), (third, &double)]).unwrap();
        }
    }
}

#[test]
fn gaps_are_as_short_as_they_can_be() {
    for schedule in shapes() {
        let passes = schedule.passes(2).unwrap();
        for at in 0..passes.len() {
            let mut hasty = passes.clone();
            if hasty[at].gap > 0 {
                hasty[at].gap -= 1;
                assert!(run_alone(&schedule, &hasty).is_err(), "{:?}", hasty[at]);
            }
        }
    }
}

#[test]
fn places_are_a_permutation_and_units_own_even_banks() {
    for schedule in shapes() {
        let shape = schedule.shape();
        let mut taken = vec![false; shape.n()];
        for index in 0..shape.n() {
            let place = schedule.place(index);
            assert!(place.bank < shape.banks() && place.address < shape.depth());
            assert!(!std::mem::replace(
                &mut taken[place.address * shape.banks() + place.bank],
                true
            ));
        }
        for pass in schedule.passes(1).unwrap() {
            let class = pass.bit % shape.log_banks();
            for (unit, slot) in schedule.slots(&pass, shape.depth() - 1).enumerate() {
                assert_eq!(slot.own.bank, even_bank(unit));
                assert_eq!(slot.other.bank, even_bank(unit) ^ 1 << class);
                let own = if slot.reversed {
                    slot.index ^ 1 << pass.bit
                } else {
                    slot.index
                };
                assert_eq!(schedule.place(own), slot.own);
            }
        }
    }
}

/// Input and output move beats of adjacent words; the output moves those of two halves at once.
#[test]
fn beats_are_in_different_banks() {
    for schedule in shapes() {
        let shape = schedule.shape();
        for beat in 0..shape.beats() / 2 {
            let first = beat * shape.link_words();
            let beat = first..first + shape.link_words();
            let both = beat.flat_map(|j| [j, j + shape.n() / 2]);
            let mut banks: Vec<usize> = both.map(|j| schedule.place(j).bank).collect();
            banks.sort_unstable();
            banks.dedup();
            assert_eq!(banks.len(), 2 * shape.link_words());
        }
    }
}

#[test]
fn factors_of_all_passes_fill_the_memory() {
    for schedule in shapes() {
        let shape = schedule.shape();
        let mut used = vec![0; shape.factors()];
        for pass in schedule.passes(2).unwrap() {
            let first = schedule.first_factor(&pass);
            let words = shape.depth() * pass.turns_per_slot();
            let twice = matches!(pass.work, Work::Inverse(1));
            used[first..first + words]
                .iter_mut()
                .for_each(|used| *used += usize::from(!twice));
        }
        assert!(used.into_iter().all(|used| used == 1));
    }
}

/// The paper: 260 cycles (1.3 us at 200 MHz) for two products, 250 (1.25 us) for one.
#[test]
fn as_many_cycles_as_the_paper_or_fewer() {
    assert_eq!(cycles(Shape::PAPER), [171, 260]);
}

/// A butterfly takes 13 cycles in place of 5, and a result 18 in place of 7: more than twice a pass, so each
/// pass waits a turn although two jobs take turns.
#[test]
fn cycles_of_the_deep_pipeline() {
    let shape = Shape::PAPER.with_pipeline(Pipeline::Deep);
    assert_eq!(
        (shape.unit_latency(), shape.latency(), shape.threads()),
        (13, 18, 2)
    );
    assert_eq!(cycles(shape), [392, 592]);
    let shape = Shape::PAPER.with_pipeline(Pipeline::Narrow);
    assert_eq!(
        (shape.unit_latency(), shape.latency(), shape.threads()),
        (16, 21, 2)
    );
}

/// The cycles of jobs with one and with two products.
fn cycles(shape: Shape) -> [usize; 2] {
    [1, 2].map(|products| Schedule::new(shape).cycles(products).unwrap())
}
