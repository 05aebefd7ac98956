//! Tests a GPU as a machine. The tests run on the first GPU of this computer and, on any computer, over a
//! driver for tests (`driver.cpp`), which has no GPU but sees the calls of the driver.
//!
//! This is a test program of its own because it starts itself with the other driver loaded; then all of its
//! tests must run over that driver.

#![allow(clippy::unwrap_used, clippy::panic)] // a test stops where it fails, in its helpers too

#[cfg(target_os = "linux")]
mod driver;
#[path = "../suite/common/loud.rs"]
mod loud;

use std::mem::size_of;
use std::process::Command;
use std::slice;

use ringmill_cuda::KernelSource;
use ringmill_cuda::gpu::nvidia::{NvidiaGpu, gpus};
use ringmill_cuda::gpu::{Address, Gpu, GpuError, HostMemory, Launch, Memory};

use loud::is_there_a_gpu;

/// The parameter of all kernels of `kernels.cu`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Parameters {
    from: Address,
    to: Address,
    factor: f64,
}

fn program() -> KernelSource {
    KernelSource {
        source: include_str!("kernels.cu").to_owned(),
        headers: Vec::new(),
        options: Vec::new(),
    }
}

fn gpu(test: &str) -> Option<NvidiaGpu> {
    is_there_a_gpu(test).then(|| NvidiaGpu::open(0, &program()).unwrap())
}

/// Runs a test of this file that is marked as ignored in a process of its own, and returns its output.
fn in_a_process_of_its_own(test: &str) -> String {
    let arguments = ["--ignored", "--exact", "--nocapture", test];
    let program = std::env::current_exe().unwrap();
    let mut command = Command::new(program);
    // The driver for tests does not count resources that are lost with a GPU.
    command.args(arguments).env_remove("RINGMILL_TEST_LEFT");
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && said.contains("1 passed"),
        "{said}{errors}"
    );
    said
}

