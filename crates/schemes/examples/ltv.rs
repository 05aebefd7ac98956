//! Times the operations of LTV at full size, as tables 5 and 6 of paper 3 have them:
//!
//! ```text
//! cargo run --release -p ringmill-schemes --example ltv -- [set] [repetitions]
//! ```

#![allow(clippy::unwrap_used)] // an example stops where it fails

use std::sync::Arc;
use std::time::{Duration, Instant};

use ringmill_arith::Kernel;
use ringmill_arith::sampling::Seed;
use ringmill_device::CpuDevice;
use ringmill_schemes::ltv::Context;
use ringmill_schemes::ntru::Parameters;

/// Runs `work` some times and prints the median and the fastest run, each divided by `parts`.
fn time<T>(what: &str, repetitions: usize, parts: u32, mut work: impl FnMut() -> T) {
    let mut times: Vec<Duration> = (0..repetitions)
        .map(|_| {
            let start = Instant::now();
            drop(work());
            start.elapsed() / parts
        })
        .collect();
    times.sort_unstable();
    let median = times[times.len() / 2];
    println!("{what:<44} {median:>10.2?}  fastest {:>10.2?}", times[0]);
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "ltv-1271".to_owned());
    let repetitions = arguments.next().map_or(5, |count| count.parse().unwrap());
    let parameters = Parameters::named(&name).unwrap();
    println!("{}", parameters.warning());
    let device = CpuDevice::new(parameters.ring(), Kernel::from_environment().unwrap());
    let (start, seed) = (Instant::now(), Seed::from_bytes([1; 32]));
    let context = Context::new(parameters, Arc::new(device)).unwrap();
    let base = context.base();
    println!("context {:.2?}", start.elapsed());
    let start = Instant::now();
    let secret = base.generate_secret_key(&seed.derive("f", 0)).unwrap();
    let public = base.generate_public_key(&secret, &seed.derive("g", 0)).unwrap();
    println!("keys {:.2?}", start.elapsed());
    let start = Instant::now();
    let key = context
        .generate_evaluation_key(&secret, &public, &seed.derive("evaluation", 0))
        .unwrap();
    println!("evaluation key {:.2?}", start.elapsed());
    let plaintext = base.encode(&[true, false, true]).unwrap();
    let top = base.parameters().levels();
    for level in [top, top * 2 / 3, top / 3] {
        println!(
            "level {level}, {:.0} bits",
            base.parameters().log2_q(level).unwrap()
        );
        let seed = seed.derive("message", 0);
        time("encrypt", repetitions, 1, || {
            context.encrypt(&public, &plaintext, level, &seed).unwrap()
        });
        let a = context.encrypt(&public, &plaintext, level, &seed).unwrap();
        let b = context
            .encrypt(&public, &plaintext, level, &seed.derive("b", 0))
            .unwrap();
        time("decrypt", repetitions, 1, || {
            context.decrypt(&secret, &a).unwrap()
        });
        time("XOR (ADD)", repetitions, 1, || context.sum(&[&a, &b]).unwrap());
        time("multiply, to coefficients", repetitions, 1, || {
            context.multiply(&[(&a, &b)]).unwrap()
        });
        for together in [1, 2, 4] {
            let products: Vec<_> = (0..together)
                .map(|_| context.multiply(&[(&a, &b)]).unwrap())
                .collect();
            time(
                &format!("relinearize, {together} at a time, each"),
                repetitions,
                together,
                || context.relinearize_all(&key, &products, level).unwrap(),
            );
            time(
                &format!("the same and modulus switching, {together}, each"),
                repetitions,
                together,
                || context.relinearize_all(&key, &products, level - 1).unwrap(),
            );
        }
        time("modulus switching alone", repetitions, 1, || {
            context.switch(&a, level - 1).unwrap()
        });
        time("AND (multiply, relinearize, switch)", repetitions, 1, || {
            let product = [context.multiply(&[(&a, &b)]).unwrap()];
            context.relinearize_all(&key, &product, level - 1).unwrap()
        });
    }
}
