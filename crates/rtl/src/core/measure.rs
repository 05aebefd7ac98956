//! Cycles of the simulated core, by its own counters; what it computes is compared with the golden model.

use ringmill_arith::sampling::{self, Seed, Stream};
use ringmill_arith::{Basis, Modulus};
use ringmill_device::Device;
use ringmill_ring::{Domain, FermatRing, PrimeRule, Ring};

use super::{
    Buffer, Combination, Configuration, ConstantsBlock, CoreDevice, Counter, Driver, Instruction, Machine,
    MemoryTiming, Model, Simulation,
};
use crate::RtlError;
use crate::ntt_engine::Direction;

/// The cycles of an instruction on a simulated core.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstructionCycles {
    /// Its name in the data sheet.
    pub name: String,
    /// The cycles in which its unit worked.
    pub cycles: u64,
    /// The cycles by the formulas of the documents, and the bound that was set for them; `None` where memory decides.
    pub expected: Option<[u64; 2]>,
}

/// A program that loads, transforms and stores limbs, with memory as fast as the bus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overlap {
    /// The limbs.
    pub limbs: u64,
    /// The cycles of the whole program.
    pub cycles: u64,
    /// The cycles in which the load, transform and store units worked.
    pub units: [u64; 3],
}

/// A sum of two ciphertexts in the core's memory, the result there too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CiphertextSum {
    /// The limbs of each ciphertext.
    pub limbs: u64,
    /// The cycles in which the vector unit worked.
    pub vector: u64,
    /// As many as the data sheet allows.
    pub bound: u64,
    /// The cycles of the whole.
    pub cycles: u64,
    /// The bytes read and written.
    pub bytes: u64,
}

/// Has a simulated core do each instruction by itself, with memory as fast as the bus.
///
/// # Errors
/// As [`Simulation::new`]; [`RtlError::WrongResult`] if what it stores is not what the golden model does.
pub fn instructions(configuration: Configuration) -> Result<Vec<InstructionCycles>, RtlError> {
    let mut bench = Bench::new(configuration)?;
    let one = configuration.vector_cycles(1);
    let (depth, slot, destination) = (configuration.depth(), 0, RESULT);
    let loads: Vec<_> = (0..RESULT).map(|buffer| load(buffer, bench.input)).collect();
    bench.run(&loads)?;
    let ntt = |direction| {
        (
            transform(direction, RESULT, 0),
            configuration.transform_cycles(direction),
        )
    };
    let (forward, inverse) = (ntt(Direction::Forward), ntt(Direction::Inverse));
    let mac = Instruction::MultiplyAccumulate {
        destination,
        a: 0,
        b: 3,
        slot,
        count: 3,
    };
    let automorphism = Instruction::Automorphism {
        destination,
        source: 0,
        slot,
        shift: configuration.n() as u64 - 1,
    };
    let (vector, transform) = (Counter::Vector, Counter::Transform);
    let list = [
        (
            "NTT forward",
            forward.0,
            transform,
            Some([forward.1 + 4, forward.1 + 64]),
        ),
        (
            "NTT inverse",
            inverse.0,
            transform,
            Some([inverse.1 + 4, inverse.1 + 64]),
        ),
        (
            "VEC ADD",
            combine(Combination::Add),
            vector,
            Some([one, depth + 32]),
        ),
        (
            "VEC MULTIPLY",
            combine(Combination::Multiply),
            vector,
            Some([one, depth + 32]),
        ),
        (
            "MAC, count 3",
            mac,
            vector,
            Some([configuration.vector_cycles(3), 3 * depth + 32]),
        ),
        ("AUT", automorphism, vector, Some([one, depth + 64])),
        ("LOAD", load(RESULT, bench.input), Counter::Load, None),
        ("STORE", store(RESULT, bench.results), Counter::Store, None),
    ];
    let rows =
        list.map(|(name, instruction, counter, expected)| bench.alone(name, instruction, counter, expected));
    rows.into_iter().collect()
}

