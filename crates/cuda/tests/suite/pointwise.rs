//! Compares operations on values with the CPU's, word by word, with more operands than a launch takes.

use ringmill_arith::Basis;
use ringmill_cuda::gpu::Emulator;
use ringmill_cuda::{Arithmetic, CudaDevice};
use ringmill_device::{Device, Digits, Pair};
use ringmill_ring::{Domain, FermatRing, NegacyclicRing, Ring};

use crate::common::emulator::{ARITHMETICS, checked, cpu, emulated};

fn rings() -> [Ring; 3] {
    [
        FermatRing::new(2048).unwrap().into(),
        NegacyclicRing::new(64).unwrap().into(),
        NegacyclicRing::new(1024).unwrap().into(),
    ]
}

/// Three primes, and four in another order, of three sizes.
fn bases(ring: &Ring) -> (Basis, Basis) {
    let large = ring.primes(1 << 50, 2, &[]).unwrap();
    let small = ring.primes(1 << 40, 2, &[]).unwrap();
    let narrow = Basis::new(&[large[0], small[1], large[1]]).unwrap();
    let wide = Basis::new(&[small[1], large[0], small[0], large[1]]).unwrap();
    (narrow, wide)
}

/// Residues that depend on `k`. 0 and q - 1 are among them, and if k is 0, all are q - 1.
fn words(basis: &Basis, n: usize, k: u64) -> Vec<u64> {
    let word = |q: u64, i: u64| match (k, i % 7) {
        (0, _) | (_, 1) => q - 1,
        (_, 0) => 0,
        _ => (k + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_mul(i + 1) % q,
    };
    let limb = |q: u64| (0..n as u64).map(move |i| word(q, i));
    basis.moduli().iter().flat_map(|q| limb(q.value())).collect()
}

fn polys<D: Device>(device: &D, basis: &Basis, domain: Domain, count: u64) -> Vec<D::Poly> {
    let n = device.ring().n();
    let upload = |k| device.upload(basis, domain, &words(basis, n, k)).unwrap();
    (0..count).map(upload).collect()
}

fn downloaded<'a, D: Device>(device: &D, polys: impl IntoIterator<Item = &'a D::Poly>) -> Vec<Vec<u64>>
where
    D::Poly: 'a,
{
    polys.into_iter().map(|a| device.download(a).unwrap()).collect()
}

/// Makes 40 sums, the second of 150 products, with first and second operands over two bases.
fn sums<D: Device>(device: &D, multiplier: u64) -> Vec<Vec<u64>> {
    let (narrow, wide) = bases(device.ring());
    let first = polys(device, &narrow, Domain::Evaluation, 5);
    let second = polys(device, &wide, Domain::Evaluation, 6);
    let pair = |k: usize| match k % 4 {
        3 => (&first[k % 5], &first[(k + 1) % 5]),
        _ => (&first[k % 5], &second[k % 6]),
    };
    let count = |s| if s == 1 { 150 } else { s % 5 + 1 };
    let sums: Vec<Vec<_>> = (0..40)
        .map(|s| (0..count(s)).map(|k| pair(s + k)).collect())
        .collect();
    let mut results = device
        .inner_products(&sums, multiplier, Domain::Evaluation)
        .unwrap();
    // The largest of all words, so that bounds are reached.
    let largest = vec![(&first[0], &second[0]); 23];
    results.push(device.inner_product(&largest, Domain::Evaluation).unwrap());
    downloaded(device, &results)
}

/// A rotation with the 51 digits of two limbs, which are arbitrary polynomials here.
fn rotations<D: Device>(device: &D) -> Vec<Vec<u64>> {
    let (narrow, wide) = bases(device.ring());
    let basis = narrow.prefix(2).unwrap();
    let digits = Digits::BaseTwo { bits: 2 };
    let count = digits.elements(&basis).len() as u64;
    let parts = polys(device, &basis, Domain::Evaluation, count);
    let key = polys(device, &wide, Domain::Evaluation, count);
    let other = polys(device, &narrow, Domain::Evaluation, count + 1);
    let key: Vec<Pair<_>> = key.into_iter().zip(other.into_iter().skip(1)).collect();
    let first = polys(device, &basis, Domain::Evaluation, 2);
    let exponents = [1, device.ring().value_exponent(device.ring().n() / 3)];
    let rotate = |(k, first)| {
        let (b, a) = device.rotate(first, &parts, &digits, &key, exponents[k]).unwrap();
        downloaded(device, [&b, &a])
    };
    first.iter().enumerate().flat_map(rotate).collect()
}

fn automorphisms<D: Device>(device: &D) -> Vec<Vec<u64>> {
    let ring = device.ring();
    let (narrow, _) = bases(ring);
    let mut results = Vec::new();
    for domain in [Domain::Coefficient, Domain::Evaluation] {
        let a = &polys(device, &narrow, domain, 2)[1];
        for k in [0, 1, ring.n() / 3, ring.n() - 1].map(|i| ring.value_exponent(i)) {
            let moved = device.automorphism(a, k).unwrap();
            results.extend(downloaded(device, [&moved]));
        }
    }
    results
}

/// Compares all words of the results of a GPU with the CPU's.
fn compare(
    rings: &[Ring],
    work: impl Fn(&CudaDevice) -> Vec<Vec<u64>>,
    reference: impl Fn(&ringmill_cpu::CpuDevice) -> Vec<Vec<u64>>,
) {
    for ring in rings {
        let expected = reference(&cpu(ring));
        for arithmetic in ARITHMETICS {
            let got = work(&emulated(ring, arithmetic, checked()));
            assert_eq!(got.len(), expected.len());
            for (i, (got, expected)) in got.iter().zip(&expected).enumerate() {
                let differs = got.iter().zip(expected).position(|(x, y)| x != y);
                assert_eq!(differs, None, "result {i}, {arithmetic:?}, {ring:?}");
            }
        }
    }
}

#[test]
fn sums_of_products() {
    for multiplier in [1, 3, u64::MAX] {
        compare(&rings(), |gpu| sums(gpu, multiplier), |cpu| sums(cpu, multiplier));
    }
}

#[test]
fn sums_of_digits_and_keys() {
    compare(&rings(), rotations, rotations);
}

/// Groups of one to four cyclic factors, and lines of one and several tiles.
#[test]
fn every_word_moves_to_its_place() {
    let fermat = FermatRing::DIMENSIONS.map(|n| FermatRing::new(n).unwrap().into());
    let powers = [64, 1024, 8192].map(|n| NegacyclicRing::new(n).unwrap().into());
    let rings: Vec<Ring> = fermat.into_iter().chain(powers).collect();
    compare(&rings, automorphisms, automorphisms);
}

#[test]
fn doubles_are_exact() {
    let ring = NegacyclicRing::new(64).unwrap().into();
    let device = emulated(&ring, Arithmetic::Bounds, checked());
    sums(&device, 3);
    rotations(&device);
    automorphisms(&device);
    let worst = Emulator::worst_bound();
    assert!((5.0..=8.0).contains(&worst), "{worst} p");
}
