//! Compares the simulated NTT multiplier with schoolbook multiplication, the golden model and the paper's
//! cycles.

use ringmill_arith::Modulus;
use ringmill_arith::prime::primes_below;
use ringmill_rtl::ntt_multiplier::{Host, Link, MachineProgram, Model, Schedule, Shape, Simulation, Stalls};
use ringmill_rtl::{Pipeline, RtlError};

use crate::common::{Random, evaluations, product};

fn shape(n: usize, units: usize, link_words: usize) -> Shape {
    Shape::new(n, units, link_words).unwrap()
}

/// The paper's machine with the deep pipeline.
fn deep() -> Shape {
    Shape::PAPER.with_pipeline(Pipeline::Deep)
}

fn host(shape: Shape, link: Link) -> Host {
    Host::new(Simulation::new(shape).unwrap(), link).unwrap()
}

fn prime(bits: u32, n: usize) -> Modulus {
    primes_below(1 << bits, 2 * n as u64, 1, &[]).unwrap()[0]
}

/// Makes a program with two random fixed polynomials, and returns it with them.
fn program(shape: Shape, q: &Modulus, random: &mut Random) -> (MachineProgram, Vec<Vec<u64>>) {
    let mut program = MachineProgram::new(shape, q).unwrap();
    let fixed = [0, 1].map(|_| random.residues(q, shape.n()));
    for (which, fixed) in fixed.iter().enumerate() {
        program.set_operand(which, &evaluations(q, fixed)).unwrap();
    }
    (program, fixed.to_vec())
}

fn narrow(words: &[u64]) -> Vec<u32> {
    words.iter().map(|&word| u32::try_from(word).unwrap()).collect()
}

/// Cycles of a job from its first read to its last result.
fn cycles(shape: Shape, products: usize) -> u32 {
    Schedule::new(shape).cycles(products).unwrap() as u32
}

/// The paper's link with random speed, latency, buffers and stalls.
fn random_link(random: &mut Random) -> Link {
    Link {
        bits_per_second: 1_000_000_000 + random.word() % 63_000_000_000,
        latency: random.word() % 300,
        half_duplex: random.word().is_multiple_of(2),
        buffer_beats: 1 + random.word() % 600,
        stalls: Stalls {
            input: (random.word() % 200) as u8,
            output: (random.word() % 200) as u8,
            seed: random.word(),
        },
        ..Link::PAPER
    }
}

/// Runs batches of random jobs and jobs of edge values over random links. All words must equal the model's,
/// and the first ones also those of schoolbook multiplication.
fn multiplies(shape: Shape, bits: u32, batches: usize, jobs: usize, random: &mut Random) {
    let (n, q) = (shape.n(), prime(bits, shape.n()));
    let (program, fixed) = program(shape, &q, random);
    let mut model = Model::new(program.clone());
    let mut host = host(shape, Link::PAPER);
    host.load(&program).unwrap();
    for batch in 0..batches {
        let products = 1 + batch % 2;
        let mut inputs: Vec<Vec<u64>> = (0..jobs).map(|_| random.residues(&q, n)).collect();
        inputs[jobs / 2] = vec![q.value() - 1; n];
        let expected: Vec<Vec<Vec<u64>>> = inputs
            .iter()
            .map(|input| model.run(input, products).unwrap())
            .collect();
        let schoolbook = fixed[..products]
            .iter()
            .map(|fixed| product(&q, &inputs[0], fixed));
        assert_eq!(expected[0], schoolbook.collect::<Vec<_>>());
        host.set_link(random_link(random));
        let got = host.run(&narrow(&inputs.concat()), products).unwrap();
        assert_eq!(
            got.words,
            narrow(&expected.concat().concat()),
            "{shape:?} {bits} {:?}",
            host.link()
        );
        assert_eq!(host.counters().unwrap().latency, cycles(shape, products));
        for times in got.times {
            let in_order = [
                times.sent,
                times.accepted,
                times.first,
                times.given,
                times.arrived,
            ];
            assert!(in_order.is_sorted(), "{in_order:?}");
        }
    }
    let counters = host.counters().unwrap();
    assert_eq!(counters.jobs as usize, batches * jobs);
}

#[test]
fn small_machines() {
    let mut random = Random::new(1);
    for bits in [22, 24, 27, 30, 31, 32] {
        multiplies(shape(64, 4, 1), bits, 10, 20, &mut random);
        let deep = shape(128, 8, 4).with_pipeline(Pipeline::Deep);
        multiplies(deep, bits, 10, 20, &mut random);
    }
}

#[test]
fn the_papers_machine() {
    let mut random = Random::new(2);
    for bits in [22, 27, 30, 31, 32] {
        multiplies(Shape::PAPER, bits, 4, 25, &mut random);
        multiplies(deep(), bits, 4, 25, &mut random);
    }
}

#[test]
fn the_small_machine_of_table_ii() {
    let shape = shape(1024, 2, 1);
    for shape in [shape, shape.with_pipeline(Pipeline::Deep)] {
        multiplies(shape, 32, 2, 2, &mut Random::new(3));
    }
}

