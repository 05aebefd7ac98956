#![doc = include_str!("../README.md")]
//!
//! # In other programs
//!
//! [`run`] is the whole command, for programs that have it inside.

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

use std::ffi::OsString;

use clap::Parser;

use arguments::{Arguments, Command};
use error::CliError;
use ringmill::platform::DeviceName;

/// Runs the command with these arguments, the first of which is the program's name; its exit code, 0 if all went well.
/// What is wrong is on standard error then.
///
/// It listens to signals of the process, and may end that: nothing else should go on in it.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(problem) => {
            // Help that is asked for comes this way too.
            let _ = problem.print();
            return u8::try_from(problem.exit_code()).unwrap_or(1);
        }
    };
    match command(&arguments) {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("error: {error}");
            error.exit_code()
        }
    }
}

/// Runs a command on the threads asked for. Everything that computes runs in this pool.
fn command(arguments: &Arguments) -> Result<(), CliError> {
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
