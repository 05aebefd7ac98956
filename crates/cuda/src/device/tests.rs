use std::sync::Arc;

use ringmill_arith::{Basis, Simd};
use ringmill_cpu::CpuDevice;
use ringmill_device::Device;
use ringmill_ring::{Domain, FermatRing, Ring};

use super::{Arithmetic, CudaDevice};
use crate::gpu::{Emulator, EmulatorOptions};

fn emulated(ring: &Ring, arithmetic: Arithmetic, backwards: bool) -> CudaDevice {
    let options = EmulatorOptions {
        checked: true,
        backwards,
        ..EmulatorOptions::default()
    };
    CudaDevice::new(ring, arithmetic, Arc::new(Emulator::new(options)))
}

#[test]
fn sums_are_those_of_the_cpu() {
    let ring = Ring::from(FermatRing::new(2048).unwrap());
    let cpu = CpuDevice::new(&ring, Simd::from_environment().unwrap());
    let basis = Basis::new(&ring.primes(1 << 50, 3, &[]).unwrap()).unwrap();
    let words: Vec<Vec<u64>> = (0..70u64)
        .map(|k| {
            let limb = |q: u64| (0..2048).map(move |i| (q - 1).wrapping_sub(k * 77_777_777_777 * i) % q);
            basis.moduli().iter().flat_map(|q| limb(q.value())).collect()
        })
        .collect();
    for arithmetic in [Arithmetic::Doubles, Arithmetic::Words] {
        for backwards in [false, true] {
            let device = emulated(&ring, arithmetic, backwards);
            let upload = |w: &Vec<u64>| device.upload(&basis, Domain::Coefficient, w).unwrap();
            let polys: Vec<_> = words.iter().map(upload).collect();
            let terms: Vec<_> = polys.iter().collect();
            let sum = device.download(&device.sum(&terms).unwrap()).unwrap();
            let host: Vec<_> = words
                .iter()
                .map(|w| cpu.upload(&basis, Domain::Coefficient, w).unwrap())
                .collect();
            let expected = cpu.sum(&host.iter().collect::<Vec<_>>()).unwrap();
            assert!(sum == cpu.download(&expected).unwrap(), "{arithmetic:?}");
            let difference = device.sub(&polys[1], &polys[69]).unwrap();
            let expected = cpu.sub(&host[1], &host[69]).unwrap();
            assert!(device.download(&difference).unwrap() == cpu.download(&expected).unwrap());
        }
    }
}

/// Sums just below multiples of a prime, where a quotient that is a little too large would show.
#[test]
fn negative_sums_are_canonical() {
    let ring = Ring::from(FermatRing::new(2048).unwrap());
    let basis = Basis::new(&ring.primes(1 << 50, 6, &[]).unwrap()).unwrap();
    let values = |word: &dyn Fn(u64) -> u64| -> Vec<u64> {
        let limb = |q: u64| vec![word(q); ring.n()];
        basis.moduli().iter().flat_map(|q| limb(q.value())).collect()
    };
    for arithmetic in [Arithmetic::Doubles, Arithmetic::Words] {
        let device = emulated(&ring, arithmetic, false);
        let upload = |words: Vec<u64>| device.upload(&basis, Domain::Coefficient, &words).unwrap();
        let (zero, two, largest) = (
            upload(values(&|_| 0)),
            upload(values(&|_| 2)),
            upload(values(&|q| q - 1)),
        );
        let sum = device.signed_sum(&[(&zero, false), (&largest, true), (&two, true)]);
        let sum = device.download(&sum.unwrap()).unwrap();
        assert!(sum == values(&|q| q - 1), "{arithmetic:?}");
    }
}
