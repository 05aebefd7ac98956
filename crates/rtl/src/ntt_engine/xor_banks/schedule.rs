use super::{Dimension, Place, RingKind, Shape};
use crate::ntt_engine::Direction;

/// The work of a pass on the pairs u, v of its bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Work {
    /// u + v and (u - v) w: decimation in frequency.
    Decimate,
    /// u + v w and u - v w: decimation in time.
    Combine,
    /// With X = (u + v) S and Y = (u - v) S', X + Y and X - Y: the last pass of a transform, the product by a table and
    /// the first pass of the transform back. Two cycles a slot.
    Table,
    /// (u + v) w, then (u - v) w'. Two cycles a slot.
    Scale,
}

/// All butterflies of one bit of the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pass {
    /// The work of the pass.
    pub work: Work,
    /// The bit p of the index in which the two words of a butterfly differ.
    pub bit: u32,
    /// The dimension that the bit belongs to.
    pub dimension: Dimension,
    /// The idle cycles before the pass, after which all words that it reads are there.
    pub gap: u64,
}

impl Pass {
    /// The cycles of a time slot.
    #[must_use]
    pub const fn cycles_per_slot(&self) -> u64 {
        match self.work {
            Work::Table | Work::Scale => 2,
            Work::Decimate | Work::Combine => 1,
        }
    }
}

/// The words that one unit reads in a time slot and writes [`Schedule::latency`] cycles later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Slot {
    /// The index of u: the pass's bit is 0.
    pub index: usize,
    /// The place of u.
    pub upper: Place,
    /// The place of v.
    pub lower: Place,
}

/// The schedule: the time and place of every read and write.
///
/// *Mapping.* Index i is at address floor(i / 2B). Bit j of its bank's number is the sum modulo 2 of the bits m of i
/// with m = j modulo log2 2B. So any set of bits, one of each class, chooses the bank, given the others.
///
/// *Time.* A pass on bit p takes such a set: p, and of each other class the lowest bit that factors do not depend on. In
/// Fermat rings these lie outside the dimension of p, so all units take the same factor; where there is none, with many
/// units, it is the lowest of the class. The other bits, in order, are the number of the time slot.
///
/// *Gaps.* A word that is written in slot c of a pass may be read in an earlier slot of the next. Where that
/// would be too early the next pass waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schedule {
    shape: Shape,
    latency: u64,
}

impl Schedule {
    /// The cycles from the read of a word to the write of its result that are not a unit's: two of the bank, one to
    /// select operands, one to select results.
    const AROUND_UNIT: u64 = 4;

    /// Makes the schedule of an engine; `unit_latency` is that of its butterfly units.
    #[must_use]
    pub const fn new(shape: Shape, unit_latency: u64) -> Self {
        Self {
            shape,
            latency: unit_latency + Self::AROUND_UNIT,
        }
    }

    /// The engine's shape.
    #[must_use]
    pub const fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The number of cycles from the read of a word to the write of its result; it can be read in the next one.
    #[must_use]
    pub const fn latency(&self) -> u64 {
        self.latency
    }

    /// The passes of a transform, in order.
    #[must_use]
    pub fn passes(&self, direction: Direction) -> Vec<Pass> {
        let mut passes: Vec<Pass> = Vec::new();
        for (work, bit, dimension) in self.work(direction) {
            let mut pass = Pass {
                work,
                bit,
                dimension,
                gap: 0,
            };
            pass.gap = passes.last().map_or(0, |last| self.gap(last, &pass));
            passes.push(pass);
        }
        passes
    }

    fn work(&self, direction: Direction) -> Vec<(Work, u32, Dimension)> {
        let mut work = Vec::new();
        for dimension in self.shape.dimensions() {
            let (low, end) = (dimension.low, dimension.low + dimension.bits);
            let mut push = |kind, bit| work.push((kind, bit, dimension));
            match (self.shape.ring(), direction) {
                (RingKind::Fermat, _) => {
                    (low + 1..end).rev().for_each(|bit| push(Work::Decimate, bit));
                    push(Work::Table, low);
                    (low + 1..end).for_each(|bit| push(Work::Combine, bit));
                }
                (_, Direction::Forward) => (low..end).rev().for_each(|bit| push(Work::Combine, bit)),
                (_, Direction::Inverse) => {
                    (low..end - 1).for_each(|bit| push(Work::Decimate, bit));
                    push(Work::Scale, end - 1);
                }
            }
        }
        work
    }

