use std::io::Write;

use ringmill_device::Device;
use ringmill_fv::SecretKey;
use ringmill_fv::format::Access;
use ringmill_records::{TableFormat, TableWriter};
use serde::Serialize;

use super::messages;
use crate::arguments::DecryptArguments;
use crate::batches::{Batches, Role, to_outputs};
use crate::circuits::CircuitChoice;
use crate::device::{self, Devices};
use crate::encryption::decrypt;
use crate::error::CliError;
use crate::input::check_inputs;
use crate::keys;
use crate::progress::{self, Progress};
use crate::report::{print_beside, seconds};
use crate::session::Session;
use crate::tables::{batch, blame, content, format_of, output_schema};

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
    check_inputs(&arguments.inputs())?;
    let format = format_of(&arguments.output.path, arguments.format)?;
    arguments.output.check(content(format))?;
    let Some(circuit) = &arguments.circuit else {
        return messages::decrypt::run(arguments);
    };
    let report = arguments.device.device.run(Decrypt(circuit, arguments, format))?;
    print_beside(&arguments.output.path, arguments.json, &report, || {
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

struct Decrypt<'a>(&'a CircuitChoice, &'a DecryptArguments, TableFormat);

impl device::Job for Decrypt<'_> {
    type Output = Report;

    fn run<F: Devices>(self, devices: &F) -> Result<Report, CliError> {
        let Self(circuit, arguments, format) = self;
        let session = Session::open(devices, circuit, &arguments.params)?;
        let (key, set) = keys::read_secret(&arguments.secret_key, &session.context)?;
        let results = Batches::open(&session, &arguments.input, Role::Results)?;
        let results = results.of_keys(set, &arguments.secret_key);
        let ((totals, file_bytes), seconds) = progress::seconds(|| {
            arguments.output.write(Access::Public, |out| {
                decrypt_file(&session, &key, results, (arguments, format), out)
            })
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
    mut results: Batches<'_, D>,
    (arguments, format): (&DecryptArguments, TableFormat),
    out: &mut dyn Write,
) -> Result<Totals, CliError> {
    let schema = output_schema(session.circuit(), &arguments.types)?;
    let output = |error| blame(&arguments.output.path, error);
    let mut table = TableWriter::new(out, format, schema.clone()).map_err(output)?;
    let (progress, meter) = (Progress::bar("decrypting"), results.meter());
    let mut totals = Totals {
        records: 0,
        batches: 0,
        noise: f64::NEG_INFINITY,
    };
    while let Some((head, ciphertexts)) = results.next()? {
        let total = meter.batches(totals.batches + 1, head.last);
        let part = progress.batch("decrypting", (totals.batches, total), 1);
        let outputs = to_outputs(&session.plan, ciphertexts, head.clear);
        let decrypted = decrypt(session, key, &outputs);
        let decrypted = decrypted.map_err(|error| error.blaming(&arguments.input))?;
        let records = batch(&schema, head.records as usize, decrypted.values);
        table.write(&records).map_err(output)?;
        part.step();
        totals.records += head.records;
        totals.batches += 1;
        totals.noise = totals.noise.max(decrypted.noise);
    }
    table.finish().map_err(output)?;
    Ok(totals)
}
