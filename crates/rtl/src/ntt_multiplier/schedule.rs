use super::Shape;
use crate::RtlError;

/// The place of a word in a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Place {
    /// The bank.
    pub bank: usize,
    /// The address in the bank.
    pub address: usize,
}

/// The work of a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Work {
    /// A pass of the forward transform, in place in the input buffer.
    Forward,
    /// The last pass of the forward transform, whose factor is 1, and the product with fixed polynomial 0
    /// or 1. It goes from the input buffer to a result buffer and takes two cycles per slot.
    Product(usize),
    /// A pass of the inverse transform of product 0 or 1, in place in its result buffer.
    Inverse(usize),
}

/// All butterflies of one bit of the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pass {
    /// The work of the pass.
    pub work: Work,
    /// The bit p of the index in which the two words of a butterfly differ.
    pub bit: u32,
    /// The idle turns of the job before the pass, after which all words that it reads are there. A turn is a
    /// cycle, or, where two jobs take turns, every second one.
    pub gap: usize,
}

impl Pass {
    /// The turns of a time slot. A product takes one for each of the butterfly's results.
    #[must_use]
    pub const fn turns_per_slot(&self) -> usize {
        match self.work {
            Work::Product(_) => 2,
            Work::Forward | Work::Inverse(_) => 1,
        }
    }
}

/// The words that one unit reads in a time slot, and writes [`Shape::latency`] cycles later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Slot {
    /// The index of U: bit p is 0. V is at index + 2^p.
    pub index: usize,
    /// The word in the unit's own bank, of even parity.
    pub own: Place,
    /// The word that comes through the unit's multiplexer, from a bank of odd parity.
    pub other: Place,
    /// Whether the own word is V. The unit then computes (V - U) times a negated factor, and its results are
    /// exchanged.
    pub reversed: bool,
}

/// The schedule: the time and place of every read and write.
///
/// *Mapping.* Index i is at address floor(i / 2B). Bit j of its bank's number is the sum modulo 2 of the
/// bits m of i with m = j modulo log2 2B. Any log2 2B adjacent bits of the index then choose the bank, given
/// the others: that many words can be read at once, one from each bank.
///
/// *Time.* A pass on bit p uses as such a window the bits from max(0, p - log2 2B + 1) on, which include p.
/// The bits below and above the window together are the number of the time slot.
///
/// *Wiring.* The two words of a butterfly are in banks that differ in one bit, j = p mod log2 2B, so the
/// number of one of these banks has an even number of bits set. That bank belongs to one unit permanently.
/// The other word comes through a multiplexer of log2 2B inputs.
///
/// *Gaps.* Where the window moves from one pass to the next, a slot reads words that were written up to
/// 2^(s-1) slots later than its own number, with s the larger of the windows' first bits.
///
/// *Turns.* A schedule is that of one job. Its time is counted in turns: cycles, or with [`Shape::threads`] = 2
/// every second cycle, while another job has those between. Jobs share no words, so neither waits for the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schedule {
    shape: Shape,
}

impl Schedule {
    /// Makes the schedule of a machine.
    #[must_use]
    pub const fn new(shape: Shape) -> Self {
        Self { shape }
    }

    /// The machine's shape.
    #[must_use]
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// The place of the word of an index.
    #[must_use]
    pub fn place(&self, index: usize) -> Place {
        let bits = 0..self.shape.log_banks();
        Place {
            bank: bits.map(|class| self.class_parity(index, class) << class).sum(),
            address: index >> self.shape.log_banks(),
        }
    }

    /// The passes for one or two products, in order.
    ///
    /// # Errors
    /// [`RtlError::BadProducts`] for any other number.
    pub fn passes(&self, products: usize) -> Result<Vec<Pass>, RtlError> {
        if !(1..=2).contains(&products) {
            return Err(RtlError::BadProducts(products));
        }
        let top = self.shape.log_n() - 1;
        let mut work: Vec<(Work, u32)> = (1..=top).rev().map(|bit| (Work::Forward, bit)).collect();
        for product in 0..products {
            work.push((Work::Product(product), 0));
            work.extend((0..top).map(|bit| (Work::Inverse(product), bit)));
        }
        let mut passes: Vec<Pass> = Vec::with_capacity(work.len());
        for (work, bit) in work {
            let gap = passes.last().map_or(0, |last| self.gap(last, work, bit));
            passes.push(Pass { work, bit, gap });
        }
        Ok(passes)
    }

