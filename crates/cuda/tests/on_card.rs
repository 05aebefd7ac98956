//! The device on a card of this computer, where there is one.

#![allow(clippy::unwrap_used)] // a test stops where it fails, in its helpers too

mod loud;

use std::sync::Arc;

use ringmill_conformance::{Operation, check};
use ringmill_cuda::machine::card::{Card, cards};
use ringmill_cuda::{Arithmetic, CudaDevice, Program};
use ringmill_device::Device;
use ringmill_ring::{FermatRing, NegacyclicRing, Ring};

/// Whether there is a card; says that the test is not run if there is none.
fn is_there_a_card(test: &str) -> bool {
    let reason = match cards() {
        Ok(cards) if cards.is_empty() => "there is a driver, but no card".to_owned(),
        Ok(_) => return true,
        Err(error) => error.to_string(),
    };
    loud::not_run(test, &format!("it needs an NVIDIA card: {reason}"));
    false
}

fn conforms(device: &CudaDevice) {
    let report = check(device, 0x5eed).unwrap();
    println!("{}, n = {}\n{report}", device.name(), device.ring().n());
    assert_eq!(report.operations().collect::<Vec<_>>(), Operation::ALL);
}

fn rings() -> [Ring; 5] {
    [
        FermatRing::new(2048).unwrap().into(),
        FermatRing::new(32768).unwrap().into(),
        FermatRing::new(65536).unwrap().into(),
        NegacyclicRing::new(64).unwrap().into(),
        NegacyclicRing::new(8192).unwrap().into(),
    ]
}

/// Bit for bit what is defined, whichever arithmetic the card would be given.
#[test]
fn a_card_conforms() {
    if !is_there_a_card("the conformance suite on a card") {
        return;
    }
    for ring in rings() {
        for arithmetic in [Arithmetic::Doubles, Arithmetic::Words] {
            let card = Card::open(0, &Program::of_device(&ring, arithmetic)).unwrap();
            conforms(&CudaDevice::new(&ring, arithmetic, Arc::new(card)));
        }
    }
}

/// With so little memory that polynomials are moved to the host and back.
#[test]
fn a_card_that_is_short_of_memory_conforms() {
    if !is_there_a_card("the conformance suite on a card with little memory") {
        return;
    }
    let ring = NegacyclicRing::new(64).unwrap().into();
    conforms(&CudaDevice::open(&ring, 0).unwrap().with_memory(7 << 18));
}
