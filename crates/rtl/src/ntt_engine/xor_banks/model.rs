use std::collections::VecDeque;

use ringmill_arith::Modulus;

use super::constants::{congruence, constants};
use super::{Pass, Place, RingKind, Schedule, Shape, Slot, Work};
use crate::RtlError;
use crate::ntt_engine::engine::check_words;
use crate::ntt_engine::{Direction, Engine, Unit};

/// The golden model of the engine with XOR banks. It has the same words in the same banks, the same constants and the
/// same operations and delays, cycle for cycle.
///
/// The model writes the results of a butterfly when the machine does, so a schedule that reads them too early gives
/// wrong values here, too.
#[derive(Debug, Clone)]
pub struct XorBanks {
    schedule: Schedule,
    unit: Unit,
    constants: Vec<u64>,
}

impl XorBanks {
    /// Makes the engine for a prime, with words of `width` bits of which a reduction step takes off `word`;
    /// `unit_latency` is that of its butterfly units.
    ///
    /// # Errors
    /// [`RtlError::BadTransformModulus`] unless the prime has at most `width` bits and is 1 modulo 2^word and modulo
    /// what the transform needs: 2n, or [`ringmill_ring::FermatRing::congruence`]. [`RtlError::Ring`] for a Fermat ring
    /// that the software does not have.
    pub fn new(
        shape: Shape,
        modulus: &Modulus,
        width: u32,
        word: u32,
        unit_latency: u64,
    ) -> Result<Self, RtlError> {
        let schedule = Schedule::new(shape, unit_latency);
        let congruence = congruence(&shape)?;
        if modulus.value() % congruence != 1 {
            return Err(RtlError::BadTransformModulus {
                modulus: modulus.value(),
                bits: width,
                congruence,
            });
        }
        let unit = Unit::new(modulus, width, word)?;
        Ok(Self {
            schedule,
            unit,
            constants: constants(&schedule, &unit)?,
        })
    }

    /// Makes the engine with constants that are given, whatever they are: those of both directions, times R, in the order
    /// of their addresses. There are as many as [`XorBanks::new`] computes.
    pub(crate) fn with_constants(shape: Shape, unit: Unit, unit_latency: u64, constants: Vec<u64>) -> Self {
        Self {
            schedule: Schedule::new(shape, unit_latency),
            unit,
            constants,
        }
    }

    /// The arithmetic of its units.
    #[must_use]
    pub const fn unit(&self) -> &Unit {
        &self.unit
    }

    /// The schedule.
    #[must_use]
    pub const fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// Runs passes on words, whose number is right.
    fn run(&self, direction: Direction, passes: &[Pass], words: &mut [u64]) {
        let shape = self.schedule.shape();
        let mut banks = Banks::new(shape, self.schedule.latency());
        for (index, &word) in words.iter().enumerate() {
            banks.write(shape.place(index), word);
        }
        // The factors of one direction follow those of the other.
        let mut count = match direction {
            Direction::Forward => 0,
            Direction::Inverse => self.forward_factors(),
        };
        for pass in passes {
            (0..pass.gap).for_each(|_| banks.cycle(Vec::new()));
            for time in 0..shape.depth() {
                let slots: Vec<Slot> = self.schedule.slots(pass, time).collect();
                let mut scaled = Vec::new();
                for second in (0..pass.cycles_per_slot()).map(|cycle| cycle == 1) {
                    let mut writes = Vec::with_capacity(shape.banks());
                    for (unit, slot) in slots.iter().enumerate() {
                        let factor = match shape.ring() {
                            RingKind::Fermat => self.table_factor(direction, pass, slot.index, second),
                            _ => self.constants[count * shape.units() + unit],
                        };
                        let words = [banks.read(slot.upper), banks.read(slot.lower)];
                        let previous = scaled.get(unit).copied();
                        let [upper, lower] = self.butterfly(pass.work, words, factor, previous);
                        if previous.is_none() {
                            scaled.push(lower);
                        }
                        match (pass.work, second) {
                            (Work::Table, false) => {}
                            (Work::Scale, false) => writes.push((slot.upper, lower)),
                            (Work::Scale, true) => writes.push((slot.lower, lower)),
                            _ => writes.extend([(slot.upper, upper), (slot.lower, lower)]),
                        }
                    }
                    banks.cycle(writes);
                    count += 1;
                }
            }
        }
        (0..=self.schedule.latency()).for_each(|_| banks.cycle(Vec::new()));
        for (index, word) in words.iter_mut().enumerate() {
            *word = banks.read(shape.place(index));
        }
    }

