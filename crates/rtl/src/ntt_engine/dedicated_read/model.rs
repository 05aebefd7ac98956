use std::collections::VecDeque;

use ringmill_arith::prime::root_of_unity;

use super::{Exchange, Operation, Pass, Place, Schedule, Shape};
use crate::RtlError;
use crate::ntt_engine::Unit;

/// The coefficients that a forward transform takes; the others count as 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Half {
    /// All of them.
    Both,
    /// Those below N / 2.
    Low,
    /// Those from N / 2 on.
    High,
}

/// The buffers of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Buffers {
    /// The buffer that the first pass reads.
    pub source: usize,
    /// The buffer of second operands.
    pub operand: usize,
    /// The buffer that all passes write and the later ones read.
    pub destination: usize,
}

impl Buffers {
    /// A transform in place.
    #[must_use]
    pub const fn in_place(buffer: usize) -> Self {
        Self {
            source: buffer,
            operand: buffer,
            destination: buffer,
        }
    }
}

/// A word of each bank that is on its way, and when it is written.
#[derive(Debug, Clone)]
struct Write {
    cycle: u64,
    buffer: usize,
    address: usize,
    words: Vec<[u64; 2]>,
}

/// The golden model of an engine and its banks: the same words in the same places, the same factors and
/// operations, cycle for cycle. A pass that read a word too early would read the old one, as in the machine.
#[derive(Debug, Clone)]
pub struct Model {
    schedule: Schedule,
    unit: Unit,
    constants: Vec<u64>,
    /// Buffer after buffer, in each bank after bank.
    words: Vec<[u64; 2]>,
    cycle: u64,
    writes: VecDeque<Write>,
}

impl Model {
    /// Makes an engine with some buffers and loads its constants. The `correction` is the constant of
    /// differences.
    ///
    /// # Errors
    /// [`RtlError::BadTransformModulus`] unless the prime is 1 modulo N.
    pub fn new(schedule: Schedule, unit: Unit, buffers: usize, correction: u64) -> Result<Self, RtlError> {
        let constants = constants(schedule.shape(), &unit, correction)?;
        Ok(Self::with_constants(schedule, unit, buffers, constants))
    }

    /// Makes an engine with some buffers and these constants, as many as [`Shape::constants`] says.
    pub(super) fn with_constants(
        schedule: Schedule,
        unit: Unit,
        buffers: usize,
        constants: Vec<u64>,
    ) -> Self {
        Self {
            constants,
            words: vec![[0; 2]; buffers * schedule.shape().n() / 2],
            schedule,
            unit,
            cycle: 0,
            writes: VecDeque::new(),
        }
    }

    /// The schedule.
    #[must_use]
    pub const fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The units' arithmetic.
    #[must_use]
    pub const fn unit(&self) -> &Unit {
        &self.unit
    }

    /// The constants by address: word w of unit c's table at w units + c, then the factors of the first b
    /// passes, 1 / N and the correction.
    #[must_use]
    pub fn constants(&self) -> &[u64] {
        &self.constants
    }

    /// Reads a residue.
    #[must_use]
    pub fn get(&self, buffer: usize, place: Place) -> u64 {
        self.words[self.index(buffer, place.unit, place.address)][place.half]
    }

    /// Writes a residue.
    pub fn set(&mut self, buffer: usize, place: Place, residue: u64) {
        let index = self.index(buffer, place.unit, place.address);
        self.words[index][place.half] = residue;
    }

    fn index(&self, buffer: usize, unit: usize, address: usize) -> usize {
        let shape = self.schedule.shape();
        (buffer * shape.units() + unit) * shape.words() + address
    }

