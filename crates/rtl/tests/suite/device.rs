//! Tests the NTT multiplier as a device: the conformance suite, thousands of jobs against the CPU device,
//! and ciphertexts made with it.

use ringmill_arith::prime::primes_below;
use ringmill_arith::{Basis, Simd};
use ringmill_conformance::{Operation, check_products};
use ringmill_cpu::{CpuDevice, CpuPoly};
use ringmill_device::{Device, DeviceError};
use ringmill_ring::Domain;
use ringmill_rtl::Pipeline;
use ringmill_rtl::ntt_multiplier::{Link, RtlDevice, Shape};

use crate::common::Random;

fn device(n: usize, units: usize, link_words: usize) -> RtlDevice {
    with_shape(Shape::new(n, units, link_words).unwrap())
}

fn with_shape(shape: Shape) -> RtlDevice {
    RtlDevice::new(shape, Link::PAPER, Simd::from_environment().unwrap()).unwrap()
}

fn basis(bits: u32, n: usize) -> Basis {
    Basis::new(&primes_below(1 << bits, 2 * n as u64, 1, &[]).unwrap()).unwrap()
}

fn random(device: &CpuDevice, basis: &Basis, domain: Domain, random: &mut Random) -> CpuPoly {
    let words = random.residues(&basis.moduli()[0], device.ring().n());
    device.upload(basis, domain, &words).unwrap()
}

#[test]
fn conforms() {
    let small = Shape::new(128, 8, 4).unwrap();
    let deep = [small, Shape::PAPER].map(|shape| shape.with_pipeline(Pipeline::Deep));
    for device in [device(64, 4, 1), device(1024, 64, 4)]
        .into_iter()
        .chain(deep.map(with_shape))
    {
        let n = device.ring().n();
        for bits in [22, 27, 30, 31, 32] {
            let report = check_products(&device, &basis(bits, n), &basis(40, n), 2, 7).unwrap();
            assert!(report.coefficients(Operation::MultiplyFixed) >= 8 * n as u64);
        }
    }
}

/// Runs thousands of random jobs, single and double products with fixed factors, and expects the CPU's
/// words.
#[test]
fn thousands_of_jobs() {
    let (machine, mut source) = (device(1024, 64, 4), Random::new(1));
    let cpu = CpuDevice::new(machine.ring(), Simd::from_environment().unwrap());
    let jobs = 220;
    for bits in [22, 27, 30, 31, 32] {
        let basis = basis(bits, 1024);
        let factors: Vec<CpuPoly> = (0..2)
            .map(|_| random(&cpu, &basis, Domain::Evaluation, &mut source))
            .collect();
        let factors: Vec<&CpuPoly> = factors.iter().collect();
        for products in [1, 2] {
            let batch: Vec<CpuPoly> = (0..jobs)
                .map(|_| random(&cpu, &basis, Domain::Coefficient, &mut source))
                .collect();
            let copies = batch.iter().map(|a| cpu.copy(a).unwrap()).collect();
            let expected = cpu.multiply_fixed(copies, &factors[..products]).unwrap();
            let got = machine.multiply_fixed(batch, &factors[..products]).unwrap();
            assert_eq!(got.len(), jobs);
            for (got, expected) in got.iter().flatten().zip(expected.iter().flatten()) {
                assert_eq!(cpu.download(got).unwrap(), cpu.download(expected).unwrap());
            }
        }
    }
    let statistics = machine.statistics();
    assert_eq!(statistics.jobs, 10 * jobs as u64);
    assert_eq!(statistics.products, 15 * jobs as u64);
    // The second factor comes later, with the double products.
    assert_eq!(statistics.loads, 10);
    assert_eq!(statistics.input_beats, statistics.jobs * 256);
    assert_eq!(statistics.output_beats, statistics.products * 256);
    assert_eq!(statistics.latency, 260);
    // The link is half duplex at 160 bits per cycle and 128 per beat, so the jobs wait for it.
    let occupancy = statistics.occupancy(&machine.link(), machine.shape());
    assert!((0.97..=1.0).contains(&occupancy), "{occupancy}");
}

