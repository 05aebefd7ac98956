//! Keys and ciphertexts: the first byte chooses the reader, the rest is the payload. The frame around
//! it is made valid, or hardly any input would get past its checksum.
#![no_main]

use std::io::Write;
use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use ringmill_arith::Kernel;
use ringmill_cpu::CpuDevice;
use ringmill_fv::format::{FrameWriter, Kind};
use ringmill_fv::{Context, Parameters};

static CONTEXT: LazyLock<Context<CpuDevice>> = LazyLock::new(|| {
    let parameters = Parameters::preset("fv128-n4096").expect("a preset");
    let device = CpuDevice::new(parameters.ring(), Kernel::Portable);
    Context::new(parameters, Arc::new(device)).expect("a context")
});

const KINDS: [Kind; 5] =
    [Kind::SecretKey, Kind::PublicKey, Kind::RelinearizationKey, Kind::GaloisKeys, Kind::Ciphertexts];

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
        Kind::SecretKey => drop(CONTEXT.read_secret_key(file)),
        Kind::PublicKey => drop(CONTEXT.read_public_key(file)),
        Kind::RelinearizationKey => drop(CONTEXT.read_relinearization_key(file)),
        Kind::GaloisKeys => drop(CONTEXT.read_galois_keys(file)),
        _ => drop(CONTEXT.read_ciphertexts(file)),
    }
});
