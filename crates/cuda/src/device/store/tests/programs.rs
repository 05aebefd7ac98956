//! Random programs of several threads on a GPU that is too small for them.

use std::sync::Arc;
use std::thread;

use ringmill_arith::{Basis, Simd};
use ringmill_cpu::CpuDevice;
use ringmill_device::{Device, DeviceError};
use ringmill_ring::{Domain, FermatRing, Ring};

use crate::device::{Arithmetic, CudaDevice, CudaPoly};
use crate::gpu::{Emulator, EmulatorOptions, Gpu};

const N: usize = 2048;
/// The number of bytes of the longest polynomials, those of three limbs.
const POLY: u64 = 3 * 8 * N as u64;

fn ring() -> Ring {
    Ring::from(FermatRing::new(N).unwrap())
}

/// Bases of one to three primes.
fn bases(ring: &Ring) -> Vec<Basis> {
    let primes = ring.primes(1 << 50, 3, &[]).unwrap();
    (1..=3)
        .map(|limbs| Basis::new(&primes[..limbs]).unwrap())
        .collect()
}

fn emulated(options: EmulatorOptions) -> (CudaDevice, Arc<Emulator>) {
    let machine = Arc::new(Emulator::new(options));
    (
        CudaDevice::new(&ring(), Arithmetic::Words, machine.clone()),
        machine,
    )
}

/// Numbers by a linear congruence, so that the tests are the same every time.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn words(&mut self, basis: &Basis) -> Vec<u64> {
        let seed = self.below(1 << 30) as u64;
        let limb =
            |q: u64| (0..N as u64).map(move |i| (seed << 20 | i).wrapping_mul(0x9e37_79b9_7f4a_7c15) % q);
        basis.moduli().iter().flat_map(|q| limb(q.value())).collect()
    }
}

/// The devices that do the same work.
struct Devices<'a, D: Device> {
    cuda: &'a CudaDevice,
    cpu: &'a D,
}

/// A polynomial on both devices.
struct Pair<P> {
    cuda: CudaPoly,
    cpu: P,
}

impl<D: Device> Devices<'_, D> {
    fn upload(&self, random: &mut Random, basis: &Basis) -> Pair<D::Poly> {
        let words = random.words(basis);
        Pair {
            cuda: self.cuda.upload(basis, Domain::Coefficient, &words).unwrap(),
            cpu: self.cpu.upload(basis, Domain::Coefficient, &words).unwrap(),
        }
    }

    fn check(&self, a: &Pair<D::Poly>) {
        assert!(self.cuda.download(&a.cuda).unwrap() == self.cpu.download(&a.cpu).unwrap());
    }

    fn sum(&self, terms: &[&Pair<D::Poly>]) -> Pair<D::Poly> {
        let cuda: Vec<_> = terms.iter().map(|term| &term.cuda).collect();
        let cpu: Vec<_> = terms.iter().map(|term| &term.cpu).collect();
        Pair {
            cuda: self.cuda.sum(&cuda).unwrap(),
            cpu: self.cpu.sum(&cpu).unwrap(),
        }
    }

    fn sub(&self, a: &Pair<D::Poly>, b: &Pair<D::Poly>) -> Pair<D::Poly> {
        Pair {
            cuda: self.cuda.sub(&a.cuda, &b.cuda).unwrap(),
            cpu: self.cpu.sub(&a.cpu, &b.cpu).unwrap(),
        }
    }

    fn copy(&self, a: &Pair<D::Poly>) -> Pair<D::Poly> {
        Pair {
            cuda: self.cuda.copy(&a.cuda).unwrap(),
            cpu: self.cpu.copy(&a.cpu).unwrap(),
        }
    }

    /// Runs random operations on polynomials of this program's own and on those of all threads.
    fn program(&self, seed: u64, bases: &[Basis], shared: &[Pair<D::Poly>]) {
        let mut random = Random(seed);
        let mut own: Vec<Vec<Pair<D::Poly>>> = bases.iter().map(|_| Vec::new()).collect();
        for _ in 0..250 {
            let which = random.below(bases.len());
            let polys = &mut own[which];
            let any = random.below(polys.len().max(1));
            let operation = random.below(12);
            match (operation, polys.get(any)) {
                (_, None) | (0, _) => polys.push(self.upload(&mut random, &bases[which])),
                (1, Some(a)) => self.check(a),
                (2, Some(a)) => self.cuda.hint_idle(&a.cuda),
                (3, Some(a)) => self.cuda.prefetch(&a.cuda),
                (4, Some(_)) => drop(polys.swap_remove(any)),
                (5, Some(_)) => self.cuda.wipe(polys.swap_remove(any).cuda),
                (6, Some(a)) => polys.push(self.copy(a)),
                (7 | 8, Some(a)) => {
                    let difference = self.sub(a, &polys[random.below(polys.len())]);
                    polys.push(difference);
                }
                (_, Some(a)) => {
                    let b = &polys[random.below(polys.len())];
                    let sum = self.sum(&[a, &shared[which], b]);
                    polys.push(sum);
                }
            }
            if polys.len() > 5 {
                polys.swap_remove(random.below(5));
            }
        }
        own.iter().flatten().for_each(|a| self.check(a));
    }
}

