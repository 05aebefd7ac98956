//! Transforms of both kinds of ring, and products with a fixed factor, beside the negacyclic transforms of the
//! crate `tfhe-ntt`, one thread, in one run.
//!
//! The floor of a negacyclic transform is its n/2 log2 n butterflies. With AVX2 one takes of four vector
//! instructions a cycle: 13 for 8 residues below 2^30, 15 below 2^31 (32-bit lanes), 8 for 4 residues below 2^50
//! (doubles). For n = 1024: 2080, 2400 and 2560 cycles; a product is two transforms and n pointwise ones.

use criterion::{Criterion, criterion_group, criterion_main};
use ringmill_arith::Simd;
use ringmill_ring::{FermatRing, NegacyclicRing, Ring, Transform};

fn fermat(criterion: &mut Criterion) {
    for n in [4096, 8192, 16384, 32768, 65536] {
        let ring = Ring::from(FermatRing::new(n).expect("offered dimension"));
        ours(criterion, &format!("fermat n={n}"), &ring, 50);
    }
}

fn negacyclic(criterion: &mut Criterion) {
    for (n, sizes) in [
        (1024, &[30, 31, 32, 50][..]),
        (4096, &[31, 50]),
        (32768, &[31, 50]),
    ] {
        let ring = Ring::from(NegacyclicRing::new(n).expect("offered dimension"));
        for &bits in sizes {
            ours(criterion, &format!("negacyclic n={n} {bits} bits"), &ring, bits);
        }
        peer(criterion, n);
    }
}

fn ours(criterion: &mut Criterion, name: &str, ring: &Ring, bits: u32) {
    let mut group = criterion.benchmark_group(name);
    let q = ring.primes(1 << bits, 1, &[]).expect("primes exist")[0];
    for kernel in Simd::available() {
        let transform = Transform::new(ring, q, kernel).expect("fitting prime");
        let mut data: Vec<u64> = (0..ring.n() as u64).collect();
        let factor = transform.prepare(&data).expect("n words");
        let mut product = data.clone();
        group.bench_function(format!("evaluate {}", kernel.name()), |b| {
            b.iter(|| transform.evaluate(&mut data));
        });
        group.bench_function(format!("interpolate {}", kernel.name()), |b| {
            b.iter(|| transform.interpolate(&mut data));
        });
        group.bench_function(format!("product {}", kernel.name()), |b| {
            b.iter(|| transform.products(&mut product, &[&factor], &mut []));
        });
    }
    group.finish();
}

fn peer(criterion: &mut Criterion, n: usize) {
    let mut group = criterion.benchmark_group(format!("tfhe-ntt n={n}"));
    let prime = |bits: u32| {
        let step = 2 * n as u64;
        let largest = (1 << bits) - 1;
        tfhe_ntt::prime::largest_prime_in_arithmetic_progression64(step, 1, 0, largest).expect("primes exist")
    };
    let short = u32::try_from(prime(31)).expect("31 bits");
    let plan = tfhe_ntt::prime32::Plan::try_new(n, short).expect("fitting prime");
    let mut data: Vec<u32> = (0..n as u32).collect();
    group.bench_function("forward 31 bits", |b| b.iter(|| plan.fwd(&mut data)));
    group.bench_function("inverse 31 bits", |b| b.iter(|| plan.inv(&mut data)));
    let plan = tfhe_ntt::prime64::Plan::try_new(n, prime(50)).expect("fitting prime");
    let mut data: Vec<u64> = (0..n as u64).collect();
    group.bench_function("forward 50 bits", |b| b.iter(|| plan.fwd(&mut data)));
    group.bench_function("inverse 50 bits", |b| b.iter(|| plan.inv(&mut data)));
    group.finish();
}

criterion_group!(benches, fermat, negacyclic);
criterion_main!(benches);
