use std::sync::Arc;

use num_bigint::BigUint;
use num_traits::ToPrimitive;
use ringmill_arith::{Basis, Conversion, Modulus, Simd};
use ringmill_cpu::CpuDevice;
use ringmill_device::Device;
use ringmill_ring::{Domain, NegacyclicRing, Ring};

use super::{ConversionJob, ConversionKind};
use crate::device::{Arithmetic, CudaDevice};
use crate::gpu::{Emulator, EmulatorOptions};

const N: usize = 64;

fn ring() -> Ring {
    Ring::from(NegacyclicRing::new(N).unwrap())
}

fn cpu() -> CpuDevice {
    CpuDevice::new(&ring(), Simd::from_environment().unwrap())
}

fn device(arithmetic: Arithmetic, backwards: bool) -> CudaDevice {
    let options = EmulatorOptions {
        checked: true,
        backwards,
        ..EmulatorOptions::default()
    };
    CudaDevice::new(&ring(), arithmetic, Arc::new(Emulator::new(options)))
}

/// Devices of every arithmetic, with either order of threads.
fn devices() -> impl Iterator<Item = CudaDevice> {
    let all = [
        (Arithmetic::Doubles, false),
        (Arithmetic::Words, false),
        (Arithmetic::Doubles, true),
        (Arithmetic::Words, true),
    ];
    all.into_iter()
        .map(|(arithmetic, backwards)| device(arithmetic, backwards))
}

/// Primes of 31, 40 and 50 bits by turns: `count` of them from number `skip` on.
fn mixed(skip: usize, count: usize) -> Basis {
    let primes = |bits: u32| ring().primes(1 << bits, (skip + count).div_ceil(3), &[]).unwrap();
    let sizes = [primes(50), primes(31), primes(40)];
    let all = (skip..skip + count).map(|i| sizes[i % 3][i / 3]);
    Basis::new(&all.collect::<Vec<_>>()).unwrap()
}

/// The largest primes below 2^50: `count` of them from number `skip` on.
fn large(skip: usize, count: usize) -> Basis {
    Basis::new(&ring().primes(1 << 50, skip + count, &[]).unwrap()[skip..]).unwrap()
}

fn reversed(basis: &Basis) -> Basis {
    let moduli: Vec<Modulus> = basis.moduli().iter().rev().copied().collect();
    Basis::new(&moduli).unwrap()
}

/// The residues of integers, limb after limb.
fn residues(basis: &Basis, values: &[BigUint]) -> Vec<u64> {
    let limb = |q: &Modulus| values.iter().map(|x| (x % q.value()).to_u64().unwrap()).collect();
    basis
        .moduli()
        .iter()
        .flat_map(|q| -> Vec<u64> { limb(q) })
        .collect()
}

/// N integers below this: the least and the greatest, those next to a half of D, at distances that double, where the
/// fraction does not tell, and others.
fn values(d: &BigUint, below: &BigUint) -> Vec<BigUint> {
    let half = d / 2u32;
    let mut values = vec![BigUint::ZERO, 1u32.into(), d - 1u32, below - 1u32];
    for k in (0..d.bits().min(52)).step_by(2) {
        let off = (BigUint::from(1u32) << k) - 1u32;
        values.push((&half + &off + 1u32) % below);
        values.push((&half + below - &off % below) % below);
    }
    let mut x = below / 7u32 * 3u32 + 5u32;
    while values.len() < N {
        x = (&x * &x + 11u32) % below;
        values.push(x.clone());
    }
    values.truncate(N);
    values
}

/// The number of columns that a sum of fractions does not decide.
fn doubtful(from: &Basis, to: &Basis, words: &[u64]) -> usize {
    let conversion = Conversion::lift(Simd::Portable, 1, from, to).unwrap();
    let from: Vec<&[u64]> = words.chunks_exact(N).collect();
    let mut target = vec![0; to.len() * N];
    let mut to: Vec<&mut [u64]> = target.chunks_exact_mut(N).collect();
    conversion.run(&from, &mut to).unwrap()
}

#[test]
fn lifts_are_those_of_the_cpu() {
    let cpu = cpu();
    let bases = [1, 2, 3, 5, 8, 9, 14, 33, 40, 41, 97, 128];
    let large = bases.map(|count| (large(0, count), large(count, 1 + count % 7)));
    let mixed = bases.map(|count| (mixed(0, count), reversed(&mixed(count, 19 - count % 17))));
    for (from, to) in large.into_iter().chain(mixed) {
        let words = residues(&from, &values(&from.product(), &from.product()));
        if from.len() > 1 {
            assert!(doubtful(&from, &to, &words) >= 12, "{} limbs", from.len());
        }
        let a = cpu.upload(&from, Domain::Coefficient, &words).unwrap();
        for domain in [Domain::Coefficient, Domain::Evaluation] {
            let expected = cpu.download(&cpu.lift(&a, &to, domain).unwrap()).unwrap();
            for device in devices() {
                let a = device.upload(&from, Domain::Coefficient, &words).unwrap();
                let lifted = device.lift(&a, &to, domain).unwrap();
                let same = device.download(&lifted).unwrap() == expected;
                assert!(
                    same,
                    "{} to {} limbs, {:?}",
                    from.len(),
                    to.len(),
                    device.arithmetic()
                );
            }
        }
    }
}

