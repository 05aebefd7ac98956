use std::io::Write;
use std::time::Instant;

use rayon::prelude::*;
use ringmill_arith::sampling::Seed;
use ringmill_device::Device;
use ringmill_fv::format::Access;
use ringmill_fv::{Context, Parameters};
use serde::Serialize;

use super::{parameters, refuse};
use crate::arguments::EncryptArguments;
use crate::device::{Devices, Job};
use crate::encryption::Key;
use crate::error::CliError;
use crate::messages::{self, Encoding, Head};
use crate::numbers::NumberRows;
use crate::progress::Progress;
use crate::report::{bytes, print_beside, seconds};

#[derive(Serialize)]
struct Report {
    messages: usize,
    numbers: usize,
    batches: usize,
    encoding: &'static str,
    device: String,
    seconds: f64,
    file: String,
    file_bytes: u64,
}

/// What was encrypted.
#[derive(Default)]
struct Totals {
    messages: usize,
    numbers: usize,
    batches: usize,
    /// Without reading and writing.
    seconds: f64,
}

/// Encrypts rows of numbers, batch by batch.
pub fn run(arguments: &EncryptArguments) -> Result<(), CliError> {
    let given = &arguments.values;
    refuse(&[
        ("--cipher-key", given.cipher_key.is_some()),
        ("--cipher-key-file", given.cipher_key_file.is_some()),
        ("--type", !arguments.table.types.is_empty()),
        ("--ignore-extra", arguments.table.ignore_extra),
    ])?;
    let parameters = parameters(&arguments.params)?;
    let job = Encrypt(arguments, parameters);
    let report = arguments.device.device.run_on_messages(job)?;
    print_beside(&arguments.output.path, arguments.json, &report, || {
        format!(
            "{} messages, {} numbers as {}, encrypted in {}; {} written to {}\n",
            report.messages,
            report.numbers,
            report.encoding,
            seconds(report.seconds),
            bytes(report.file_bytes),
            report.file
        )
    })
}

struct Encrypt<'a>(&'a EncryptArguments, Parameters);

impl Job for Encrypt<'_> {
    type Output = Report;

    fn run<F: Devices>(self, devices: &F) -> Result<Report, CliError> {
        let Self(arguments, parameters) = self;
        let context = &devices.context(parameters)?;
        let parameters = context.parameters();
        let encoding = Encoding::choose(context, arguments.encoding)?;
        let key = Key::read(&arguments.key, context)?;
        let Some(path) = &arguments.values.input else {
            return Err(CliError::Usage("give --input".to_owned()));
        };
        let mut rows = NumberRows::open(path, arguments.table.format, (parameters.n(), parameters.t()))?;
        let (totals, file_bytes) = arguments.output.write(Access::Public, |out| {
            let totals = encrypt_rows(context, &key, encoding, &mut rows, out)?;
            match totals.messages {
                0 => Err(CliError::data(path, "no messages: one is a line of numbers")),
                _ => Ok(totals),
            }
        })?;
        Ok(Report {
            messages: totals.messages,
            numbers: totals.numbers,
            batches: totals.batches,
            encoding: encoding.name(),
            device: devices.name(),
            seconds: totals.seconds,
            file: arguments.output.path.display().to_string(),
            file_bytes,
        })
    }
}

/// Encrypts all rows. A batch is written once it is known whether another follows.
fn encrypt_rows<D: Device>(
    context: &Context<D>,
    key: &Key<D>,
    encoding: Encoding,
    rows: &mut NumberRows,
    out: &mut dyn Write,
) -> Result<Totals, CliError> {
    let (progress, meter) = (Progress::bar("encrypting"), rows.meter());
    let seed = Seed::random()?;
    let size = messages::batch_size(context.parameters());
    let mut totals = Totals::default();
    let mut next = rows.take(size)?;
    while !next.is_empty() {
        let batch = std::mem::replace(&mut next, rows.take(size)?);
        let last = next.is_empty();
        let total = meter.batches(totals.batches + if last { 1 } else { 2 }, last);
        let part = progress.batch("encrypting", (totals.batches, total), 1);
        let start = Instant::now();
        let plaintexts = batch.par_iter().map(|row| encoding.encode(context, row));
        let plaintexts = plaintexts.collect::<Result<Vec<_>, _>>()?;
        let seed = seed.derive("batch", totals.batches as u64);
        let ciphertexts = key.encryptor().encrypt_many(context, &plaintexts, &seed)?;
        context.device().finish()?;
        totals.seconds += start.elapsed().as_secs_f64();
        part.step();
        let head = Head {
            encoding,
            last,
            index: totals.batches as u32,
            lengths: batch.iter().map(|row| row.len() as u32).collect(),
        };
        messages::write(out, context, &head, &ciphertexts)?;
        totals.messages += batch.len();
        totals.numbers += batch.iter().map(Vec::len).sum::<usize>();
        totals.batches += 1;
    }
    Ok(totals)
}
