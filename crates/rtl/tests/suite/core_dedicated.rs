//! Runs programs on the core with dedicated reads, its golden model and itself where it is built, and compares them with
//! definitions: values of polynomials, products term by term, arithmetic in 128 bits.

use ringmill_arith::Modulus;
use ringmill_arith::prime::{primes_below, root_of_unity};
use ringmill_rtl::RtlError;
use ringmill_rtl::core::{
    Combination, Configuration, ConstantsBlock, CoreDevice, Driver, EngineKind, Fault, Instruction, Model,
    Sizes,
};
#[cfg(feature = "rtl")]
use ringmill_rtl::core::{Counter, Machine};
use ringmill_rtl::ntt_engine::Direction;
use ringmill_rtl::ntt_engine::dedicated_read::Shape;

use crate::common::Random;
use crate::core_model::{Core, on_machines};

const N: usize = 1024;
const UNITS: usize = 4;
/// log2 of R.
const RADIX_LOG: u64 = 32;

fn configuration() -> Configuration {
    Configuration::new(N, UNITS, Sizes::of(EngineKind::DedicatedRead)).unwrap()
}

fn prime() -> Modulus {
    primes_below(1 << 30, 1 << 16, 1, &[]).unwrap()[0]
}

fn block(q: &Modulus) -> Vec<u64> {
    ConstantsBlock::new(&configuration(), q).unwrap().words().to_vec()
}

/// The core of paper 1's size.
#[cfg(feature = "rtl-full")]
fn full_configuration() -> Configuration {
    Configuration::new(65536, 16, Sizes::of(EngineKind::DedicatedRead)).unwrap()
}

/// A core after the constants of a prime were loaded, with limbs in the places of its memory.
struct World<M> {
    driver: Driver<M>,
    limb_bytes: u64,
}

impl<M: Core> World<M> {
    fn new(block: &[u64], limbs: &[Vec<u64>]) -> Self {
        Self::of(configuration(), block, limbs)
    }

    fn of(configuration: Configuration, block: &[u64], limbs: &[Vec<u64>]) -> Self {
        let limb_bytes = configuration.limb_bytes();
        let machine = M::core(configuration, 0x1000, 32 * limb_bytes);
        let mut world = Self {
            driver: Driver::new(machine, 4).unwrap(),
            limb_bytes,
        };
        let address = world.place(16);
        world.driver.machine_mut().write_memory(address, block).unwrap();
        for (limb, i) in limbs.iter().zip(0..) {
            let address = world.place(i);
            world.driver.machine_mut().write_memory(address, limb).unwrap();
        }
        let constants = Instruction::Constants { slot: 0, address };
        world.driver.run(&[constants]).unwrap();
        world
    }

    fn place(&self, i: u64) -> u64 {
        self.driver.data().start + i * self.limb_bytes
    }

    /// Loads the limbs of the first places into the buffers of these numbers, runs a program, and stores a buffer.
    fn run(&mut self, loads: u8, program: &[Instruction], source: u8) -> Vec<u64> {
        let load = |destination: u8| Instruction::Load {
            destination,
            slot: 0,
            address: self.place(destination.into()),
        };
        let mut whole: Vec<Instruction> = (0..loads).map(load).collect();
        let address = self.place(15);
        whole.extend(program);
        whole.push(Instruction::Store {
            source,
            slot: 0,
            address,
        });
        self.driver.run(&whole).unwrap();
        let mut words = vec![0; self.limb_bytes as usize / 8];
        self.driver
            .machine_mut()
            .read_memory(address, &mut words)
            .unwrap();
        words
    }
}

const fn transform(direction: Direction, destination: u8, source: u8) -> Instruction {
    Instruction::Transform {
        direction,
        destination,
        source,
        slot: 0,
    }
}

const fn combine(combination: Combination, destination: u8, a: u8, b: u8) -> Instruction {
    Instruction::Combine {
        combination,
        destination,
        a,
        b,
        slot: 0,
    }
}

/// Values in the engine's order, by Horner's rule.
fn evaluations(q: &Modulus, a: &[u64]) -> Vec<u64> {
    let omega = root_of_unity(q, N as u64).unwrap();
    let value = |j: usize| {
        let root = u128::from(q.pow(omega, j as u64));
        let horner = |value: u128, &term: &u64| (value * root + u128::from(term)) % u128::from(q.value());
        a.iter().rev().fold(0, horner) as u64
    };
    let order = Shape::new(N, UNITS).unwrap().value_order();
    order.into_iter().map(value).collect()
}

/// a b modulo x^n - 1, term by term.
fn cyclic_product(q: &Modulus, a: &[u64], b: &[u64]) -> Vec<u64> {
    let mut sums = vec![0u128; N];
    for (i, &a) in a.iter().enumerate() {
        for (j, &b) in b.iter().enumerate() {
            sums[(i + j) % N] += u128::from(a) * u128::from(b);
        }
    }
    sums.iter()
        .map(|sum| (sum % u128::from(q.value())) as u64)
        .collect()
}

