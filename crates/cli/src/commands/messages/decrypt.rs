use std::sync::Arc;

use ringmill::messages::{MessageJob, MessageTotals};
use ringmill::platform::{Platform, PlatformTask};
use ringmill::{JobFile, Parameters};
use serde::Serialize;

use super::refuse;
use crate::arguments::DecryptArguments;
use crate::error::CliError;
use crate::passphrase;
use crate::progress::Terminal;
use crate::report::{print_beside, seconds};

#[derive(Serialize)]
struct Report {
    messages: usize,
    numbers: usize,
    batches: usize,
    device: String,
    /// The reason why the parameters are insecure, if they are.
    insecure: Option<String>,
    seconds: f64,
    file: String,
    file_bytes: u64,
}

/// Decrypts messages to rows of numbers.
pub fn run(arguments: &DecryptArguments, job: &JobFile) -> Result<(), CliError> {
    refuse(&[
        ("--type", !arguments.types.is_empty()),
        ("--carry", !arguments.carried.carry.is_empty()),
        ("--inputs", !arguments.origin.inputs.is_empty()),
        ("--signed-by", arguments.origin.signed_by.is_some()),
    ])?;
    let parameters = job.message_parameters(&arguments.policy.policy())?;
    let insecure = parameters.security().warning.clone();
    let platform = arguments.device.open(&Terminal::default())?;
    let task = Decrypt(arguments, parameters);
    let (totals, device) = platform.run_on_messages(task, &Terminal::default())?;
    let report = Report {
        messages: totals.messages,
        numbers: totals.numbers,
        batches: totals.batches,
        device,
        insecure,
        seconds: totals.seconds,
        file: arguments.output.path.display().to_string(),
        file_bytes: totals.bytes,
    };
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

struct Decrypt<'a>(&'a DecryptArguments, Parameters);

impl PlatformTask for Decrypt<'_> {
    type Output = (MessageTotals, String);
    type Error = CliError;

    fn run<P: Platform>(self, platform: &Arc<P>) -> Result<Self::Output, CliError> {
        let Self(arguments, parameters) = self;
        let job = MessageJob::new(&**platform, parameters, Arc::new(Terminal::default()))?;
        let file = arguments.passphrase.passphrase_file.as_deref();
        let client = match passphrase::of_key(&arguments.secret_key, file)? {
            None => job.open_client(&arguments.secret_key)?,
            Some(passphrase) => job.open_sealed_client(&arguments.secret_key, &passphrase)?,
        };
        let totals = client.decrypt_to(&arguments.input, &arguments.file(), arguments.format)?;
        Ok((totals, platform.name()))
    }
}
