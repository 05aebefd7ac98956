//! On both machines: bad programs stop the core, each with its code and the address of its descriptor; so do bad register accesses.

use ringmill_rtl::RtlError;
use ringmill_rtl::core::{
    Combination, ConstantsBlock, Descriptor, Driver, Fault, Instruction, Machine, Model, Register, Sizes,
};
use ringmill_rtl::core::{Configuration, register};
use ringmill_rtl::ntt_engine::Direction;

use crate::core_model::{Core, LIMB, N, configuration, driver, load_primes, on_machines, place, primes};

/// A core with a prime in slot 0, another in slot 1, a limb of slot 0 in buffer 0 and one of slot 1 in buffer 1.
fn prepared<M: Core>() -> Driver<M> {
    let mut driver = driver(4);
    load_primes(&mut driver, &primes(2));
    driver.run(&[fill(0, 0, 1), fill(1, 1, 1)]).unwrap();
    driver
}

const fn fill(destination: u8, slot: u8, constant: u64) -> Instruction {
    Instruction::Fill {
        destination,
        slot,
        constant,
    }
}

const fn load(destination: u8, slot: u8, address: u64) -> Instruction {
    Instruction::Load {
        destination,
        slot,
        address,
    }
}

const fn add(destination: u8, a: u8, b: u8, slot: u8) -> Instruction {
    Instruction::Combine {
        combination: Combination::Add,
        destination,
        a,
        b,
        slot,
    }
}

const fn mac(destination: u8, a: u8, b: u8, count: u8) -> Instruction {
    Instruction::MultiplyAccumulate {
        destination,
        a,
        b,
        slot: 0,
        count,
    }
}

const fn automorphism(destination: u8, source: u8, shift: u64) -> Instruction {
    Instruction::Automorphism {
        destination,
        source,
        slot: 0,
        shift,
    }
}

/// The instruction stops the core with this fault, as the last of the four after those that prepare it.
fn stops<M: Core>(instruction: Instruction, expected: Fault) {
    let mut driver = prepared::<M>();
    let program = [Instruction::Wait, add(2, 0, 0, 0), Instruction::Wait, instruction];
    let before = driver.machine_mut().get(Register::Head).unwrap();
    match driver.run(&[&program[..], &[Instruction::Wait]].concat()) {
        Err(RtlError::Core {
            fault,
            instruction: at,
            address,
        }) => {
            assert_eq!((fault, at), (expected, u64::from(before) + 3), "{instruction:?}");
            assert_eq!(address, 0x1000 + 32 * (u64::from(before) + 3) % 512);
        }
        other => panic!("{instruction:?}: {other:?}"),
    }
    // The driver has cleared the core: it works again, and has forgotten everything.
    driver.run(&[Instruction::Wait; 3]).unwrap();
    let forgotten = driver.run(&[add(2, 0, 0, 0)]);
    assert!(matches!(
        forgotten,
        Err(RtlError::Core {
            fault: Fault::Slot,
            instruction: 3,
            ..
        })
    ));
}

fn buffers_and_slots<M: Core>() {
    let q = primes(2)[0].value();
    for bad in [
        fill(8, 0, 0),
        add(2, 8, 0, 0),
        add(2, 0, 255, 0),
        mac(2, 0, 0, 0),
        mac(2, 6, 0, 3),
        mac(2, 0, 6, 3),
        mac(255, 0, 0, 1),
        automorphism(8, 0, 0),
    ] {
        stops::<M>(bad, Fault::Buffer);
    }
    for bad in [fill(2, 2, 0), add(2, 0, 0, 255), load(2, 2, 0)] {
        stops::<M>(bad, Fault::Slot);
    }
    let constants = Instruction::Constants { slot: 2, address: 0 };
    stops::<M>(constants, Fault::Slot);
    for bad in [add(2, 0, 3, 0), mac(3, 2, 2, 3), automorphism(2, 4, 0)] {
        stops::<M>(bad, Fault::Empty);
    }
    let transform = Instruction::Transform {
        direction: Direction::Inverse,
        destination: 2,
        source: 0,
        slot: 1,
    };
    for bad in [add(2, 0, 1, 0), add(2, 0, 1, 1), transform, mac(3, 0, 0, 2)] {
        stops::<M>(bad, Fault::OtherSlot);
    }
    for bad in [mac(0, 0, 2, 1), mac(2, 0, 2, 1), automorphism(0, 0, 1)] {
        stops::<M>(bad, Fault::InUse);
    }
    for bad in [fill(2, 0, q), fill(2, 0, u64::MAX)] {
        stops::<M>(bad, Fault::Constant);
    }
    for bad in [automorphism(2, 0, N as u64), automorphism(2, 0, u64::MAX)] {
        stops::<M>(bad, Fault::Shift);
    }
}