    /// The number of cycles of a transform, from its first read to its last write.
    #[must_use]
    pub fn cycles(&self, direction: Direction) -> u64 {
        let depth = self.shape.depth() as u64;
        let passes = self.passes(direction);
        let reads = passes
            .iter()
            .map(|pass| pass.gap + depth * pass.cycles_per_slot());
        reads.sum::<u64>() + self.latency
    }

    /// The units' work in a time slot of a pass, unit after unit.
    pub fn slots(&self, pass: &Pass, time: usize) -> impl Iterator<Item = Slot> + use<> {
        let (schedule, pass) = (*self, *pass);
        let outside = schedule.outside(&pass, time);
        (0..schedule.shape.units()).map(move |unit| {
            let index = schedule.index(&pass, outside, even_bank(unit)) & !(1 << pass.bit);
            Slot {
                index,
                upper: schedule.shape.place(index),
                lower: schedule.shape.place(index | 1 << pass.bit),
            }
        })
    }

    /// Whether the banks tell an index bit apart in a pass.
    fn is_space(&self, pass: &Pass, m: u32) -> bool {
        let class = m % self.shape.log_banks();
        self.shape.space_bit(pass.dimension, pass.bit, class) == m
    }

    /// The bits of the time, in order.
    fn time_bits(&self, pass: &Pass) -> Vec<u32> {
        (0..self.shape.log_n())
            .filter(|&m| !self.is_space(pass, m))
            .collect()
    }

    /// The index's bits that a time slot gives.
    fn outside(&self, pass: &Pass, time: usize) -> usize {
        let bits = self.time_bits(pass).into_iter().enumerate();
        bits.fold(0, |index, (at, m)| index | (time >> at & 1) << m)
    }

    /// The index of the word that a bank is asked for, given the bits outside.
    fn index(&self, pass: &Pass, outside: usize, bank: usize) -> usize {
        (0..self.shape.log_banks()).fold(outside, |index, class| {
            let bit = self.shape.space_bit(pass.dimension, pass.bit, class);
            let wanted = bank >> class & 1;
            index | (wanted ^ self.shape.class_parity(outside, class)) << bit
        })
    }

    /// The number of idle cycles between two passes. Slot c of the first is written r (c + 1) - 1 + latency cycles after
    /// its begin, r its cycles a slot; slot d of the second is read s d cycles after its own. s d - r c is least
    /// for the word whose time bits are 1 where they count more in the first pass.
    fn gap(&self, last: &Pass, pass: &Pass) -> u64 {
        let [from, to] = [last, pass].map(|pass| self.time_bits(pass));
        let count = |bits: &[u32], m: u32| bits.iter().position(|&bit| bit == m).map_or(0, |at| 1u64 << at);
        let late = from.iter().map(|&m| {
            let written = last.cycles_per_slot() * count(&from, m);
            written.saturating_sub(pass.cycles_per_slot() * count(&to, m))
        });
        let late = late.sum::<u64>() + last.cycles_per_slot() + self.latency;
        late.saturating_sub(last.cycles_per_slot() * self.shape.depth() as u64)
    }
}