#[test]
fn what_the_machine_cannot_do_is_refused() {
    let (machine, mut source) = (device(64, 4, 1), Random::new(2));
    let cpu = CpuDevice::new(machine.ring(), Simd::from_environment().unwrap());
    let mut draw = |basis: &Basis, domain| random(&cpu, basis, domain, &mut source);
    let unsupported = |result: Result<Vec<Vec<CpuPoly>>, DeviceError>, why: &str| match result {
        Err(DeviceError::Unsupported { device, need }) => {
            assert!(
                device.starts_with("rtl:ntt-multiplier") && need.contains(why),
                "{need}"
            );
        }
        other => panic!("{other:?}"),
    };
    let good = basis(30, 64);
    let factor = draw(&good, Domain::Evaluation);
    for bits in [20, 40] {
        let basis = basis(bits, 64);
        let (a, f) = (
            draw(&basis, Domain::Coefficient),
            draw(&basis, Domain::Evaluation),
        );
        unsupported(machine.multiply_fixed(vec![a], &[&f]), "22 to 32 bits");
    }
    let a = draw(&good, Domain::Coefficient);
    unsupported(machine.multiply_fixed(vec![a], &[&factor; 3]), "1 or 2 factors");
    let two = Basis::new(&primes_below(1 << 30, 128, 2, &[]).unwrap()).unwrap();
    let [a, f] = [Domain::Coefficient, Domain::Evaluation].map(|d| cpu.upload(&two, d, &[1; 128]).unwrap());
    unsupported(machine.multiply_fixed(vec![a], &[&f]), "one prime");
    let a = draw(&good, Domain::Coefficient);
    assert_eq!(
        machine.multiply_fixed(vec![a], &[]).unwrap_err(),
        DeviceError::NoOperands
    );
    let a = draw(&good, Domain::Evaluation);
    let wrong = machine.multiply_fixed(vec![a], &[&factor]).unwrap_err();
    assert_eq!(wrong, DeviceError::WrongDomain(Domain::Coefficient));
    let (a, f) = (draw(&good, Domain::Coefficient), draw(&good, Domain::Coefficient));
    let wrong = machine.multiply_fixed(vec![a], &[&f]).unwrap_err();
    assert_eq!(wrong, DeviceError::WrongDomain(Domain::Evaluation));
    let (a, b) = (
        draw(&good, Domain::Coefficient),
        draw(&basis(27, 64), Domain::Coefficient),
    );
    let wrong = machine.multiply_fixed(vec![a, b], &[&factor]).unwrap_err();
    assert_eq!(wrong, DeviceError::BasisMismatch { left: 1, right: 1 });
    let (a, f) = (draw(&basis(27, 64), Domain::Coefficient), &factor);
    assert!(matches!(
        machine.multiply_fixed(vec![a], &[f]),
        Err(DeviceError::MissingLimb(_))
    ));
    assert_eq!(machine.multiply_fixed(vec![], &[f]).unwrap().len(), 0);
    assert_eq!(machine.statistics().jobs, 0);
}

/// Several threads share a machine.
#[test]
fn threads_take_turns() {
    let (machine, mut source) = (device(64, 4, 1), Random::new(3));
    let cpu = CpuDevice::new(machine.ring(), Simd::from_environment().unwrap());
    let jobs: Vec<_> = [22, 27, 30, 32]
        .map(|bits| {
            let basis = basis(bits, 64);
            let a = random(&cpu, &basis, Domain::Coefficient, &mut source);
            (a, random(&cpu, &basis, Domain::Evaluation, &mut source))
        })
        .into();
    std::thread::scope(|scope| {
        for (a, factor) in &jobs {
            scope.spawn(|| {
                let expected = cpu.multiply_fixed(vec![cpu.copy(a).unwrap()], &[factor]).unwrap();
                for _ in 0..20 {
                    let got = machine
                        .multiply_fixed(vec![cpu.copy(a).unwrap()], &[factor])
                        .unwrap();
                    assert_eq!(
                        cpu.download(&got[0][0]).unwrap(),
                        cpu.download(&expected[0][0]).unwrap()
                    );
                }
            });
        }
    });
    assert_eq!(machine.statistics().jobs, 80);
}