fn addresses<M: Core>() {
    let data = driver::<M>(4).data().clone();
    for bad in [data.start + 8, data.start + 32, 1] {
        stops::<M>(load(2, 0, bad), Fault::Misaligned);
    }
    let last = (data.end - LIMB) / 64 * 64;
    for bad in [0, data.start - 64, last + 64, data.end, 0_u64.wrapping_sub(64)] {
        stops::<M>(load(2, 0, bad), Fault::Outside);
        let store = Instruction::Store {
            source: 0,
            slot: 0,
            address: bad,
        };
        stops::<M>(store, Fault::Outside);
        // A block is shorter than a limb.
        if bad != last + 64 {
            let constants = Instruction::Constants {
                slot: 0,
                address: bad,
            };
            stops::<M>(constants, Fault::Outside);
        }
    }
}

/// An instruction that is wrong in several ways is refused for the first.
fn faults_are_found_in_order<M: Core>() {
    let bad = |destination, a, b, slot, count| Instruction::MultiplyAccumulate {
        destination,
        a,
        b,
        slot,
        count,
    };
    stops::<M>(bad(8, 3, 1, 2, 9), Fault::Buffer);
    stops::<M>(bad(3, 3, 1, 2, 1), Fault::Slot);
    stops::<M>(bad(1, 1, 3, 0, 1), Fault::Empty);
    stops::<M>(bad(1, 1, 0, 0, 1), Fault::OtherSlot);
    stops::<M>(automorphism(0, 0, N as u64), Fault::InUse);
    stops::<M>(load(2, 0, 1), Fault::Misaligned);
}

fn unknown_descriptors<M: Core>() {
    for words in [[0xff, 0, 0, 0], [0x30, 1, 0, 0], [0x30, 0, 0, 1], [0, 0, 0, 0]] {
        let mut machine = M::core(configuration(), 0, 0x1000);
        machine.write_memory(64, &words).unwrap();
        let wait = Descriptor::from(Instruction::Wait).0;
        machine.write_memory(0, &wait).unwrap();
        machine.write_memory(32, &wait).unwrap();
        machine.set(Register::Tail, 3).unwrap();
        machine.run().unwrap();
        assert_eq!(error(&mut machine), (1, 64));
        assert_eq!(machine.get(Register::Head).unwrap(), 2);
    }
}

fn error(machine: &mut impl Machine) -> (u32, u64) {
    let code = machine.get(Register::Error).unwrap();
    let address = machine.read_wide(Register::ErrorAddress as u32).unwrap();
    (code, address)
}

