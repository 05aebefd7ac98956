use std::sync::Arc;

use ringmill::platform::{Platform, PlatformTask};
use ringmill::{Planning, TableFormat, content, format_of};
use serde::Serialize;

use super::messages;
use crate::arguments::{CircuitChoice, DecryptArguments, check_inputs};
use crate::error::CliError;
use crate::progress::{self, Terminal};
use crate::report::{print_beside, seconds};

#[derive(Serialize)]
struct Report {
    records: u64,
    batches: usize,
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
    let Some(circuit) = &arguments.circuit else {
        return messages::decrypt::run(arguments);
    };
    let platform = arguments.device.open(&Terminal::default())?;
    let report = platform.run(Decrypt(circuit, arguments, format))?;
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

impl PlatformTask for Decrypt<'_> {
    type Output = Report;
    type Error = CliError;

    fn run<P: Platform>(self, platform: &Arc<P>) -> Result<Report, CliError> {
        let Self(circuit, arguments, format) = self;
        let planning = Planning::new()
            .policy(arguments.policy.policy())
            .observer(Arc::new(Terminal::default()));
        let job = planning.open_on(platform, &circuit.build()?, &arguments.params)?;
        let client = job.open_client(&arguments.secret_key)?;
        let (file, seconds) = progress::seconds(|| {
            let output = arguments.file();
            client.decrypt_to(&arguments.input, &output, Some(format), &arguments.types)
        })?;
        let noise = Some(file.log2_noise).filter(|noise| arguments.show_noise && noise.is_finite());
        Ok(Report {
            records: file.records,
            batches: file.batches,
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
