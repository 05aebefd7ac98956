use std::sync::Arc;

use ringmill::messages::{MessageJob, MessageTotals};
use ringmill::platform::{Platform, PlatformTask};
use ringmill::{JobFile, Parameters};
use serde::Serialize;

use super::refuse;
use crate::arguments::EncryptArguments;
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
    let parameters = job.message_parameters(&arguments.policy.policy())?;
    let insecure = parameters.security().warning.clone();
    let platform = arguments.device.open(&Terminal::default())?;
    let task = Encrypt(arguments, parameters);
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

struct Encrypt<'a>(&'a EncryptArguments, Parameters);

impl PlatformTask for Encrypt<'_> {
    type Output = (MessageTotals, String);
    type Error = CliError;

    fn run<P: Platform>(self, platform: &Arc<P>) -> Result<Self::Output, CliError> {
        let Self(arguments, parameters) = self;
        let job = MessageJob::new(&**platform, parameters, Arc::new(Terminal::default()))?;
        let encryptor = match (&arguments.key.secret_key, &arguments.key.public_key) {
            (Some(path), _) => {
                let file = arguments.passphrase.passphrase_file.as_deref();
                match passphrase::of_key(path, file)? {
                    None => job.open_client(path)?.encryptor(),
                    Some(passphrase) => job.open_sealed_client(path, &passphrase)?.encryptor(),
                }
            }
            (None, Some(path)) => job.open_encryptor(path)?,
            (None, None) => return Err(CliError::usage("give --public-key or --secret-key")),
        };
        let Some(path) = &arguments.values.input else {
            return Err(CliError::usage("give --input"));
        };
        let encoding = arguments.encoding.map(Into::into);
        let output = arguments.output.file();
        let totals = encryptor.encrypt_to(path, arguments.table.format, encoding, &output)?;
        Ok((totals, platform.name()))
    }
}
