//! Tests the device on a GPU of this computer, if there is one.

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

fn rings() -> [Ring; 5] {
    [
        FermatRing::new(2048).unwrap().into(),
        FermatRing::new(32768).unwrap().into(),
        FermatRing::new(65536).unwrap().into(),
        NegacyclicRing::new(64).unwrap().into(),
        NegacyclicRing::new(8192).unwrap().into(),
    ]
}

/// The results are as defined, bit for bit, whichever arithmetic suits the GPU.
#[test]
fn a_gpu_conforms() {
    if !is_there_a_gpu("the conformance suite on a GPU") {
        return;
    }
    for ring in rings() {
        for arithmetic in [Arithmetic::Doubles, Arithmetic::Words] {
            let gpu = NvidiaGpu::open(0, &KernelSource::of_device(&ring, arithmetic)).unwrap();
            conforms(&CudaDevice::new(&ring, arithmetic, Arc::new(gpu)));
        }
    }
}

/// There is so little memory that polynomials move to the host and back.
#[test]
fn a_gpu_that_is_short_of_memory_conforms() {
    if !is_there_a_gpu("the conformance suite on a GPU with little memory") {
        return;
    }
    let ring = NegacyclicRing::new(64).unwrap().into();
    conforms(&CudaDevice::open(&ring, 0).unwrap().with_memory(7 << 18));
}
