//! Compares the golden model of the engine with XOR banks with the transforms of the `ring` crate, and for cyclic
//! rings with the definition.

use ringmill_arith::prime::{primes_below, root_of_unity};
use ringmill_arith::{Modulus, Simd};
use ringmill_ring::{FermatRing, NegacyclicRing, PrimeRule, Ring, Transform};
use ringmill_rtl::RtlError;
use ringmill_rtl::ntt_engine::xor_banks::{RingKind, Shape, XorBanks};
use ringmill_rtl::ntt_engine::{Direction, Engine};

use crate::common::Random;

/// The latency of a deep unit for 50 bits.
const UNIT_LATENCY: u64 = 20;

fn engine(n: usize, units: usize, ring: RingKind, q: &Modulus, width: u32, word: u32) -> XorBanks {
    let shape = Shape::new(n, units, ring).unwrap();
    XorBanks::new(shape, q, width, word, UNIT_LATENCY).unwrap()
}

fn transformed(engine: &XorBanks, direction: Direction, words: &[u64]) -> Vec<u64> {
    let mut words = words.to_vec();
    engine.transform(direction, &mut words).unwrap();
    words
}

/// Both directions on random words and on extreme ones. `position` is the place of the engine's value i in the `ring`
/// crate's order.
fn agrees(engine: &XorBanks, ring: &Ring, position: impl Fn(usize) -> usize, random: &mut Random) {
    let (n, q) = (engine.n(), engine.modulus());
    let transform = Transform::new(ring, *q, Simd::from_environment().unwrap()).unwrap();
    for words in [random.residues(q, n), vec![q.value() - 1; n]] {
        let mut values = words.clone();
        transform.evaluate(&mut values).unwrap();
        let values: Vec<u64> = (0..n).map(|i| values[position(i)]).collect();
        assert_eq!(transformed(engine, Direction::Forward, &words), values, "{n}");
        let mut ordered = vec![0; n];
        (0..n).for_each(|i| ordered[position(i)] = words[i]);
        transform.interpolate(&mut ordered).unwrap();
        assert_eq!(transformed(engine, Direction::Inverse, &words), ordered, "{n}");
    }
}

#[test]
fn fermat_transforms_are_those_of_the_ring() {
    let mut random = Random::new(1);
    for (n, units) in [
        (2048, 2),
        (2048, 4),
        (2048, 16),
        (4096, 8),
        (32768, 16),
        (32768, 64),
    ] {
        let ring: Ring = FermatRing::new(n).unwrap().into();
        for q in PrimeRule::Machine.primes(&ring, 1 << 50, 2, &[]).unwrap() {
            let engine = engine(n, units, RingKind::Fermat, &q, 50, 17);
            agrees(&engine, &ring, |i| i, &mut random);
        }
    }
}

#[test]
fn fermat_transforms_of_32_bits() {
    let mut random = Random::new(2);
    for (n, units) in [(2048, 4), (4096, 4), (32768, 32)] {
        let ring: Ring = FermatRing::new(n).unwrap().into();
        let congruence = ring.congruence() * 8;
        let q = primes_below(1 << 32, congruence, 1, &[]).unwrap()[0];
        let engine = engine(n, units, RingKind::Fermat, &q, 32, 11);
        agrees(&engine, &ring, |i| i, &mut random);
    }
}

#[test]
fn negacyclic_transforms_are_those_of_the_ring() {
    let mut random = Random::new(3);
    for (n, units) in [(64, 1), (64, 16), (256, 4), (1024, 64), (4096, 16)] {
        let ring = NegacyclicRing::new(n).unwrap();
        let q = primes_below(1 << 50, 1 << 17, 1, &[]).unwrap()[0];
        let engine = engine(n, units, RingKind::Negacyclic, &q, 50, 17);
        // The engine's order is the bit-reversed one, the ring's has transposed tiles.
        let shift = usize::BITS - n.trailing_zeros();
        let position = |i: usize| {
            ring.position_of(2 * (i.reverse_bits() >> shift) as u64 + 1)
                .unwrap()
        };
        agrees(&engine, &ring.into(), position, &mut random);
    }
}

#[test]
fn cyclic_transforms_are_values_at_the_powers_of_a_root() {
    let mut random = Random::new(4);
    for (n, units) in [(8, 2), (32, 8), (128, 4)] {
        let q = primes_below(1 << 30, 1 << 15, 1, &[]).unwrap()[0];
        let engine = engine(n, units, RingKind::Cyclic, &q, 30, 15);
        let omega = q.pow(root_of_unity(&q, 2 * n as u64).unwrap(), 2);
        let words = random.residues(&q, n);
        let shift = usize::BITS - n.trailing_zeros();
        let value = |i: usize| {
            let point = q.pow(omega, (i.reverse_bits() >> shift) as u64);
            words
                .iter()
                .rev()
                .fold(0, |sum, &word| q.add(q.mul(sum, point), word))
        };
        let values: Vec<u64> = (0..n).map(value).collect();
        assert_eq!(transformed(&engine, Direction::Forward, &words), values);
        assert_eq!(transformed(&engine, Direction::Inverse, &values), words);
    }
}

/// A table of 416 words and powers a direction, once for all units.
#[test]
fn constants_of_a_fermat_ring_are_few() {
    let ring: Ring = FermatRing::new(32768).unwrap().into();
    let q = PrimeRule::Machine.primes(&ring, 1 << 50, 1, &[]).unwrap()[0];
    for units in [16, 64] {
        let engine = engine(32768, units, RingKind::Fermat, &q, 50, 17);
        assert_eq!(engine.constants().len(), 2 * 3 * (128 + 8 + 2 + 1));
    }
}

#[test]
fn refuses_other_primes_and_words() {
    let shape = Shape::new(2048, 4, RingKind::Fermat).unwrap();
    let other = primes_below(1 << 50, 2048 << 17, 1, &[]).unwrap()[0];
    assert!(matches!(
        XorBanks::new(shape, &other, 50, 17, UNIT_LATENCY),
        Err(RtlError::BadTransformModulus { bits: 50, .. })
    ));
    let ring: Ring = FermatRing::new(2048).unwrap().into();
    let q = PrimeRule::Machine.primes(&ring, 1 << 50, 1, &[]).unwrap()[0];
    let engine = engine(2048, 4, RingKind::Fermat, &q, 50, 17);
    let refused = |words: &mut [u64]| engine.transform(Direction::Forward, words);
    assert!(matches!(refused(&mut [0; 8]), Err(RtlError::WrongLength { .. })));
    assert!(matches!(
        refused(&mut [q.value(); 2048]),
        Err(RtlError::OutOfRange { .. })
    ));
}
