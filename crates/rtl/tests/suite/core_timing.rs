//! The time model of the core beside the core itself: all counters, of random programs.

use ringmill_arith::prime::primes_below;
use ringmill_arith::{Basis, Modulus};
use ringmill_device::{Device, Digits};
use ringmill_ring::{Domain, FermatRing, PrimeRule, Ring};
use ringmill_rtl::core::{
    Combination, Configuration, ConstantsBlock, CoreDevice, Counter, Counts, Driver, EngineKind, Instruction,
    Machine, MemoryTiming, Simulation, Sizes, Stopwatch, Tables, Timing,
};
use ringmill_rtl::ntt_engine::Direction;

use crate::common::Random;

/// A simulated core with two blocks of constants in memory, one for each of its slots or of two, and a limb of zeros.
struct Bench {
    driver: Driver<Simulation>,
    configuration: Configuration,
    blocks: [u64; 2],
    limbs: u64,
}

fn primes(configuration: &Configuration) -> Vec<Modulus> {
    match configuration.sizes().engine {
        EngineKind::XorBanks => {
            let ring = Ring::from(FermatRing::new(configuration.n()).unwrap());
            PrimeRule::Machine.primes(&ring, 1 << 50, 2, &[]).unwrap()
        }
        EngineKind::DedicatedRead => primes_below(1 << 30, 1 << 16, 2, &[]).unwrap(),
    }
}

impl Bench {
    fn new(configuration: Configuration) -> Self {
        let primes = primes(&configuration);
        let bytes = 8 * configuration.limb_bytes() + (1 << 17);
        let simulation = Simulation::new(configuration, 0, bytes).unwrap();
        let mut driver = Driver::new(simulation, 8).unwrap();
        let start = driver.data().start;
        let block_bytes = 8 * ConstantsBlock::len(&configuration) as u64;
        let blocks = [start, start + block_bytes];
        for (q, address) in primes.iter().zip(blocks) {
            let block = ConstantsBlock::new(&configuration, q).unwrap();
            driver.machine_mut().write_memory(address, block.words()).unwrap();
        }
        Self {
            driver,
            configuration,
            blocks,
            limbs: start + 2 * block_bytes,
        }
    }

    /// A program that runs without an error.
    fn program(&self, random: &mut Random, length: usize) -> Vec<Instruction> {
        let mut slots = [None; 8];
        let constants = |slot: u8| Instruction::Constants {
            slot,
            address: self.blocks[usize::from(slot)],
        };
        let Sizes {
            engine, slots: count, ..
        } = *self.configuration.sizes();
        let mut program: Vec<Instruction> = (0..count).map(constants).collect();
        while program.len() < length {
            let mut draw = |count: u64| random.word() % count;
            let (kind, slot) = (draw(24), draw(count.into()) as u8);
            let (destination, a, b) = (draw(8) as u8, draw(8) as u8, draw(8) as u8);
            let address = self.limbs + draw(6) * self.configuration.limb_bytes() + 64 * draw(3);
            let holds = |first: u8, count: u8| {
                let range = usize::from(first)..usize::from(first + count);
                slots
                    .get(range)
                    .is_some_and(|slots| slots.iter().all(|&s| s == Some(slot)))
            };
            let apart = |first: u8, count: u8| !(first..first + count).contains(&destination);
            let instruction = match kind {
                0..=6 => Instruction::Load {
                    destination,
                    slot,
                    address,
                },
                7..=9 if holds(a, 1) => Instruction::Store {
                    source: a,
                    slot,
                    address,
                },
                10..=12 if holds(a, 1) => Instruction::Transform {
                    direction: [Direction::Forward, Direction::Inverse][usize::from(b % 2)],
                    destination,
                    source: a,
                    slot,
                },
                13..=15 if holds(a, 1) && holds(b, 1) => Instruction::Combine {
                    combination: Combination::Add,
                    destination,
                    a,
                    b,
                    slot,
                },
                16..=18 if holds(a, 2) && holds(b, 2) && apart(a, 2) && apart(b, 2) => {
                    Instruction::MultiplyAccumulate {
                        destination,
                        a,
                        b,
                        slot,
                        count: 2,
                    }
                }
                19..=20 if engine == EngineKind::XorBanks && holds(a, 1) && apart(a, 1) => {
                    Instruction::Automorphism {
                        destination,
                        source: a,
                        slot,
                        shift: 1,
                    }
                }
                21 => Instruction::Fill {
                    destination,
                    slot,
                    constant: 1,
                },
                22 => [Instruction::Wait, Instruction::Interrupt][usize::from(a % 2)],
                23 if b == 0 => constants(slot),
                _ => continue,
            };
            if let Instruction::Constants { slot, .. } = instruction {
                slots
                    .iter_mut()
                    .filter(|s| **s == Some(slot))
                    .for_each(|s| *s = None);
            }
            if let Some(destination) = instruction.destination() {
                slots[usize::from(destination)] = Some(slot);
            }
            program.push(instruction);
        }
        program
    }