#[test]
fn many_lifts_at_once() {
    let (cpu, from, to) = (cpu(), mixed(0, 4), mixed(4, 9));
    let values = values(&from.product(), &from.product());
    let words: Vec<Vec<u64>> = (0..70)
        .map(|k| {
            let values: Vec<BigUint> = values.iter().map(|x| x * (k + 1u32)).collect();
            residues(&from, &values)
        })
        .collect();
    let device = device(Arithmetic::Doubles, false);
    let upload = |w: &Vec<u64>| device.upload(&from, Domain::Coefficient, w).unwrap();
    let polys: Vec<_> = words.iter().map(upload).collect();
    let lifted = device
        .lifts(&polys.iter().collect::<Vec<_>>(), &to, Domain::Coefficient)
        .unwrap();
    for (words, lifted) in words.iter().zip(&lifted) {
        let a = cpu.upload(&from, Domain::Coefficient, words).unwrap();
        let expected = cpu.lift(&a, &to, Domain::Coefficient).unwrap();
        assert!(device.download(lifted).unwrap() == cpu.download(&expected).unwrap());
    }
}

#[test]
fn scaling_is_that_of_the_cpu() {
    let cpu = cpu();
    for (basis, keep, t) in [
        (large(0, 2), 1, 1),
        (mixed(0, 7), 3, 65537),
        (reversed(&large(0, 29)), 14, u64::MAX),
        (mixed(0, 90), 43, 2),
    ] {
        let q = basis.prefix(keep).unwrap().product();
        // A half of q times the inverse of t, so that products come next to it.
        let words = residues(&basis, &values(&q, &basis.product()));
        let c = cpu.upload(&basis, Domain::Coefficient, &words).unwrap();
        let expected = cpu.download(&cpu.scale(&c, t, keep).unwrap()).unwrap();
        for device in devices() {
            let c = device.upload(&basis, Domain::Coefficient, &words).unwrap();
            let scaled = device.scale(&c, t, keep).unwrap();
            assert!(device.download(&scaled).unwrap() == expected, "{keep} limbs");
            assert!(device.scale(&c, t, 0).is_err());
            assert!(device.scale(&c, t, basis.len()).is_err());
        }
    }
}

#[test]
fn rescaling_is_that_of_the_cpu() {
    let cpu = cpu();
    let all = mixed(0, 24);
    let slice = |range: std::ops::Range<usize>| all.slice(range).unwrap();
    let ways = [
        (slice(0..5), slice(0..3)),
        (slice(0..5), slice(4..5)),
        (slice(0..5), reversed(&slice(2..9))),
        (slice(0..5), slice(7..9)),
        (slice(2..5), reversed(&slice(0..9))),
        (reversed(&slice(3..9)), slice(3..9)),
        (all.clone(), slice(11..13)),
    ];
    for (from, to) in &ways {
        let given = |q: &&Modulus| to.position(q).is_none();
        let dropped: BigUint = from.moduli().iter().filter(given).map(Modulus::value).product();
        let words = residues(from, &values(&dropped.max(3u32.into()), &from.product()));
        for (before, after) in [
            (Domain::Coefficient, Domain::Coefficient),
            (Domain::Coefficient, Domain::Evaluation),
            (Domain::Evaluation, Domain::Coefficient),
            (Domain::Evaluation, Domain::Evaluation),
        ] {
            let a = cpu.upload(from, Domain::Coefficient, &words).unwrap();
            let a = cpu.transform(a, before).unwrap();
            let given = cpu.download(&a).unwrap();
            let expected = cpu.download(&cpu.rescale(&a, to, after).unwrap()).unwrap();
            for device in devices() {
                let a = device.upload(from, before, &given).unwrap();
                for rescaled in device.rescale_all(&[&a, &a], to, after).unwrap() {
                    let same = device.download(&rescaled).unwrap() == expected;
                    assert!(same, "{before:?} to {after:?}, {:?}", device.arithmetic());
                }
            }
        }
    }
}

