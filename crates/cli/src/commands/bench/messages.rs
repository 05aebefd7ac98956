//! The operations of paper 2, n = 1024: products with one operand known, and an encryption in the parts of its
//! table I.

use std::time::Instant;

use ringmill_arith::Basis;
use ringmill_arith::sampling::{Gaussian, Stream, ternary, uniform};
use ringmill_device::Device;
use ringmill_fv::{Context, Domain, FvError, Parameters, presets};
use serde::Serialize;

use super::jobs::seed;
use super::measure::Times;
use super::{Bench, peers};
use crate::error::CliError;
use crate::progress::Progress;
use crate::report::{Layout, seconds};
use ringmill::messages::Encoding;
use ringmill::platform::Platform;

const PRODUCTS: &str = "n1024-products";
const ENCRYPT: &str = "n1024-encrypt";
const DECRYPT: &str = "n1024-decrypt";

/// Everything that can be measured here.
pub const NAMES: [&str; 3] = [PRODUCTS, ENCRYPT, DECRYPT];

/// Products in one measurement.
const BATCH: usize = 256;

/// Messages in one measurement.
const MESSAGES: usize = 256;

/// One line of the result.
#[derive(Debug, Serialize)]
pub struct Row {
    name: String,
    /// Threads used.
    pub threads: usize,
    /// Of one operation, all threads counted together.
    pub seconds: Times,
    /// The same as a rate.
    per_second: f64,
    published: &'static str,
}

const LAYOUT: Layout = Layout {
    columns: &[
        ("n = 1024", 26),
        ("threads", 0),
        ("median", 8),
        ("fastest .. slowest", 20),
        ("runs", 4),
        ("a second", 0),
        ("paper 2 and peers", 0),
    ],
    numbers: 1..6,
};

impl Row {
    fn cells(&self) -> Vec<String> {
        let times = &self.seconds;
        vec![
            self.name.clone(),
            self.threads.to_string(),
            seconds(times.median),
            format!("{} .. {}", seconds(times.min), seconds(times.max)),
            times.runs.to_string(),
            format!("{:.1} K", self.per_second / 1e3),
            self.published.to_owned(),
        ]
    }
}

/// Measures what is wanted.
pub fn run(bench: &mut Bench, devices: &impl Platform) -> Result<(), CliError> {
    if !bench.wants_any(&NAMES) {
        return Ok(());
    }
    let parameters = Parameters::preset(presets::N1024_Q27)?;
    ringmill::warn_if_insecure(&parameters, &());
    let context = devices.context(parameters)?;
    if bench.wants(PRODUCTS) {
        bench.group(PRODUCTS, |bench| products(bench, &context));
    }
    let single = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    if bench.wants(ENCRYPT) {
        bench.group(ENCRYPT, |bench| single.install(|| encryption(bench, &context)));
    }
    if bench.wants(DECRYPT) {
        bench.group(DECRYPT, |bench| single.install(|| decryption(bench, &context)));
    }
    Ok(())
}

fn note(bench: &mut Bench, name: &str, threads: usize, seconds: Times, published: &'static str) {
    let row = Row {
        name: name.to_owned(),
        threads,
        seconds,
        per_second: 1.0 / seconds.median,
        published,
    };
    bench.log.row("Messages of integers", &LAYOUT, &row.cells());
    bench.messages.push(row);
}

/// On all threads, modulo the largest prime of the kernels for half words.
fn products(bench: &mut Bench, context: &Context<impl Device>) -> Result<(), CliError> {
    let basis = Basis::new(&context.parameters().ring().primes(1 << 31, 1, &[])?)?;
    // On the threads of the pool: another one would wait for them, and hold the operands in its own core's cache.
    let times = rayon::scope(|_| double_product(bench, context.device(), &basis, (BATCH, 1)))?;
    note(bench, PRODUCTS, bench.threads, times, peers::PRODUCTS_1024);
    Ok(())
}

