//! The core itself before memories that are slow, pause, and fail in places.

use ringmill_rtl::RtlError;
use ringmill_rtl::core::{Driver, Fault, Instruction, Machine, MemoryTiming, Simulation};

use crate::core_model::{LIMB, N, driver, load_primes, place, primes};

const fn load(address: u64) -> Instruction {
    Instruction::Load {
        destination: 0,
        slot: 0,
        address,
    }
}

const fn store(address: u64) -> Instruction {
    Instruction::Store {
        source: 1,
        slot: 0,
        address,
    }
}

/// Reads and writes that fail at the first, at some and at the last word of a limb, in descriptors and in constants stop
/// the core, and once the memory is mended it works again.
#[test]
fn memory_that_fails_stops_the_core() {
    let (mut driver, primes) = (driver::<Simulation>(4), primes(2));
    let fill = Instruction::Fill {
        destination: 1,
        slot: 0,
        constant: 5,
    };
    let limb = place(&driver, 0);
    let constants = place(&driver, 16);
    let block = Instruction::Constants {
        slot: 0,
        address: constants,
    };
    let ring = driver.data().start - 16 * 32;
    let mut stops = |broken: u64, program: &[Instruction], expected: Fault| {
        load_primes(&mut driver, &primes);
        driver.run(&[fill]).unwrap();
        driver.machine_mut().break_memory(broken..broken + 8);
        match driver.run(program) {
            Err(RtlError::Core { fault, .. }) => assert_eq!(fault, expected, "{broken:#x}"),
            other => panic!("{broken:#x}: {other:?}"),
        }
        driver.machine_mut().break_memory(0..0);
    };
    for word in [0, 1, 777, N as u64 - 1] {
        stops(limb + 8 * word, &[load(limb)], Fault::Read);
        stops(limb + 8 * word, &[store(limb)], Fault::Write);
    }
    for word in [0, 7, 8, 300] {
        stops(constants + 8 * word, &[block], Fault::Read);
    }
    // Behind the two blocks of constants and the one word that fills.
    for descriptor in [3, 5] {
        stops(ring + 32 * descriptor, &[Instruction::Wait; 4], Fault::Descriptor);
    }
    load_primes(&mut driver, &primes);
    driver.run(&[fill, store(limb)]).unwrap();
    let mut words = vec![0; N];
    driver.machine_mut().read_memory(limb, &mut words).unwrap();
    assert_eq!(words, [5; N]);
}

/// A memory's pace changes cycles and nothing else; its bandwidth bounds them from below.
#[test]
fn slow_memories_give_the_same_words() {
    let primes = primes(2);
    let mut before = 0;
    for (timing, bytes_a_cycle) in [
        (MemoryTiming::FAST, 64.0),
        (MemoryTiming::hbm2(200), 72.0),
        (MemoryTiming::ddr3_sum(200), 3.31),
        (
            MemoryTiming {
                pauses: 40,
                ..MemoryTiming::ddr3(200)
            },
            1.34,
        ),
    ] {
        let mut driver = driver::<Simulation>(4);
        driver.machine_mut().set_timing(timing);
        load_primes(&mut driver, &primes);
        let cycles = copy_of_limbs(&mut driver, primes[0].value());
        assert!(
            cycles as f64 * bytes_a_cycle >= (8 * LIMB) as f64,
            "{timing:?}: {cycles}"
        );
        assert!(
            cycles > before,
            "{timing:?}: {cycles} cycles, {before} before a faster one"
        );
        before = cycles;
    }
}

/// Copies four limbs by way of the core; its cycles.
fn copy_of_limbs(driver: &mut Driver<Simulation>, q: u64) -> u64 {
    let words: Vec<u64> = (0..4 * N as u64).map(|i| i * i * 0x9e37_79b9 % q).collect();
    let [from, to] = [place(driver, 0), place(driver, 8)];
    driver.machine_mut().write_memory(from, &words).unwrap();
    let before = driver.machine().cycles();
    let program: Vec<Instruction> = (0..4)
        .flat_map(|i| {
            let (buffer, at) = (i as u8, i * LIMB);
            let load = Instruction::Load {
                destination: buffer,
                slot: 0,
                address: from + at,
            };
            let store = Instruction::Store {
                source: buffer,
                slot: 0,
                address: to + at,
            };
            [load, store]
        })
        .collect();
    driver.run(&program).unwrap();
    let cycles = driver.machine().cycles() - before;
    let mut copied = vec![0; words.len()];
    driver.machine_mut().read_memory(to, &mut copied).unwrap();
    assert_eq!(copied, words);
    cycles
}
