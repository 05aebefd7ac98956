use std::sync::Arc;

use ringmill::platform::{Platform, PlatformTask};
use ringmill::{KeyFile, Passphrase, Planning, Seed};
use serde::Serialize;

use crate::arguments::{KeygenArguments, check_inputs};
use crate::error::CliError;
use crate::passphrase;
use crate::progress::{self, Terminal};
use crate::report::{Table, bytes, print_either, seconds};

#[derive(Serialize)]
struct Report {
    parameters: String,
    device: String,
    /// The reason why the parameters are insecure, if they are.
    insecure: Option<String>,
    seconds: f64,
    files: Vec<KeyFile>,
}

/// Makes a secret key and the keys for others.
pub fn run(arguments: &KeygenArguments) -> Result<(), CliError> {
    check_inputs(&arguments.inputs())?;
    let report = arguments
        .device
        .open(&Terminal::default())?
        .run(Keygen(arguments))?;
    print_either(arguments.json, &report, || {
        let mut table = Table::new();
        table.heading(&format!(
            "keys for {}, made in {}",
            report.parameters,
            seconds(report.seconds)
        ));
        for key in &report.files {
            table.row(
                &key.path.display().to_string(),
                format!("{:>10}  {}", bytes(key.bytes), key.what),
            );
        }
        table.to_text()
    })
}

struct Keygen<'a>(&'a KeygenArguments);

impl PlatformTask for Keygen<'_> {
    type Output = Report;
    type Error = CliError;

    fn run<P: Platform>(self, platform: &Arc<P>) -> Result<Report, CliError> {
        let Self(arguments) = self;
        let (directory, replace) = (&arguments.out_dir, arguments.force);
        let (observer, seed) = (Arc::new(Terminal::default()), Seed::random()?);
        let passphrase = match (arguments.passphrase, &arguments.passphrase_file) {
            (true, _) => Some(passphrase::new()?),
            (false, file) => file.as_ref().map(Passphrase::open).transpose()?,
        };
        let file = arguments.job.open()?;
        let ((files, seconds), parameters) = match arguments.job.is_for_messages(&file) {
            false => {
                let planning = Planning::new()
                    .policy(arguments.policy.policy())
                    .observer(observer);
                let job = planning.open_on(platform, &file)?;
                job.prepare()?;
                let written = progress::seconds(|| match &passphrase {
                    None => job.client(&seed)?.save_keys(directory, replace),
                    Some(passphrase) => job
                        .client(&seed)?
                        .save_sealed_keys(directory, replace, passphrase),
                })?;
                (written, job.parameters().clone())
            }
            true => {
                let job = file.message_job(&**platform, &arguments.policy.policy(), observer)?;
                let written = progress::seconds(|| match &passphrase {
                    None => job.client(&seed)?.save_keys(directory, replace),
                    Some(passphrase) => job
                        .client(&seed)?
                        .save_sealed_keys(directory, replace, passphrase),
                })?;
                (written, job.parameters().clone())
            }
        };
        Ok(Report {
            parameters: parameters.name().to_owned(),
            device: platform.name(),
            insecure: parameters.security().warning.clone(),
            seconds,
            files,
        })
    }
}
