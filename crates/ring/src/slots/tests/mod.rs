mod rows;

use sha2::{Digest, Sha256};

use super::*;
use crate::{Automorphism, Domain, Transform};

fn bits(count: usize, seed: u64) -> Vec<bool> {
    let next = |x: &u64| Some(x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
    std::iter::successors(Some(seed), next)
        .skip(1)
        .take(count)
        .map(|x| x >> 60 & 1 == 1)
        .collect()
}

#[test]
fn products_and_automorphisms_act_on_slots() {
    for (n, slots) in [
        (2048, 128),
        (4096, 256),
        (8192, 512),
        (16384, 1024),
        (32768, 2048),
        (65536, 2048),
        (131_072, 4096),
    ] {
        let ring = FermatRing::new(n).unwrap();
        for kernel in Simd::available() {
            let encoder = Slots::new(&ring, kernel).unwrap();
            assert_eq!(encoder.len(), slots);
            let (a, b) = (bits(slots, 1), bits(slots, 2));
            let (x, y) = (encoder.encode(&a).unwrap(), encoder.encode(&b).unwrap());
            assert_eq!(encoder.decode(&x).unwrap(), a);
            // Sum and product in R/2 are XOR and AND of the slots.
            let sum: Vec<u64> = x.iter().zip(&y).map(|(x, y)| x ^ y).collect();
            let xor: Vec<bool> = a.iter().zip(&b).map(|(a, b)| a ^ b).collect();
            assert_eq!(encoder.decode(&sum).unwrap(), xor);
            let q = ring.primes(1 << 50, 1, &[]).unwrap()[0];
            let transform = Transform::new(&ring.clone().into(), q, kernel).unwrap();
            let (mut u, mut v) = (x.clone(), y.clone());
            transform.evaluate(&mut u).unwrap();
            transform.evaluate(&mut v).unwrap();
            u.iter_mut().zip(&v).for_each(|(u, &v)| *u = q.mul(*u, v));
            transform.interpolate(&mut u).unwrap();
            u.iter_mut().for_each(|u| *u = q.center(*u).rem_euclid(2) as u64);
            let and: Vec<bool> = a.iter().zip(&b).map(|(a, b)| a & b).collect();
            assert_eq!(encoder.decode(&u).unwrap(), and);
            for k in [2, 7, ring.d() - 2] {
                let moved = automorphism(&ring, &x, k);
                let expected: Vec<bool> = encoder.permutation(k).unwrap().iter().map(|&i| a[i]).collect();
                assert_eq!(encoder.decode(&moved).unwrap(), expected, "n = {n}, k = {k}");
            }
        }
    }
}

#[test]
fn short_inputs_are_padded_and_long_ones_refused() {
    let ring = FermatRing::new(2048).unwrap();
    let encoder = Slots::new(&ring, Simd::Portable).unwrap();
    let element = encoder.encode(&[true, false, true]).unwrap();
    let decoded = encoder.decode(&element).unwrap();
    assert_eq!(decoded.iter().filter(|&&b| b).count(), 2);
    assert!(decoded[0] && decoded[2]);
    assert!(matches!(
        encoder.encode(&[true; 129]),
        Err(RingError::TooManyBits { .. })
    ));
    assert!(encoder.decode(&[0; 3]).is_err());
    assert!(encoder.permutation(257).is_err());
    // The element with 1 in every slot is 1 = (-1)^w times the sum of the basis.
    assert!(encoder.encode(&[true; 128]).unwrap().iter().all(|&x| x == 1));
}

/// Product in AES's field, from its definition.
fn times(a: u8, b: u8) -> u8 {
    let doubled = |a: u8| a << 1 ^ (0x1b * (a >> 7));
    let multiples = std::iter::successors(Some(a), |&a| Some(doubled(a))).take(8);
    let terms = multiples.enumerate().filter(|(i, _)| b >> i & 1 == 1);
    terms.fold(0, |sum, (_, multiple)| sum ^ multiple)
}

fn squared(byte: u8, count: u8) -> u8 {
    (0..count).fold(byte, |byte, _| times(byte, byte))
}

fn bytes(count: usize, seed: u64) -> Vec<u8> {
    let bits = bits(8 * count, seed);
    let byte = |bits: &[bool]| bits.iter().fold(0, |byte, &bit| byte << 1 | u8::from(bit));
    bits.chunks_exact(8).map(byte).collect()
}

fn add(a: &mut [u64], b: &[u64]) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a ^= b);
}

