//! Batches of operations on a device, and beside it on all threads of the processor, each with a floor: the time
//! that the device's memory takes to deliver the operands and to store the results.

use std::time::Instant;

use rayon::prelude::*;
use ringmill_arith::Basis;
use ringmill_device::Device;
use ringmill_fv::{Ciphertext, Context, Domain, FvError, Parameters, Plaintext, SecretKey};
use serde::Serialize;

use super::jobs::{PRESET, seed};
use super::measure::{Times, uniform_poly};
use super::{Bench, runs};
use crate::error::CliError;
use crate::report::{Layout, bytes, seconds};
use ringmill::platform::{Cpu, Platform};

const TRANSFORM: &str = "batch-transform";
const MULTIPLY: &str = "batch-multiply-relinearize";
const RELINEARIZE: &str = "batch-relinearize";
const ENCRYPT: &str = "batch-encrypt";

/// Everything that can be measured here.
pub const NAMES: [&str; 4] = [TRANSFORM, MULTIPLY, RELINEARIZE, ENCRYPT];

/// Transforms in a batch: those of one polynomial with as many limbs.
const TRANSFORMS: usize = 128;

/// Operations of the scheme in a batch, at the highest level.
const BATCH: usize = 8;

/// Copies that bandwidth is measured with: more than caches hold.
const COPIES: usize = 4;

/// One line of the result.
#[derive(Debug, Serialize)]
pub struct Row {
    name: &'static str,
    /// As on the command line.
    device: String,
    /// Operations at once.
    operations: usize,
    /// Of the whole batch.
    seconds: Times,
    /// Operands, keys and results of the batch, each read or written once.
    floor_bytes: u64,
    /// The time for that at the rate at which the device copies.
    floor_seconds: f64,
}

const LAYOUT: Layout = Layout {
    columns: &[
        ("n = 32768", 26),
        ("device", 8),
        ("at once", 0),
        ("median", 8),
        ("fastest .. slowest", 20),
        ("runs", 4),
        ("each", 8),
        ("moves", 9),
        ("floor", 8),
        ("times floor", 0),
        ("times as fast as the CPU", 0),
    ],
    numbers: 2..11,
};

impl Row {
    /// Beside the seconds that the processor takes for the same.
    fn cells(&self, cpu: f64) -> Vec<String> {
        let times = &self.seconds;
        vec![
            self.name.to_owned(),
            self.device.clone(),
            self.operations.to_string(),
            seconds(times.median),
            format!("{} .. {}", seconds(times.min), seconds(times.max)),
            times.runs.to_string(),
            seconds(times.median / self.operations as f64),
            bytes(self.floor_bytes),
            seconds(self.floor_seconds),
            format!("{:.1}", times.median / self.floor_seconds),
            format!("{:.1}", cpu / times.median),
        ]
    }
}

/// Measures what is wanted.
pub fn run(bench: &mut Bench, devices: &impl Platform) -> Result<(), CliError> {
    if !bench.wants_any(&NAMES) {
        return Ok(());
    }
    measure(bench, &Cpu)?;
    if devices.name() == Cpu.name() {
        Ok(())
    } else {
        measure(bench, devices)
    }
}

/// The setting of measurements.
struct Measurement<'a, F: Platform> {
    devices: &'a F,
    context: Context<F::Device>,
    /// Bytes that copies read and write in a second.
    bandwidth: f64,
    quick: bool,
}

fn measure<F: Platform>(bench: &mut Bench, devices: &F) -> Result<(), CliError> {
    let context = devices.context(Parameters::preset(PRESET)?)?;
    let device = context.device();
    let basis = Basis::new(&device.ring().primes(1 << 50, TRANSFORMS, &[])?)?;
    let poly = uniform_poly(device, &basis, Domain::Coefficient)?;
    let quick = bench.quick;
    let measurement = Measurement {
        bandwidth: bandwidth(device, &poly, quick)?,
        devices,
        context,
        quick,
    };
    note(bench, TRANSFORM, || measurement.transforms(poly));
    note(bench, MULTIPLY, || measurement.multiply());
    note(bench, RELINEARIZE, || measurement.relinearize());
    note(bench, ENCRYPT, || measurement.encrypt());
    Ok(())
}

/// Measures a row if it is wanted.
fn note(bench: &mut Bench, name: &str, measure: impl FnOnce() -> Result<Row, CliError>) {
    if bench.wants(name)
        && let Some(row) = bench.log.attempt(name, measure)
    {
        // The processor's comes first.
        let cpu = bench.batches.iter().find(|other| other.name == row.name);
        let cpu = cpu.unwrap_or(&row).seconds.median;
        bench.log.row("Batches of operations", &LAYOUT, &row.cells(cpu));
        bench.batches.push(row);
    }
}

/// The rate at which a device reads and writes large polynomials.
fn bandwidth<D: Device>(device: &D, poly: &D::Poly, quick: bool) -> Result<f64, CliError> {
    let copy = |poly| device.copy(poly);
    let originals = (0..COPIES).map(|_| copy(poly)).collect::<Result<Vec<_>, _>>()?;
    let copies = repeated(device, quick, || {
        let copies = originals.par_iter().map(copy);
        Ok(copies.collect::<Result<Vec<_>, _>>()?)
    })?;
    let words = device.basis(poly).len() * device.ring().n();
    Ok((2 * COPIES * 8 * words) as f64 / copies.median)
}

