//! The simulated machines around transform engines, beside their golden models.

use ringmill_arith::Modulus;
use ringmill_arith::prime::primes_below;
use ringmill_ring::{FermatRing, PrimeRule};
use ringmill_rtl::ntt_engine::dedicated_read::{self, DedicatedRead};
use ringmill_rtl::ntt_engine::two_epoch::{self, Network, TwoEpoch};
use ringmill_rtl::ntt_engine::xor_banks::{self, RingKind, XorBanks};
use ringmill_rtl::ntt_engine::{Direction, Engine, EngineSimulation, Unit};
use ringmill_rtl::{Pipeline, RtlError};

use crate::common::Random;

fn prime(bits: u32, congruence: u64) -> Modulus {
    primes_below(1 << bits, congruence, 1, &[]).unwrap()[0]
}

fn dedicated(n: usize, units: usize) -> DedicatedRead {
    let unit = Unit::new(&prime(30, 1 << 17), 30, 16).unwrap();
    let latency = Pipeline::Deep.butterfly(30, 16, true);
    DedicatedRead::new(dedicated_read::Shape::new(n, units).unwrap(), unit, latency).unwrap()
}

fn epochs(tiles: usize, network: Network) -> TwoEpoch {
    let latency = Pipeline::Deep.butterfly(32, tiles.ilog2() * 2, true);
    let schedule = two_epoch::Schedule::new(tiles, network, latency).unwrap();
    TwoEpoch::new(schedule, &prime(32, 1 << 17)).unwrap()
}

fn xor(n: usize, units: usize, ring: RingKind) -> XorBanks {
    let shape = xor_banks::Shape::new(n, units, ring).unwrap();
    let q = match ring {
        RingKind::Fermat => {
            let ring = FermatRing::new(n).unwrap().into();
            PrimeRule::Machine.primes(&ring, 1 << 50, 1, &[]).unwrap()[0]
        }
        RingKind::Cyclic | RingKind::Negacyclic => prime(50, 1 << 17),
    };
    let latency = Pipeline::Deep.butterfly(50, PrimeRule::MACHINE_WORD, true);
    XorBanks::new(shape, &q, 50, PrimeRule::MACHINE_WORD, latency).unwrap()
}

/// Words and cycles are the model's, there and back; and back is where the words were.
fn check(engine: &impl Engine) {
    let mut machine = EngineSimulation::new(engine).unwrap();
    let mut random = Random::new(7);
    for _ in 0..3 {
        let start = random.residues(engine.modulus(), engine.n());
        let mut words = start.clone();
        for direction in [Direction::Forward, Direction::Inverse] {
            let mut expected = words.clone();
            engine.transform(direction, &mut expected).unwrap();
            let cycles = machine.transform(direction, &mut words).unwrap();
            assert!(words == expected, "{} {direction:?}", engine.machine());
            assert_eq!(
                cycles,
                engine.cycles(direction),
                "{} {direction:?}",
                engine.machine()
            );
        }
        assert!(words == start, "{}", engine.machine());
    }
}

#[test]
fn dedicated_reads() {
    check(&dedicated(1024, 4));
}

#[test]
fn xor_banks_of_a_fermat_ring() {
    check(&xor(2048, 4, RingKind::Fermat));
}

/// One machine for both: the ring lies in the constants.
#[test]
fn xor_banks_of_power_rings() {
    check(&xor(256, 4, RingKind::Negacyclic));
    check(&xor(256, 4, RingKind::Cyclic));
}

#[test]
fn two_epochs() {
    check(&epochs(16, Network::Ring));
    check(&epochs(16, Network::Transposer));
}

#[test]
fn refuses_other_machines_and_bad_words() {
    let other = EngineSimulation::new(&dedicated(512, 2));
    assert!(matches!(other, Err(RtlError::MachineNotBuilt { machine }) if machine.contains("N=512 Units=2")));
    let engine = epochs(16, Network::Ring);
    let mut machine = EngineSimulation::new(&engine).unwrap();
    let mut words = vec![0; 255];
    assert_eq!(
        machine.transform(Direction::Forward, &mut words),
        Err(RtlError::WrongLength {
            expected: 256,
            got: 255
        })
    );
    words.push(engine.modulus().value());
    assert!(matches!(
        machine.transform(Direction::Forward, &mut words),
        Err(RtlError::OutOfRange { index: 255, .. })
    ));
}