/// Numbers that differ at all places and are exact in all operations of the kernels.
fn numbers(count: usize, seed: u64) -> Vec<f64> {
    let number = |i| ((i as u64 + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as f64;
    (0..count).map(number).collect()
}

fn reversed(numbers: &[f64], factor: f64) -> Vec<f64> {
    (0..numbers.len())
        .map(|i| numbers[i ^ 255] * factor + factor)
        .collect()
}

/// The numbers in pinned memory.
fn held(memory: &mut HostMemory) -> &mut [f64] {
    let count = memory.bytes() / size_of::<f64>();
    // SAFETY: this many bytes are borrowed through `memory`, and any bits are a number.
    unsafe { slice::from_raw_parts_mut(memory.start().cast(), count) }
}

/// Launches a kernel for this many numbers.
fn launch(
    gpu: &NvidiaGpu,
    stream: usize,
    entry: &str,
    count: usize,
    parameters: &Parameters,
) -> Result<(), GpuError> {
    let start = std::ptr::from_ref(parameters).cast::<u8>();
    let launch = Launch {
        entry,
        grid: [u32::try_from(count / 256).unwrap(), 1, 1],
        threads: 256,
        // SAFETY: the structure has no bytes of padding.
        parameters: unsafe { slice::from_raw_parts(start, size_of::<Parameters>()) },
    };
    // SAFETY: the callers' addresses have room for this many numbers.
    unsafe { gpu.launch(stream, &launch) }
}

fn upload(gpu: &NvidiaGpu, stream: usize, from: &[f64], to: Address) {
    // SAFETY: the callers' addresses have room for this many numbers.
    unsafe { gpu.upload(stream, from.as_ptr().cast(), to, size_of_val(from)) }.unwrap();
}

fn download(gpu: &NvidiaGpu, stream: usize, from: Address, count: usize) -> Vec<f64> {
    let mut to = vec![0.0; count];
    // SAFETY: as above.
    unsafe { gpu.download(stream, from, to.as_mut_ptr().cast(), 8 * count) }.unwrap();
    to
}

#[test]
fn bytes_go_there_and_back_on_every_stream() {
    let Some(gpu) = gpu("copies") else { return };
    assert_eq!(gpu.streams(), 8);
    const COUNT: usize = 1 << 20;
    for stream in 0..gpu.streams() {
        let numbers = numbers(COUNT, stream as u64);
        let (a, b) = (gpu.allocate(8 * COUNT).unwrap(), gpu.allocate(8 * COUNT).unwrap());
        assert_eq!((a % 256, b % 256), (0, 0));
        upload(&gpu, stream, &numbers, a);
        // SAFETY: `b` has as much room as `a`, and they are apart.
        unsafe { gpu.copy(stream, a, b, 8 * COUNT) }.unwrap();
        // SAFETY: the first half of `a`, and nothing.
        unsafe { gpu.clear(stream, a, 4 * COUNT) }.unwrap();
        // SAFETY: as above.
        unsafe { gpu.clear(stream, b, 0) }.unwrap();
        assert_eq!(download(&gpu, stream, b, COUNT), numbers);
        let half = download(&gpu, stream, a, COUNT);
        assert!(half[..COUNT / 2].iter().all(|x| x.to_bits() == 0));
        assert_eq!(half[COUNT / 2..], numbers[COUNT / 2..]);
        gpu.release(a);
        gpu.release(b);
    }
}

#[test]
fn pinned_memory_is_copied_behind_the_callers_back() {
    let Some(gpu) = gpu("copies of pinned memory") else {
        return;
    };
    const COUNT: usize = 1 << 21;
    let there = gpu.allocate(8 * COUNT).unwrap();
    let mut from = gpu.host_memory(8 * COUNT).unwrap();
    let mut to = gpu.host_memory(8 * COUNT).unwrap();
    let numbers = numbers(COUNT, 7);
    held(&mut from).copy_from_slice(&numbers);
    held(&mut to).fill(0.0);
    // SAFETY: all three have so much room and live until the stream is finished.
    unsafe { gpu.upload(1, from.start(), there, 8 * COUNT) }.unwrap();
    // SAFETY: as above.
    unsafe { gpu.download(1, there, to.start(), 8 * COUNT) }.unwrap();
    gpu.finish(1).unwrap();
    assert_eq!(held(&mut to), numbers);
    gpu.release(there);
    // The memory outlives the GPU.
    drop(gpu);
    assert_eq!(held(&mut from), numbers);
}

#[test]
fn kernels_run_in_the_order_of_their_stream_and_after_what_they_are_told() {
    let Some(gpu) = gpu("kernels") else { return };
    const COUNT: usize = 256 * 64;
    let numbers = numbers(COUNT, 3);
    let [a, b, c] = [(); 3].map(|()| gpu.allocate(8 * COUNT).unwrap());
    let parameters = |from, to, factor| Parameters { from, to, factor };
    for (before, after) in [(0, 1), (1, 3), (2, 0), (3, 3)] {
        upload(&gpu, before, &numbers, a);
        launch(&gpu, before, "slow", COUNT, &parameters(a, b, 2.0)).unwrap();
        gpu.order(before, after).unwrap();
        launch(&gpu, after, "reverse", COUNT, &parameters(b, c, 3.0)).unwrap();
        let expected = reversed(&reversed(&numbers, 2.0), 3.0);
        assert_eq!(
            download(&gpu, after, c, COUNT),
            expected,
            "{before} before {after}"
        );
    }
    [a, b, c].into_iter().for_each(|address| gpu.release(address));
}

#[test]
fn wrong_launches_are_refused_and_harm_nothing() {
    let Some(gpu) = gpu("wrong launches") else {
        return;
    };
    let [a, b] = [(); 2].map(|()| gpu.allocate(2048).unwrap());
    let parameters = Parameters {
        from: a,
        to: b,
        factor: 1.0,
    };
    let refusal = |launch: &Launch<'_>| {
        // SAFETY: nothing is run.
        let error = unsafe { gpu.launch(0, launch) }.unwrap_err();
        assert!(matches!(error, GpuError::BadLaunch { .. }), "{error}");
        error.to_string()
    };
    let right = Launch {
        entry: "reverse",
        grid: [1; 3],
        threads: 256,
        parameters: &[0; 24],
    };
    let text = refusal(&Launch {
        entry: "nobody",
        ..right
    });
    assert_eq!(text, "kernel nobody cannot be launched: there is no such kernel");
    assert!(
        refusal(&Launch {
            threads: 512,
            ..right
        })
        .contains("256 threads")
    );
    // Older drivers do not tell the size of a kernel's parameters.
    if gpu.driver() >= (12, 4) {
        assert!(
            refusal(&Launch {
                parameters: &[0; 16],
                ..right
            })
            .contains("24 bytes")
        );
    }
    let streams = gpu.streams();
    let error = launch(&gpu, streams, "reverse", 256, &parameters).unwrap_err();
    let stream = streams;
    assert_eq!(error, GpuError::NoStream { stream, streams });
    upload(&gpu, 0, &[1.0; 256], a);
    launch(&gpu, 0, "reverse", 256, &parameters).unwrap();
    assert_eq!(download(&gpu, 0, b, 256), [2.0; 256]);
    gpu.release(a);
    gpu.release(b);
}

#[test]
fn too_much_memory_is_an_error_that_says_how_much_there_is() {
    let Some(gpu) = gpu("memory") else { return };
    let Memory { free, total } = gpu.memory().unwrap();
    assert!(free <= total);
    assert!(total.abs_diff(gpu.info().memory) < total / 50);
    let much = usize::try_from(total).unwrap() + 1;
    let error = gpu.allocate(much).unwrap_err();
    let GpuError::OutOfMemory {
        wanted,
        free,
        total: all,
    } = error
    else {
        panic!("{error}")
    };
    assert_eq!((wanted, all), (much as u64, total));
    assert!(free <= total);
    // The GPU still works.
    let nothing = gpu.allocate(0).unwrap();
    gpu.release(nothing);
}

#[test]
fn a_profile_counts_launches() {
    const TEST: &str = "the profile";
    let Some(gpu) = gpu(TEST) else { return };
    assert_eq!(gpu.profile().unwrap(), []);
    drop(gpu);
    let gpu = NvidiaGpu::open_profiled(0, &program()).unwrap();
    let a = gpu.allocate(2048).unwrap();
    upload(&gpu, 0, &[1.0; 256], a);
    let parameters = Parameters {
        from: a,
        to: a,
        factor: 0.0,
    };
    for entry in ["reverse", "slow", "reverse"] {
        launch(&gpu, 0, entry, 256, &parameters).unwrap();
    }
    for again in [0, 1] {
        let mut times = gpu.profile().unwrap();
        times.sort_by(|a, b| a.entry.cmp(&b.entry));
        let counts: Vec<_> = times
            .iter()
            .map(|time| (time.entry.as_str(), time.launches))
            .collect();
        assert_eq!(counts, [("reverse", 2 + again), ("slow", 1)]);
        assert!(times.iter().all(|time| time.seconds > 0.0));
        launch(&gpu, 0, "reverse", 256, &parameters).unwrap();
    }
    gpu.release(a);
}

#[test]
fn a_faulting_kernel_ends_the_gpu() {
    if is_there_a_gpu("faults") {
        in_a_process_of_its_own("a_fault_is_final");
    }
}

#[test]
#[ignore = "run by a_faulting_kernel_ends_the_gpu: the process loses the GPU"]
fn a_fault_is_final() {
    let Some(gpu) = gpu("faults") else { return };
    let a = gpu.allocate(2048).unwrap();
    let pinned = gpu.host_memory(2048).unwrap();
    let parameters = Parameters {
        from: a,
        to: a,
        factor: 1.0,
    };
    launch(&gpu, 0, "faulty", 256, &parameters).unwrap();
    let fault = gpu.finish(0).unwrap_err();
    let GpuError::Fault(what) = &fault else {
        panic!("{fault}")
    };
    assert!(what.contains("CUDA_ERROR_ILLEGAL_ADDRESS"), "{what}");
    assert_eq!(gpu.finish(1).unwrap_err(), fault);
    assert_eq!(gpu.memory().unwrap_err(), fault);
    assert_eq!(gpu.allocate(1).unwrap_err(), fault);
    assert_eq!(gpu.host_memory(1).unwrap_err(), fault);
    assert_eq!(launch(&gpu, 2, "reverse", 256, &parameters).unwrap_err(), fault);
    assert_eq!(gpu.order(0, 1).unwrap_err(), fault);
    gpu.release(a);
    drop(pinned);
    drop(gpu);
}

#[test]
fn without_a_driver_or_a_gpu_opening_says_so() {
    match (gpus(), NvidiaGpu::open(usize::MAX, &program())) {
        (Err(GpuError::NoDriver(_)), opened) => {
            let text = opened.unwrap_err().to_string();
            assert!(
                text.contains("install NVIDIA's driver, or compute with --device cpu"),
                "{text}"
            );
        }
        (gpus, opened) => {
            let found = gpus.unwrap().len();
            assert_eq!(
                opened.unwrap_err(),
                GpuError::NoGpu {
                    index: usize::MAX,
                    found
                }
            );
        }
    }
}