fn automorphism(ring: &FermatRing, a: &[u64], exponent: u64) -> Vec<u64> {
    let map = Automorphism::new(&ring.clone().into(), exponent, Domain::Coefficient).unwrap();
    let q = ring.primes(1 << 50, 1, &[]).unwrap()[0];
    let mut moved = vec![0; a.len()];
    map.apply(&q, a, &mut moved).unwrap();
    moved
}

/// Products in R/2, by products in R modulo a large prime.
struct Products(Transform);

impl Products {
    fn new(ring: &FermatRing) -> Self {
        let q = ring.primes(1 << 50, 1, &[]).unwrap()[0];
        let kernel = *Simd::available().last().unwrap();
        Self(Transform::new(&ring.clone().into(), q, kernel).unwrap())
    }

    fn product(&self, a: &[u64], b: &[u64]) -> Vec<u64> {
        let q = self.0.modulus();
        let (mut a, mut b) = (a.to_vec(), b.to_vec());
        self.0.evaluate(&mut a).unwrap();
        self.0.evaluate(&mut b).unwrap();
        a.iter_mut().zip(&b).for_each(|(a, &b)| *a = q.mul(*a, b));
        self.0.interpolate(&mut a).unwrap();
        a.iter_mut().for_each(|a| *a = q.center(*a).rem_euclid(2) as u64);
        a
    }
}

#[test]
fn bytes_add_multiply_and_move() {
    for n in FermatRing::DIMENSIONS {
        let ring = FermatRing::new(n).unwrap();
        let products = Products::new(&ring);
        for kernel in Simd::available() {
            let slots = Slots::new(&ring, kernel).unwrap();
            let (a, b) = (bytes(slots.len(), 1), bytes(slots.len(), 2));
            let (x, y) = (slots.encode_bytes(&a).unwrap(), slots.encode_bytes(&b).unwrap());
            assert!(x.iter().all(|&x| x < 2));
            assert_eq!(slots.decode_bytes(&x).unwrap(), a);
            assert_eq!(slots.decode_bytes_checked(&x).unwrap(), a);
            let mut sum = x.clone();
            add(&mut sum, &y);
            let xor: Vec<u8> = a.iter().zip(&b).map(|(a, b)| a ^ b).collect();
            assert_eq!(slots.decode_bytes_checked(&sum).unwrap(), xor);
            let product: Vec<u8> = a.iter().zip(&b).map(|(&a, &b)| times(a, b)).collect();
            let element = products.product(&x, &y);
            assert_eq!(slots.decode_bytes_checked(&element).unwrap(), product);
            for k in [2, slots.frobenius(5), 7, ring.d() - 2] {
                let action = slots.action(k).unwrap();
                let moved = action.source.iter().zip(&action.frobenius);
                let expected: Vec<u8> = moved.map(|(&i, &f)| squared(a[i as usize], f % 8)).collect();
                let element = automorphism(&ring, &x, k);
                assert_eq!(
                    slots.decode_bytes_checked(&element).unwrap(),
                    expected,
                    "n = {n}, k = {k}"
                );
            }
        }
    }
}

/// The value of an element of R/2 in a slot, from its definition.
fn value(ring: &FermatRing, field: &Field, element: &[u64], l: u64) -> u64 {
    let terms = element.iter().zip(ring.exponents());
    terms.fold(0, |sum, (x, &e)| {
        sum ^ (x * field.powers[(u64::from(e) * l % ring.d()) as usize])
    })
}