    /// Runs an operation and returns the number of its cycles, from the first read to the last write. In a
    /// forward transform the `half` that counts is that of coefficients in their places or, where they are
    /// `reversed`, of coefficient x in the place of -x.
    pub fn run(&mut self, operation: Operation, half: Half, reversed: bool, buffers: Buffers) -> u64 {
        self.cycle = 0;
        let passes = self.schedule.passes(operation);
        match operation {
            Operation::Product | Operation::Difference => {
                passes.iter().for_each(|pass| self.pair(operation, pass, buffers));
            }
            _ => {
                let mut from = buffers.source;
                let mut half = if operation == Operation::Forward {
                    half
                } else {
                    Half::Both
                };
                for pass in &passes {
                    self.pass(operation, pass, [from, buffers.destination], (half, reversed));
                    self.cycle += self.schedule.gap();
                    (from, half) = (buffers.destination, Half::Both);
                }
            }
        }
        let last = self.writes.back().map_or(0, |write| write.cycle);
        self.retire(u64::MAX);
        last + 1
    }

    /// A pass of a transform from one buffer to the other.
    fn pass(&mut self, operation: Operation, pass: &Pass, [from, to]: [usize; 2], half: (Half, bool)) {
        let begin = self.cycle;
        let mut before = (0, Vec::new());
        for read in self.schedule.reads(operation, pass) {
            self.cycle = begin + read.cycle;
            self.retire(self.cycle);
            let results = self.butterflies(operation, pass, from, read.address, half);
            match (read.cycle % 2 == 1, pass.twice) {
                (false, _) => before = (read.address, results),
                // The first cycle multiplied the sums by 1 / N, the second the differences.
                (true, true) => {
                    let scaled = |(c, [sum, difference]): (usize, [u64; 2])| {
                        [self.unit.mul(sum, self.few(self.scale(), c)), difference]
                    };
                    let results = results.into_iter().enumerate().map(scaled).collect();
                    self.write(self.cycle, to, read.address, results);
                }
                (true, false) => {
                    let (address, first) = std::mem::take(&mut before);
                    let (first, second) = exchanged(pass.exchange, &first, &results);
                    self.write(self.cycle - 1, to, address, first);
                    self.write(self.cycle, to, read.address, second);
                }
            }
        }
        self.cycle += 1;
    }

    /// The results of all units for the words at an address.
    fn butterflies(
        &self,
        operation: Operation,
        pass: &Pass,
        from: usize,
        address: usize,
        (half, reversed): (Half, bool),
    ) -> Vec<[u64; 2]> {
        let butterfly = |c| {
            let mut word = self.words[self.index(from, c, address)];
            // Coefficients 0 and N / 2 are the only ones in the places of their negatives.
            let high_first = reversed && (c != 0 || address != 0);
            match half {
                Half::Both => {}
                Half::Low => word[usize::from(!high_first)] = 0,
                Half::High => word[usize::from(high_first)] = 0,
            }
            let factor = self.factor(pass, c, address);
            match operation {
                Operation::Forward => self.unit.combine(word, factor),
                _ => self.unit.decimate(word, factor),
            }
        };
        (0..self.schedule.shape().units()).map(butterfly).collect()
    }

    /// A product or difference of two buffers, word by word.
    fn pair(&mut self, operation: Operation, pass: &Pass, buffers: Buffers) {
        let shape = self.schedule.shape();
        for read in self
            .schedule
            .reads(operation, pass)
            .filter(|read| read.cycle % 2 == 1)
        {
            self.cycle = read.cycle;
            self.retire(self.cycle);
            let results = (0..shape.units())
                .map(|c| {
                    let word = |buffer| self.words[self.index(buffer, c, read.address)];
                    let (x, y) = (word(buffers.source), word(buffers.operand));
                    [0, 1].map(|half| match operation {
                        Operation::Product => self.unit.mul(x[half], y[half]),
                        _ => self
                            .unit
                            .decimate([x[half], y[half]], self.few(self.scale() + 1, c))[1],
                    })
                })
                .collect();
            self.write(self.cycle, buffers.destination, read.address, results);
        }
    }

