//! One evaluation and one interpolation beside the negacyclic transform of the same dimension by
//! the crate `tfhe-ntt`, one thread, in one run.

use criterion::{Criterion, criterion_group, criterion_main};
use ringmill_arith::Kernel;
use ringmill_ring::{FermatRing, Ring, Transform};

fn transforms(criterion: &mut Criterion) {
    for n in [4096, 8192, 16384, 32768, 65536] {
        let mut group = criterion.benchmark_group(format!("n={n}"));
        let ring = Ring::from(FermatRing::new(n).expect("offered dimension"));
        let q = ring.primes(1 << 50, 1, &[]).expect("primes exist")[0];
        for kernel in Kernel::available() {
            let transform = Transform::new(&ring, q, kernel).expect("fitting prime");
            let mut data: Vec<u64> = (0..n as u64).collect();
            group.bench_function(format!("evaluate {}", kernel.name()), |b| {
                b.iter(|| transform.evaluate(&mut data));
            });
            group.bench_function(format!("interpolate {}", kernel.name()), |b| {
                b.iter(|| transform.interpolate(&mut data));
            });
        }
        let p = tfhe_ntt::prime::largest_prime_in_arithmetic_progression64(2 * n as u64, 1, 0, (1 << 50) - 1);
        let plan = tfhe_ntt::prime64::Plan::try_new(n, p.expect("primes exist")).expect("fitting prime");
        let mut data: Vec<u64> = (0..n as u64).collect();
        group.bench_function("tfhe-ntt forward", |b| b.iter(|| plan.fwd(&mut data)));
        group.finish();
    }
}

criterion_group!(benches, transforms);
criterion_main!(benches);