    /// A unit's results; `previous` is the scaled sum of the first of two cycles, in the second.
    fn butterfly(&self, work: Work, [u, v]: [u64; 2], factor: u64, previous: Option<u64>) -> [u64; 2] {
        let unit = &self.unit;
        let [sum, difference] = unit.both(u, v);
        match (work, previous) {
            (Work::Combine, _) => unit.both(u, unit.mul(v, factor)),
            (Work::Table | Work::Scale, None) => [sum, unit.mul(sum, factor)],
            (Work::Table, Some(scaled_sum)) => unit.both(scaled_sum, unit.mul(difference, factor)),
            _ => [sum, unit.mul(difference, factor)],
        }
    }

    /// The factor of a Fermat ring that all units take: a Gauss sum for the position in the dimension, or a power of the
    /// root for the position's bits below the pair's.
    fn table_factor(&self, direction: Direction, pass: &Pass, index: usize, second: bool) -> u64 {
        let dimension = pass.dimension;
        let before = self.schedule.shape().dimensions().into_iter();
        let before = before.take_while(|other| other.low != dimension.low);
        let first: usize = before.map(|other| other.order() + other.order() / 2).sum();
        let position = index >> dimension.low & (dimension.order() - 1);
        let half = 1 << (pass.bit - dimension.low);
        let address = match pass.work {
            Work::Table => position + usize::from(second),
            _ => dimension.order() + position % half * (dimension.order() / 2 / half),
        };
        self.constants[2 * (first + address) + usize::from(direction == Direction::Inverse)]
    }

    /// The factors of a unit in a forward transform of a cyclic or negacyclic ring.
    const fn forward_factors(&self) -> usize {
        let shape = self.schedule.shape();
        shape.log_n() as usize * shape.depth()
    }
}

impl Engine for XorBanks {
    fn machine(&self) -> String {
        let (n, units, width, word) = (self.n(), self.units(), self.unit.width(), self.unit.word());
        let ring = u32::from(self.schedule.shape().ring() == RingKind::Fermat);
        format!("xor_banks_machine N={n} Units={units} Width={width} Word={word} Ring={ring}")
    }

    fn n(&self) -> usize {
        self.schedule.shape().n()
    }

    fn units(&self) -> usize {
        self.schedule.shape().units()
    }

    fn modulus(&self) -> &Modulus {
        self.unit.modulus()
    }

    fn constants(&self) -> &[u64] {
        &self.constants
    }

    fn cycles(&self, direction: Direction) -> u64 {
        self.schedule.cycles(direction)
    }

    fn transform(&self, direction: Direction, words: &mut [u64]) -> Result<(), RtlError> {
        check_words(self.modulus(), self.n(), words)?;
        self.run(direction, &self.schedule.passes(direction), words);
        Ok(())
    }
}

/// The words of the banks, and the results on their way to them.
struct Banks {
    depth: usize,
    words: Vec<u64>,
    /// The writes of the last cycles, oldest first: one entry a cycle.
    pipeline: VecDeque<Vec<(Place, u64)>>,
    latency: usize,
}

impl Banks {
    fn new(shape: &Shape, latency: u64) -> Self {
        Self {
            depth: shape.depth(),
            words: vec![0; shape.n()],
            pipeline: VecDeque::new(),
            latency: latency as usize,
        }
    }

    fn read(&self, place: Place) -> u64 {
        self.words[place.bank * self.depth + place.address]
    }

    fn write(&mut self, place: Place, word: u64) {
        self.words[place.bank * self.depth + place.address] = word;
    }

    /// Ends a cycle whose results are these: writes what is due in it.
    fn cycle(&mut self, writes: Vec<(Place, u64)>) {
        self.pipeline.push_back(writes);
        if self.pipeline.len() > self.latency {
            for (place, word) in self.pipeline.pop_front().unwrap_or_default() {
                self.write(place, word);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringmill_arith::prime::primes_below;

    /// The model is exact about time: a gap that is one cycle shorter changes values.
    #[test]
    fn reads_that_are_early_show() {
        let shape = Shape::new(64, 4, RingKind::Negacyclic).unwrap();
        let q = primes_below(1 << 50, 1 << 17, 1, &[]).unwrap()[0];
        let engine = XorBanks::new(shape, &q, 50, 17, 20).unwrap();
        let input: Vec<u64> = (1..=64).collect();
        let mut expected = input.clone();
        engine.transform(Direction::Forward, &mut expected).unwrap();
        let passes = engine.schedule().passes(Direction::Forward);
        for at in 0..passes.len() {
            let mut hasty = passes.clone();
            if hasty[at].gap == 0 {
                continue;
            }
            hasty[at].gap -= 1;
            let mut words = input.clone();
            engine.run(Direction::Forward, &hasty, &mut words);
            assert_ne!(words, expected, "{:?}", hasty[at]);
        }
    }
}
