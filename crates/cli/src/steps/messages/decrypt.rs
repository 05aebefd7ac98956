use std::io::Write;
use std::time::Instant;

use rayon::prelude::*;
use ringmill_device::Device;
use ringmill_fv::format::Access;
use ringmill_fv::{Context, Parameters, SecretKey};
use serde::Serialize;

use super::{parameters, refuse};
use crate::arguments::DecryptArguments;
use crate::device::{Devices, Job};
use crate::error::CliError;
use crate::keys;
use crate::messages::Messages;
use crate::numbers::RowFormat;
use crate::progress::Progress;
use crate::report::{print_beside, seconds};

#[derive(Serialize)]
struct Report {
    messages: usize,
    numbers: usize,
    batches: usize,
    device: String,
    seconds: f64,
    file: String,
    file_bytes: u64,
}

/// What was decrypted.
#[derive(Default)]
struct Totals {
    messages: usize,
    numbers: usize,
    batches: usize,
    /// Without reading and writing.
    seconds: f64,
}

/// Decrypts messages to rows of numbers.
pub fn run(arguments: &DecryptArguments) -> Result<(), CliError> {
    refuse(&[("--type", !arguments.types.is_empty())])?;
    let format = RowFormat::of(&arguments.output.path, arguments.format)?;
    let parameters = parameters(&arguments.params)?;
    let job = Decrypt(arguments, parameters, format);
    let report = arguments.device.device.run_on_messages(job)?;
    print_beside(&arguments.output.path, arguments.json, &report, || {
        format!(
            "{} messages, {} numbers, decrypted in {}, written to {}\n",
            report.messages,
            report.numbers,
            seconds(report.seconds),
            report.file
        )
    })
}

struct Decrypt<'a>(&'a DecryptArguments, Parameters, RowFormat);

impl Job for Decrypt<'_> {
    type Output = Report;

    fn run<F: Devices>(self, devices: &F) -> Result<Report, CliError> {
        let Self(arguments, parameters, format) = self;
        let context = &devices.context(parameters)?;
        let (key, _) = keys::read_secret(&arguments.secret_key, context)?;
        let output = &arguments.output;
        let (totals, file_bytes) = output.write(Access::Public, |out| {
            decrypt_file(context, &key, arguments, format, out)
        })?;
        Ok(Report {
            messages: totals.messages,
            numbers: totals.numbers,
            batches: totals.batches,
            device: devices.name(),
            seconds: totals.seconds,
            file: output.path.display().to_string(),
            file_bytes,
        })
    }
}

fn decrypt_file<D: Device>(
    context: &Context<D>,
    key: &SecretKey<D>,
    arguments: &DecryptArguments,
    format: RowFormat,
    out: &mut dyn Write,
) -> Result<Totals, CliError> {
    let progress = Progress::bar("decrypting");
    let mut messages = Messages::open(context, &arguments.input)?;
    let meter = messages.meter();
    let mut totals = Totals::default();
    while let Some((head, ciphertexts)) = messages.next()? {
        let total = meter.batches(totals.batches + 1, head.last);
        let part = progress.batch("decrypting", (totals.batches, total), ciphertexts.len());
        let start = Instant::now();
        let rows = ciphertexts
            .par_iter()
            .zip(&head.lengths)
            .map(|(ciphertext, length)| {
                let plaintext = context.decrypt(key, ciphertext)?;
                let numbers = head.encoding.decode(context, &plaintext, *length as usize);
                part.step();
                numbers
            });
        let rows: Result<Vec<_>, _> = rows.collect();
        let rows = rows.map_err(|error| CliError::in_file(&arguments.input, error))?;
        totals.seconds += start.elapsed().as_secs_f64();
        for row in &rows {
            let written = format.write(out, row);
            written.map_err(|error| CliError::io(&arguments.output.path, error))?;
        }
        totals.messages += rows.len();
        totals.numbers += rows.iter().map(Vec::len).sum::<usize>();
        totals.batches += 1;
    }
    Ok(totals)
}