/// The times of a job on a device, of as many runs as take about a second, and one before to warm up.
fn repeated<D: Device, T>(
    device: &D,
    quick: bool,
    mut job: impl FnMut() -> Result<T, CliError>,
) -> Result<Times, CliError> {
    let mut time = || {
        let start = Instant::now();
        let result = job()?;
        device.finish()?;
        let time = start.elapsed().as_secs_f64();
        drop(result);
        Ok::<_, CliError>(time)
    };
    let about = time()?;
    let times = (0..runs(quick, about)).map(|_| time());
    Ok(Times::from_list(times.collect::<Result<_, _>>()?))
}

impl<F: Platform> Measurement<'_, F> {
    fn row(&self, name: &'static str, operations: usize, seconds: Times, limbs: usize) -> Row {
        let floor_bytes = 8 * limbs as u64 * self.context.parameters().n() as u64;
        Row {
            name,
            device: self.devices.name(),
            operations,
            seconds,
            floor_bytes,
            floor_seconds: floor_bytes as f64 / self.bandwidth,
        }
    }

    /// Forward, each from coefficients: the way back is not counted.
    fn transforms(&self, mut poly: <F::Device as Device>::Poly) -> Result<Row, CliError> {
        let device = self.context.device();
        let mut times = Vec::new();
        for _ in 0..=runs(self.quick, 0.05) {
            let start = Instant::now();
            poly = device.transform(poly, Domain::Evaluation)?;
            device.finish()?;
            times.push(start.elapsed().as_secs_f64());
            poly = device.transform(poly, Domain::Coefficient)?;
            device.finish()?;
        }
        // The first run warmed up.
        let times = Times::from_list(times.split_off(1));
        Ok(self.row(TRANSFORM, TRANSFORMS, times, 2 * TRANSFORMS))
    }

    /// Products of ciphertexts, from their lifts to their relinearization.
    fn multiply(&self) -> Result<Row, CliError> {
        let (context, secret) = (&self.context, self.secret()?);
        let key = context.generate_relinearization_key(&secret, &seed("relinearization"))?;
        let (left, right) = (self.ciphertexts(&secret, "a")?, self.ciphertexts(&secret, "b")?);
        let level = context.parameters().levels();
        let times = repeated(context.device(), self.quick, || {
            let products = left
                .par_iter()
                .zip(&right)
                .map(|(a, b)| context.multiply_relinearize([a, b], &key, level, Domain::Coefficient));
            Ok(products.collect::<Result<Vec<_>, FvError>>()?)
        })?;
        let limbs = (4 + 2) * BATCH * self.limbs() + self.key_limbs();
        Ok(self.row(MULTIPLY, BATCH, times, limbs))
    }

    /// Key switching alone.
    fn relinearize(&self) -> Result<Row, CliError> {
        let (context, secret) = (&self.context, self.secret()?);
        let key = context.generate_relinearization_key(&secret, &seed("relinearization"))?;
        let factors = self.ciphertexts(&secret, "a")?;
        let squares = factors.par_iter().map(|a| {
            let factor = context.lift(a)?;
            context.multiply(&factor, &factor)
        });
        let squares = squares.collect::<Result<Vec<_>, FvError>>()?;
        let level = context.parameters().levels();
        let times = repeated(context.device(), self.quick, || {
            let switched = squares
                .par_iter()
                .map(|square| context.relinearize(square, &[], &key, level, Domain::Coefficient));
            Ok(switched.collect::<Result<Vec<_>, _>>()?)
        })?;
        let limbs = (3 + 2) * BATCH * self.limbs() + self.key_limbs();
        Ok(self.row(RELINEARIZE, BATCH, times, limbs))
    }

    /// Encryption under the public key.
    fn encrypt(&self) -> Result<Row, CliError> {
        let context = &self.context;
        let public = context.generate_public_key(&self.secret()?, &seed("public"))?;
        let plaintexts = (0..BATCH)
            .map(|_| self.plaintext())
            .collect::<Result<Vec<_>, _>>()?;
        let level = context.parameters().levels();
        let times = repeated(context.device(), self.quick, || {
            Ok(context.encrypt_many(&public, &plaintexts, level, &seed("measured"))?)
        })?;
        // A plaintext is a limb; key and ciphertexts have two parts.
        let limbs = (1 + 2 * self.limbs()) * BATCH + 2 * self.limbs();
        Ok(self.row(ENCRYPT, BATCH, times, limbs))
    }

    fn secret(&self) -> Result<SecretKey<F::Device>, CliError> {
        Ok(self.context.generate_secret_key(&seed("secret"))?)
    }

    fn plaintext(&self) -> Result<Plaintext, CliError> {
        Ok(self.context.encode(&vec![true; self.context.slots()?.len()])?)
    }

    fn ciphertexts(
        &self,
        secret: &SecretKey<F::Device>,
        label: &str,
    ) -> Result<Vec<Ciphertext<F::Device>>, CliError> {
        let (context, plaintext) = (&self.context, self.plaintext()?);
        let level = context.parameters().levels();
        let encrypt =
            |i| context.encrypt_with_secret(secret, &plaintext, level, &seed(label).derive(label, i));
        Ok((0..BATCH as u64).map(encrypt).collect::<Result<_, _>>()?)
    }

    /// Limbs of a polynomial of the highest level.
    fn limbs(&self) -> usize {
        self.context.parameters().q().len()
    }

    /// Limbs of a switching key.
    fn key_limbs(&self) -> usize {
        let parameters = self.context.parameters();
        let special = parameters.special().map_or(0, Basis::len);
        2 * parameters.groups().len() * (self.limbs() + special)
    }
}
