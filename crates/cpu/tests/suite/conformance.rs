//! The CPU device conforms, whatever the kernel, the dimension and the number of threads.

use ringmill_arith::Simd;
use ringmill_conformance::{Effort, Operation, check, check_with};
use ringmill_cpu::CpuDevice;
use ringmill_ring::{FermatRing, NegacyclicRing, Ring};

fn conforms(ring: impl Into<Ring>, kernels: Vec<Simd>, numbers_of_threads: &[usize]) {
    let ring = ring.into();
    for kernel in kernels {
        let device = CpuDevice::new(&ring, kernel);
        for &threads in numbers_of_threads {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            let start = std::time::Instant::now();
            let report = pool.install(|| check(&device, 0x5eed + threads as u64)).unwrap();
            println!(
                "n = {}, {}, {threads} threads: {:?}\n{report}",
                ring.n(),
                kernel.name(),
                start.elapsed()
            );
            assert_eq!(report.operations().collect::<Vec<_>>(), Operation::ALL);
        }
    }
}

/// The kernels of other machines, which are slow here: the shapes of their loops do not depend on bases.
fn shapes_conform(ring: impl Into<Ring>) {
    let ring = ring.into();
    let mut shapes = Simd::tested();
    shapes.retain(|kernel| !Simd::available().contains(kernel));
    assert!(!shapes.is_empty());
    for kernel in shapes {
        let device = CpuDevice::new(&ring, kernel);
        let report = check_with(&device, Effort::Few, 0x5eed).unwrap();
        assert_eq!(report.operations().collect::<Vec<_>>(), Operation::ALL);
    }
}

#[test]
fn cpu_at_2048() {
    conforms(FermatRing::new(2048).unwrap(), Simd::available(), &[2]);
}

#[test]
fn shapes_at_2048() {
    shapes_conform(FermatRing::new(2048).unwrap());
}

#[test]
fn cpu_at_4096() {
    conforms(FermatRing::new(4096).unwrap(), Simd::available(), &[1]);
}

/// Long enough for all threads to have work in every operation.
#[test]
fn cpu_at_65536() {
    let kernel = Simd::from_environment().unwrap();
    conforms(FermatRing::new(65536).unwrap(), vec![kernel], &[2]);
}

#[test]
fn cpu_at_64_negacyclic() {
    conforms(NegacyclicRing::new(64).unwrap(), Simd::tested(), &[1]);
}

#[test]
fn cpu_at_1024_negacyclic() {
    let ring = NegacyclicRing::new(1024).unwrap();
    conforms(ring, Simd::available(), &[2]);
    shapes_conform(ring);
    // One thread works on as many columns at a time as there are, whatever the kernel.
    conforms(ring, vec![Simd::from_environment().unwrap()], &[1]);
}

#[test]
fn cpu_at_8192_negacyclic() {
    conforms(NegacyclicRing::new(8192).unwrap(), Simd::available(), &[2]);
}
