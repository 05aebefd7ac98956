//! Keys and ciphertexts: the first byte chooses the reader, the rest is the payload. The frame around
//! it is made valid, or hardly any input would get past its checksum.
#![no_main]

use std::io::Write;
use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use ringmill_arith::Simd;
use ringmill_cpu::CpuDevice;
use ringmill_format::{FrameWriter, FrameKind};
use ringmill_fv::{Context, Parameters};

static CONTEXT: LazyLock<Context<CpuDevice>> = LazyLock::new(|| {
    let parameters = Parameters::preset("fv128-n4096").expect("a preset");
    let device = CpuDevice::new(parameters.ring(), Simd::Portable);
    Context::new(parameters, Arc::new(device)).expect("a context")
});

const KINDS: [FrameKind; 5] =
    [FrameKind::SECRET_KEY, FrameKind::PUBLIC_KEY, FrameKind::RELINEARIZATION_KEY, FrameKind::GALOIS_KEYS, FrameKind::CIPHERTEXTS];

fuzz_target!(|data: &[u8]| {
    let Some((&choice, payload)) = data.split_first() else { return };
    let kind = KINDS[usize::from(choice) % KINDS.len()];
    let mut file = Vec::new();
    let hash = CONTEXT.parameters().hash();
    let mut frame = FrameWriter::new(&mut file, kind, hash, payload.len() as u64).expect("memory");
    frame.write_all(payload).expect("memory");
    frame.finish().expect("memory");
    let file = file.as_slice();
    match kind {
        FrameKind::SECRET_KEY => drop(CONTEXT.read_secret_key(file)),
        FrameKind::PUBLIC_KEY => drop(CONTEXT.read_public_key(file)),
        FrameKind::RELINEARIZATION_KEY => drop(CONTEXT.read_relinearization_key(file)),
        FrameKind::GALOIS_KEYS => drop(CONTEXT.read_galois_keys(file)),
        _ => drop(CONTEXT.read_ciphertexts(file)),
    }
});