/// Measures products of a batch with some factors; the time for each member of the batch.
fn double_product(
    bench: &Bench,
    device: &impl Device,
    basis: &Basis,
    (batch, factors): (usize, usize),
) -> Result<Times, FvError> {
    let _spinner = Progress::spinner("n1024 products");
    let mut stream = Stream::new(&seed("products"));
    let mut poly = |domain| {
        let mut words = vec![0; device.ring().n() * basis.len()];
        for (limb, q) in words.chunks_exact_mut(device.ring().n()).zip(basis.moduli()) {
            uniform(&mut stream, q, limb);
        }
        device.upload(basis, domain, &words)
    };
    let operands = (0..batch)
        .map(|_| poly(Domain::Coefficient))
        .collect::<Result<Vec<_>, _>>()?;
    let factors = (0..factors)
        .map(|_| poly(Domain::Evaluation))
        .collect::<Result<Vec<_>, _>>()?;
    let factors: Vec<_> = factors.iter().collect();
    let mut times = Vec::new();
    for _ in 0..=bench.runs(1.5e-6 * (batch * factors.len()) as f64) {
        let operands = operands
            .iter()
            .map(|a| device.copy(a))
            .collect::<Result<Vec<_>, _>>()?;
        device.finish()?;
        let start = Instant::now();
        let products = device.multiply_fixed(operands, &factors)?;
        device.finish()?;
        times.push(start.elapsed().as_secs_f64());
        drop(products);
    }
    // The first run warmed up.
    Ok(Times::from_list(times.split_off(1)).per(batch))
}

/// An encryption under the public key on the current pool of one thread, and its parts by themselves.
fn encryption(bench: &mut Bench, context: &Context<impl Device>) -> Result<(), CliError> {
    let n = context.parameters().n();
    let numbers: Vec<u64> = (0..n as u64).map(|i| i % context.parameters().t()).collect();
    let plaintext = |_| Encoding::Coefficients.encode(context, &numbers);
    let plaintexts = (0..MESSAGES).map(plaintext).collect::<Result<Vec<_>, _>>()?;
    let secret = context.generate_secret_key(&seed("secret"))?;
    let public = context.generate_public_key(&secret, &seed("public"))?;
    let level = context.parameters().levels();
    let runs = bench.runs(2e-5 * MESSAGES as f64);
    let fresh = seed("measured");

    let whole = Times::on(context.device(), runs, || {
        Ok(context.encrypt_many(&public, &plaintexts, level, &fresh)?)
    })?;
    let whole = whole.per(MESSAGES);
    let mut small = vec![0_i8; n];
    let mask = Times::of(runs, || {
        for i in 0..MESSAGES {
            ternary(&mut Stream::new(&fresh.derive("message", i as u64)), &mut small);
        }
        Ok(())
    })?;
    let gaussian = Gaussian::new(context.parameters().sigma())?;
    let (mut stream, mut error) = (Stream::new(&fresh), vec![0_i32; n]);
    let errors = Times::of(runs, || {
        for _ in 0..2 * MESSAGES {
            gaussian.sample(&mut stream, &mut error);
        }
        Ok(())
    })?;
    let basis = context.parameters().q_at(level)?;
    let product = double_product(bench, context.device(), &basis, (MESSAGES, 2))?;
    let (mask, errors) = (mask.per(MESSAGES), errors.per(MESSAGES));
    let others = whole.median - mask.median - errors.median - product.median;

    note(bench, ENCRYPT, 1, whole, peers::ENCRYPT_1024);
    note(bench, "  sampling of u", 1, mask, peers::ENCRYPT_1024_MASK);
    note(bench, "  double product", 1, product, peers::ENCRYPT_1024_PRODUCT);
    note(
        bench,
        "  sampling of e1, e2",
        1,
        errors,
        peers::ENCRYPT_1024_ERRORS,
    );
    let others = Times::from_list(vec![others.max(0.0)]);
    note(
        bench,
        "  others (the difference)",
        1,
        others,
        peers::ENCRYPT_1024_OTHERS,
    );
    Ok(())
}

/// A decryption on the current pool of one thread.
fn decryption(bench: &mut Bench, context: &Context<impl Device>) -> Result<(), CliError> {
    let secret = context.generate_secret_key(&seed("secret"))?;
    let plaintext = Encoding::Coefficients.encode(context, &[1, 2, 3])?;
    let level = context.parameters().levels();
    let ciphertext = context.encrypt_with_secret(&secret, &plaintext, level, &seed("measured"))?;
    let times = Times::of(bench.runs(2e-5 * MESSAGES as f64), || {
        (0..MESSAGES).try_for_each(|_| context.decrypt(&secret, &ciphertext).map(drop))?;
        Ok(())
    })?;
    note(bench, DECRYPT, 1, times.per(MESSAGES), peers::DECRYPT_1024);
    Ok(())
}