/// The bank of a unit: of the numbers 2u and 2u + 1, the one with an even number of bits set.
const fn even_bank(unit: usize) -> usize {
    unit << 1 | (unit.count_ones() & 1) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIRECTIONS: [Direction; 2] = [Direction::Forward, Direction::Inverse];

    fn shapes() -> Vec<Shape> {
        let fermat = [
            (2048, 1),
            (2048, 4),
            (2048, 16),
            (4096, 8),
            (8192, 16),
            (16384, 32),
            (32768, 16),
            (32768, 64),
        ];
        let power = [(8, 1), (8, 2), (64, 16), (256, 4), (1024, 64)];
        let fermat = fermat.map(|(n, units)| (n, units, RingKind::Fermat));
        let power = power.map(|(n, units)| (n, units, RingKind::Negacyclic));
        let all = fermat.into_iter().chain(power);
        all.map(|(n, units, ring)| Shape::new(n, units, ring).unwrap())
            .collect()
    }

    /// Returns the cycles of a transform's passes, or the place where it reads a word too early. Checks that no bank is
    /// used twice in a cycle, and that every pass reads every index once.
    fn run(schedule: &Schedule, passes: &[Pass]) -> Result<u64, String> {
        let shape = schedule.shape();
        let (mut readable, mut now) = (vec![0; shape.n()], 0);
        for pass in passes {
            now += pass.gap;
            let mut seen = vec![false; shape.n()];
            for time in 0..shape.depth() {
                let mut banks = vec![false; shape.banks()];
                for slot in schedule.slots(pass, time) {
                    for (place, index) in [(slot.upper, slot.index), (slot.lower, slot.index | 1 << pass.bit)]
                    {
                        assert!(!std::mem::replace(&mut banks[place.bank], true), "{pass:?}");
                        assert!(!std::mem::replace(&mut seen[index], true), "{pass:?}");
                        if readable[index] > now {
                            return Err(format!("{pass:?} reads {index} at {now}"));
                        }
                        // The last of a slot's cycles writes last.
                        readable[index] = now + pass.cycles_per_slot() + schedule.latency();
                    }
                }
                now += pass.cycles_per_slot();
            }
            assert!(seen.into_iter().all(|seen| seen));
        }
        Ok(now + schedule.latency())
    }

    #[test]
    fn no_bank_is_used_twice_and_no_word_is_read_early() {
        for shape in shapes() {
            for unit_latency in [5, 14, 20, 25] {
                let schedule = Schedule::new(shape, unit_latency);
                for direction in DIRECTIONS {
                    let cycles = run(&schedule, &schedule.passes(direction));
                    assert_eq!(cycles, Ok(schedule.cycles(direction)), "{shape:?}");
                }
            }
        }
    }

    #[test]
    fn gaps_are_as_short_as_they_can_be() {
        for shape in shapes().into_iter().filter(|shape| shape.n() < 4096) {
            let schedule = Schedule::new(shape, 70);
            let passes = schedule.passes(Direction::Inverse);
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
    fn units_own_even_banks_and_share_factors() {
        for shape in shapes() {
            let schedule = Schedule::new(shape, 20);
            for pass in schedule.passes(Direction::Forward) {
                let class = pass.bit % shape.log_banks();
                let slots: Vec<Slot> = schedule.slots(&pass, shape.depth() - 1).collect();
                for (unit, slot) in slots.iter().enumerate() {
                    let banks = [slot.upper.bank, slot.lower.bank];
                    assert!(banks.contains(&even_bank(unit)));
                    assert!(banks.contains(&(even_bank(unit) ^ 1 << class)));
                    if shape.shares_factors() {
                        let dimension =
                            |index: usize| index >> pass.dimension.low & (pass.dimension.order() - 1);
                        assert_eq!(dimension(slot.index), dimension(slots[0].index));
                    }
                }
            }
        }
    }

    /// n = 32768, d = 65535: at most 30,800 cycles with 16 units and 7,760 with 64, for units of up to 25 cycles.
    #[test]
    fn fermat_transforms_take_two_passes_a_bit() {
        for (units, bound) in [(16, 30_800), (64, 7_760)] {
            let shape = Shape::new(32768, units, RingKind::Fermat).unwrap();
            for unit_latency in 5..=25 {
                let schedule = Schedule::new(shape, unit_latency);
                for direction in DIRECTIONS {
                    let cycles = schedule.cycles(direction);
                    assert_eq!(cycles, 30 * 32768 / (2 * units as u64) + unit_latency + 4);
                    assert!(cycles <= bound);
                }
            }
        }
    }
}