/// What the memory around the core answers: words too large, bad constants, no memory there.
fn words_and_blocks_and_the_bus<M: Core>() {
    let (mut driver, primes) = (prepared::<M>(), primes(2));
    let (here, block) = (place(&driver, 0), place(&driver, 16));
    let mut words = vec![0; N];
    words[N - 1] = primes[0].value();
    driver.machine_mut().write_memory(here, &words).unwrap();
    let fault = |driver: &mut Driver<M>, bad| match driver.run(&[bad]) {
        Err(RtlError::Core { fault, .. }) => {
            load_primes(driver, &primes);
            fault
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(fault(&mut driver, load(2, 0, here)), Fault::Word);
    let good = ConstantsBlock::new(&configuration(), &primes[0]).unwrap();
    let last = good.words().len() - 1;
    let q = good.words()[0];
    let wrong = [
        (0, q + 1),
        (0, q + (1 << 16)),
        (0, (1 << 50) + 1),
        (1, 1),
        (7, 1 << 63),
        (8, q),
        (last, 1),
    ];
    let constants = Instruction::Constants {
        slot: 1,
        address: block,
    };
    // The 786 constants end before the last word of the block.
    assert_eq!(good.words()[last], 0);
    for (at, word) in wrong {
        let mut words = good.words().to_vec();
        words[at] = word;
        driver.machine_mut().write_memory(block, &words).unwrap();
        let stopped = driver.run(&[constants]);
        assert!(
            matches!(
                stopped,
                Err(RtlError::Core {
                    fault: Fault::Block,
                    ..
                })
            ),
            "{at}: {stopped:?}"
        );
    }
    load_primes(&mut driver, &primes);
    // The window ends behind the memory.
    let end = driver.data().end;
    let size = end - driver.data().start + (1 << 20);
    driver.machine_mut().set_wide(Register::WindowSize, size).unwrap();
    let beyond = end.next_multiple_of(64);
    assert_eq!(fault(&mut driver, load(2, 0, beyond)), Fault::Read);
    let constants = Instruction::Constants {
        slot: 0,
        address: beyond,
    };
    assert_eq!(fault(&mut driver, constants), Fault::Read);
    let store = |address| Instruction::Store {
        source: 0,
        slot: 0,
        address,
    };
    let program = [fill(0, 0, 5), store(beyond)];
    assert!(matches!(
        driver.run(&program),
        Err(RtlError::Core {
            fault: Fault::Write,
            ..
        })
    ));
}

fn the_ring<M: Core>() {
    let mut machine = M::core(configuration(), 0, 0x1000);
    machine.set_wide(Register::Ring, 1 << 40).unwrap();
    machine.set(Register::Tail, 1).unwrap();
    machine.run().unwrap();
    assert_eq!(error(&mut machine), (15, 1 << 40));
    machine.set(Register::Control, register::CLEAR).unwrap();
    assert_eq!(error(&mut machine), (0, 0));
    machine.set_wide(Register::Ring, 0).unwrap();
    machine.set(Register::Tail, 9).unwrap();
    machine.run().unwrap();
    assert_eq!(error(&mut machine), (16, 0));
    // The error stays, and nothing more is done.
    machine.set(Register::Tail, 0).unwrap();
    machine.run().unwrap();
    assert_eq!(error(&mut machine), (16, 0));
    assert_eq!(machine.get(Register::Status).unwrap() & 2, 2);
}

fn registers_that_cannot_be_written<M: Core>() {
    let mut machine = M::core(configuration(), 0, 0x1000);
    let refused = |machine: &mut M, address, value| {
        let expected = Err(RtlError::BadRegister { address });
        assert_eq!(machine.write(address, value), expected, "{address:#x}");
    };
    for register in [
        Register::Id,
        Register::Version,
        Register::Shape,
        Register::Words,
        Register::Status,
        Register::Head,
        Register::Error,
        Register::ErrorAddress,
    ] {
        refused(&mut machine, register as u32, 0);
    }
    for address in [0x4c, 0x50, 0xc8, 0x02, 0x1000] {
        refused(&mut machine, address, 0);
    }
    for log in [2, 17] {
        refused(&mut machine, Register::RingLog as u32, log);
    }
    for register in [
        Register::Control,
        Register::Ring,
        Register::Window,
        Register::WindowSize,
    ] {
        // The core is not idle: a descriptor waits.
        machine.set(Register::Tail, 1).unwrap();
        refused(&mut machine, register as u32, 1);
        machine.run().unwrap();
        machine.set(Register::Control, register::CLEAR).unwrap();
    }
    for address in [0x4c, 0x51, 0xf0, 0x1000] {
        assert_eq!(machine.read(address), Err(RtlError::BadRegister { address }));
    }
}

#[test]
fn another_machine_is_refused() {
    struct Other(Model, Configuration);

    impl Machine for Other {
        fn configuration(&self) -> &Configuration {
            &self.1
        }

        fn memory(&self) -> (u64, u64) {
            self.0.memory()
        }

        fn write_memory(&mut self, address: u64, words: &[u64]) -> Result<(), RtlError> {
            self.0.write_memory(address, words)
        }

        fn read_memory(&mut self, address: u64, words: &mut [u64]) -> Result<(), RtlError> {
            self.0.read_memory(address, words)
        }

        fn write(&mut self, address: u32, value: u32) -> Result<(), RtlError> {
            self.0.write(address, value)
        }

        fn read(&mut self, address: u32) -> Result<u32, RtlError> {
            self.0.read(address)
        }

        fn run(&mut self) -> Result<(), RtlError> {
            self.0.run()
        }
    }

    let model = || Model::new(configuration(), 0, 0x1000).unwrap();
    let sizes = Sizes {
        slots: 4,
        ..Sizes::default()
    };
    let expected = Configuration::new(N, 16, sizes).unwrap();
    let Err(error) = Driver::new(Other(model(), expected), 3).map(|_| ()) else {
        panic!("another machine was accepted");
    };
    assert!(matches!(error, RtlError::WrongMachine { address: 8, .. }));
    // No room for the ring.
    let full = Driver::new(model(), 8).map(|_| ());
    assert_eq!(full, Err(RtlError::MemoryFull { bytes: 8192 }));
}

on_machines!(
    buffers_and_slots,
    addresses,
    faults_are_found_in_order,
    unknown_descriptors,
    words_and_blocks_and_the_bus,
    the_ring,
    registers_that_cannot_be_written
);
