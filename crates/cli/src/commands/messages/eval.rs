use std::sync::Arc;

use ringmill::JobFile;
use ringmill::messages::RowTotals;
use ringmill::platform::{Platform, PlatformTask};
use serde::Serialize;

use super::refuse;
use crate::arguments::{EvalArguments, named};
use crate::error::CliError;
use crate::progress::Terminal;
use crate::report::{bytes, print_beside, seconds};

#[derive(Serialize)]
struct Report {
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

/// Evaluates a program over messages.
pub fn run(arguments: &EvalArguments, job: &JobFile) -> Result<(), CliError> {
    refuse(&[
        ("--public-key", arguments.public_key.is_some()),
        ("--memory", arguments.memory.memory.is_some()),
        ("--spill-dir", arguments.memory.spill_dir.is_some()),
        ("--type", !arguments.table.types.is_empty()),
        ("--ignore-extra", arguments.table.ignore_extra),
        ("--sign-with", arguments.sign_with.is_some()),
        ("--resume", arguments.output.resume),
    ])?;
    let platform = arguments.device.open(&Terminal::default())?;
    let (totals, device) = platform.run(Eval(arguments, job))?;
    let output = &arguments.output.output.path;
    let report = Report {
        rows: totals.rows,
        ciphertexts: totals.ciphertexts,
        batches: totals.batches,
        device,
        insecure: job.parameters().security().warning.clone(),
        seconds: totals.seconds,
        file: output.display().to_string(),
        file_bytes: totals.bytes,
    };
    print_beside(output, arguments.json, &report, || {
        format!(
            "{} rows in {} batches evaluated in {}, {} written to {}\n",
            report.rows,
            report.batches,
            seconds(report.seconds),
            bytes(report.file_bytes),
            report.file
        )
    })
}

struct Eval<'a>(&'a EvalArguments, &'a JobFile);

impl PlatformTask for Eval<'_> {
    type Output = (RowTotals, String);
    type Error = CliError;

    fn run<P: Platform>(self, platform: &Arc<P>) -> Result<Self::Output, CliError> {
        let Self(arguments, file) = self;
        let Some(program) = file.program() else {
            return Err(CliError::usage("the job file has no program"));
        };
        let public = named("--data", program, Some(true), &arguments.data)?;
        let job = file.message_job(
            &**platform,
            &arguments.policy.policy(),
            Arc::new(Terminal::default()),
        )?;
        let server = job.open_server(&arguments.evaluation_key)?;
        let output = arguments.output.output.file();
        let totals = server.evaluate_to(&arguments.input, &public, arguments.table.format, &output)?;
        Ok((totals, platform.name()))
    }
}
