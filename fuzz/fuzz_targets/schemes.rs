//! Keys and ciphertexts of the papers' other schemes: the first byte chooses the reader, the rest is the payload
//! of a valid frame.
#![no_main]

use std::io::Write;
use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use ringmill_arith::Simd;
use ringmill_cpu::CpuDevice;
use ringmill_fv::PrimeChoice;
use ringmill_format::{FrameWriter, FrameKind};
use ringmill_schemes::ntru::{self, Scheme, Spec};
use ringmill_schemes::{integers, karatsuba, ltv, yashe};

fn ntru_set(name: &str, scheme: Scheme, digit_bits: u32) -> ntru::Parameters {
    let spec = Spec {
        name: name.to_owned(),
        scheme,
        n: 2048,
        large: PrimeChoice { count: 4, bits: 45.0 },
        small: None,
        levels: 2,
        floor: 60.0,
        step: 40.0,
        digit_bits,
        auxiliary: 5,
        sigma: 3.2,
    };
    ntru::Parameters::new(&spec).expect("parameters")
}

fn device(parameters: &ntru::Parameters) -> Arc<CpuDevice> {
    Arc::new(CpuDevice::new(parameters.ring(), Simd::Portable))
}

static YASHE: LazyLock<yashe::Context<CpuDevice>> = LazyLock::new(|| {
    let parameters = ntru_set("yashe-fuzz", Scheme::Yashe, 60);
    let device = device(&parameters);
    yashe::Context::new(parameters, device).expect("a context")
});

static LTV: LazyLock<ltv::Context<CpuDevice>> = LazyLock::new(|| {
    let parameters = ntru_set("ltv-fuzz", Scheme::Ltv, 16);
    let device = device(&parameters);
    ltv::Context::new(parameters, device).expect("a context")
});

static CYCLOTOMIC: LazyLock<karatsuba::Scheme> = LazyLock::new(|| {
    let parameters = karatsuba::Parameters::insecure("cyclotomic-2560-125-insecure").expect("a set");
    karatsuba::Scheme::new(&parameters, Simd::Portable).expect("a scheme")
});

static INTEGERS: LazyLock<(integers::PublicKey, [u8; 32])> = LazyLock::new(|| {
    let parameters = integers::Parameters::insecure("integers-toy").expect("a set");
    let (_, public) = integers::generate(&parameters).expect("keys");
    let mut file = Vec::new();
    public.write(&mut file).expect("memory");
    // The parameter hash in the frame's header.
    (public, file[8..40].try_into().expect("a header"))
});

/// A file of this payload.
fn framed(kind: FrameKind, hash: &[u8; 32], payload: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut frame = FrameWriter::new(&mut file, kind, hash, payload.len() as u64).expect("memory");
    frame.write_all(payload).expect("memory");
    frame.finish().expect("memory");
    file
}

fuzz_target!(|data: &[u8]| {
    let Some((&choice, payload)) = data.split_first() else { return };
    let yashe = |kind| framed(kind, YASHE.parameters().hash(), payload);
    let ltv = |kind| framed(kind, LTV.parameters().hash(), payload);
    let cyclotomic = |kind| framed(kind, CYCLOTOMIC.parameters().hash(), payload);
    let integers = |kind| framed(kind, &INTEGERS.1, payload);
    match choice % 12 {
        0 => drop(YASHE.read_secret_key(&yashe(FrameKind::NTRU_SECRET_KEY)[..])),
        1 => drop(YASHE.read_public_key(&yashe(FrameKind::NTRU_PUBLIC_KEY)[..])),
        2 => drop(YASHE.read_evaluation_key(&yashe(FrameKind::NTRU_EVALUATION_KEY)[..])),
        3 => drop(YASHE.read_ciphertexts(&yashe(FrameKind::NTRU_CIPHERTEXTS)[..])),
        4 => drop(LTV.read_evaluation_key(&ltv(FrameKind::NTRU_EVALUATION_KEY)[..])),
        5 => drop(LTV.read_ciphertexts(&ltv(FrameKind::NTRU_CIPHERTEXTS)[..])),
        6 => drop(CYCLOTOMIC.read_secret_key(&cyclotomic(FrameKind::CYCLOTOMIC_SECRET_KEY)[..])),
        7 => drop(CYCLOTOMIC.read_public_key(&cyclotomic(FrameKind::CYCLOTOMIC_PUBLIC_KEY)[..])),
        8 => drop(CYCLOTOMIC.read_ciphertexts(&cyclotomic(FrameKind::CYCLOTOMIC_CIPHERTEXTS)[..])),
        9 => drop(integers::SecretKey::read(INTEGERS.0.parameters(), &integers(FrameKind::SECRET_KEY)[..])),
        10 => drop(integers::PublicKey::read(INTEGERS.0.parameters(), &integers(FrameKind::PUBLIC_KEY)[..])),
        _ => drop(INTEGERS.0.read_ciphertexts(&integers(FrameKind::CIPHERTEXTS)[..])),
    }
});
