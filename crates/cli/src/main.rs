//! `ringmill`: compute on encrypted bits from the command line.

mod arguments;
mod batch_head;
mod batches;
mod bench;
mod calibration;
mod ciphers;
mod circuits;
mod cuda;
mod demo;
mod device;
mod encryption;
mod error;
mod evaluation;
mod files;
mod hex;
mod host;
mod hw;
mod input;
mod keys;
mod messages;
mod ntru;
mod numbers;
mod optimising;
mod papers;
mod progress;
mod report;
mod serving;
mod session;
mod steps;
mod stored;
mod summary;
mod tables;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command};
use error::CliError;

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
    let threads = arguments.threads.map_or(0, usize::from);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    pool.install(|| match &arguments.command {
        Command::Demo(arguments) => demo::run(arguments),
        Command::Circuits(arguments) => steps::circuits::run(arguments),
        Command::Params(arguments) => steps::params::run(arguments),
        Command::Keygen(arguments) => steps::keygen::run(arguments),
        Command::Encrypt(arguments) => steps::encrypt::run(arguments),
        Command::Eval(arguments) => steps::eval::run(arguments),
        Command::Transcipher(arguments) => steps::transcipher::run(arguments),
        Command::Decrypt(arguments) => steps::decrypt::run(arguments),
        Command::Inspect(arguments) => steps::inspect::run(arguments),
        Command::Bench(arguments) => bench::run(arguments),
        Command::Hw(arguments) => hw::run(arguments),
    })
}
