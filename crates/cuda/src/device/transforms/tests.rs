//! Compares transforms with the CPU's, word by word.

use std::sync::Arc;

use ringmill_arith::{Basis, Simd};
use ringmill_cpu::CpuDevice;
use ringmill_device::Device;
use ringmill_ring::{Domain, FermatRing, NegacyclicRing, Ring};

use super::CudaDevice;
use crate::device::Arithmetic;
use crate::gpu::{Emulator, EmulatorOptions};

fn emulated(ring: &Ring, arithmetic: Arithmetic, backwards: bool) -> CudaDevice {
    let options = EmulatorOptions {
        checked: ring.n() <= 8192,
        backwards,
        ..EmulatorOptions::default()
    };
    CudaDevice::new(ring, arithmetic, Arc::new(Emulator::new(options)))
}

/// Primes of three sizes; the smallest have 31 bits if there are such primes.
fn basis(ring: &Ring) -> Basis {
    let mut primes = Vec::new();
    for bits in [50, 40, (ring.congruence().ilog2() + 6).max(31)] {
        primes.extend(ring.primes(1 << bits, 1, &[]).unwrap());
    }
    Basis::new(&primes).unwrap()
}

/// Words without a pattern; all the largest residue; the largest and 0 by turns.
fn polynomials(basis: &Basis, n: usize) -> [Vec<u64>; 3] {
    let limbs = |word: &dyn Fn(u64, u64) -> u64| {
        let limb = |q: u64| (0..n as u64).map(move |i| word(q, i));
        basis.moduli().iter().flat_map(|q| limb(q.value())).collect()
    };
    [
        limbs(&|q, i| (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17) % q),
        limbs(&|q, _| q - 1),
        limbs(&|q, i| (q - 1) * (i.count_ones() as u64 % 2)),
    ]
}

/// Compares evaluation and interpolation of a batch by the CPU and by the GPU.
fn agree(ring: &Ring, arithmetic: Arithmetic, backwards: bool) {
    let (basis, n) = (basis(ring), ring.n());
    let cpu = CpuDevice::new(ring, Simd::from_environment().unwrap());
    let device = emulated(ring, arithmetic, backwards);
    let domains = [Domain::Coefficient, Domain::Evaluation];
    for (from, to) in [(domains[0], domains[1]), (domains[1], domains[0])] {
        let words = polynomials(&basis, n);
        let polys = words.each_ref().map(|w| device.upload(&basis, from, w).unwrap());
        let mut task = device.store.task();
        let addresses = polys.each_ref().map(|poly| task.write(poly.words()).unwrap());
        device.transform_batch(&mut task, &basis, &addresses, to).unwrap();
        task.finish().unwrap();
        for (poly, words) in polys.iter().zip(&words) {
            let expected = cpu
                .transform(cpu.upload(&basis, from, words).unwrap(), to)
                .unwrap();
            let same = device.download(poly).unwrap() == cpu.download(&expected).unwrap();
            assert!(same, "n = {n}, {arithmetic:?}, to {to:?}");
        }
    }
}

/// Doubles are exact: no value of any kernel is above 8p. Kernels do the same operations for all words, so
/// one run is a proof.
fn bounded(ring: &Ring) {
    let device = emulated(ring, Arithmetic::Bounds, false);
    let basis = Basis::new(&ring.primes(1 << 50, 1, &[]).unwrap()).unwrap();
    let _ = Emulator::worst_bound();
    for (from, to) in [
        (Domain::Coefficient, Domain::Evaluation),
        (Domain::Evaluation, Domain::Coefficient),
    ] {
        let poly = device.upload(&basis, from, &vec![0; ring.n()]).unwrap();
        device.transform(poly, to).unwrap();
        let worst = Emulator::worst_bound();
        assert!(
            (2.0..=8.0).contains(&worst),
            "n = {}, to {to:?}: {worst}",
            ring.n()
        );
    }
}

#[test]
fn doubles_are_exact() {
    for n in FermatRing::DIMENSIONS {
        bounded(&FermatRing::new(n).unwrap().into());
    }
    for n in NegacyclicRing::DIMENSIONS {
        bounded(&NegacyclicRing::new(n).unwrap().into());
    }
}

#[test]
fn fermat_rings_agree_with_the_cpu() {
    for n in FermatRing::DIMENSIONS {
        let ring = Ring::from(FermatRing::new(n).unwrap());
        agree(&ring, Arithmetic::Doubles, n.ilog2() % 2 == 0);
        agree(&ring, Arithmetic::Words, n.ilog2() % 2 != 0);
    }
}

#[test]
fn power_rings_agree_with_the_cpu() {
    for n in NegacyclicRing::DIMENSIONS {
        let ring = Ring::from(NegacyclicRing::new(n).unwrap());
        agree(&ring, Arithmetic::Doubles, n.ilog2() % 2 == 0);
        agree(&ring, Arithmetic::Words, n.ilog2() % 2 != 0);
    }
}

/// Uses more polynomials than a launch takes, and more bytes than the kernels of one chunk go over.
#[test]
fn batches_are_split() {
    let rings: [(Ring, usize); 2] = [
        (NegacyclicRing::new(64).unwrap().into(), super::MOST_POLYS + 40),
        (
            FermatRing::new(131_072).unwrap().into(),
            super::CHUNK / (8 * 131_072) + 1,
        ),
    ];
    for (ring, count) in rings {
        let basis = Basis::new(&ring.primes(1 << 50, 1, &[]).unwrap()).unwrap();
        let cpu = CpuDevice::new(&ring, Simd::from_environment().unwrap());
        let device = emulated(&ring, Arithmetic::Doubles, false);
        let words = |k: usize| {
            let mut words = polynomials(&basis, ring.n())[0].clone();
            words.rotate_left(k % ring.n());
            words
        };
        let upload = |k| device.upload(&basis, Domain::Coefficient, &words(k)).unwrap();
        let polys: Vec<_> = (0..count).map(upload).collect();
        let mut task = device.store.task();
        let addresses = polys.iter().map(|poly| task.write(poly.words()).unwrap());
        let addresses: Vec<_> = addresses.collect();
        device
            .transform_batch(&mut task, &basis, &addresses, Domain::Evaluation)
            .unwrap();
        task.finish().unwrap();
        for k in [0, count - 2, count - 1] {
            let expected = cpu.upload(&basis, Domain::Coefficient, &words(k)).unwrap();
            let expected = cpu.transform(expected, Domain::Evaluation).unwrap();
            let same = device.download(&polys[k]).unwrap() == cpu.download(&expected).unwrap();
            assert!(same, "n = {}, polynomial {k} of {count}", ring.n());
        }
    }
}
