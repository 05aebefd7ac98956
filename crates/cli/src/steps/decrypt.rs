use std::io::Write;

use ringmill_device::Device;
use ringmill_fv::SecretKey;
use ringmill_fv::format::Access;
use ringmill_records::TableWriter;
use serde::Serialize;

use super::messages;
use crate::arguments::DecryptArguments;
use crate::batches::{Batches, Role, to_outputs};
use crate::circuits::CircuitChoice;
use crate::device::{self, Devices};
use crate::encryption::decrypt;
use crate::error::CliError;
use crate::files;
use crate::progress::timed;
use crate::report::{print_either, seconds};
use crate::session::Session;
use crate::tables::{batch, blame, format_of, output_schema};

#[derive(Serialize)]
struct Report {
    records: u64,
    batches: usize,
    device: String,
    seconds: f64,
    /// None if everything depends on public inputs only.
    noise_log2: Option<f64>,
    margin_bits: Option<f64>,
    file: String,
    file_bytes: u64,
}

/// What was decrypted.
struct Totals {
    records: u64,
    batches: usize,
    noise: f64,
}

/// Decrypts results, or messages where there is no circuit.
pub fn run(arguments: &DecryptArguments) -> Result<(), CliError> {
    let Some(circuit) = &arguments.circuit else {
        return messages::decrypt::run(arguments);
    };
    arguments.output.check()?;
    let report = arguments.device.device.run(Decrypt(circuit, arguments))?;
    print_either(arguments.json, &report, || {
        let margin = report.margin_bits.map_or(String::new(), |margin| {
            format!("; {margin:.1} bits of noise margin were left")
        });
        format!(
            "{} records decrypted in {}, written to {}{margin}\n",
            report.records,
            seconds(report.seconds),
            report.file,
        )
    })
}

struct Decrypt<'a>(&'a CircuitChoice, &'a DecryptArguments);

impl device::Job for Decrypt<'_> {
    type Output = Report;

    fn run<F: Devices>(self, devices: &F) -> Result<Report, CliError> {
        let Self(circuit, arguments) = self;
        let session = Session::open(devices, circuit, &arguments.params)?;
        let context = &session.context;
        let key = files::read(&arguments.secret_key, |input| context.read_secret_key(input))?;
        let ((totals, file_bytes), seconds) = timed("decrypting", || {
            arguments
                .output
                .write(Access::Public, |out| decrypt_file(&session, &key, arguments, out))
        })?;
        let noise = totals.noise.is_finite().then_some(totals.noise);
        Ok(Report {
            records: totals.records,
            batches: totals.batches,
            device: devices.name(),
            seconds,
            noise_log2: noise,
            margin_bits: noise.map(|noise| -1.0 - noise),
            file: arguments.output.path.display().to_string(),
            file_bytes,
        })
    }
}

fn decrypt_file<D: Device>(
    session: &Session<D>,
    key: &SecretKey<D>,
    arguments: &DecryptArguments,
    out: &mut dyn Write,
) -> Result<Totals, CliError> {
    let schema = output_schema(session.circuit(), &arguments.types)?;
    let format = format_of(&arguments.output.path, arguments.format);
    let output = |error| blame(&arguments.output.path, error);
    let mut table = TableWriter::new(out, format, schema.clone()).map_err(output)?;
    let mut results = Batches::open(session, &arguments.input, Role::Results)?;
    let mut totals = Totals {
        records: 0,
        batches: 0,
        noise: f64::NEG_INFINITY,
    };
    while let Some((head, ciphertexts)) = results.next()? {
        let outputs = to_outputs(&session.plan, ciphertexts, head.clear);
        let decrypted = decrypt(session, key, &outputs);
        let decrypted = decrypted.map_err(|error| error.blaming(&arguments.input))?;
        let records = batch(&schema, head.records as usize, decrypted.values);
        table.write(&records).map_err(output)?;
        totals.records += head.records;
        totals.batches += 1;
        totals.noise = totals.noise.max(decrypted.noise);
    }
    table.finish().map_err(output)?;
    Ok(totals)
}
