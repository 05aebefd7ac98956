use ringmill_arith::Simd;
use ringmill_arith::sampling::{Seed, Stream, uniform};
use ringmill_fv::presets::HEPCLOUD;
use ringmill_fv::{Domain, Parameters};
use ringmill_ring::{FermatRing, Ring, Transform};

use super::measure::Times;
use super::{Bench, peers};
use crate::error::CliError;
use ringmill::platform::Platform;

const TRANSFORM: &str = "transform";
const OPERATIONS: [&str; 8] = [
    "encode",
    "decode",
    "encrypt",
    "encrypt-secret",
    "decrypt",
    "add",
    "multiply-relinearize",
    "rotation",
];
const PAPER: [&str; 2] = ["hepcloud-add", "hepcloud-mult"];

/// Every operation that can be measured.
pub fn names() -> Vec<&'static str> {
    [&[TRANSFORM], OPERATIONS.as_slice(), &PAPER].concat()
}

/// The dimension of everything here.
pub(super) const N: usize = 32768;

/// The preset whose operations are measured: log2 q about 720.
pub(super) const PRESET: &str = "fv128-n32768";

/// An automorphism that moves slots: a unit for every Fermat ring, and no power of 2.
const ROTATION: u64 = 7;

pub(super) fn seed(label: &str) -> Seed {
    Seed::from_bytes([7; 32]).derive(label, 0)
}

/// A transform modulo one prime, with every kernel.
pub fn transforms(bench: &mut Bench) -> Result<(), CliError> {
    if !bench.wants(TRANSFORM) {
        return Ok(());
    }
    let ring = Ring::from(FermatRing::new(N)?);
    let Some(q) = ring.primes(1 << 50, 1, &[])?.pop() else {
        return Ok(());
    };
    let mut data = vec![0; N];
    uniform(&mut Stream::new(&seed("transform")), &q, &mut data);
    for kernel in Simd::available() {
        let transform = Transform::new(&ring, q, kernel)?;
        let about = if kernel == Simd::Portable { 3e-3 } else { 4e-4 };
        let name = format!("{TRANSFORM}, {}", kernel.name());
        let times = Times::of(bench.runs(about), || Ok(transform.evaluate(&mut data)?))?;
        bench.note(&name, 1, times, (peers::TRANSFORM_PAPER, peers::TRANSFORM));
    }
    Ok(())
}

/// Operations of the scheme at the highest level, on the current pool of one thread.
pub fn operations(bench: &mut Bench, devices: &impl Platform) -> Result<(), CliError> {
    if !bench.wants_any(&OPERATIONS) {
        return Ok(());
    }
    let context = devices.context(Parameters::preset(PRESET)?)?;
    let (level, device) = (context.parameters().levels(), context.device());
    let bits: Vec<bool> = (0..context.slots()?.len()).map(|i| i % 3 == 0).collect();
    let plaintext = context.encode(&bits)?;
    let secret = context.generate_secret_key(&seed("secret"))?;
    let public = context.generate_public_key(&secret, &seed("public"))?;
    let key = context.generate_relinearization_key(&secret, &seed("relinearization"))?;
    let rotation_key = context.generate_galois_key(&secret, ROTATION, &seed("rotation"))?;
    let a = context.encrypt(&public, &plaintext, level, &seed("a"))?;
    let b = context.encrypt(&public, &plaintext, level, &seed("b"))?;

    bench.measure(device, "encode", (1, 5e-4), ("", ""), || {
        Ok(context.encode(&bits)?)
    });
    bench.measure(device, "decode", (1, 5e-4), ("", peers::DECODE), || {
        Ok(context.decode(&plaintext)?)
    });
    bench.measure(device, "encrypt", (1, 0.015), ("", peers::ENCRYPT), || {
        Ok(context.encrypt(&public, &plaintext, level, &seed("measured"))?)
    });
    bench.measure(device, "encrypt-secret", (1, 0.015), ("", ""), || {
        Ok(context.encrypt_with_secret(&secret, &plaintext, level, &seed("measured"))?)
    });
    bench.measure(device, "decrypt", (1, 0.015), ("", peers::DECRYPT), || {
        Ok(context.decrypt(&secret, &a)?)
    });
    bench.measure(device, "add", (1, 1e-3), (peers::HEPCLOUD_ADD, ""), || {
        Ok(context.add(&a, &b)?)
    });
    let papers = (peers::MULTIPLY_PAPER, peers::MULTIPLY);
    bench.measure(device, "multiply-relinearize", (1, 0.08), papers, || {
        Ok(context.multiply_relinearize([&a, &b], &key, level, Domain::Coefficient)?)
    });
    bench.measure(device, "rotation", (1, 0.04), ("", peers::ROTATION), || {
        Ok(context.automorphism(&a, &rotation_key)?)
    });
    Ok(())
}

/// The HEPCloud paper's parameters on all threads.
pub fn hepcloud(bench: &mut Bench, devices: &impl Platform) -> Result<(), CliError> {
    if !bench.wants_any(&PAPER) {
        return Ok(());
    }
    let parameters = Parameters::preset(HEPCLOUD)?;
    ringmill::warn_if_insecure(&parameters, &());
    let context = devices.context(parameters)?;
    let (level, device) = (context.parameters().levels(), context.device());
    let plaintext = context.encode(&vec![true; context.slots()?.len()])?;
    let secret = context.generate_secret_key(&seed("secret"))?;
    let key = context.generate_relinearization_key(&secret, &seed("relinearization"))?;
    let a = context.encrypt_with_secret(&secret, &plaintext, level, &seed("a"))?;
    let b = context.encrypt_with_secret(&secret, &plaintext, level, &seed("b"))?;
    let threads = bench.threads;
    bench.measure(
        device,
        "hepcloud-add",
        (threads, 2e-3),
        (peers::HEPCLOUD_ADD, ""),
        || Ok(context.add(&a, &b)?),
    );
    bench.measure(
        device,
        "hepcloud-mult",
        (threads, 0.4),
        (peers::HEPCLOUD_MULT, ""),
        || Ok(context.multiply_relinearize([&a, &b], &key, level, Domain::Coefficient)?),
    );
    Ok(())
}