/// Has a simulated core load, transform and store as many limbs as it has buffers, with memory as fast as the bus.
///
/// # Errors
/// As [`instructions`].
pub fn overlap(configuration: Configuration) -> Result<Overlap, RtlError> {
    let mut bench = Bench::new(configuration)?;
    let limbs = configuration.sizes().limbs;
    let mut program = Vec::new();
    for buffer in 0..limbs {
        let to = bench.results + u64::from(buffer) * configuration.limb_bytes();
        program.extend([
            load(buffer, bench.input),
            transform(Direction::Forward, buffer, buffer),
            store(buffer, to),
        ]);
    }
    let counters = [Counter::Cycles, Counter::Load, Counter::Transform, Counter::Store];
    let [cycles, units @ ..] = bench.count(counters, &program)?;
    bench.compare(limbs.into())?;
    Ok(Overlap {
        limbs: limbs.into(),
        cycles,
        units,
    })
}

/// Has a simulated core add two ciphertexts of two polynomials modulo so many primes, by way of its device, before a
/// memory of this speed. The sum is in memory at the end.
///
/// # Errors
/// As [`Simulation::new`]; [`RtlError::WrongResult`] if a word of the sum is wrong.
pub fn ciphertext_sum(
    configuration: Configuration,
    primes: usize,
    timing: MemoryTiming,
) -> Result<CiphertextSum, RtlError> {
    let moduli = machine_primes(&configuration, primes)?;
    let basis = Basis::new(&moduli)?;
    let bytes = (6 * primes as u64 + 4) * configuration.limb_bytes() + (1 << 20);
    let mut simulation = Simulation::new(configuration, 0, bytes)?;
    simulation.set_timing(timing);
    let device = CoreDevice::new(simulation)?;
    let mut stream = Stream::new(&SEED);
    let mut pairs = Vec::new();
    for _ in 0..2 {
        let [a, b] = [(); 2].map(|()| residues(&mut stream, &moduli, configuration.n()));
        let upload = |words: &[u64]| device.upload(&basis, Domain::Coefficient, words);
        pairs.push((upload(&a)?, upload(&b)?, sums(&moduli, &a, &b)));
    }
    let counters = [
        Counter::Cycles,
        Counter::Vector,
        Counter::BytesRead,
        Counter::BytesWritten,
    ];
    let count = || device.with_driver(|driver| read(driver.machine_mut(), counters));
    let before = count()?;
    let mut results = Vec::new();
    for (a, b, expected) in &pairs {
        results.push((device.sum(&[a, b])?, expected));
    }
    for (sum, expected) in &results {
        if device.download(sum)? != **expected {
            return Err(RtlError::WrongResult);
        }
    }
    let after = count()?;
    let [cycles, vector, read, written] = std::array::from_fn(|i| after[i] - before[i]);
    let limbs = 2 * primes as u64;
    Ok(CiphertextSum {
        limbs,
        vector,
        bound: limbs * (configuration.depth() + 32),
        cycles,
        bytes: read + written,
    })
}

const SEED: Seed = Seed::from_bytes([1; 32]);

fn machine_primes(configuration: &Configuration, count: usize) -> Result<Vec<Modulus>, RtlError> {
    let ring = Ring::from(FermatRing::new(configuration.n())?);
    Ok(PrimeRule::Machine.primes(&ring, 1 << configuration.sizes().width, count, &[])?)
}

/// Random residues of n words a prime.
fn residues(stream: &mut Stream, moduli: &[Modulus], n: usize) -> Vec<u64> {
    let mut words = vec![0; moduli.len() * n];
    for (q, words) in moduli.iter().zip(words.chunks_exact_mut(n)) {
        sampling::uniform(stream, q, words);
    }
    words
}

fn sums(moduli: &[Modulus], a: &[u64], b: &[u64]) -> Vec<u64> {
    let n = a.len() / moduli.len();
    let limbs = moduli.iter().zip(a.chunks_exact(n).zip(b.chunks_exact(n)));
    let sums = limbs.flat_map(|(q, (a, b))| a.iter().zip(b).map(|(&a, &b)| q.add(a, b)));
    sums.collect()
}

fn read<const K: usize>(machine: &mut impl Machine, counters: [Counter; K]) -> Result<[u64; K], RtlError> {
    let mut values = [0; K];
    for (value, counter) in values.iter_mut().zip(counters) {
        *value = machine.counter(counter)?;
    }
    Ok(values)
}

