//! Products with fixed factors beyond what the conformance suite has.

use ringmill_arith::{Basis, Simd};
use ringmill_cpu::CpuDevice;
use ringmill_device::Device;
use ringmill_ring::{Domain, NegacyclicRing, Ring};

/// Operands that do not fit in caches are fetched ahead: the products are those of one operand at a time, whose factors are
/// not prepared, and stay in the order of the operands.
#[test]
fn batches_beyond_the_caches() {
    let n = 1 << 16;
    let ring = Ring::from(NegacyclicRing::new(n).unwrap());
    let basis = Basis::new(&ring.primes(1 << 31, 1, &[]).unwrap()).unwrap();
    let q = basis.moduli()[0].value();
    let words = |seed: u64| -> Vec<u64> {
        let next = |x: &u64| Some((x * 1_103_515_245 + 12345) % q);
        std::iter::successors(Some(seed), next).take(n).collect()
    };
    for kernel in Simd::tested() {
        let device = CpuDevice::new(&ring, kernel);
        let upload = |domain, seed| device.upload(&basis, domain, &words(seed)).unwrap();
        let factors = [7, 8].map(|seed| upload(Domain::Evaluation, seed));
        let factors: Vec<_> = factors.iter().collect();
        let operands: Vec<_> = (100..133).map(|seed| upload(Domain::Coefficient, seed)).collect();
        assert!(operands.len() * n * size_of::<u64>() > 1 << 24);
        let batch = operands.iter().map(|a| device.copy(a).unwrap()).collect();
        let rows = device.multiply_fixed(batch, &factors).unwrap();
        assert_eq!(rows.len(), operands.len());
        for (row, a) in rows.iter().zip(operands) {
            let alone = device.multiply_fixed(vec![a], &factors).unwrap();
            for (got, expected) in row.iter().zip(&alone[0]) {
                assert!(
                    device.download(got).unwrap() == device.download(expected).unwrap(),
                    "{kernel:?}"
                );
            }
            assert_eq!(row.len(), 2);
        }
    }
}
