use std::sync::Arc;

use ringmill::JobFile;
use ringmill::messages::{DecryptedRowsFile, MessageClient, MessageTotals};
use ringmill::platform::{Platform, PlatformTask};
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
    let insecure = job.parameters().security().warning.clone();
    let platform = arguments.device.open(&Terminal::default())?;
    let task = Decrypt(arguments, job);
    if job.program().is_some() {
        let (file, device) = platform.run(DecryptResults(task))?;
        return report_results(arguments, (&file, device), insecure);
    }
    if arguments.result.is_some() || arguments.show_noise {
        return Err(CliError::usage(
            "--result and --show-noise are of use where something is computed; this job only encrypts messages",
        ));
    }
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

#[derive(Serialize)]
struct ResultsReport {
    rows: usize,
    batches: usize,
    device: String,
    /// The reason why the parameters are insecure, if they are.
    insecure: Option<String>,
    seconds: f64,
    /// None unless it is asked for.
    noise_log2: Option<f64>,
    margin_bits: Option<f64>,
    file: String,
    file_bytes: u64,
}

fn report_results(
    arguments: &DecryptArguments,
    (file, device): (&DecryptedRowsFile, String),
    insecure: Option<String>,
) -> Result<(), CliError> {
    let noise = Some(file.log2_noise).filter(|_| arguments.show_noise);
    let report = ResultsReport {
        rows: file.totals.rows,
        batches: file.totals.batches,
        device,
        insecure,
        seconds: file.totals.seconds,
        noise_log2: noise,
        margin_bits: noise.map(|noise| -1.0 - noise),
        file: arguments.output.path.display().to_string(),
        file_bytes: file.totals.bytes,
    };
    print_beside(&arguments.output.path, arguments.json, &report, || {
        let margin = report.margin_bits.map_or(String::new(), |margin| {
            format!("; {margin:.1} bits of noise margin were left")
        });
        format!(
            "{} rows decrypted in {}, written to {}{margin}\n",
            report.rows,
            seconds(report.seconds),
            report.file,
        )
    })
}

struct Decrypt<'a>(&'a DecryptArguments, &'a JobFile);

impl Decrypt<'_> {
    fn client<P: Platform>(&self, platform: &Arc<P>) -> Result<MessageClient<P::Device>, CliError> {
        let Self(arguments, file) = self;
        let observer = Arc::new(Terminal::default());
        let job = file.message_job(&**platform, &arguments.policy.policy(), observer)?;
        let file = arguments.passphrase.passphrase_file.as_deref();
        Ok(match passphrase::of_key(&arguments.secret_key, file)? {
            None => job.open_client(&arguments.secret_key)?,
            Some(passphrase) => job.open_sealed_client(&arguments.secret_key, &passphrase)?,
        })
    }
}

impl PlatformTask for Decrypt<'_> {
    type Output = (MessageTotals, String);
    type Error = CliError;

    fn run<P: Platform>(self, platform: &Arc<P>) -> Result<Self::Output, CliError> {
        let (client, arguments) = (self.client(platform)?, self.0);
        let totals = client.decrypt_to(&arguments.input, &arguments.file(), arguments.format)?;
        Ok((totals, platform.name()))
    }
}

/// The same for the results of a program.
struct DecryptResults<'a>(Decrypt<'a>);

impl PlatformTask for DecryptResults<'_> {
    type Output = (DecryptedRowsFile, String);
    type Error = CliError;

    fn run<P: Platform>(self, platform: &Arc<P>) -> Result<Self::Output, CliError> {
        let (client, arguments) = (self.0.client(platform)?, self.0.0);
        let (output, wanted) = (arguments.file(), arguments.result.as_deref());
        let file = client.decrypt_results_to(&arguments.input, &output, arguments.format, wanted)?;
        Ok((file, platform.name()))
    }
}
