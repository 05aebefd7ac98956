use std::sync::Arc;

use ringmill::JobFile;
use ringmill::messages::{MessageEncryptor, MessageTotals, RowTotals};
use ringmill::platform::{Platform, PlatformTask};
use serde::Serialize;

use super::refuse;
use crate::arguments::{EncodingChoice, EncryptArguments, named, single};
use crate::error::CliError;
use crate::passphrase;
use crate::progress::Terminal;
use crate::report::{bytes, print_beside, seconds};

#[derive(Serialize)]
struct Report {
    messages: usize,
    numbers: usize,
    batches: usize,
    encoding: &'static str,
    device: String,
    /// The reason why the parameters are insecure, if they are.
    insecure: Option<String>,
    seconds: f64,
    file: String,
    file_bytes: u64,
}

/// Encrypts rows of numbers, batch by batch.
pub fn run(arguments: &EncryptArguments, job: &JobFile) -> Result<(), CliError> {
    let given = &arguments.values;
    refuse(&[
        ("--cipher-key", given.cipher_key.is_some()),
        ("--cipher-key-file", given.cipher_key_file.is_some()),
        ("--ports", !arguments.ports.is_empty()),
        ("--key", arguments.order.key.is_some()),
        ("--type", !arguments.table.types.is_empty()),
        ("--ignore-extra", arguments.table.ignore_extra),
    ])?;
    let insecure = job.parameters().security().warning.clone();
    let platform = arguments.device.open(&Terminal::default())?;
    let task = Encrypt(arguments, job);
    if job.program().is_some() {
        refuse_encoding(arguments)?;
        let (totals, device) = platform.run(EncryptInputs(task))?;
        return report_inputs(arguments, (&totals, device), insecure);
    }
    let (totals, device) = platform.run_on_messages(task, &Terminal::default())?;
    let report = Report {
        messages: totals.messages,
        numbers: totals.numbers,
        batches: totals.batches,
        encoding: totals.encoding.name(),
        device,
        insecure,
        seconds: totals.seconds,
        file: arguments.output.path.display().to_string(),
        file_bytes: totals.bytes,
    };
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

/// Programs compute on slots.
fn refuse_encoding(arguments: &EncryptArguments) -> Result<(), CliError> {
    match arguments.encoding {
        Some(EncodingChoice::Coefficients) => Err(CliError::usage(
            "--as coefficients: a program computes on slots; leave it out",
        )),
        _ => Ok(()),
    }
}

#[derive(Serialize)]
struct InputsReport {
    rows: usize,
    ciphertexts: usize,
    batches: usize,
    device: String,
    /// The reason why the parameters are insecure, if they are.
    insecure: Option<String>,
    seconds: f64,
    file: String,
    file_bytes: u64,
}

fn report_inputs(
    arguments: &EncryptArguments,
    (totals, device): (&RowTotals, String),
    insecure: Option<String>,
) -> Result<(), CliError> {
    let report = InputsReport {
        rows: totals.rows,
        ciphertexts: totals.ciphertexts,
        batches: totals.batches,
        device,
        insecure,
        seconds: totals.seconds,
        file: arguments.output.path.display().to_string(),
        file_bytes: totals.bytes,
    };
    print_beside(&arguments.output.path, arguments.json, &report, || {
        format!(
            "{} rows, {} messages, encrypted in {}; {} written to {}\n",
            report.rows,
            report.ciphertexts,
            seconds(report.seconds),
            bytes(report.file_bytes),
            report.file
        )
    })
}

struct Encrypt<'a>(&'a EncryptArguments, &'a JobFile);

impl Encrypt<'_> {
    /// Whoever has the key that was named.
    fn encryptor<P: Platform>(&self, platform: &Arc<P>) -> Result<MessageEncryptor<P::Device>, CliError> {
        let Self(arguments, file) = self;
        let observer = Arc::new(Terminal::default());
        let job = file.message_job(&**platform, &arguments.policy.policy(), observer)?;
        match (&arguments.key.secret_key, &arguments.key.public_key) {
            (Some(path), _) => {
                let file = arguments.passphrase.passphrase_file.as_deref();
                Ok(match passphrase::of_key(path, file)? {
                    None => job.open_client(path)?.encryptor(),
                    Some(passphrase) => job.open_sealed_client(path, &passphrase)?.encryptor(),
                })
            }
            (None, Some(path)) => Ok(job.open_encryptor(path)?),
            (None, None) => Err(CliError::usage("give --public-key or --secret-key")),
        }
    }
}

impl PlatformTask for Encrypt<'_> {
    type Output = (MessageTotals, String);
    type Error = CliError;

    fn run<P: Platform>(self, platform: &Arc<P>) -> Result<Self::Output, CliError> {
        let arguments = self.0;
        let encryptor = self.encryptor(platform)?;
        let path = single("--input", &arguments.values.input)?;
        let encoding = arguments.encoding.map(Into::into);
        let output = arguments.output.file();
        let totals = encryptor.encrypt_to(path, arguments.table.format, encoding, &output)?;
        Ok((totals, platform.name()))
    }
}

/// The same for the inputs of a program.
struct EncryptInputs<'a>(Encrypt<'a>);

impl PlatformTask for EncryptInputs<'_> {
    type Output = (RowTotals, String);
    type Error = CliError;

    fn run<P: Platform>(self, platform: &Arc<P>) -> Result<Self::Output, CliError> {
        let Encrypt(arguments, file) = self.0;
        let Some(program) = file.program() else {
            return Err(CliError::usage("the job file has no program"));
        };
        let files = named("--input", program, Some(false), &arguments.values.input)?;
        let encryptor = self.0.encryptor(platform)?;
        let output = arguments.output.file();
        let totals = encryptor.encrypt_inputs_to(&files, arguments.table.format, &output)?;
        Ok((totals, platform.name()))
    }
}
