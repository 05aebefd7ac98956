use std::collections::VecDeque;

use super::program::require_residues;
use super::{MachineProgram, Montgomery, Pass, Place, Slot, Work};
use crate::RtlError;

/// The cost of a job.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// The number of passes over all words.
    pub passes: usize,
    /// The number of cycles in which all units began a butterfly of the job.
    pub issues: usize,
    /// The number of the job's turns between passes in which it waited for results of the last pass.
    pub gaps: usize,
    /// The number of cycles from the first read to the last result.
    pub cycles: usize,
}

/// A buffer: the words of all banks, bank after bank.
#[derive(Debug, Clone)]
struct Buffer {
    depth: usize,
    words: Vec<u32>,
}

impl Buffer {
    fn read(&self, place: Place) -> u32 {
        self.words[place.bank * self.depth + place.address]
    }

    fn write(&mut self, place: Place, word: u32) {
        self.words[place.bank * self.depth + place.address] = word;
    }
}

/// A result on its way through a unit.
#[derive(Debug, Clone, Copy)]
struct Write {
    buffer: usize,
    place: Place,
    word: u32,
}

/// The golden model of the machine. It has the same words in the same banks, the same factor memory, the
/// same multiplications and delays, cycle for cycle. It leaves out only stalls, and the words of the other job
/// where two take turns: they meet in no memory.
///
/// The model writes the results of a butterfly when the machine does. A schedule that reads them too early
/// therefore gives wrong products here, too.
#[derive(Debug, Clone)]
pub struct Model {
    program: MachineProgram,
    /// The input buffer and the two result buffers.
    buffers: [Buffer; 3],
    /// The results of the last cycles, oldest first: one entry per cycle.
    pipeline: VecDeque<Vec<Write>>,
    counts: Counts,
}

impl Model {
    /// Makes a model with a program.
    #[must_use]
    pub fn new(program: MachineProgram) -> Self {
        let depth = program.shape().depth();
        let words = vec![0; program.shape().n()];
        let buffer = Buffer { depth, words };
        Self {
            program,
            buffers: [buffer.clone(), buffer.clone(), buffer],
            pipeline: VecDeque::new(),
            counts: Counts::default(),
        }
    }

    /// The program.
    #[must_use]
    pub const fn program(&self) -> &MachineProgram {
        &self.program
    }

    /// Loads another program, or another fixed polynomial.
    pub fn load(&mut self, program: MachineProgram) {
        *self = Self::new(program);
    }

    /// The cost of the last job.
    #[must_use]
    pub const fn counts(&self) -> Counts {
        self.counts
    }

    /// Runs a job: returns the products of a polynomial and the first one or two fixed polynomials. The
    /// input and each product are n canonical residues, coefficients in natural order.
    ///
    /// # Errors
    /// [`RtlError::BadProducts`], [`RtlError::WrongLength`], [`RtlError::OutOfRange`].
    pub fn run(&mut self, input: &[u64], products: usize) -> Result<Vec<Vec<u64>>, RtlError> {
        let passes = self.program.schedule().passes(products)?;
        self.run_passes(input, &passes)?;
        Ok((0..products).map(|product| self.output(product)).collect())
    }

    fn run_passes(&mut self, input: &[u64], passes: &[Pass]) -> Result<(), RtlError> {
        let shape = self.program.shape();
        require_residues(self.program.unit().modulus(), shape.n(), input.iter().copied())?;
        self.counts = Counts::default();
        self.input(input);
        for pass in passes {
            (0..pass.gap).for_each(|_| self.wait());
            for time in 0..shape.depth() {
                for turn in 0..pass.turns_per_slot() {
                    self.issue(pass, time, turn);
                }
            }
            self.counts.passes += 1;
            self.counts.gaps += pass.gap;
            self.counts.issues += shape.depth() * pass.turns_per_slot();
        }
        self.counts.cycles = shape.job_cycles(self.counts.issues + self.counts.gaps);
        (0..shape.latency()).for_each(|_| self.cycle());
        Ok(())
    }

    /// The input stage: it multiplies coefficient j by psi^j.
    fn input(&mut self, input: &[u64]) {
        let scaled = input.iter().zip(self.program.input_scale());
        for (index, (&word, &scale)) in scaled.enumerate() {
            let place = self.program.schedule().place(index);
            self.buffers[0].write(place, self.program.unit().mul(word as u32, scale));
        }
    }

