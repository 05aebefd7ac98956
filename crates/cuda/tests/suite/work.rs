//! Compares the counts of the emulated GPU with the work that kernels are written to do.

use std::collections::BTreeMap;
use std::sync::Arc;

use ringmill_arith::Basis;
use ringmill_cuda::gpu::{Emulator, EmulatorOptions, KernelWork};
use ringmill_cuda::{Arithmetic, CudaDevice};
use ringmill_device::Device;
use ringmill_ring::{Domain, FermatRing, NegacyclicRing, Ring};

/// The work of kernels for a job on three polynomials of two limbs, all zero.
fn work(
    ring: &Ring,
    arithmetic: Arithmetic,
    options: EmulatorOptions,
    domain: Domain,
    job: impl FnOnce(&CudaDevice, [<CudaDevice as Device>::Poly; 3]),
) -> BTreeMap<String, KernelWork> {
    let emulator = Arc::new(Emulator::new(options));
    let device = CudaDevice::new(ring, arithmetic, Arc::clone(&emulator) as _);
    let basis = Basis::new(&ring.primes(1 << 50, 2, &[]).unwrap()).unwrap();
    let zeros = vec![0; 2 * ring.n()];
    let polys = [(); 3].map(|()| device.upload(&basis, domain, &zeros).unwrap());
    job(&device, polys);
    device.finish().unwrap();
    let work = emulator.work();
    assert!(emulator.work().is_empty(), "reading it begins anew");
    work
}

fn fermat(n: usize) -> Ring {
    FermatRing::new(n).unwrap().into()
}

#[test]
fn sums_read_each_term_once() {
    let lazy = EmulatorOptions {
        lazy: true,
        ..EmulatorOptions::default()
    };
    for options in [EmulatorOptions::default(), lazy] {
        // Three words loaded, three sums, one stored.
        for (arithmetic, operations) in [
            (Arithmetic::Words, 0),
            (Arithmetic::Doubles, 0),
            (Arithmetic::Bounds, 3 + 3 + 5),
        ] {
            let work = work(
                &fermat(2048),
                arithmetic,
                options,
                Domain::Coefficient,
                |device, [a, b, c]| {
                    device.sum(&[&a, &b, &c]).unwrap();
                },
            );
            let words = 2 * 2048;
            let expected = KernelWork {
                launches: 1,
                blocks: words / 256,
                operations: operations * words,
                read: 3 * words,
                written: words,
                factors: 0,
            };
            let entry = format!("sum_{}", arithmetic.name());
            assert_eq!(work, BTreeMap::from([(entry, expected)]));
        }
    }
}

/// For a^2, 2 a b and b^2 four words are read and three written.
#[test]
fn sums_of_products_share_operands() {
    let work = work(
        &fermat(2048),
        Arithmetic::Bounds,
        EmulatorOptions::default(),
        Domain::Evaluation,
        |device, [a, b, c]| {
            let sums = [vec![(&a, &b)], vec![(&a, &c), (&b, &b)], vec![(&b, &c)]];
            device.inner_products(&sums, 1, Domain::Evaluation).unwrap();
        },
    );
    let dot = work["dot_bounds"];
    assert_eq!((dot.read, dot.written), (3 * 2 * 2048, 3 * 2 * 2048));
    // Four products of 10 operations, as many sums, three words stored.
    assert_eq!(dot.operations, (4 * 10 + 4 + 3 * 5) * 2 * 2048);
}

/// The operations of a word, as counted in the text that NVRTC makes of the kernels: the table of
/// docs/machines/cuda.md, pass by pass.
#[test]
fn transforms_do_what_compiled_kernels_do() {
    let negacyclic = |n: usize| Ring::from(NegacyclicRing::new(n).unwrap());
    let (ahead, back) = (Domain::Evaluation, Domain::Coefficient);
    let passes: [(Ring, Domain, &[f64]); 4] = [
        (fermat(2048), ahead, &[5.5, 14.0, 67.0]),
        (fermat(8192), back, &[14.6, 21.2, 67.0]),
        (negacyclic(8192), ahead, &[22.5, 40.0]),
        (negacyclic(8192), back, &[33.1, 37.7]),
    ];
    for (ring, to, expected) in passes {
        let from = if to == ahead { back } else { ahead };
        let work = work(
            &ring,
            Arithmetic::Bounds,
            EmulatorOptions::default(),
            from,
            |device, [a, ..]| {
                device.transform(a, to).unwrap();
            },
        );
        let words = 2 * ring.n() as u64;
        let mut operations: Vec<_> = work.values().map(|pass| pass.operations as f64).collect();
        operations.sort_by(f64::total_cmp);
        assert_eq!(operations.len(), expected.len());
        for (operations, expected) in operations.into_iter().zip(expected) {
            let operations = operations / words as f64;
            assert!(
                (operations - expected).abs() < 0.06,
                "{ring:?} to {to:?}: {operations}, not {expected}"
            );
        }
        assert!(
            work.values()
                .all(|pass| (pass.read, pass.written) == (words, words)),
            "{work:?}"
        );
    }
}
