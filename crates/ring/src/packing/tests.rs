use std::collections::BTreeSet;

use ringmill_arith::Simd;

use super::steps::KEY;
use super::*;
use crate::{Rows, Slots};

/// x -> x^exponent on coefficients modulo 2.
fn automorphism(ring: &FermatRing, element: &[u64], exponent: u64) -> Vec<u64> {
    let mut image = vec![0; ring.n()];
    for (bit, e) in element.iter().zip(ring.exponents()) {
        image[ring.index_of(u64::from(*e) * exponent).unwrap()] = *bit;
    }
    image
}

/// The product modulo 2, by the definition.
fn product(ring: &FermatRing, a: &[u64], factor: &[i64]) -> Vec<u64> {
    let d = ring.d() as usize;
    let mut full = vec![0; d];
    for (x, e) in factor.iter().zip(ring.exponents()).filter(|(x, _)| **x != 0) {
        for (bit, f) in a.iter().zip(ring.exponents()).filter(|(bit, _)| **bit == 1) {
            full[(*e as usize + *f as usize) % d] += x * *bit as i64;
        }
    }
    let folded = ring.fold(&full).unwrap();
    folded.iter().map(|x| x.rem_euclid(2) as u64).collect()
}

fn sum(a: &[u64], b: &[u64]) -> Vec<u64> {
    a.iter().zip(b).map(|(a, b)| a ^ b).collect()
}

/// Takes elements apart as the definition says, one step after the other.
fn unpack(ring: &FermatRing, packing: &Packing, packed: Vec<u64>) -> Vec<Vec<u64>> {
    packing.halvings.iter().fold(vec![packed], |nodes, halving| {
        let sigma = |e: &u64| e * halving.exponent % ring.d();
        let image: Vec<u64> = halving.theta.iter().map(sigma).collect();
        let element = |exponents: &[u64]| {
            let mut full = vec![0; ring.d() as usize];
            exponents.iter().for_each(|e| full[*e as usize] += 1);
            ring.fold(&full).unwrap()
        };
        let (theta, image) = (element(&halving.theta), element(&image));
        let halves = nodes.iter().flat_map(|x| {
            let moved = automorphism(ring, x, halving.exponent);
            let (a, b) = (product(ring, x, &theta), product(ring, &moved, &image));
            [sum(x, &moved), sum(&a, &b)]
        });
        halves.collect()
    })
}

/// Takes elements apart with the images and factors of splits.
fn split(ring: &FermatRing, packing: &Packing, packed: Vec<u64>) -> Vec<Vec<u64>> {
    packing.splits().iter().fold(vec![packed], |nodes, split| {
        let factors = packing.factors(split).unwrap();
        let children = nodes.iter().flat_map(|x| {
            let images = split.automorphisms().iter().map(|repeated| {
                let once = |x: Vec<u64>, _| automorphism(ring, &x, repeated.exponent);
                (0..repeated.times).fold(x.clone(), once)
            });
            let images: Vec<_> = std::iter::once(x.clone()).chain(images).collect();
            let child = |factors: &Vec<Factor>| {
                let terms = images.iter().zip(factors).map(|(image, factor)| match factor {
                    None => image.clone(),
                    Some(factor) => product(ring, image, factor),
                });
                terms.reduce(|a, b| sum(&a, &b)).unwrap()
            };
            factors.iter().map(child).collect::<Vec<_>>()
        });
        children.collect()
    })
}

fn check(n: usize, alike: Alike, values: &[Vec<u8>], row: usize, capacity: usize) {
    let ring = FermatRing::new(n).unwrap();
    let slots = Slots::new(&ring, Simd::Portable).unwrap();
    let rows = Rows::new(&slots, row).unwrap();
    let encode = |value: &Vec<u8>| {
        let mut bytes = vec![0; slots.len()];
        for (place, slot) in rows.slots().iter().enumerate() {
            bytes[*slot as usize] = value[place % value.len()];
        }
        slots.encode_bytes(&bytes).unwrap()
    };
    let elements: Vec<Vec<u64>> = values.iter().map(encode).collect();
    // Elements that are as random as those of their kind are.
    let fixed = |exponent| elements.iter().all(|x| automorphism(&ring, x, exponent) == *x);
    let packing = Packing::new(&ring, alike, fixed, values.len());
    assert_eq!(packing.capacity(), capacity, "n = {n}");
    let some: Vec<Vec<u64>> = elements.into_iter().take(capacity).collect();
    let secret: Vec<Secret<Vec<u64>>> = some.iter().map(|x| Secret::copy_of(x)).collect();
    let packed = packing.pack(&secret).unwrap();
    let unpacked = unpack(&ring, &packing, packed.to_vec());
    assert_eq!(unpacked.len(), capacity);
    assert!(split(&ring, &packing, packed.to_vec()) == unpacked);
    for (index, element) in unpacked.iter().enumerate() {
        let expected = some.get(index).cloned().unwrap_or(vec![0; n]);
        assert!(*element == expected, "n = {n}, element {index}");
    }
}

/// Pseudorandom bytes below a limit.
fn bytes(seed: usize, count: usize, limit: u32) -> Vec<u8> {
    let byte = |i: usize| ((i * 2654435761 + seed * 40503 + 12345) as u32 >> 11) % limit;
    (0..count).map(|i| byte(i + seed * count) as u8).collect()
}

