use std::path::Path;
use std::sync::Arc;

use ringmill::platform::{Platform, PlatformTask};
use ringmill::{JobFile, Planning, PublicInputs, Table, TableFormat, VerifyingKey, content, format_of};
use serde::Serialize;

use super::messages;
use super::transcipher::counter;
use crate::arguments::{DecryptArguments, OriginChoice, check_inputs};
use crate::error::CliError;
use crate::passphrase;
use crate::progress::{self, Terminal};
use crate::report::{print_beside, seconds};

#[derive(Serialize)]
struct Report {
    records: u64,
    batches: usize,
    /// Whether the table has their totals in one row.
    totals: bool,
    device: String,
    /// The reason why the parameters are insecure, if they are.
    insecure: Option<String>,
    seconds: f64,
    /// None unless it is asked for, and if everything depends on public inputs only.
    noise_log2: Option<f64>,
    margin_bits: Option<f64>,
    file: String,
    file_bytes: u64,
}

/// Decrypts results, or messages where there is no circuit.
pub fn run(arguments: &DecryptArguments) -> Result<(), CliError> {
    check_inputs(&arguments.inputs())?;
    let format = format_of(&arguments.output.path, arguments.format)?;
    arguments.file().check(content(format))?;
    let job = arguments.job.open()?;
    if arguments.job.is_for_messages(&job) {
        return messages::decrypt::run(arguments, &job);
    }
    if arguments.result.is_some() {
        return Err(CliError::usage(
            "--result is of use with a program over messages only; a circuit's table has all results",
        ));
    }
    let platform = arguments.device.open(&Terminal::default())?;
    let report = platform.run(Decrypt(&job, arguments, format))?;
    print_beside(&arguments.output.path, arguments.json, &report, || {
        let margin = report.margin_bits.map_or(String::new(), |margin| {
            format!("; {margin:.1} bits of noise margin were left")
        });
        format!(
            "{}{} records decrypted in {}, written to {}{margin}\n",
            if report.totals { "totals of " } else { "" },
            report.records,
            seconds(report.seconds),
            report.file,
        )
    })
}

struct Decrypt<'a>(&'a JobFile, &'a DecryptArguments, TableFormat);

impl PlatformTask for Decrypt<'_> {
    type Output = Report;
    type Error = CliError;

    fn run<P: Platform>(self, platform: &Arc<P>) -> Result<Report, CliError> {
        let Self(file, arguments, format) = self;
        let planning = Planning::new()
            .policy(arguments.policy.policy())
            .observer(Arc::new(Terminal::default()));
        let job = planning.open_on(platform, file)?;
        let file = arguments.passphrase.passphrase_file.as_deref();
        let client = match passphrase::of_key(&arguments.secret_key, file)? {
            None => job.open_client(&arguments.secret_key)?,
            Some(passphrase) => job.open_sealed_client(&arguments.secret_key, &passphrase)?,
        };
        let mut decryption = client.decryption(&arguments.input);
        if !arguments.origin.inputs.is_empty() {
            decryption = decryption.of_joint_inputs(&arguments.origin.inputs, public(&arguments.origin)?);
        }
        if let Some(signer) = &arguments.origin.signed_by {
            decryption = decryption.signed_by(VerifyingKey::open(signer)?);
        }
        if let Some(from) = &arguments.carried.from {
            decryption = decryption.carrying(Table::open(from), &arguments.carried.carry);
        }
        let (file, seconds) = progress::seconds(|| {
            let output = arguments.file();
            decryption.to(&output, Some(format), &arguments.types)
        })?;
        let noise = Some(file.log2_noise).filter(|noise| arguments.show_noise && noise.is_finite());
        Ok(Report {
            records: file.records,
            batches: file.batches,
            totals: file.totals,
            device: platform.name(),
            insecure: job.parameters().security().warning.clone(),
            seconds,
            noise_log2: noise,
            margin_bits: noise.map(|noise| -1.0 - noise),
            file: arguments.output.path.display().to_string(),
            file_bytes: file.bytes,
        })
    }
}

/// The public inputs that results must be made of.
fn public(origin: &OriginChoice) -> Result<PublicInputs, CliError> {
    // `eval` has told of columns that belong to no port.
    let open = |path: &Path| Table::open(path).ignoring_extra(true);
    let first = origin.counter.as_deref().map(counter).transpose()?;
    Ok(match (&origin.data, &origin.cipher_data) {
        (Some(data), _) => PublicInputs::table(open(data)),
        (None, Some(data)) => {
            PublicInputs::cipher_data(Table::open(data), first, origin.table.as_deref().map(open))
        }
        (None, None) => PublicInputs::none(),
    })
}
