//! Runs programs on the golden model of the core, and on the core itself where it is built, and compares them with an
//! interpreter: transforms of the `ring` crate, arithmetic in 128 bits, shifts of discrete logarithms.

use std::collections::BTreeMap;

use ringmill_arith::{Modulus, Simd};
use ringmill_conformance::Effort;
use ringmill_ring::{FermatRing, PrimeRule, Ring, Transform};
#[cfg(feature = "rtl")]
use ringmill_rtl::core::Simulation;
use ringmill_rtl::core::{
    Combination, Configuration, ConstantsBlock, Counter, Driver, Instruction, Machine, Model, Register, Sizes,
};
use ringmill_rtl::ntt_engine::Direction;

use crate::common::Random;

pub const N: usize = 2048;
pub const LIMB: u64 = 8 * N as u64;

pub fn configuration() -> Configuration {
    Configuration::new(N, 16, Sizes::default()).unwrap()
}

pub fn ring() -> FermatRing {
    FermatRing::new(N).unwrap()
}

pub fn primes(count: usize) -> Vec<Modulus> {
    PrimeRule::Machine
        .primes(&ring().into(), 1 << 50, count, &[])
        .unwrap()
}

/// The machines that the same tests run on.
pub trait Core: Machine + Sized {
    /// Of the suite of all devices: a simulation takes some fifty times as long as the model.
    const EFFORT: Effort;
    fn core(configuration: Configuration, base: u64, bytes: u64) -> Self;
}

impl Core for Model {
    const EFFORT: Effort = Effort::All;

    fn core(configuration: Configuration, base: u64, bytes: u64) -> Self {
        Self::new(configuration, base, bytes).unwrap()
    }
}

#[cfg(feature = "rtl")]
impl Core for Simulation {
    const EFFORT: Effort = Effort::Few;

    fn core(configuration: Configuration, base: u64, bytes: u64) -> Self {
        Self::new(configuration, base, bytes).unwrap()
    }
}

/// Makes tests of functions that test any machine.
macro_rules! on_machines {
    ($($test:ident),* $(,)?) => {
        mod on_model {
            $(#[test]
            fn $test() {
                super::$test::<ringmill_rtl::core::Model>();
            })*
        }

        #[cfg(feature = "rtl")]
        mod on_simulation {
            $(#[test]
            fn $test() {
                super::$test::<ringmill_rtl::core::Simulation>();
            })*
        }
    };
}
pub(crate) use on_machines;

/// A core with a ring of 2^`ring_log` descriptors and memory for about 20 limbs.
pub fn driver<M: Core>(ring_log: u32) -> Driver<M> {
    Driver::new(M::core(configuration(), 0x1000, 20 * LIMB + 0x10000), ring_log).unwrap()
}

/// The address of place i: limbs from the beginning of the data on.
pub fn place<M: Machine>(driver: &Driver<M>, i: u64) -> u64 {
    driver.data().start + i * LIMB
}

/// Writes the constants of two primes behind 16 limbs, and loads them.
pub fn load_primes<M: Machine>(driver: &mut Driver<M>, primes: &[Modulus]) {
    for (slot, q) in primes.iter().enumerate() {
        let address = place(driver, 16 + slot as u64);
        let block = ConstantsBlock::new(&configuration(), q).unwrap();
        driver.machine_mut().write_memory(address, block.words()).unwrap();
        let slot = slot as u8;
        driver.run(&[Instruction::Constants { slot, address }]).unwrap();
    }
}

/// Buffers and memory by the definitions.
struct Interpreter {
    ring: FermatRing,
    primes: Vec<Modulus>,
    transforms: Vec<Transform>,
    buffers: BTreeMap<u8, (u8, Vec<u64>)>,
    memory: BTreeMap<u64, Vec<u64>>,
}

impl Interpreter {
    fn new(primes: &[Modulus]) -> Self {
        let ring = ring();
        let kernel = Simd::from_environment().unwrap();
        let transform = |&q: &Modulus| Transform::new(&Ring::from(ring.clone()), q, kernel).unwrap();
        Self {
            transforms: primes.iter().map(transform).collect(),
            ring,
            primes: primes.to_vec(),
            buffers: BTreeMap::new(),
            memory: BTreeMap::new(),
        }
    }

    /// The words of buffer `at`, if it was written under this slot.
    fn source(&self, at: u8, slot: u8) -> Option<&Vec<u64>> {
        self.buffers
            .get(&at)
            .filter(|(s, _)| *s == slot)
            .map(|(_, words)| words)
    }

    /// a b / R with R = 2^51, in 128 bits: R^-1 is ((q + 1) / 2)^51.
    fn product(&self, slot: u8, a: u64, b: u64) -> u64 {
        let q = u128::from(self.primes[usize::from(slot)].value());
        let product = u128::from(a) * u128::from(b) % q;
        let halve = |x: u128| if x.is_multiple_of(2) { x / 2 } else { (x + q) / 2 };
        (0..51).fold(product, |x, _| halve(x)) as u64
    }