#[test]
fn slots_hold_the_values_they_are_said_to_hold() {
    for n in [2048, 32768, 65536, 131_072] {
        let ring = FermatRing::new(n).unwrap();
        let slots = Slots::new(&ring, Simd::Portable).unwrap();
        let field = Field::new(ring.d());
        let given = bytes(slots.len(), 3);
        let element = slots.encode_bytes(&given).unwrap();
        for i in [0, 1, 2, slots.len() / 2, slots.len() - 1] {
            let l = slots.representatives()[i];
            assert_eq!(
                value(&ring, &field, &element, l),
                field.byte(given[i]),
                "slot {i}"
            );
        }
        // All values of GF(2^u), not only bytes, move as documented.
        for k in [2, 7, ring.d() - 2] {
            let action = slots.action(k).unwrap();
            for (i, &l) in slots.representatives().iter().enumerate() {
                let source = slots.representatives()[action.source[i] as usize];
                let conjugate = source * slots.frobenius(action.frobenius[i].into()) % ring.d();
                assert_eq!(l * k % ring.d(), conjugate);
            }
        }
    }
}

/// Files contain elements of bits, so these must not change. The test compares the beginnings of their
/// hashes, with a byte for each coefficient.
#[test]
fn elements_of_bits_do_not_change() {
    let hashes = [
        "fcd1453b4c34ba92",
        "caabbb99ae77d89d",
        "8a6521f423294cfd",
        "a57958369cf2059f",
        "72eb8532d4213fbc",
        "dc835446ab685404",
        "b1fd30db1dcb2ca8",
    ];
    for (n, expected) in FermatRing::DIMENSIONS.into_iter().zip(hashes) {
        let slots = Slots::new(&FermatRing::new(n).unwrap(), Simd::Portable).unwrap();
        let bits: Vec<bool> = (0..slots.len()).map(|i| i * i % 7 < 3).collect();
        let element = slots.encode(&bits).unwrap();
        let element: Vec<u8> = element.iter().map(|&x| x as u8).collect();
        let hash: String = Sha256::digest(&element)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        assert_eq!(&hash[..16], expected, "n = {n}");
    }
}

#[test]
fn bits_are_the_bytes_0_and_1() {
    for n in [4096, 65536] {
        let ring = FermatRing::new(n).unwrap();
        let slots = Slots::new(&ring, Simd::Portable).unwrap();
        let bits = bits(slots.len() - 5, 4);
        let same: Vec<u8> = bits.iter().map(|&bit| bit.into()).collect();
        let element = slots.encode(&bits).unwrap();
        assert_eq!(slots.encode_bytes(&same).unwrap(), element);
        assert_eq!(slots.decode_bytes_checked(&element).unwrap()[..same.len()], same);
    }
}

#[test]
fn values_outside_the_bytes_are_found() {
    for n in [2048, 65536] {
        let ring = FermatRing::new(n).unwrap();
        let slots = Slots::new(&ring, Simd::Portable).unwrap();
        let products = Products::new(&ring);
        // x has order d, not 255, in every slot.
        let mut x = vec![0; n];
        x[ring.index_of(1).unwrap()] = 1;
        assert_eq!(
            slots.decode_bytes_checked(&x),
            Err(RingError::NotAByte { slot: 0 })
        );
        for slot in [3, slots.len() - 1] {
            let given = bytes(slots.len(), 5);
            let mut only = vec![false; slots.len()];
            only[slot] = true;
            let mut element = products.product(&slots.encode(&only).unwrap(), &x);
            add(&mut element, &slots.encode_bytes(&given).unwrap());
            assert_eq!(
                slots.decode_bytes_checked(&element),
                Err(RingError::NotAByte { slot })
            );
            let decoded = slots.decode_bytes(&element).unwrap();
            for i in (0..slots.len()).filter(|&i| i != slot) {
                assert_eq!(decoded[i], given[i]);
            }
        }
        let many = vec![0; slots.len() + 1];
        assert!(matches!(
            slots.encode_bytes(&many),
            Err(RingError::TooManyBytes { .. })
        ));
        assert!(slots.decode_bytes(&[0; 3]).is_err() && slots.decode_bytes_checked(&[0; 3]).is_err());
        assert!(matches!(slots.action(ring.d()), Err(RingError::NotAUnit { .. })));
    }
}