    /// A unit's factor of a pass; the scale where a word takes two cycles.
    fn factor(&self, pass: &Pass, unit: usize, address: usize) -> u64 {
        let shape = self.schedule.shape();
        if pass.twice {
            return self.few(self.scale(), unit);
        }
        if pass.number < shape.unit_bits() {
            return self.few(pass.number as usize, unit);
        }
        self.constants[self.schedule.factor_address(pass.number, address) * shape.units() + unit]
    }

    /// The number of the scale among the few constants outside the tables; the correction is the next.
    const fn scale(&self) -> usize {
        self.schedule.shape().unit_bits() as usize
    }

    /// One of a unit's few constants outside its table.
    fn few(&self, number: usize, unit: usize) -> u64 {
        let shape = self.schedule.shape();
        self.constants[(2 * shape.words() + number) * shape.units() + unit]
    }

    /// Writes the results of a read when the machine does.
    fn write(&mut self, read: u64, buffer: usize, address: usize, words: Vec<[u64; 2]>) {
        self.writes.push_back(Write {
            cycle: read + self.schedule.latency(),
            buffer,
            address,
            words,
        });
    }

    /// Writes what can be read in a cycle: all that was written before it.
    fn retire(&mut self, cycle: u64) {
        let due = self.writes.partition_point(|write| write.cycle < cycle);
        for write in self.writes.drain(..due).collect::<Vec<_>>() {
            for (unit, word) in write.words.into_iter().enumerate() {
                let index = self.index(write.buffer, unit, write.address);
                self.words[index] = word;
            }
        }
    }
}

/// The words of both addresses from the results of both: each residue goes where its bits go.
fn exchanged(
    exchange: Option<Exchange>,
    first: &[[u64; 2]],
    second: &[[u64; 2]],
) -> (Vec<[u64; 2]>, Vec<[u64; 2]>) {
    let results = [first, second];
    let mut words = [first.to_vec(), second.to_vec()];
    let Some(exchange) = exchange else {
        let [first, second] = words;
        return (first, second);
    };
    for c in 0..first.len() {
        for (a, w) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let residue = results[a][c][w];
            match exchange {
                Exchange::Forward { unit, .. } => {
                    words[(c >> unit) & 1][c & !(1 << unit) | w << unit][a] = residue;
                }
                Exchange::Inverse { unit, .. } => {
                    words[w][c & !(1 << unit) | a << unit][(c >> unit) & 1] = residue;
                }
            }
        }
    }
    let [first, second] = words;
    (first, second)
}

/// All constants by address. The factor of pass p is omega^(2^(k-1-p) j), j being the p bits of the value's
/// index that unit and address hold: the first b - 1 and the last of them in the unit's number.
fn constants(shape: Shape, unit: &Unit, correction: u64) -> Result<Vec<u64>, RtlError> {
    let q = unit.modulus();
    let bad = RtlError::BadTransformModulus {
        modulus: q.value(),
        bits: q.bits(),
        congruence: shape.n() as u64,
    };
    let omega = root_of_unity(q, shape.n() as u64).map_err(|_| bad.clone())?;
    let scale = q.inv(q.reduce(shape.n() as u64)).ok_or(bad)?;
    let (units, b) = (shape.units(), shape.unit_bits());
    let few = 2 * shape.words();
    let mut words = vec![0; shape.constants()];
    let mut put = |word: usize, c: usize, value| words[word * units + c] = unit.raise(value);
    for c in 0..units {
        let (first, last) = (c & (units / 2 - 1), c >> (b - 1));
        for p in 0..shape.log_n() {
            let root = q.pow(omega, 1 << (shape.log_n() - 1 - p));
            if p < b {
                put(few + p as usize, c, q.pow(root, (c & ((1 << p) - 1)) as u64));
                continue;
            }
            let step = q.pow(root, units as u64 / 2);
            let mut factor = q.pow(root, (first | last << (p - 1)) as u64);
            for number in 0..1 << (p - b) {
                put((1 << (p - b)) + number, c, factor);
                factor = q.mul(factor, step);
            }
        }
        put(few + b as usize, c, scale);
        put(few + b as usize + 1, c, correction);
    }
    Ok(words)
}