    /// The units' work in a time slot of a pass, unit after unit.
    pub fn slots(&self, pass: &Pass, time: usize) -> impl Iterator<Item = Slot> + '_ {
        let bit = pass.bit;
        (0..self.shape.units()).map(move |unit| {
            let own = self.index(bit, time, even_bank(unit));
            let other = own ^ (1 << bit);
            Slot {
                index: own.min(other),
                own: self.place(own),
                other: self.place(other),
                reversed: own > other,
            }
        })
    }

    /// The position at which the factors of a pass begin in each unit's memory. A pass has one factor per
    /// turn, in order.
    #[must_use]
    pub fn first_factor(&self, pass: &Pass) -> usize {
        let k = self.shape.log_n() as usize;
        let bit = pass.bit as usize;
        let slots = match pass.work {
            Work::Forward => k - 1 - bit,
            Work::Product(0) => k - 1,
            Work::Inverse(_) => k + 1 + bit,
            Work::Product(_) => 2 * k,
        };
        slots << self.shape.log_depth()
    }

    /// The first bit of the window of a pass.
    fn window(&self, bit: u32) -> u32 {
        (bit + 1).saturating_sub(self.shape.log_banks())
    }

    /// The number of idle turns between two passes.
    fn gap(&self, last: &Pass, work: Work, bit: u32) -> usize {
        if matches!((last.work, work), (Work::Inverse(_), Work::Product(_))) {
            // The forward transform has long ended, and the result buffer is another one.
            return 0;
        }
        let (from, to) = (self.window(last.bit), self.window(bit));
        let ahead = if from == to { 0 } else { 1 << (from.max(to) - 1) };
        let turns = self.shape.latency().div_ceil(self.shape.threads());
        (turns + ahead).saturating_sub(self.shape.depth())
    }

    /// The index of the word that a pass on a bit reads from a bank in a time slot.
    fn index(&self, bit: u32, time: usize, bank: usize) -> usize {
        let (first, width) = (self.window(bit), self.shape.log_banks());
        let low = time & ((1 << first) - 1);
        let outside = low | (time >> first) << (first + width);
        (first..first + width).fold(outside, |index, m| {
            let class = m % width;
            let wanted = bank >> class & 1;
            index | (wanted ^ self.class_parity(outside, class)) << m
        })
    }

    /// The sum modulo 2 of the bits of an index that belong to a bit of the bank's number.
    fn class_parity(&self, index: usize, class: u32) -> usize {
        let bits = (class..self.shape.log_n()).step_by(self.shape.log_banks() as usize);
        bits.fold(0, |parity, m| parity ^ index >> m & 1)
    }
}

/// The bank of a unit: of the numbers 2u and 2u + 1, the one with an even number of bits set.
fn even_bank(unit: usize) -> usize {
    unit << 1 | (unit.count_ones() & 1) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ntt_multiplier::Pipeline;
    use std::collections::HashMap;

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
        let shapes = sizes.into_iter().chain(more);
        let shapes = shapes.map(|(n, units, link)| Shape::new(n, units, link).unwrap());
        shapes
            .flat_map(|shape| [shape, shape.with_pipeline(Pipeline::Deep)])
            .map(Schedule::new)
            .collect()
    }

    /// The times of words by buffer (0 is the input, 1 and 2 are the results) and place.
    type Times = HashMap<(usize, Place), usize>;

    /// Returns the cycles that a list of passes takes, or the place where it reads a word too early. `now` counts
    /// turns, `ready` cycles. Checks
    /// that no bank is used twice in a cycle, and that every pass reads every index once.
    fn run(schedule: &Schedule, passes: &[Pass]) -> Result<usize, String> {
        let shape = schedule.shape();
        let (mut ready, mut now) = (Times::new(), 0);
        for pass in passes {
            now += pass.gap;
            let (from, to) = match pass.work {
                Work::Forward => (0, 0),
                Work::Product(i) => (0, i + 1),
                Work::Inverse(i) => (i + 1, i + 1),
            };
            let mut seen = vec![false; shape.n()];
            for time in 0..shape.depth() {
                let slots: Vec<Slot> = schedule.slots(pass, time).collect();
                let mut banks = vec![false; shape.banks()];
                for place in slots.iter().flat_map(|slot| [slot.own, slot.other]) {
                    assert!(
                        !std::mem::replace(&mut banks[place.bank], true),
                        "{pass:?} {place:?}"
                    );
                }
                for index in slots
                    .iter()
                    .flat_map(|slot| [slot.index, slot.index ^ 1 << pass.bit])
                {
                    assert!(!std::mem::replace(&mut seen[index], true));
                }
                for cycle in 0..pass.turns_per_slot() {
                    for slot in &slots {
                        for place in [slot.own, slot.other] {
                            let ready = ready.get(&(from, place)).copied().unwrap_or(0);
                            if ready > now * shape.threads() {
                                return Err(format!("{pass:?} reads {place:?} at {now}, ready at {ready}"));
                            }
                        }
                        let (u, v) = if slot.reversed {
                            (slot.other, slot.own)
                        } else {
                            (slot.own, slot.other)
                        };
                        let written = match (pass.work, cycle) {
                            (Work::Product(_), 0) => vec![u],
                            (Work::Product(_), _) => vec![v],
                            _ => vec![u, v],
                        };
                        for place in written {
                            ready.insert((to, place), now * shape.threads() + shape.latency());
                        }
                    }
                    now += 1;
                }
            }
            assert!(seen.into_iter().all(|seen| seen));
        }
        Ok((now - 1) * shape.threads() + shape.latency())
    }

    #[test]
    fn no_bank_is_used_twice_and_no_word_is_read_early() {
        for schedule in shapes() {
            for products in [1, 2] {
                let passes = schedule.passes(products).unwrap();
                run(&schedule, &passes).unwrap();
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
                    assert!(run(&schedule, &hasty).is_err(), "{:?}", hasty[at]);
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
        assert_eq!((shape.unit_latency(), shape.latency(), shape.threads()), (13, 18, 2));
        assert_eq!(cycles(shape), [392, 592]);
    }

    /// The cycles of jobs with one and with two products.
    fn cycles(shape: Shape) -> [usize; 2] {
        let schedule = Schedule::new(shape);
        [1, 2].map(|products| run(&schedule, &schedule.passes(products).unwrap()).unwrap())
    }
}
