//! An emulated GPU conforms for every ring and arithmetic.

use ringmill_conformance::{Operation, check};
use ringmill_cuda::Arithmetic;
use ringmill_cuda::gpu::EmulatorOptions;
use ringmill_device::Device;
use ringmill_ring::{FermatRing, NegacyclicRing, Ring};

use crate::common::emulator::{ARITHMETICS, checked, emulated};

fn conforms(ring: impl Into<Ring>, arithmetics: &[Arithmetic], options: EmulatorOptions) {
    let ring = ring.into();
    for &arithmetic in arithmetics {
        let device = emulated(&ring, arithmetic, options);
        let start = std::time::Instant::now();
        let report = check(&device, 0x5eed).unwrap();
        println!(
            "{}, n = {}: {:?}\n{report}",
            device.name(),
            ring.n(),
            start.elapsed()
        );
        assert_eq!(report.operations().collect::<Vec<_>>(), Operation::ALL);
    }
}

#[test]
fn fermat_2048() {
    let ring = FermatRing::new(2048).unwrap();
    conforms(ring, &[Arithmetic::Doubles], EmulatorOptions::default());
}

#[test]
fn fermat_4096() {
    let ring = FermatRing::new(4096).unwrap();
    conforms(ring, &[Arithmetic::Words], EmulatorOptions::default());
}

/// The emulator checks every access to shared memory.
#[test]
fn negacyclic_64_checked() {
    conforms(NegacyclicRing::new(64).unwrap(), &ARITHMETICS, checked());
}

/// Everything is done as late as possible, from the last thread to the first, on a GPU so small that
/// polynomials must move to the host.
#[test]
fn negacyclic_64_late_and_short_of_memory() {
    let options = EmulatorOptions {
        memory: 7 << 18,
        lazy: true,
        backwards: true,
        ..EmulatorOptions::default()
    };
    conforms(NegacyclicRing::new(64).unwrap(), &[Arithmetic::Doubles], options);
}

#[test]
fn negacyclic_8192() {
    let ring = NegacyclicRing::new(8192).unwrap();
    conforms(ring, &ARITHMETICS, EmulatorOptions::default());
}