#[test]
fn bits_of_records_are_packed_by_sixteens() {
    for n in [2048, 8192, 16384] {
        let values: Vec<Vec<u8>> = (0..16).map(|i| bytes(i, n / 16, 2)).collect();
        check(n, Alike::Slots, &values, 1, 16);
    }
}

#[test]
fn bytes_of_records_are_packed_by_twos() {
    for n in [2048, 4096] {
        let values: Vec<Vec<u8>> = (0..3).map(|i| bytes(i, n / 16, 256)).collect();
        check(n, Alike::Slots, &values, 1, 2);
    }
}

#[test]
fn values_that_are_alike_in_all_records_are_packed() {
    // Bits, all there are and some.
    let bits = |count: usize| {
        (0..count)
            .map(|i| vec![(i * i / 3 % 2) as u8])
            .collect::<Vec<_>>()
    };
    check(2048, Alike::Records, &bits(60), 1, 64);
    check(4096, Alike::Records, &bits(17), 1, 32);
    // Bytes, and rows of four.
    let wide = |count: usize, row: usize| (0..count).map(|i| bytes(i, row, 256)).collect::<Vec<_>>();
    check(4096, Alike::Records, &wide(20, 1), 1, 32);
    check(8192, Alike::Records, &wide(3, 1), 1, 4);
    check(4096, Alike::Records, &wide(2, 4), 4, 2);
}

/// At the size of SIMON's and AES's keys: few keys are needed, and factors are small.
#[test]
fn keys_of_ciphers_fit_in_one_element() {
    let ring = FermatRing::new(32768).unwrap();
    let slots = Slots::new(&ring, Simd::Portable).unwrap();
    // A value, wires, automorphisms with a key, pairs of steps, and bits by which the power of noise grows.
    for (byte, wanted, keys, pairs, growth) in [(1, 128, 5, 1, 15.0), (0x53, 352, 6, 1, 39.0)] {
        let sample = slots.encode_bytes(&vec![byte; slots.len()]).unwrap();
        let fixed = |exponent| automorphism(&ring, &sample, exponent) == sample;
        let packing = Packing::new(&ring, Alike::Records, fixed, wanted);
        let splits = packing.splits().iter();
        let automorphisms = splits.clone().flat_map(Split::automorphisms);
        let exponents: BTreeSet<u64> = automorphisms.map(|a| a.exponent).collect();
        let bits: f64 = splits
            .clone()
            .map(|split| (split.children() as f64 * split.power()).log2())
            .sum();
        assert_eq!(packing.capacity(), wanted.next_power_of_two());
        assert_eq!(exponents.len(), keys);
        assert_eq!(splits.filter(|split| split.children() == 4).count(), pairs);
        assert!(bits < growth, "{bits}");
    }
    let smaller = FermatRing::new(2048).unwrap();
    let other = Packing::new(&smaller, Alike::Slots, |_| true, 2);
    let split = &Packing::new(&ring, Alike::Slots, |_| true, 2).splits[0];
    assert!(other.factors(split).is_err());
    let none = Packing::new(&ring, Alike::Records, |_| false, 2);
    assert_eq!(none.capacity(), 1);
    assert!(
        none.pack(&[Secret::zeros(5)]).is_err()
            && none.pack(&[Secret::zeros(32768), Secret::zeros(32768)]).is_err()
    );
}

/// Against all choices of keys and pairs there are.
#[test]
fn keys_and_pairs_are_chosen_by_what_they_save() {
    let ring = FermatRing::new(32768).unwrap();
    for (alike, wanted) in [
        (Alike::Records, &[5, 32, 100, 128, 200, 352, 1408, 40_000][..]),
        (Alike::Slots, &[16, 200, 300, 5000]),
    ] {
        for &wanted in wanted {
            let packing = Packing::new(&ring, alike, |_| true, wanted);
            let steps: Vec<u64> = packing.halvings.iter().map(|halving| halving.exponent).collect();
            let nodes = |step: usize| wanted.div_ceil(packing.capacity() >> step);
            // By the number of steps from the last on: what they cost at least.
            let mut least = vec![0];
            for start in (0..steps.len()).rev() {
                let later = |end: usize| least[steps.len() - end];
                let square = |step: usize| steps[step].pow(2) % ring.d() == steps[step - 1];
                let shared = (start + 1..=steps.len())
                    .take_while(|end| *end == start + 1 || (alike == Alike::Records && square(end - 1)));
                let shared = shared.map(|end| {
                    let repeated = (start..end).map(|step| nodes(step) << (end - 1 - step));
                    repeated.sum::<usize>() + KEY + later(end)
                });
                let paired = (start + 2 <= steps.len()).then(|| nodes(start) + 3 * KEY + later(start + 2));
                least.push(shared.chain(paired).min().unwrap());
            }
            let keys = packing.splits().iter().flat_map(Split::automorphisms);
            let keys: BTreeSet<u64> = keys.map(|automorphism| automorphism.exponent).collect();
            let mut step = 0;
            let cost = packing.splits().iter().map(|split| {
                let (at, power) = (step, split.automorphisms()[0].times);
                step += split.children().ilog2() as usize;
                assert_eq!(split.exponents().next(), Some(steps[at]));
                nodes(at) * power
            });
            let cost: usize = cost.sum();
            assert_eq!(Some(&(cost + KEY * keys.len())), least.last(), "{wanted}");
        }
    }
}