/// Coefficients as an inverse transform leaves them: that of -i in the place of i.
fn reversed(words: &[u64]) -> Vec<u64> {
    let n = words.len();
    (0..n).map(|i| words[(n - i) % n]).collect()
}

fn transforms_have_the_values_of_polynomials<M: Core>() {
    let (q, mut random) = (prime(), Random::new(21));
    let a = random.residues(&q, N);
    let mut world = World::<M>::new(&block(&q), std::slice::from_ref(&a));
    let forward = transform(Direction::Forward, 1, 0);
    let values = evaluations(&q, &a);
    assert_eq!(world.run(1, &[forward], 1), values);
    let back = [forward, transform(Direction::Inverse, 2, 1)];
    assert_eq!(world.run(1, &back, 2), reversed(&a));
    // The values of reversed coefficients are reversed; after two rounds all is in order.
    let again = [
        transform(Direction::Forward, 2, 2),
        transform(Direction::Inverse, 2, 2),
    ];
    assert_eq!(world.run(1, &[&back[..], &again].concat(), 2), a);
    // Any words are values.
    let coefficients = world.run(1, &[transform(Direction::Inverse, 0, 0)], 0);
    assert_eq!(evaluations(&q, &reversed(&coefficients)), a);
}

fn products_are_those_of_polynomials<M: Core>() {
    let (q, mut random) = (prime(), Random::new(22));
    let greatest = vec![q.value() - 1; N];
    for [a, b] in [
        [random.residues(&q, N), random.residues(&q, N)],
        [greatest.clone(), greatest],
    ] {
        let expected = reversed(&cyclic_product(&q, &a, &b));
        let mut world = World::<M>::new(&block(&q), &[a, b]);
        let program = [
            transform(Direction::Forward, 2, 0),
            transform(Direction::Forward, 3, 1),
            combine(Combination::Multiply, 4, 2, 3),
            // The product is divided by R, and so is this one.
            Instruction::Scale {
                destination: 4,
                source: 4,
                slot: 0,
                constant: q.pow(2, 2 * RADIX_LOG),
            },
            transform(Direction::Inverse, 5, 4),
        ];
        assert_eq!(world.run(2, &program, 5), expected);
    }
}

fn vectors_are_combined_word_by_word<M: Core>() {
    let (q, mut random) = (prime(), Random::new(23));
    let limbs: Vec<Vec<u64>> = (0..4).map(|_| random.residues(&q, N)).collect();
    let inverse_radix = q.inv(q.pow(2, RADIX_LOG)).unwrap();
    let mut world = World::<M>::new(&block(&q), &limbs);
    let wide = |x: u64| u128::from(x);
    let residue = |x: u128| (x % wide(q.value())) as u64;
    let product = |a: u64, b: u64| wide(residue(wide(a) * wide(b))) * wide(inverse_radix);
    let mut check = |instruction: Instruction, expected: &dyn Fn(usize) -> u128| {
        let words: Vec<u64> = (0..N).map(|i| residue(expected(i))).collect();
        assert_eq!(world.run(4, &[instruction], 7), words, "{instruction:?}");
    };
    let at = |limb: usize, i: usize| wide(limbs[limb][i]);
    check(combine(Combination::Add, 7, 0, 1), &|i| at(0, i) + at(1, i));
    check(combine(Combination::Subtract, 7, 0, 1), &|i| {
        at(0, i) + wide(q.value()) - at(1, i)
    });
    check(combine(Combination::Multiply, 7, 2, 3), &|i| {
        product(limbs[2][i], limbs[3][i])
    });
    let sum = Instruction::MultiplyAccumulate {
        destination: 7,
        a: 0,
        b: 2,
        slot: 0,
        count: 2,
    };
    check(sum, &|i| {
        product(limbs[0][i], limbs[2][i]) + product(limbs[1][i], limbs[3][i])
    });
    let fill = Instruction::Fill {
        destination: 7,
        slot: 0,
        constant: 5,
    };
    check(fill, &|_| 5);
}

/// A core computes with the constants that it is given, unit by unit: twice the scale of unit 1 gives twice the
/// coefficients that lie there.
fn constants_are_those_of_the_block<M: Core>() {
    let (q, mut random) = (prime(), Random::new(24));
    let a = random.residues(&q, N);
    let mut block = block(&q);
    // The tables have n words; of each unit follow the factors of two passes, and the scale.
    let scale = 8 + N + 2 * UNITS + 1;
    block[scale] = q.add(block[scale], block[scale]);
    let mut world = World::<M>::new(&block, std::slice::from_ref(&a));
    let back = [
        transform(Direction::Forward, 1, 0),
        transform(Direction::Inverse, 1, 1),
    ];
    let mut expected = reversed(&a);
    // Unit 1's number reversed is 2: the lowest bits of its indices.
    let unit = expected.iter_mut().skip(2).step_by(UNITS);
    unit.for_each(|word| *word = q.add(*word, *word));
    assert_eq!(world.run(1, &back, 1), expected);
}