    /// The output stage: the last pass of the inverse transform, whose factor is 1, followed by the
    /// multiplication of coefficient j by psi^-j / n.
    fn output(&self, product: usize) -> Vec<u64> {
        let (unit, schedule) = (self.program.unit(), self.program.schedule());
        let half = self.program.shape().n() / 2;
        let buffer = &self.buffers[product + 1];
        let word = |(index, &scale): (usize, &u32)| {
            let u = buffer.read(schedule.place(index % half));
            let v = buffer.read(schedule.place(index % half + half));
            let word = if index < half {
                unit.add(u, v)
            } else {
                unit.sub(u, v)
            };
            u64::from(unit.mul(word, scale))
        };
        self.program.output_scale().iter().enumerate().map(word).collect()
    }

    /// Simulates a turn in which every unit begins a butterfly.
    fn issue(&mut self, pass: &Pass, time: usize, turn: usize) {
        self.retire();
        let units = self.program.shape().units();
        let address = self.program.schedule().first_factor(pass) + time * pass.turns_per_slot() + turn;
        let factors = &self.program.factors()[address * units..(address + 1) * units];
        let mut writes = Vec::with_capacity(2 * units);
        for (slot, &factor) in self.program.schedule().slots(pass, time).zip(factors) {
            let unit = self.program.unit();
            butterfly(unit, &self.buffers, pass, turn, &slot, factor, &mut writes);
        }
        self.pipeline.push_back(writes);
        self.end_turn();
    }

    /// Simulates a turn in which the job waits.
    fn wait(&mut self) {
        self.cycle();
        self.end_turn();
    }

    /// Simulates the cycles of the other jobs that follow a turn.
    fn end_turn(&mut self) {
        (1..self.program.shape().threads()).for_each(|_| self.cycle());
    }

    /// Simulates a cycle in which no butterfly of the job begins.
    fn cycle(&mut self) {
        self.retire();
        self.pipeline.push_back(Vec::new());
    }

    /// Writes the results that can be read from this cycle on.
    fn retire(&mut self) {
        if self.pipeline.len() == self.program.shape().latency() {
            for write in self.pipeline.pop_front().unwrap_or_default() {
                self.buffers[write.buffer].write(write.place, write.word);
            }
        }
    }
}

/// Computes a unit's results of a turn.
fn butterfly(
    unit: &Montgomery,
    buffers: &[Buffer; 3],
    pass: &Pass,
    turn: usize,
    slot: &Slot,
    factor: u32,
    writes: &mut Vec<Write>,
) {
    let (from, to) = match pass.work {
        Work::Forward => (0, 0),
        Work::Product(product) => (0, product + 1),
        Work::Inverse(product) => (product + 1, product + 1),
    };
    let (a, b) = (buffers[from].read(slot.own), buffers[from].read(slot.other));
    let (sum, difference) = (unit.add(a, b), unit.sub(a, b));
    let (u, v) = if slot.reversed {
        (slot.other, slot.own)
    } else {
        (slot.own, slot.other)
    };
    let buffer = to;
    let mut write = |place, word| writes.push(Write { buffer, place, word });
    match (pass.work, turn) {
        (Work::Product(_), 0) => write(u, unit.mul(sum, factor)),
        (Work::Product(_), _) => write(v, unit.mul(difference, factor)),
        _ => {
            write(u, sum);
            write(v, unit.mul(difference, factor));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pipeline;
    use crate::ntt_multiplier::Shape;
    use ringmill_arith::prime::primes_below;

    /// The model is exact about time: a gap that is one turn shorter changes products.
    #[test]
    fn reads_that_are_early_show() {
        let q = primes_below(1 << 32, 2048, 1, &[]).unwrap()[0];
        for pipeline in [Pipeline::Shallow, Pipeline::Deep] {
            let mut program = MachineProgram::new(Shape::PAPER.with_pipeline(pipeline), &q).unwrap();
            program.set_operand(0, &vec![1; 1024]).unwrap();
            let input: Vec<u64> = (1..=1024).collect();
            let passes = program.schedule().passes(1).unwrap();
            let mut model = Model::new(program);
            model.run_passes(&input, &passes).unwrap();
            assert_eq!(model.output(0), input);
            let waiting = (0..passes.len()).filter(|&at| passes[at].gap > 0);
            for at in waiting {
                let mut hasty = passes.clone();
                hasty[at].gap -= 1;
                model.run_passes(&input, &hasty).unwrap();
                assert_ne!(model.output(0), input, "{:?}", hasty[at]);
            }
        }
    }
}
