//! Batches of operations on a device, and beside it on all threads of the processor, each with a floor: the time
//! that the device's memory takes to deliver the operands and to store the results.

use std::time::Instant;

use rayon::prelude::*;
use ringmill_arith::Basis;
use ringmill_device::Device;
use ringmill_fv::{Ciphertext, Context, Domain, FvError, Parameters};
use serde::Serialize;

use super::jobs::{PRESET, seed};
use super::measure::{Times, uniform_poly};
use super::{Bench, runs};
use crate::device::{Cpu, Devices};
use crate::error::CliError;
use crate::progress::Progress;
use crate::report::{bytes, columns, seconds};

const TRANSFORM: &str = "batch-transform";
const MULTIPLY: &str = "batch-multiply-relinearize";
const RELINEARIZE: &str = "batch-relinearize";
const ENCRYPT: &str = "batch-encrypt";

/// Everything that can be measured here.
pub const NAMES: [&str; 4] = [TRANSFORM, MULTIPLY, RELINEARIZE, ENCRYPT];

/// Transforms in a batch: of one polynomial of so many limbs.
const TRANSFORMS: usize = 128;

/// Operations of the scheme in a batch.
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
    /// What that takes at the rate at which the device copies.
    floor_seconds: f64,
}

/// Measures what is wanted.
pub fn run(bench: &mut Bench, devices: &impl Devices) -> Result<(), CliError> {
    if !bench.wants_any(&NAMES) {
        return Ok(());
    }
    measure(bench, &Cpu)?;
    match devices.name() == Cpu.name() {
        true => Ok(()),
        false => measure(bench, devices),
    }
}

/// What operations are measured with.
struct Measurement<'a, F: Devices> {
    devices: &'a F,
    context: Context<F::Device>,
    /// Bytes that copies read and write in a second.
    bandwidth: f64,
    quick: bool,
}

fn measure<F: Devices>(bench: &mut Bench, devices: &F) -> Result<(), CliError> {
    let context = devices.context(Parameters::preset(PRESET)?)?;
    let _spinner = Progress::spinner(&format!("batches on {}", devices.name()));
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
    if bench.wants(TRANSFORM) {
        bench.batches.push(measurement.transforms(poly)?);
    }
    let scheme = [MULTIPLY, RELINEARIZE, ENCRYPT].map(|name| bench.wants(name));
    if scheme.contains(&true) {
        let rows = measurement.scheme()?.into_iter().zip(scheme);
        bench
            .batches
            .extend(rows.filter(|(_, wanted)| *wanted).map(|(row, _)| row));
    }
    Ok(())
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

/// The times of a job on a device, for about a second.
fn repeated<D: Device, T>(
    device: &D,
    quick: bool,
    mut job: impl FnMut() -> Result<T, CliError>,
) -> Result<Times, CliError> {
    let start = Instant::now();
    job()?;
    device.finish()?;
    Times::on(device, runs(quick, start.elapsed().as_secs_f64()), job)
}

impl<F: Devices> Measurement<'_, F> {
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

    /// Operations at the highest level, in the order of the names.
    fn scheme(&self) -> Result<[Row; 3], CliError> {
        let context = &self.context;
        let parameters = context.parameters();
        let (level, device) = (parameters.levels(), context.device());
        let plaintext = context.encode(&vec![true; context.slots()?.len()])?;
        let plaintexts = vec![plaintext; BATCH];
        let secret = context.generate_secret_key(&seed("secret"))?;
        let public = context.generate_public_key(&secret, &seed("public"))?;
        let key = context.generate_relinearization_key(&secret, &seed("relinearization"))?;
        let encrypt = |label| context.encrypt_many(&public, &plaintexts, level, &seed(label));
        let (left, right) = (encrypt("a")?, encrypt("b")?);
        let relinearize = |product: &Ciphertext<F::Device>| {
            context.relinearize(product, &[], &key, level, Domain::Coefficient)
        };

        let multiply = repeated(device, self.quick, || {
            let pairs = left.par_iter().zip(&right);
            let products = pairs.map(|(a, b)| {
                let product = context.multiply(&context.lift(a)?, &context.lift(b)?)?;
                relinearize(&product)
            });
            Ok(products.collect::<Result<Vec<_>, FvError>>()?)
        })?;
        let products = left.iter().zip(&right);
        let products = products.map(|(a, b)| context.multiply(&context.lift(a)?, &context.lift(b)?));
        let products = products.collect::<Result<Vec<_>, FvError>>()?;
        let switch = repeated(device, self.quick, || {
            Ok(products
                .par_iter()
                .map(relinearize)
                .collect::<Result<Vec<_>, _>>()?)
        })?;
        let encryption = repeated(device, self.quick, || Ok(encrypt("measured")?))?;

        let q = parameters.q().len();
        let special = parameters.special().map_or(0, Basis::len);
        let key = 2 * parameters.groups().len() * (q + special);
        Ok([
            self.row(MULTIPLY, BATCH, multiply, BATCH * (4 + 2) * q + key),
            self.row(RELINEARIZE, BATCH, switch, BATCH * (3 + 2) * q + key),
            // A plaintext is a limb; the key has two parts.
            self.row(ENCRYPT, BATCH, encryption, BATCH * (1 + 2 * q) + 2 * q),
        ])
    }
}

/// As a table for people.
pub fn text(rows: &[Row]) -> String {
    let of_cpu = |name| {
        let mut rows = rows.iter();
        rows.find(|row| row.name == name)
            .map_or(f64::NAN, |row| row.seconds.median)
    };
    let row = |row: &Row| {
        let times = &row.seconds;
        vec![
            row.name.to_owned(),
            row.device.clone(),
            row.operations.to_string(),
            seconds(times.median),
            format!("{} .. {}", seconds(times.min), seconds(times.max)),
            times.runs.to_string(),
            seconds(times.median / row.operations as f64),
            bytes(row.floor_bytes),
            seconds(row.floor_seconds),
            format!("{:.1}", times.median / row.floor_seconds),
            format!("{:.1}", of_cpu(row.name) / times.median),
        ]
    };
    let header = [
        "n = 32768",
        "device",
        "at once",
        "median",
        "fastest .. slowest",
        "runs",
        "each",
        "moves",
        "floor",
        "times floor",
        "times as fast as the CPU",
    ];
    let rows: Vec<Vec<String>> = rows.iter().map(row).collect();
    columns(&header, 2..11, &rows)
}