    fn moved(&self, words: &[u64], shift: u64) -> Vec<u64> {
        let fields = |mut index: usize| -> Vec<usize> {
            let fields = self.ring.orders().iter().rev().map(|&m| {
                let field = index % m;
                index /= m;
                field
            });
            fields.collect()
        };
        let by = fields(shift as usize);
        let mut moved = vec![0; words.len()];
        for (index, &word) in words.iter().enumerate() {
            let orders = self.ring.orders().iter().rev();
            let fields = fields(index).into_iter().zip(&by).zip(orders);
            let sums: Vec<(usize, usize)> = fields.map(|((i, by), &m)| ((i + by) % m, m)).collect();
            moved[sums.iter().rev().fold(0, |at, &(i, m)| at * m + i)] = word;
        }
        moved
    }

    /// Does the instruction; `None` and nothing else if it is not valid.
    fn run(&mut self, instruction: &Instruction) -> Option<()> {
        let result = self.result(instruction)?;
        match *instruction {
            Instruction::Store {
                source,
                slot,
                address,
            } => {
                let words = self.source(source, slot)?.clone();
                self.memory.insert(address, words);
            }
            _ => {
                let slot = instruction.slot()?;
                self.buffers.insert(instruction.destination()?, (slot, result));
            }
        }
        Some(())
    }

    fn result(&self, instruction: &Instruction) -> Option<Vec<u64>> {
        let slot = instruction.slot()?;
        let q = u128::from(self.primes.get(usize::from(slot))?.value());
        let pairs = |a: u8, b: u8| {
            let pairs = self.source(a, slot)?.iter().zip(self.source(b, slot)?);
            Some(pairs.map(|(&a, &b)| (a, b)))
        };
        let wide = |x: u64| u128::from(x);
        Some(match *instruction {
            Instruction::Load { address, .. } => {
                let words = self.memory.get(&address)?;
                words.iter().all(|&word| wide(word) < q).then(|| words.clone())?
            }
            Instruction::Store { source, .. } => self.source(source, slot)?.clone(),
            Instruction::Transform {
                direction, source, ..
            } => {
                let mut words = self.source(source, slot)?.clone();
                let transform = &self.transforms[usize::from(slot)];
                match direction {
                    Direction::Forward => transform.evaluate(&mut words).unwrap(),
                    Direction::Inverse => transform.interpolate(&mut words).unwrap(),
                }
                words
            }
            Instruction::Combine {
                combination, a, b, ..
            } => pairs(a, b)?
                .map(|(a, b)| match combination {
                    Combination::Add => ((wide(a) + wide(b)) % q) as u64,
                    Combination::Subtract => ((wide(a) + q - wide(b)) % q) as u64,
                    Combination::Multiply => self.product(slot, a, b),
                })
                .collect(),
            Instruction::Negate { source, .. } => {
                let words = self.source(source, slot)?;
                words.iter().map(|&a| ((q - wide(a)) % q) as u64).collect()
            }
            Instruction::Scale { source, constant, .. } => {
                let words = self.source(source, slot)?;
                words.iter().map(|&a| self.product(slot, a, constant)).collect()
            }
            Instruction::Fill { constant, .. } => vec![constant; N],
            Instruction::MultiplyAccumulate {
                destination,
                a,
                b,
                count,
                ..
            } => {
                let named = |first: u8| (first..first + count).contains(&destination);
                if count == 0 || named(a) || named(b) {
                    return None;
                }
                let mut sums = vec![0; N];
                for i in 0..count {
                    for (sum, (a, b)) in sums.iter_mut().zip(pairs(a + i, b + i)?) {
                        *sum = ((wide(*sum) + wide(self.product(slot, a, b))) % q) as u64;
                    }
                }
                sums
            }
            Instruction::Automorphism {
                destination,
                source,
                shift,
                ..
            } if destination != source => self.moved(self.source(source, slot)?, shift),
            _ => return None,
        })
    }
}

/// Any instruction but those of the front end; constants and shifts are in range.
fn draw(random: &mut Random, primes: &[Modulus], places: &[u64]) -> Instruction {
    let limbs = u64::from(configuration().sizes().limbs);
    let slot = (random.word() % 2) as u8;
    let mut buffer = || (random.word() % limbs) as u8;
    let (destination, source, b) = (buffer(), buffer(), buffer());
    let address = places[(random.word() % places.len() as u64) as usize];
    let constant = random.word() % primes[usize::from(slot)].value();
    let (a, shift) = (source, random.word() % N as u64);
    let choice = |random: &mut Random, count: u64| random.word() % count;
    match choice(random, 10) {
        0 | 1 => Instruction::Load {
            destination,
            slot,
            address,
        },
        2 => Instruction::Store {
            source,
            slot,
            address,
        },
        3 => Instruction::Transform {
            direction: [Direction::Forward, Direction::Inverse][choice(random, 2) as usize],
            destination,
            source,
            slot,
        },
        4 => Instruction::Combine {
            combination: [Combination::Add, Combination::Subtract, Combination::Multiply]
                [choice(random, 3) as usize],
            destination,
            a,
            b,
            slot,
        },
        5 => Instruction::Negate {
            destination,
            source,
            slot,
        },
        6 => Instruction::Scale {
            destination,
            source,
            slot,
            constant,
        },
        7 => Instruction::Fill {
            destination,
            slot,
            constant,
        },
        8 => Instruction::MultiplyAccumulate {
            destination,
            a,
            b,
            slot,
            count: 1 + choice(random, 4) as u8,
        },
        _ => Instruction::Automorphism {
            destination,
            source,
            slot,
            shift,
        },
    }
}