fn there_are_no_automorphisms_and_one_slot<M: Core>() {
    let (q, mut random) = (prime(), Random::new(25));
    let a = random.residues(&q, N);
    let mut world = World::<M>::new(&block(&q), std::slice::from_ref(&a));
    let automorphism = Instruction::Automorphism {
        destination: 1,
        source: 0,
        slot: 0,
        shift: 1,
    };
    let fill = Instruction::Fill {
        destination: 0,
        slot: 1,
        constant: 0,
    };
    for (instruction, expected) in [(automorphism, Fault::Instruction), (fill, Fault::Slot)] {
        match world.driver.run(&[instruction]) {
            Err(RtlError::Core { fault, .. }) => assert_eq!(fault, expected),
            other => panic!("{other:?}"),
        }
    }
}

on_machines!(
    transforms_have_the_values_of_polynomials,
    products_are_those_of_polynomials,
    vectors_are_combined_word_by_word,
    constants_are_those_of_the_block,
    there_are_no_automorphisms_and_one_slot,
);

/// The transform unit takes the engine's cycles, and two to its first read and one to be free again.
#[cfg(feature = "rtl")]
fn check_cycles(configuration: Configuration) {
    let bytes = 4 * configuration.limb_bytes() + (1 << 20);
    let simulation = ringmill_rtl::core::Simulation::new(configuration, 0, bytes).unwrap();
    let mut driver = Driver::new(simulation, 3).unwrap();
    let address = driver.data().start;
    let block = ConstantsBlock::new(&configuration, &prime()).unwrap();
    driver.machine_mut().write_memory(address, block.words()).unwrap();
    let fill = Instruction::Fill {
        destination: 0,
        slot: 0,
        constant: 1,
    };
    driver
        .run(&[Instruction::Constants { slot: 0, address }, fill])
        .unwrap();
    for direction in [Direction::Forward, Direction::Inverse] {
        let before = driver.machine_mut().counter(Counter::Transform).unwrap();
        driver.run(&[transform(direction, 1, 0)]).unwrap();
        let cycles = driver.machine_mut().counter(Counter::Transform).unwrap() - before;
        assert_eq!(cycles, configuration.transform_cycles(direction) + 3);
    }
}

#[test]
#[cfg(feature = "rtl")]
fn transforms_take_what_the_data_sheet_says() {
    check_cycles(configuration());
}

/// Paper 1's size: 32,789 and 34,837 cycles of the engine.
#[test]
#[ignore = "the machine of full size takes minutes"]
#[cfg(feature = "rtl-full")]
fn transforms_of_full_size_take_what_the_data_sheet_says() {
    check_cycles(full_configuration());
}

/// The model's own transforms are compared with evaluations at this size, too.
#[test]
#[ignore = "the machine of full size takes minutes"]
#[cfg(feature = "rtl-full")]
fn transforms_of_full_size_are_those_of_the_model() {
    use ringmill_rtl::core::Simulation;
    let q = prime();
    let a = Random::new(26).residues(&q, 65536);
    let block = ConstantsBlock::new(&full_configuration(), &q).unwrap();
    let limbs = std::slice::from_ref(&a);
    let mut model = World::<Model>::of(full_configuration(), block.words(), limbs);
    let mut core = World::<Simulation>::of(full_configuration(), block.words(), limbs);
    let forward = [transform(Direction::Forward, 1, 0)];
    assert_eq!(core.run(1, &forward, 1), model.run(1, &forward, 1));
    let back = [forward[0], transform(Direction::Inverse, 2, 1)];
    assert_eq!(core.run(1, &back, 2), reversed(&a));
}

/// A device computes in Fermat rings.
#[test]
fn it_is_no_device() {
    let refused = CoreDevice::new(Model::new(configuration(), 0, 1 << 20).unwrap()).map(|_| ());
    assert!(matches!(refused, Err(RtlError::BadCore { need }) if need.contains("no Fermat ring")));
}

/// Primes are 1 modulo n, which is more than modulo 2^word for the greatest n.
#[test]
fn primes_without_a_root_are_refused() {
    let sizes = Sizes {
        word: 15,
        ..Sizes::of(EngineKind::DedicatedRead)
    };
    let greatest = Configuration::new(65536, 16, sizes).unwrap();
    let primes = primes_below(1 << 30, 1 << 15, 8, &[]).unwrap();
    let bad = primes.iter().find(|q| q.value() % 65536 != 1).unwrap();
    let refused = ConstantsBlock::new(&greatest, bad);
    assert!(matches!(
        refused,
        Err(RtlError::BadTransformModulus {
            congruence: 65536,
            ..
        })
    ));
}