/// 1.3 us and 1.25 us at 200 MHz are 260 and 250 cycles. The deep pipeline takes more, for two jobs at once.
#[test]
fn cycles_of_the_paper() {
    assert_eq!(cycles(Shape::PAPER, 2), 260);
    assert!(cycles(Shape::PAPER, 1) <= 250);
    assert_eq!([1, 2].map(|products| cycles(deep(), products)), [392, 592]);
}

/// A job every 256 cycles is one for each polynomial that the machine's stream can bring: 781 thousand a
/// second at 200 MHz. The shallow pipeline computes for 171 of these cycles; the deep one for 392, two jobs in turns.
#[test]
fn streaming_is_bound_by_the_link() {
    streams(Shape::PAPER);
    streams(deep());
}

/// Jobs of one and of two products leave 256 and 512 cycles apart.
fn streams(shape: Shape) {
    let mut random = Random::new(4);
    let q = prime(32, shape.n());
    let (program, _) = program(shape, &q, &mut random);
    let link = Link {
        half_duplex: false,
        ..Link::PAPER
    };
    let mut host = host(shape, link);
    host.load(&program).unwrap();
    for (products, period) in [(1, 256), (2, 512)] {
        let jobs = 40;
        let words = narrow(&random.residues(&q, jobs * shape.n()));
        host.clear().unwrap();
        let batch = host.run(&words, products).unwrap();
        let mut periods = batch.times.windows(2).map(|pair| pair[1].given - pair[0].given);
        // The second job may have the other turn, a cycle later; from then on results wait for the link.
        let first = periods.next().unwrap();
        assert!(
            (period..period + shape.threads() as u64).contains(&first),
            "{first}"
        );
        assert!(periods.all(|between| between == period));
        let counters = host.counters().unwrap();
        assert_eq!(counters.input_beats as usize, jobs * shape.beats());
        assert_eq!(counters.output_beats as usize, jobs * products * shape.beats());
        let busy = u64::from(counters.compute_cycles);
        assert!(busy <= jobs as u64 * u64::from(cycles(shape, products)));
    }
}

#[test]
fn fixed_polynomials_and_primes_change() {
    let (shape, mut random) = (shape(64, 4, 1), Random::new(5));
    let mut host = host(shape, Link::PAPER);
    assert_eq!(host.run(&[0; 64], 1), Err(RtlError::NothingLoaded));
    for bits in [30, 30, 22, 22, 32] {
        let q = prime(bits, 64);
        let (program, fixed) = program(shape, &q, &mut random);
        host.load(&program).unwrap();
        let input = random.residues(&q, 64);
        let expected: Vec<u64> = fixed
            .iter()
            .flat_map(|fixed| product(&q, &input, fixed))
            .collect();
        assert_eq!(host.run(&narrow(&input), 2).unwrap().words, narrow(&expected));
    }
    let q = prime(32, 64);
    assert!(
        matches!(host.run(&[u32::MAX; 64], 1), Err(RtlError::OutOfRange { .. })),
        "{q:?}"
    );
    assert!(matches!(
        host.run(&[0; 65], 1),
        Err(RtlError::WrongLength {
            expected: 128,
            got: 65
        })
    ));
    assert_eq!(host.run(&[0; 64], 3), Err(RtlError::BadProducts(3)));
    assert_eq!(host.run(&[], 1).unwrap().words, []);
}

/// A packet that ends too early is reported and dropped; the next job is good.
#[test]
fn errors_are_reported() {
    use ringmill_rtl::ntt_multiplier::register::{Register, status};
    let shape = shape(64, 4, 1);
    let mut machine = Simulation::new(shape).unwrap();
    machine
        .write(Register::Modulus, prime(32, 64).value() as u32)
        .unwrap();
    machine.transfer(&Link::PAPER, &[0; 8], 8, 0).unwrap();
    machine.step(100).unwrap();
    let reported = machine.read(Register::Status).unwrap();
    assert_eq!(reported & status::BAD_PACKET, status::BAD_PACKET);
    machine.write(Register::Control, 1).unwrap();
    assert_eq!(machine.read(Register::Status).unwrap(), status::IDLE);
    assert_eq!(
        machine.write(Register::Id, 1),
        Err(RtlError::BadRegister {
            address: Register::Id as u32
        })
    );
    // A table starts no computation, so nothing comes out.
    machine.write(Register::Mode, 1).unwrap();
    assert!(matches!(
        machine.transfer(&Link::PAPER, &[0; 64], 64, 1),
        Err(RtlError::Stuck { .. })
    ));
    assert!(matches!(
        Simulation::new(Shape::new(256, 16, 4).unwrap()),
        Err(RtlError::NotBuilt { .. })
    ));
}

/// A word that is not a residue fails an assertion of the machine, which ends neither the process nor the
/// machine.
#[test]
fn assertions_are_errors() {
    let mut machine = Simulation::new(shape(64, 4, 1)).unwrap();
    let failed = machine.transfer(&Link::PAPER, &[u32::MAX; 64], 64, 1);
    assert!(matches!(failed, Err(RtlError::Assertion { .. })), "{failed:?}");
    machine.reset();
    machine.step(10).unwrap();
}
