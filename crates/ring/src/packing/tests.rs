use ringmill_arith::Simd;

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

/// Takes elements apart as the definition says.
fn unpack(ring: &FermatRing, packing: &Packing, packed: Vec<u64>) -> Vec<Vec<u64>> {
    packing.halvings().iter().fold(vec![packed], |nodes, halving| {
        let [theta, image] = packing.factors(halving).unwrap();
        let halves = nodes.iter().flat_map(|x| {
            let apply = |x: Vec<u64>, _| automorphism(ring, &x, halving.exponent());
            let moved = (0..halving.times()).fold(x.clone(), apply);
            let sum = |a: &[u64], b: &[u64]| a.iter().zip(b).map(|(a, b)| a ^ b).collect::<Vec<_>>();
            let (a, b) = (product(ring, x, &theta), product(ring, &moved, &image));
            [sum(x, &moved), sum(&a, &b)]
        });
        halves.collect()
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
    // A value, wires, automorphisms with a key, and bits by which the power of noise grows.
    for (byte, wanted, keys, growth) in [(1, 128, 3, 15.0), (0x53, 352, 5, 39.0)] {
        let sample = slots.encode_bytes(&vec![byte; slots.len()]).unwrap();
        let fixed = |exponent| automorphism(&ring, &sample, exponent) == sample;
        let packing = Packing::new(&ring, Alike::Records, fixed, wanted);
        let mut exponents: Vec<u64> = packing.halvings().iter().map(Halving::exponent).collect();
        exponents.dedup();
        let bits: f64 = packing
            .halvings()
            .iter()
            .map(|halving| 1.0 + halving.power().log2())
            .sum();
        assert_eq!(packing.capacity(), wanted.next_power_of_two());
        assert_eq!(exponents.len(), keys);
        assert!(bits < growth, "{bits}");
    }
    let none = Packing::new(&ring, Alike::Records, |_| false, 2);
    assert_eq!(none.capacity(), 1);
    assert!(
        none.pack(&[Secret::zeros(5)]).is_err()
            && none.pack(&[Secret::zeros(32768), Secret::zeros(32768)]).is_err()
    );
}

/// Against all choices of keys there are.
#[test]
fn keys_are_chosen_by_what_they_save() {
    let ring = FermatRing::new(32768).unwrap();
    for wanted in [5, 32, 100, 128, 200, 352, 1408, 40_000] {
        let packing = Packing::new(&ring, Alike::Records, |_| true, wanted);
        let (steps, depth) = (packing.halvings(), packing.halvings().len());
        let nodes: Vec<usize> = (0..depth)
            .map(|above| wanted.div_ceil(1 << (depth - above)))
            .collect();
        // In a dimension a step's automorphism is the square of the next one's.
        let d = ring.d();
        let squares =
            |step: usize| steps[step + 1].whole_exponent().pow(2) % d == steps[step].whole_exponent();
        let mut start = 0;
        for end in (1..=depth).filter(|end| *end == depth || !squares(end - 1)) {
            let cost = |with_key: &dyn Fn(usize) -> bool| -> usize {
                let key = |step: usize| (step..end).find(|later| with_key(*later)).unwrap();
                let times = (start..end).map(|step| nodes[step] << (key(step) - step));
                times.sum::<usize>() + KEY * (start..end).filter(|step| with_key(*step)).count()
            };
            let choices = 0..1_usize << (end - start - 1);
            let least =
                choices.map(|choice| cost(&|step| step + 1 == end || choice >> (step - start) & 1 == 1));
            let has_key = |step: usize| steps[step].times() == 1;
            assert_eq!(Some(cost(&has_key)), least.min(), "{wanted}, {start}..{end}");
            for step in start..end {
                let key = (step..end).find(|later| has_key(*later)).unwrap();
                assert_eq!(
                    (steps[step].exponent(), steps[step].times()),
                    (steps[key].exponent(), 1 << (key - step))
                );
            }
            start = end;
        }
    }
}