/// Runs conversions of different sizes and kinds, with limbs out of order and among others, in one launch.
#[test]
fn different_conversions_at_once() {
    let (all, holder) = (mixed(0, 60), reversed(&mixed(0, 60)));
    let slice = |range: std::ops::Range<usize>| all.slice(range).unwrap();
    let ways = [
        (ConversionKind::Lift, slice(0..2), reversed(&slice(20..57))),
        (ConversionKind::Correction, reversed(&slice(5..8)), slice(8..9)),
        (ConversionKind::Divide, slice(0..1), slice(3..6)),
        (ConversionKind::Divide, reversed(&slice(0..45)), slice(45..60)),
    ];
    let t = BigUint::from(u64::MAX) * 77u32;
    let words = residues(&holder, &values(&ways[3].1.product(), &all.product()));
    for device in devices() {
        let source = device.upload(&holder, Domain::Coefficient, &words).unwrap();
        let made: Vec<_> = ways
            .iter()
            .map(|(kind, from, to)| device.conversion(*kind, &t, from, to).unwrap())
            .collect();
        let targets: Vec<_> = ways.iter().map(|_| device.copy(&source).unwrap()).collect();
        let mut task = device.store.task();
        let mut jobs = Vec::new();
        for ((conversion, target), way) in made.iter().zip(&targets).zip(&ways) {
            let from = (task.read(source.words()).unwrap(), &holder);
            let to = (task.write(target.words()).unwrap(), &holder);
            let own = (way.0 == ConversionKind::Divide).then_some(to);
            jobs.push(ConversionJob {
                conversion,
                from,
                to,
                own,
            });
        }
        device.convert(&mut task, &jobs).unwrap();
        task.finish().unwrap();
        for (target, (kind, from, to)) in targets.iter().zip(&ways) {
            let make = match kind {
                ConversionKind::Lift => Conversion::divide_round, // of (t y - X) / D with y = 0 it is made below
                ConversionKind::Divide => Conversion::divide_round,
                ConversionKind::Correction => Conversion::correction,
            };
            let reference = make(Simd::Portable, &t, from, to).unwrap();
            let got = device.download(target).unwrap();
            let limb = |words: &[u64], q: &Modulus, c: usize| words[holder.position(q).unwrap() * N + c];
            for c in 0..N {
                let x: Vec<u64> = from.moduli().iter().map(|q| limb(&words, q, c)).collect();
                for (j, q) in to.moduli().iter().enumerate() {
                    let own = if *kind == ConversionKind::Lift {
                        0
                    } else {
                        limb(&words, q, c)
                    };
                    let mut expected = reference.exact_residue(&x, own, j);
                    if *kind == ConversionKind::Lift {
                        // -X / D times -D.
                        let d = (from.product() % q.value()).to_u64().unwrap();
                        expected = q.mul(expected, q.neg(d));
                    }
                    assert_eq!(limb(&got, q, c), expected, "{kind:?} modulo {}", q.value());
                }
            }
            // Other limbs have not changed.
            for q in holder.moduli().iter().filter(|q| to.position(q).is_none()) {
                assert!((0..N).all(|c| limb(&got, q, c) == limb(&words, q, c)));
            }
        }
    }
}

#[test]
fn words_are_those_of_the_cpu() {
    let cpu = cpu();
    for (basis, over, bits) in [
        (large(0, 1), mixed(3, 4), 2),
        (mixed(0, 3), mixed(3, 4), 16),
        (reversed(&mixed(0, 9)), mixed(0, 3), 60),
        (large(0, 14), large(0, 4), 48),
        (mixed(0, 30), reversed(&mixed(4, 3)), 205),
        (mixed(0, 70), mixed(70, 2), 1024),
    ] {
        let q = basis.product();
        // Next to a half of q, and next to 0 and q, where the fraction does not tell.
        let mut values = values(&q, &q);
        for (k, value) in values.iter_mut().enumerate().skip(40) {
            let off = BigUint::from(1u32) << (2 * (k - 40));
            *value = if k % 2 == 0 { off % &q } else { &q - off % &q };
        }
        let words = residues(&basis, &values);
        for domain in [Domain::Coefficient, Domain::Evaluation] {
            let a = cpu.upload(&basis, Domain::Coefficient, &words).unwrap();
            let a = cpu.transform(a, domain).unwrap();
            let given = cpu.download(&a).unwrap();
            let expected = cpu.decompose_base_two(&a, bits, &over).unwrap();
            let expected: Vec<_> = expected.iter().map(|d| cpu.download(d).unwrap()).collect();
            for device in devices() {
                let a = device.upload(&basis, domain, &given).unwrap();
                let digits = device.decompose_base_two(&a, bits, &over).unwrap();
                let digits: Vec<_> = digits.iter().map(|d| device.download(d).unwrap()).collect();
                assert!(digits == expected, "{bits} bits, {:?}", device.arithmetic());
                assert!(device.decompose_base_two(&a, 1, &over).is_err());
            }
        }
    }
}

#[test]
fn doubles_stay_exact() {
    let _ = Emulator::worst_bound();
    let device = device(Arithmetic::Bounds, false);
    let zeros = |basis: &Basis| {
        let words = vec![0; basis.len() * N];
        device.upload(basis, Domain::Coefficient, &words).unwrap()
    };
    for count in [1, 7, 8, 9, 64, 128] {
        let (from, to) = (large(0, count), large(count, 3));
        let a = zeros(&from);
        device.lift(&a, &to, Domain::Coefficient).unwrap();
        device.rescale(&a, &to, Domain::Coefficient).unwrap();
        device.decompose_base_two(&a, 300, &to).unwrap();
        let both = zeros(&from.concat(&to).unwrap());
        device.scale(&both, 2, count).unwrap();
        device.rescale(&both, &to, Domain::Coefficient).unwrap();
        device
            .rescale(
                &both,
                &both.basis().concat(&large(131, 1)).unwrap(),
                Domain::Coefficient,
            )
            .unwrap();
    }
    let worst = Emulator::worst_bound();
    assert!(worst > 1.0 && worst <= 8.0, "{worst}");
}