#[test]
fn random_programs_give_the_words_of_the_cpu() {
    let ring = ring();
    let cpu = CpuDevice::new(&ring, Simd::from_environment().unwrap());
    let bases = bases(&ring);
    // Memory for the least that one sum needs, for hardly more, and for some of the polynomials.
    for (polys, seed) in [(5, 1), (6, 2), (9, 3), (20, 4)] {
        let (cuda, machine) = emulated(EmulatorOptions {
            memory: polys * POLY,
            lazy: true,
            ..EmulatorOptions::default()
        });
        let devices = Devices {
            cuda: &cuda,
            cpu: &cpu,
        };
        let mut random = Random(seed);
        let shared: Vec<_> = bases
            .iter()
            .map(|basis| devices.upload(&mut random, basis))
            .collect();
        thread::scope(|scope| {
            for k in 0..4 {
                let (devices, bases, shared) = (&devices, &bases, &shared);
                scope.spawn(move || devices.program(seed << 8 | k, bases, shared));
            }
        });
        shared.iter().for_each(|a| devices.check(a));
        cuda.finish().unwrap();
        assert_eq!(cuda.memory(), Some(polys * POLY));
        assert!(machine.host_bytes() > 0, "{polys}");
        drop((shared, cuda));
        assert_eq!(machine.memory().unwrap().free, polys * POLY);
        assert_eq!(machine.host_bytes(), 0);
    }
}

#[test]
fn a_sum_that_does_not_fit_fails_and_smaller_ones_go_on() {
    let basis = &bases(&ring())[2];
    let (cuda, _machine) = emulated(EmulatorOptions {
        lazy: true,
        ..EmulatorOptions::default()
    });
    let cuda = cuda.with_memory(4 * POLY);
    let mut random = Random(5);
    let words: Vec<_> = (0..6).map(|_| random.words(basis)).collect();
    let upload = |words: &Vec<u64>| cuda.upload(basis, Domain::Coefficient, words).unwrap();
    let polys: Vec<_> = words.iter().map(upload).collect();
    let error = cuda
        .sum(&polys.iter().collect::<Vec<_>>())
        .unwrap_err()
        .to_string();
    let full = format!("the GPU's memory is full: {POLY} bytes were wanted");
    assert!(error.contains(&full), "{error}");
    for (a, words) in polys.iter().zip(&words) {
        assert!(cuda.download(a).unwrap() == *words);
    }
    let zero = cuda.sub(&polys[5], &polys[5]).unwrap();
    assert!(cuda.download(&zero).unwrap().iter().all(|&word| word == 0));
}

#[test]
fn a_fault_is_for_ever_and_the_next_device_works() {
    let basis = &bases(&ring())[0];
    for lazy in [false, true] {
        let sound = EmulatorOptions {
            lazy,
            ..EmulatorOptions::default()
        };
        let (cuda, machine) = emulated(EmulatorOptions {
            failing_launch: Some(2),
            ..sound
        });
        let words = Random(6).words(basis);
        let a = cuda.upload(basis, Domain::Coefficient, &words).unwrap();
        let kept = cuda.download(&cuda.sum(&[&a]).unwrap()).unwrap();
        assert!(kept == words);
        let failed = cuda
            .sum(&[&a, &a])
            .and_then(|sum| cuda.download(&sum))
            .unwrap_err();
        let DeviceError::Failed { problem, .. } = &failed else {
            panic!("{failed}");
        };
        let expected = "the GPU failed: launch 2 was to fail; what is on it is lost, start the program again";
        assert_eq!(problem, expected);
        assert_eq!(cuda.sum(&[&a]).unwrap_err(), failed);
        assert_eq!(cuda.download(&a).unwrap_err(), failed);
        assert_eq!(cuda.copy(&a).unwrap_err(), failed);
        assert_eq!(cuda.finish().unwrap_err(), failed);
        cuda.wipe(a);
        drop(cuda);
        drop(machine);
        let (next, _machine) = emulated(sound);
        let a = next.upload(basis, Domain::Coefficient, &words).unwrap();
        assert!(next.download(&next.sum(&[&a]).unwrap()).unwrap() == words);
    }
}
