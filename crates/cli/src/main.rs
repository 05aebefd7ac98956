//! `ringmill`: compute on encrypted bits from the command line.

mod arguments;
mod commands;
mod error;
mod host;
mod passphrase;
mod points;
mod progress;
mod report;
mod secrets;
mod signals;
mod summary;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command};
use error::CliError;
use ringmill::platform::DeviceName;

fn main() -> ExitCode {
    // Wrong usage ends the program here, with code 2.
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}

/// Runs a command on the threads asked for. Everything that computes runs in this pool.
fn run(arguments: &Arguments) -> Result<(), CliError> {
    signals::listen().map_err(CliError::Signals)?;
    if let Some(device) = arguments.command.secrets_on() {
        // The driver of a GPU maps more than there is memory.
        secrets::protect(device == DeviceName::Cpu);
    }
    let threads = arguments.threads.map_or(0, usize::from);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    pool.install(|| match &arguments.command {
        Command::Demo(arguments) => commands::demo::run(arguments),
        Command::Circuits(arguments) => commands::circuits::run(arguments),
        Command::Check(arguments) => commands::check::run(arguments),
        Command::Plan(arguments) => commands::plan::run(arguments),
        Command::Keygen(arguments) => commands::keygen::run(arguments),
        Command::SigningKey(arguments) => commands::signing_key::run(arguments),
        Command::Encrypt(arguments) => commands::encrypt::run(arguments),
        Command::Eval(arguments) => commands::eval::run(arguments),
        Command::Transcipher(arguments) => commands::transcipher::run(arguments),
        Command::Decrypt(arguments) => commands::decrypt::run(arguments),
        Command::Inspect(arguments) => commands::inspect::run(arguments),
        Command::Bench(arguments) => commands::bench::run(arguments),
        Command::Hw(arguments) => commands::hw::run(arguments),
    })
}
