//! An emulated card conforms, whatever the ring and the arithmetic.

#![cfg(feature = "emulator")]
#![allow(clippy::unwrap_used)] // a test stops where it fails, in its helpers too

mod common;

use common::{ARITHMETICS, emulated};
use ringmill_cuda::Arithmetic;
use ringmill_device::conformance::{Operation, check};
use ringmill_ring::{FermatRing, NegacyclicRing, Ring};

fn conforms(ring: impl Into<Ring>, arithmetics: &[Arithmetic], checked: bool) {
    let ring = ring.into();
    for &arithmetic in arithmetics {
        let device = emulated(&ring, arithmetic, checked);
        let start = std::time::Instant::now();
        let report = check(&device, 0x5eed).unwrap();
        println!("{ring:?}, {arithmetic:?}: {:?}\n{report}", start.elapsed());
        assert_eq!(report.operations().collect::<Vec<_>>(), Operation::ALL);
    }
}

#[test]
fn fermat_2048() {
    conforms(FermatRing::new(2048).unwrap(), &ARITHMETICS, false);
}

#[test]
fn fermat_4096() {
    conforms(FermatRing::new(4096).unwrap(), &[Arithmetic::Doubles], false);
}

/// Every access to shared memory watched.
#[test]
fn negacyclic_64_checked() {
    conforms(NegacyclicRing::new(64).unwrap(), &ARITHMETICS, true);
}

#[test]
fn negacyclic_1024() {
    conforms(NegacyclicRing::new(1024).unwrap(), &ARITHMETICS, false);
}

#[test]
fn negacyclic_8192() {
    conforms(NegacyclicRing::new(8192).unwrap(), &ARITHMETICS, false);
}
