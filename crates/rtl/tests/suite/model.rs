//! Compares the golden model of the NTT multiplier with schoolbook multiplication.

use ringmill_arith::prime::primes_below;
use ringmill_arith::{Basis, Modulus, Simd};
use ringmill_cpu::CpuDevice;
use ringmill_device::Device;
use ringmill_ring::{Domain, NegacyclicRing, Ring};
use ringmill_rtl::ntt_multiplier::{Counts, MachineProgram, Model, Shape};
use ringmill_rtl::{Pipeline, RtlError};

use crate::common::{Random, evaluations, product};

fn prime(bits: u32, n: usize) -> Modulus {
    primes_below(1 << bits, 2 * n as u64, 1, &[]).unwrap()[0]
}

/// Runs random jobs and jobs of edge values on a machine of this shape.
fn multiplies(shape: Shape, bits: u32, random: &mut Random) -> Counts {
    let (n, q) = (shape.n(), prime(bits, shape.n()));
    let fixed = [random.residues(&q, n), vec![q.value() - 1; n]];
    let mut program = MachineProgram::new(shape, &q).unwrap();
    for (which, fixed) in fixed.iter().enumerate() {
        program.set_operand(which, &evaluations(&q, fixed)).unwrap();
    }
    let mut model = Model::new(program);
    let x_to_the = |j: usize| (0..n).map(|i| u64::from(i == j)).collect::<Vec<_>>();
    let inputs = [
        random.residues(&q, n),
        vec![q.value() - 1; n],
        x_to_the(n - 1),
        vec![0; n],
    ];
    for input in inputs {
        let expected: Vec<_> = fixed.iter().map(|fixed| product(&q, &input, fixed)).collect();
        assert_eq!(model.run(&input, 1).unwrap(), expected[..1], "{shape:?} {bits}");
        assert_eq!(model.run(&input, 2).unwrap(), expected, "{shape:?} {bits}");
    }
    model.counts()
}

#[test]
fn products_of_small_machines() {
    let mut random = Random::new(1);
    let shapes = [
        (64, 2, 1),
        (64, 4, 1),
        (64, 8, 1),
        (64, 16, 1),
        (128, 16, 2),
        (256, 16, 4),
        (512, 64, 2),
    ];
    for (n, units, link) in shapes {
        for bits in [22, 25, 27, 30, 31, 32] {
            let shape = Shape::new(n, units, link).unwrap();
            for pipeline in [Pipeline::Shallow, Pipeline::Deep, Pipeline::Narrow] {
                multiplies(shape.with_pipeline(pipeline), bits, &mut random);
            }
        }
    }
}

#[test]
fn products_at_the_papers_size() {
    let mut random = Random::new(2);
    for bits in [22, 27, 30, 32] {
        for (pipeline, gaps, cycles) in [(Pipeline::Shallow, 6, 260), (Pipeline::Deep, 40, 592)] {
            let counts = multiplies(Shape::PAPER.with_pipeline(pipeline), bits, &mut random);
            let expected = Counts {
                passes: 29,
                issues: 248,
                gaps,
                cycles,
            };
            assert_eq!(counts, expected);
        }
    }
}

/// The device's order of values is not the machine's: [`MachineProgram::positions`] converts between them.
#[test]
fn products_are_the_cpu_devices() {
    let (shape, mut random) = (Shape::PAPER, Random::new(5));
    let ring = Ring::from(NegacyclicRing::new(shape.n()).unwrap());
    let positions = MachineProgram::positions(shape, &ring).unwrap();
    let cpu = CpuDevice::new(&ring, Simd::from_environment().unwrap());
    for bits in [22, 27, 31, 32] {
        let q = prime(bits, shape.n());
        let basis = Basis::new(&[q]).unwrap();
        let (a, values) = (random.residues(&q, shape.n()), random.residues(&q, shape.n()));
        let batch = vec![cpu.upload(&basis, Domain::Coefficient, &a).unwrap()];
        let factor = cpu.upload(&basis, Domain::Evaluation, &values).unwrap();
        let expected = cpu.multiply_fixed(batch, &[&factor]).unwrap();
        let mut program = MachineProgram::new(shape, &q).unwrap();
        let values: Vec<u64> = positions.iter().map(|&position| values[position]).collect();
        program.set_operand(0, &values).unwrap();
        let product = Model::new(program).run(&a, 1).unwrap();
        assert_eq!(product[0], cpu.download(&expected[0][0]).unwrap());
    }
    let other = Ring::from(NegacyclicRing::new(512).unwrap());
    assert_eq!(
        MachineProgram::positions(shape, &other),
        Err(RtlError::WrongRing { n: 1024 })
    );
}

/// The smallest machine of the paper, from table II.
#[test]
fn products_with_two_units() {
    multiplies(Shape::new(1024, 2, 2).unwrap(), 32, &mut Random::new(3));
}

#[test]
fn fixed_polynomials_change_alone() {
    let (shape, mut random) = (Shape::new(64, 4, 1).unwrap(), Random::new(4));
    let q = prime(30, 64);
    let mut program = MachineProgram::new(shape, &q).unwrap();
    let (before, values) = (program.clone(), evaluations(&q, &random.residues(&q, 64)));
    program.set_operand(1, &values).unwrap();
    assert_eq!(program.operand(0).unwrap(), before.operand(0).unwrap());
    let changed = |(x, y): &(&u32, &u32)| x != y;
    let changes = program
        .factors()
        .iter()
        .zip(before.factors())
        .filter(changed)
        .count();
    let words = program.operand(1).unwrap();
    assert_eq!(changes, words.iter().filter(|&&word| word != 0).count());
    assert_eq!(words.len(), 64);
}

#[test]
fn refusals() {
    let shape = Shape::new(64, 4, 1).unwrap();
    let q = prime(30, 64);
    let mut program = MachineProgram::new(shape, &q).unwrap();
    assert_eq!(program.operand(2), Err(RtlError::BadProducts(3)));
    assert_eq!(
        program.set_operand(0, &[0; 63]),
        Err(RtlError::WrongLength {
            expected: 64,
            got: 63
        })
    );
    let mut words = vec![0; 64];
    words[9] = q.value();
    let out_of_range = RtlError::OutOfRange {
        modulus: q.value(),
        index: 9,
        word: q.value(),
    };
    assert_eq!(program.set_operand(0, &words), Err(out_of_range.clone()));
    let mut model = Model::new(program);
    assert_eq!(model.run(&words, 1), Err(out_of_range));
    assert_eq!(model.run(&[0; 64], 0), Err(RtlError::BadProducts(0)));
    assert_eq!(model.run(&[0; 64], 3), Err(RtlError::BadProducts(3)));
    for (n, units, link) in [
        (63, 4, 1),
        (32, 4, 1),
        (64, 1, 1),
        (64, 32, 1),
        (64, 4, 8),
        (1024, 2, 4),
        (1024, 3, 2),
    ] {
        assert!(
            matches!(Shape::new(n, units, link), Err(RtlError::BadShape { .. })),
            "{n} {units} {link}"
        );
    }
}