const fn load(destination: Buffer, address: u64) -> Instruction {
    Instruction::Load {
        destination,
        slot: 0,
        address,
    }
}

const fn store(source: Buffer, address: u64) -> Instruction {
    Instruction::Store {
        source,
        slot: 0,
        address,
    }
}

const fn transform(direction: Direction, destination: Buffer, source: Buffer) -> Instruction {
    Instruction::Transform {
        direction,
        destination,
        source,
        slot: 0,
    }
}

const fn combine(combination: Combination) -> Instruction {
    Instruction::Combine {
        combination,
        destination: RESULT,
        a: 0,
        b: 1,
        slot: 0,
    }
}

/// The buffer that [`instructions`] write to; the others up to it have residues.
const RESULT: Buffer = 6;

/// A simulated core and the golden model, which do the same programs. Slot 0 has a prime; a limb of random residues is
/// in memory, and room for results behind it.
struct Bench {
    core: Driver<Simulation>,
    model: Driver<Model>,
    input: u64,
    results: u64,
}

impl Bench {
    fn new(configuration: Configuration) -> Result<Self, RtlError> {
        let [modulus] = *machine_primes(&configuration, 1)? else {
            return Err(RtlError::NothingLoaded);
        };
        let block = ConstantsBlock::new(&configuration, &modulus)?;
        let limbs = u64::from(configuration.sizes().limbs) + 2;
        let bytes = limbs * configuration.limb_bytes() + 8 * block.words().len() as u64 + (1 << 16);
        let core = Driver::new(
            Simulation::new(configuration, 0, bytes)?,
            Driver::<Simulation>::RING_LOG,
        )?;
        let model = Driver::new(Model::new(configuration, 0, bytes)?, Driver::<Model>::RING_LOG)?;
        let input = core.data().start;
        let results = input + configuration.limb_bytes();
        let constants = results + (limbs - 1) * configuration.limb_bytes();
        let mut bench = Self {
            core,
            model,
            input,
            results,
        };
        let words = residues(&mut Stream::new(&SEED), &[modulus], configuration.n());
        for (address, words) in [(input, words.as_slice()), (constants, block.words())] {
            bench.core.machine_mut().write_memory(address, words)?;
            bench.model.machine_mut().write_memory(address, words)?;
        }
        bench.run(&[Instruction::Constants {
            slot: 0,
            address: constants,
        }])?;
        Ok(bench)
    }

    fn run(&mut self, program: &[Instruction]) -> Result<(), RtlError> {
        self.model.run(program)?;
        self.core.run(program)
    }

    /// Runs a program; by how much counters grew.
    fn count<const K: usize>(
        &mut self,
        counters: [Counter; K],
        program: &[Instruction],
    ) -> Result<[u64; K], RtlError> {
        let before = read(self.core.machine_mut(), counters)?;
        self.run(program)?;
        let after = read(self.core.machine_mut(), counters)?;
        Ok(std::array::from_fn(|i| after[i] - before[i]))
    }

    /// The cycles of an instruction that writes to [`RESULT`] or stores it.
    fn alone(
        &mut self,
        name: &str,
        instruction: Instruction,
        counter: Counter,
        expected: Option<[u64; 2]>,
    ) -> Result<InstructionCycles, RtlError> {
        let [cycles] = self.count([counter], &[instruction])?;
        self.run(&[store(RESULT, self.results)])?;
        self.compare(1)?;
        Ok(InstructionCycles {
            name: name.to_owned(),
            cycles,
            expected,
        })
    }

    /// Compares the first results in memory.
    fn compare(&mut self, limbs: usize) -> Result<(), RtlError> {
        let mut words = [(); 2].map(|()| vec![0; limbs * self.core.machine().configuration().n()]);
        let [core, model] = &mut words;
        self.core.machine_mut().read_memory(self.results, core)?;
        self.model.machine_mut().read_memory(self.results, model)?;
        if core == model {
            Ok(())
        } else {
            Err(RtlError::WrongResult)
        }
    }
}
