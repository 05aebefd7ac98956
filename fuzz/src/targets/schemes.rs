//! Keys and ciphertexts of the papers' other schemes, as payloads of valid frames. What is read is written back the
//! same.

use std::sync::{Arc, LazyLock};

use ringmill_arith::Simd;
use ringmill_cpu::CpuDevice;
use ringmill_format::FrameKind;
use ringmill_fv::{Plaintext, PrimeChoice, PrimeRule};
use ringmill_schemes::ntru::{self, NtruScheme, Scheme, Spec};
use ringmill_schemes::{ltv, yashe};

use super::sets::{seed, written};
use crate::frame::framed;
use crate::{Reader, Target, Verdict, refused};

mod other;

pub static TARGET: Target = Target {
    name: "schemes",
    readers: &[
        Reader {
            name: "yashe-secret",
            read: |payload| ntru_secret(&YASHE, payload),
            seeds: || ntru_seeds(&YASHE)[..1].to_vec(),
        },
        Reader {
            name: "yashe-public",
            read: |payload| ntru_public(&YASHE, payload),
            seeds: || ntru_seeds(&YASHE)[1..2].to_vec(),
        },
        Reader {
            name: "yashe-evaluation",
            read: |payload| ntru_evaluation(&YASHE, payload),
            seeds: || ntru_seeds(&YASHE)[2..3].to_vec(),
        },
        Reader {
            name: "yashe-ciphertexts",
            read: |payload| ntru_ciphertexts(&YASHE, payload),
            seeds: || ntru_seeds(&YASHE)[3..].to_vec(),
        },
        Reader {
            name: "ltv-evaluation",
            read: |payload| ntru_evaluation(&LTV, payload),
            seeds: || ntru_seeds(&LTV)[2..3].to_vec(),
        },
        Reader {
            name: "ltv-ciphertexts",
            read: |payload| ntru_ciphertexts(&LTV, payload),
            seeds: || ntru_seeds(&LTV)[3..].to_vec(),
        },
        other::CYCLOTOMIC_SECRET,
        other::CYCLOTOMIC_PUBLIC,
        other::CYCLOTOMIC_CIPHERTEXTS,
        other::INTEGERS_SECRET,
        other::INTEGERS_PUBLIC,
        other::INTEGERS_CIPHERTEXTS,
    ],
    words: &[],
    longest: 1 << 16,
    memory: 1 << 20,
};

/// Small moduli: the ring is large enough.
fn ntru_set(name: &str, scheme: Scheme, digit_bits: u32) -> ntru::Parameters {
    let spec = Spec {
        name: name.to_owned(),
        scheme,
        n: 2048,
        prime_rule: PrimeRule::default(),
        large: PrimeChoice { count: 2, bits: 22.0 },
        small: None,
        levels: 1,
        floor: 40.0,
        step: 20.0,
        digit_bits,
        auxiliary: 3,
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
    let parameters = ntru_set("ltv-fuzz", Scheme::Ltv, 60);
    let device = device(&parameters);
    ltv::Context::new(parameters, device).expect("a context")
});

type NtruContext<S> = ntru::Context<S, CpuDevice>;

fn ntru_secret<S: NtruScheme>(context: &NtruContext<S>, payload: &[u8]) -> Verdict {
    let file = framed(FrameKind::NTRU_SECRET_KEY, context.parameters().hash(), payload);
    let key = context.read_secret_key(file.as_slice()).map_err(refused)?;
    assert_eq!(written(|out| context.write_secret_key(out, &key)), payload);
    Ok(())
}

fn ntru_public<S: NtruScheme>(context: &NtruContext<S>, payload: &[u8]) -> Verdict {
    let file = framed(FrameKind::NTRU_PUBLIC_KEY, context.parameters().hash(), payload);
    let key = context.read_public_key(file.as_slice()).map_err(refused)?;
    assert_eq!(written(|out| context.write_public_key(out, &key)), payload);
    Ok(())
}

fn ntru_evaluation<S: NtruScheme>(context: &NtruContext<S>, payload: &[u8]) -> Verdict {
    let file = framed(
        FrameKind::NTRU_EVALUATION_KEY,
        context.parameters().hash(),
        payload,
    );
    let key = context.read_evaluation_key(file.as_slice()).map_err(refused)?;
    assert_eq!(written(|out| context.write_evaluation_key(out, &key)), payload);
    Ok(())
}

fn ntru_ciphertexts<S: NtruScheme>(context: &NtruContext<S>, payload: &[u8]) -> Verdict {
    let file = framed(FrameKind::NTRU_CIPHERTEXTS, context.parameters().hash(), payload);
    let ciphertexts = context.read_ciphertexts(file.as_slice()).map_err(refused)?;
    assert_eq!(
        written(|out| context.write_ciphertexts(out, &ciphertexts)),
        payload
    );
    Ok(())
}

/// The payloads of a secret, a public and an evaluation key, of a ciphertext, and of none.
fn ntru_seeds<S: NtruScheme>(context: &NtruContext<S>) -> Vec<Vec<u8>> {
    let secret = context.generate_secret_key(&seed(1)).expect("a key");
    let public = context.generate_public_key(&secret, &seed(2)).expect("a key");
    let evaluation = context
        .generate_evaluation_key(&secret, &public, &seed(3))
        .expect("a key");
    let plaintext = Plaintext::new(vec![1; context.parameters().n()], 2).expect("bits");
    let ciphertext = context
        .encrypt(&public, &plaintext, 1, &seed(4))
        .expect("a ciphertext");
    let ciphertexts = [ciphertext];
    let write = |count: usize| written(|out| context.write_ciphertexts(out, &ciphertexts[..count]));
    vec![
        written(|out| context.write_secret_key(out, &secret)),
        written(|out| context.write_public_key(out, &public)),
        written(|out| context.write_evaluation_key(out, &evaluation)),
        write(1),
        write(0),
    ]
}
