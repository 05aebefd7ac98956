//! Tests the device on a GPU of this computer, if there is one. Each ring and arithmetic has a test of its
//! own: one that fails hides none of the others.

use std::sync::Arc;

use ringmill_conformance::{Operation, check};
use ringmill_cuda::gpu::nvidia::NvidiaGpu;
use ringmill_cuda::{Arithmetic, CudaDevice, KernelSource};
use ringmill_device::Device;
use ringmill_ring::{FermatRing, NegacyclicRing, Ring};

use crate::common::loud::is_there_a_gpu;

fn conforms(device: &CudaDevice) {
    let report = check(device, 0x5eed).unwrap();
    println!("{}, n = {}\n{report}", device.name(), device.ring().n());
    assert_eq!(report.operations().collect::<Vec<_>>(), Operation::ALL);
}

/// The results are as defined, bit for bit, whichever arithmetic suits the GPU.
fn a_gpu_conforms(ring: impl Into<Ring>, arithmetic: Arithmetic) {
    let ring = ring.into();
    if is_there_a_gpu(&format!("the conformance suite on a GPU, n = {}", ring.n())) {
        let gpu = NvidiaGpu::open(0, &KernelSource::of_device(&ring, arithmetic)).unwrap();
        conforms(&CudaDevice::new(&ring, arithmetic, Arc::new(gpu)));
    }
}

/// Tests by their names. `crates/cuda/on-card` runs them in the order of the numbers there.
macro_rules! tests {
    ($($name:ident: $ring:expr, $arithmetic:ident;)*) => {$(
        #[test]
        fn $name() {
            a_gpu_conforms($ring.unwrap(), Arithmetic::$arithmetic);
        }
    )*};
}

tests! {
    negacyclic_64_doubles: NegacyclicRing::new(64), Doubles;
    negacyclic_64_words: NegacyclicRing::new(64), Words;
    fermat_2048_doubles: FermatRing::new(2048), Doubles;
    fermat_2048_words: FermatRing::new(2048), Words;
    negacyclic_8192_doubles: NegacyclicRing::new(8192), Doubles;
    negacyclic_8192_words: NegacyclicRing::new(8192), Words;
    fermat_32768_doubles: FermatRing::new(32768), Doubles;
    fermat_32768_words: FermatRing::new(32768), Words;
    fermat_65536_doubles: FermatRing::new(65536), Doubles;
    fermat_65536_words: FermatRing::new(65536), Words;
}

/// There is so little memory that polynomials move to the host and back.
#[test]
fn negacyclic_64_short_of_memory() {
    if is_there_a_gpu("the conformance suite on a GPU with little memory") {
        let ring = NegacyclicRing::new(64).unwrap().into();
        conforms(&CudaDevice::open(&ring, 0).unwrap().with_memory(7 << 18));
    }
}