    /// By how much the core's counters grew.
    fn counts(&mut self, program: &[Instruction], timing: MemoryTiming) -> Vec<u64> {
        self.driver.machine_mut().set_timing(timing);
        let read = |driver: &mut Driver<Simulation>| -> Vec<u64> {
            let counters = Counter::ALL.into_iter();
            counters
                .map(|counter| driver.machine_mut().counter(counter).unwrap())
                .collect()
        };
        let before = read(&mut self.driver);
        self.driver.run(program).unwrap();
        let after = read(&mut self.driver);
        after
            .iter()
            .zip(before)
            .map(|(after, before)| after - before)
            .collect()
    }
}

fn listed(counts: &Counts) -> Vec<u64> {
    Counter::ALL
        .into_iter()
        .map(|counter| counts.get(counter))
        .collect()
}

fn model(configuration: Configuration, program: &[Instruction], timing: MemoryTiming) -> Vec<u64> {
    listed(
        &Timing::new(configuration, timing)
            .unwrap()
            .run(program, &mut Tables::default())
            .unwrap(),
    )
}

/// Every counter is the core's where memory has bandwidth for all, whatever its latency.
fn check_equal(configuration: Configuration, programs: u64) {
    let mut bench = Bench::new(configuration);
    for seed in 0..programs {
        let program = bench.program(&mut Random::new(seed), 100);
        for latency in [1, 20, 150] {
            let timing = MemoryTiming {
                latency,
                ..MemoryTiming::FAST
            };
            let counts = bench.counts(&program, timing);
            assert_eq!(
                model(configuration, &program, timing),
                counts,
                "{seed}, {latency}"
            );
        }
    }
}

#[test]
fn the_model_counts_what_the_core_does() {
    for configuration in Simulation::configurations() {
        if configuration.n() <= 4096 {
            check_equal(configuration, 2);
        }
    }
}

/// Within 1 % where reads and writes compete for bandwidth.
#[test]
fn the_model_is_close_where_memory_is_slow() {
    let configuration = crate::core_model::configuration();
    let mut bench = Bench::new(configuration);
    for (seed, timing) in [
        (10, MemoryTiming::ddr4(200)),
        (11, MemoryTiming::hbm2(400)),
        (12, MemoryTiming::ddr3_sum(200)),
        (13, MemoryTiming::ddr3(200)),
    ] {
        let program = bench.program(&mut Random::new(seed), 30);
        let cycles = bench.counts(&program, timing)[0];
        let modelled = model(configuration, &program, timing)[0];
        assert!(
            100 * cycles.abs_diff(modelled) <= cycles,
            "{timing:?}: {cycles}, {modelled}"
        );
    }
}

