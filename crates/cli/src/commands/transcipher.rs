use std::sync::Arc;

use ringmill::platform::{Platform, PlatformTask};
use ringmill::{PublicInputs, Table, hex};

use super::eval::{planning, report, server, signing};
use crate::arguments::{TranscipherArguments, check_inputs};
use crate::error::CliError;
use crate::progress::Terminal;

/// Evaluates a circuit that begins with a cipher on the cipher's raw data.
pub fn run(arguments: &TranscipherArguments) -> Result<(), CliError> {
    check_inputs(&arguments.inputs())?;
    arguments.memory.check()?;
    arguments.output.file().check()?;
    arguments
        .device
        .open(&Terminal::default())?
        .run(Transcipher(arguments))
}

struct Transcipher<'a>(&'a TranscipherArguments);

impl PlatformTask for Transcipher<'_> {
    type Output = ();
    type Error = CliError;

    fn run<P: Platform>(self, platform: &Arc<P>) -> Result<(), CliError> {
        let Self(arguments) = self;
        let counter = arguments.counter.as_deref().map(counter).transpose()?;
        let others = arguments.others.as_deref().map(|path| arguments.table.open(path));
        let public = PublicInputs::cipher_data(Table::open(&arguments.data), counter, others);
        let planning = planning(&arguments.memory, &[&arguments.key]).policy(arguments.policy.policy());
        let job = planning.open_to_evaluate_on(platform, &arguments.job.open_circuit()?)?;
        let server = server(&job, &arguments.evaluation_key, arguments.public_key.as_deref())?;
        let server = signing(server, arguments.sign_with.as_deref())?;
        let file = server.evaluate_to(&arguments.key, &public, &arguments.output.file())?;
        report(&job, &file, (&arguments.output, arguments.json))
    }
}

/// The first counter block.
pub fn counter(text: &str) -> Result<[u8; 16], CliError> {
    let counter = hex::parse::<16>(text);
    Ok(*counter.map_err(|problem| CliError::usage(format!("--counter: {problem}")))?)
}