fn random_programs_do_what_the_definitions_say<M: Core>() {
    let (primes, mut random) = (primes(2), Random::new(5));
    for ring_log in [3, 8] {
        let mut driver = driver::<M>(ring_log);
        load_primes(&mut driver, &primes);
        let mut interpreter = Interpreter::new(&primes);
        let places: Vec<u64> = (0..16).map(|i| place(&driver, i)).collect();
        for (i, &address) in places.iter().enumerate() {
            // Residues of the smaller prime, and the largest of it.
            let words = match i {
                0 => vec![primes[1].value() - 1; N],
                _ => random.residues(&primes[1], N),
            };
            driver.machine_mut().write_memory(address, &words).unwrap();
            interpreter.memory.insert(address, words);
        }
        let mut program = Vec::new();
        while program.len() < 400 {
            let instruction = draw(&mut random, &primes, &places);
            if interpreter.run(&instruction).is_some() {
                program.push(instruction);
            }
            if random.word().is_multiple_of(16) {
                program.push(Instruction::Wait);
            }
        }
        driver.run(&program).unwrap();
        for (&address, words) in &interpreter.memory {
            let mut got = vec![0; N];
            driver.machine_mut().read_memory(address, &mut got).unwrap();
            assert_eq!(&got, words, "{address:#x}");
        }
    }
}

/// A core computes with the constants that it is given: twice the Gauss sums of one dimension give twice the values.
fn constants_are_those_of_the_block<M: Core>() {
    let (primes, mut random) = (primes(1), Random::new(6));
    let q = &primes[0];
    let mut driver = driver::<M>(4);
    let mut block = ConstantsBlock::new(&configuration(), q).unwrap().words().to_vec();
    // The first dimension is that of 257, with 256 sums in each direction, those of the forward transform even.
    (0..256).for_each(|i| block[8 + 2 * i] = q.add(block[8 + 2 * i], block[8 + 2 * i]));
    let (from, to, constants) = (place(&driver, 0), place(&driver, 1), place(&driver, 2));
    let words = random.residues(q, N);
    let machine = driver.machine_mut();
    machine.write_memory(constants, &block).unwrap();
    machine.write_memory(from, &words).unwrap();
    let slot = 1;
    driver
        .run(&[
            Instruction::Constants {
                slot,
                address: constants,
            },
            Instruction::Load {
                destination: 0,
                slot,
                address: from,
            },
            Instruction::Transform {
                direction: Direction::Forward,
                destination: 1,
                source: 0,
                slot,
            },
            Instruction::Store {
                source: 1,
                slot,
                address: to,
            },
        ])
        .unwrap();
    let ring: Ring = ring().into();
    let transform = Transform::new(&ring, *q, Simd::from_environment().unwrap()).unwrap();
    let mut values = words;
    transform.evaluate(&mut values).unwrap();
    values.iter_mut().for_each(|value| *value = q.add(*value, *value));
    let mut got = vec![0; N];
    driver.machine_mut().read_memory(to, &mut got).unwrap();
    assert_eq!(got, values);
    let machine = driver.machine_mut();
    let read = 4 * 32 + LIMB + 8 * block.len() as u64;
    assert_eq!(machine.counter(Counter::BytesRead).unwrap(), read);
    assert_eq!(machine.counter(Counter::BytesWritten).unwrap(), LIMB);
}

fn interrupts_are_counted_and_taken_back<M: Core>() {
    let mut driver = driver::<M>(3);
    driver.run(&[Instruction::Interrupt; 11]).unwrap();
    let machine = driver.machine_mut();
    assert_eq!(machine.get(Register::Interrupts).unwrap(), 11);
    assert_eq!(machine.get(Register::Head).unwrap(), 11);
    assert_eq!(machine.get(Register::Status).unwrap(), 0b101);
    machine.set(Register::Interrupts, 0).unwrap();
    assert_eq!(machine.get(Register::Status).unwrap(), 0b001);
}

on_machines!(
    random_programs_do_what_the_definitions_say,
    constants_are_those_of_the_block,
    interrupts_are_counted_and_taken_back
);