/// The counters of a core's device after all operations that it has, some of them on limbs that do not fit on chip.
fn counts_of_a_device<M: Machine>(machine: M) -> Vec<u64> {
    let configuration = *machine.configuration();
    let core = CoreDevice::new(machine).unwrap();
    let ring = FermatRing::new(configuration.n()).unwrap();
    let primes = PrimeRule::Machine
        .primes(&ring.clone().into(), 1 << 50, 4, &[])
        .unwrap();
    let (primes, more) = primes.split_at(3);
    let basis = Basis::new(primes).unwrap();
    // Random: small numbers would be doubtful, and the time then another one.
    let mut random = Random::new(5);
    let words: Vec<u64> = primes
        .iter()
        .flat_map(|q| random.residues(q, configuration.n()))
        .collect();
    let upload = |domain| core.upload(&basis, domain, &words).unwrap();
    let (a, b) = (upload(Domain::Coefficient), upload(Domain::Evaluation));
    let a = core.transform(a, Domain::Evaluation).unwrap();
    let sum = core.sum(&[&a, &b, &a]).unwrap();
    let sum = core.negate(&core.sub(&sum, &b).unwrap()).unwrap();
    let pairs = [(&a, &b), (&sum, &b), (&sum, &sum)];
    let product = core.inner_product(&pairs, Domain::Coefficient).unwrap();
    let moved = core
        .automorphism(&product, u64::from(ring.exponents()[77]))
        .unwrap();
    let extra = Basis::new(&more[..1]).unwrap();
    let lifted = core.lift(&product, &extra, Domain::Evaluation).unwrap();
    let lifted = core.transform(lifted, Domain::Coefficient).unwrap();
    let scaled = core.scale(&lifted, 2, 3).unwrap();
    let low = Basis::new(&primes[..2]).unwrap();
    core.download(&core.rescale(&scaled, &low, Domain::Evaluation).unwrap())
        .unwrap();
    let digits = Digits::Limbs {
        groups: primes.iter().map(|&q| Basis::new(&[q]).unwrap()).collect(),
        special: extra.clone(),
    };
    let extended = digits.extended(&basis).unwrap();
    let zeros = vec![0; 4 * configuration.n()];
    let half = || core.upload(&extended, Domain::Evaluation, &zeros).unwrap();
    let key = [(half(), half()), (half(), half()), (half(), half())];
    let (x, y) = core
        .key_switch(&product, &[], &digits, &key, &low, Domain::Coefficient)
        .unwrap();
    core.download(&x).unwrap();
    core.download(&y).unwrap();
    let digits = Digits::BaseTwo { bits: 100 };
    let half = || core.upload(&basis, Domain::Evaluation, &words).unwrap();
    let key = [(half(), half()), (half(), half())];
    let (x, _) = core
        .key_switch(&product, &[], &digits, &key, &basis, Domain::Coefficient)
        .unwrap();
    core.download(&x).unwrap();
    let products = core.multiply_fixed(vec![product], &[&a, &sum]).unwrap();
    core.download(&moved).unwrap();
    core.wipe(moved);
    products.iter().flatten().for_each(|product| {
        core.download(product).unwrap();
    });
    let count = |driver: &mut Driver<M>, counter| driver.machine_mut().counter(counter).unwrap();
    core.with_driver(|driver| Counter::ALL.map(|counter| count(driver, counter)).to_vec())
}

/// A device takes the same time on the core and on the model that only takes time.
#[test]
fn a_stopwatch_counts_what_the_core_does() {
    for configuration in Simulation::configurations() {
        if configuration.n() > 4096 || configuration.sizes().engine != EngineKind::XorBanks {
            continue;
        }
        let bytes = 200 * configuration.limb_bytes();
        let timing = MemoryTiming {
            latency: 30,
            ..MemoryTiming::FAST
        };
        let mut core = Simulation::new(configuration, 0, bytes).unwrap();
        core.set_timing(timing);
        let stopwatch = Stopwatch::new(configuration, timing, bytes).unwrap();
        let counts = counts_of_a_device(core);
        // All units work.
        assert!(counts[..5].iter().all(|&count| count > 0), "{counts:?}");
        assert_eq!(counts_of_a_device(stopwatch), counts);
    }
}

#[test]
fn pauses_have_no_model() {
    let timing = MemoryTiming {
        pauses: 1,
        ..MemoryTiming::FAST
    };
    assert!(Timing::new(crate::core_model::configuration(), timing).is_err());
}

#[test]
#[ignore = "the machine of full size takes minutes"]
#[cfg(feature = "rtl-full")]
fn the_model_counts_what_the_core_of_full_size_does() {
    let full = Simulation::configurations()
        .into_iter()
        .find(|core| core.n() == 32768);
    check_equal(full.unwrap(), 1);
}
